"""Entry points of torchconvnd: convolutions in any number of dimensions, transposed, and of functions."""

import torch
from torchConvNd import ConvNd, ConvNdFunc, ConvTransposeNd


class _Volumes(torch.nn.Module):
    """Volumes that are made smaller and as large again."""

    def __init__(self):
        super().__init__()
        self.down = ConvNd(1, 4, kernel=[2, 2, 2], stride=2, bias=True)
        self.up = ConvTransposeNd(4, 1, kernel=[3, 3, 3], stride=2, padding=1, bias=True)

    def forward(self, volumes):
        return torch.nn.functional.mse_loss(self.up(torch.relu(self.down(volumes))), volumes)


def volumes():
    return _Volumes(), (torch.rand(2, 1, 4, 4, 4),)


class _Four(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = ConvNd(2, 3, kernel=[3, 3, 3, 3], padding=1)
        self.head = torch.nn.Linear(3, 4)

    def forward(self, fields, labels):
        given = torch.relu(self.convolution(fields)).mean(dim=(2, 3, 4, 5))
        return torch.nn.functional.cross_entropy(self.head(given), labels)


def four_dimensions():
    return _Four(), (torch.randn(2, 2, 3, 3, 3, 3), torch.tensor([1, 3]))


class _Filter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = torch.nn.Linear(18, 8), torch.nn.Linear(8, 3)

    def forward(self, patches):
        return self.last(torch.tanh(self.first(patches.flatten(1))))


class _Filtered(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.filter = _Filter()
        self.convolution = ConvNdFunc(self.filter, kernel=[3, 3], stride=2, padding=1)

    def forward(self, images, wanted):
        return torch.nn.functional.mse_loss(self.convolution(images), wanted)


def function():
    return _Filtered(), (torch.randn(2, 2, 8, 8), torch.randn(2, 3, 4, 4))
