"""Entry points of exponet: its blend of a rectifier and its square, in networks of rows and of images."""

import sys
import types

import torch

_package = sys.modules["exponet"] = types.ModuleType("exponet")
_package.__path__ = ["exponet"]

from exponet.activations import ExpoActivation  # noqa: E402
from exponet.nn import ExpoMLP  # noqa: E402


class _Classified(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, rows, classes):
        return torch.nn.functional.cross_entropy(self.model(rows), classes)


def _rows():
    return torch.randn(5, 6), torch.tensor([0, 2, 1, 1, 0])


def rows():
    return _Classified(ExpoMLP(6, 3, hidden_dims=(16, 8))), _rows()


def rows_by_layer():
    return _Classified(ExpoMLP(6, 3, hidden_dims=(8, 8), blend_mode="per_layer", normalization="none")), _rows()


def fixed_blend():
    return _Classified(ExpoMLP(6, 3, hidden_dims=(8,), blend_init=1.0, trainable_blend=False)), _rows()


def images():
    layers = torch.nn.Conv2d(3, 6, 3), ExpoActivation(6, feature_dim=1), torch.nn.AdaptiveAvgPool2d(1)
    model = torch.nn.Sequential(*layers, torch.nn.Flatten(), torch.nn.Linear(6, 3))
    return _Classified(model), (torch.rand(2, 3, 8, 8), torch.tensor([0, 2]))
