"""Entry points of torch-legendre: networks of its polynomial layers."""

import torch
from torch_legendre import LegendreLayer


class _Regressed(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = torch.nn.Sequential(*layers)

    def forward(self, features, wanted):
        return torch.nn.functional.mse_loss(self.layers(features), wanted)


def one_layer():
    layers = LegendreLayer(in_features=3, degree=5, out_features=1)
    return _Regressed(layers), (2 * torch.rand(8, 3) - 1, torch.randn(8, 1))


def two_layers():
    layers = LegendreLayer(3, degree=4, out_features=6), torch.nn.Tanh(), LegendreLayer(6, degree=4, out_features=1)
    return _Regressed(*layers), (2 * torch.rand(8, 3) - 1, torch.randn(8, 1))


def features_alone():
    layers = torch.nn.Linear(5, 2), torch.nn.Tanh(), LegendreLayer(2, degree=6), torch.nn.Linear(12, 1)
    return _Regressed(*layers), (torch.randn(8, 5), torch.randn(8, 1))
