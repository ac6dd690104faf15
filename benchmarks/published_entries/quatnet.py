"""Entry points of quatnet: its layers of quaternions, in small networks that classify."""

import torch
from QuatNet.quaternion_layers import QuaternionConv2d, QuaternionLinear, QuaternionLinearAutograd


class _Classified(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.model = torch.nn.Sequential(*layers)

    def forward(self, features, classes):
        return torch.nn.functional.cross_entropy(self.model(features), classes)


def _rows():
    return torch.randn(4, 8), torch.tensor([0, 2, 1, 1])


def rows():
    return _Classified(QuaternionLinear(8, 8, weight_init="unitary"), torch.nn.ReLU(), torch.nn.Linear(8, 3)), _rows()


def rows_by_autograd():
    return _Classified(
        QuaternionLinearAutograd(8, 8, weight_init="unitary"), torch.nn.Tanh(), torch.nn.Linear(8, 3)
    ), _rows()


def images():
    layers = (
        QuaternionConv2d(4, 8, 3, 1, padding=1, weight_init="unitary"),
        torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(1),
    )
    return _Classified(*layers, torch.nn.Flatten(), torch.nn.Linear(8, 3)), (
        torch.rand(2, 4, 8, 8),
        torch.tensor([0, 2]),
    )
