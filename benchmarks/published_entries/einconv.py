"""Entry points of einconv: networks of its convolutions and unfoldings, with losses of their training."""

import torch
from einconv.modules import ConvNd, UnfoldNd


class _Classified(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.model = torch.nn.Sequential(*layers)

    def forward(self, samples, labels):
        return torch.nn.functional.cross_entropy(self.model(samples), labels)


def pictures():
    layers = ConvNd(2, 3, 8, 3, padding=1), torch.nn.ReLU(), ConvNd(2, 8, 8, 3, stride=2, groups=2), torch.nn.ReLU()
    return _Classified(*layers, torch.nn.Flatten(), torch.nn.Linear(72, 4)), (
        torch.rand(2, 3, 8, 8),
        torch.tensor([3, 0]),
    )


def series():
    layers = ConvNd(1, 2, 8, 3, dilation=2, padding="same"), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(80, 4)
    return _Classified(*layers), (torch.randn(2, 2, 10), torch.tensor([3, 0]))


def replaced():
    """A layer of PyTorch after its replacement."""
    layers = ConvNd.from_nn_Conv(torch.nn.Conv3d(1, 4, 3, padding=1)), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool3d(1)
    model = _Classified(*layers, torch.nn.Flatten(), torch.nn.Linear(4, 3))
    return model, (torch.rand(2, 1, 6, 6, 6), torch.tensor([2, 0]))


def unfolded():
    layers = UnfoldNd(3, stride=3), torch.nn.Flatten(), torch.nn.Linear(108, 3)
    return _Classified(*layers), (torch.rand(2, 3, 6, 6), torch.tensor([2, 0]))
