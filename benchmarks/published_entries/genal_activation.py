"""Entry points of genal-activation: networks of its learned activations, with losses of their training."""

import torch
from genal_activation import GenalActivation, GenalAdvanced, GenalLeaky, GenalShift


class _Classified(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.model = torch.nn.Sequential(*layers)

    def forward(self, samples, labels):
        return torch.nn.functional.cross_entropy(self.model(samples), labels)


def rows():
    layers = torch.nn.Linear(6, 16), GenalActivation(), torch.nn.Linear(16, 16), GenalShift(), torch.nn.Linear(16, 3)
    return _Classified(*layers), (torch.randn(5, 6), torch.tensor([0, 2, 1, 1, 0]))


def pictures_by_channels():
    first = torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8), GenalAdvanced(8)
    head = torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(8, 4)
    return _Classified(*first, torch.nn.Conv2d(8, 8, 3), GenalAdvanced(8), *head), (
        torch.rand(2, 3, 8, 8),
        torch.tensor([3, 0]),
    )


def leaky():
    layers = torch.nn.Linear(6, 16), GenalLeaky(alpha=0.01), torch.nn.Linear(16, 3)
    return _Classified(*layers), (torch.randn(5, 6), torch.tensor([0, 2, 1, 1, 0]))
