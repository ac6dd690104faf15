"""Entry points of torchtraining-nightly: its losses of classes, focused and smoothed, on one layer."""

import sys
from unittest.mock import MagicMock

import torch

for _name in ("loguru", "yaml", "neptune", "comet_ml"):
    sys.modules[_name] = MagicMock(__spec__=MagicMock())  # logs, which no loss writes

from torchtraining.loss import (  # noqa: E402
    BinaryFocal,
    MulticlassFocal,
    SmoothBinaryCrossEntropy,
    SmoothCrossEntropy,
)


class _Given(torch.nn.Module):
    def __init__(self, outputs, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(6, outputs), loss

    def forward(self, features, targets):
        return self.loss(self.layer(features).squeeze(-1), targets)


def _two():
    return torch.randn(5, 6), torch.tensor([0.0, 1, 1, 0, 1])


def _several():
    return torch.randn(5, 6), torch.tensor([0, 3, 1, 1, 2])


def binary_focus():
    return _Given(1, BinaryFocal(gamma=2.0)), _two()


def focus():
    return _Given(4, MulticlassFocal(gamma=2.0)), _several()


def smooth():
    return _Given(4, SmoothCrossEntropy(alpha=0.1)), _several()


def binary_smooth():
    return _Given(1, SmoothBinaryCrossEntropy(alpha=0.1)), _two()
