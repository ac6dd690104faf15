"""Entry points of pytorch-nam: an additive model of tabular features and its training losses."""

import sys
from unittest.mock import MagicMock

import torch

for _name in ("matplotlib", "matplotlib.pyplot", "matplotlib.patches"):
    sys.modules[_name] = MagicMock()  # plots, which nothing here needs

from nam import NAM, ShapeFunction  # noqa: E402


class _Trained(torch.nn.Module):
    def __init__(self, loss, depth=5):
        super().__init__()
        self.model, self.loss = NAM(num_features=4, hidden_dim=16, depth=depth), loss

    def forward(self, features, wanted):
        return self.loss(self.model(features), wanted)


def additive():
    return NAM(num_features=4, hidden_dim=16), (torch.randn(6, 4),)


def shape_function():
    return ShapeFunction(1, 16, depth=3, dropout=0.1), (torch.randn(6, 1),)


def regression():
    return _Trained(torch.nn.functional.mse_loss), (torch.randn(6, 4), torch.randn(6))


def classification():
    loss = torch.nn.functional.binary_cross_entropy_with_logits
    return _Trained(loss, depth=3), (torch.randn(6, 4), torch.tensor([0.0, 1, 1, 0, 1, 0]))
