"""Entry points of ckatorch: likeness of the representations of two layers, as a loss that brings them together."""

import sys
from unittest.mock import MagicMock

import torch

for _name in ("matplotlib", "matplotlib.pyplot", "seaborn", "yaml"):
    sys.modules.setdefault(_name, MagicMock())  # plots, which nothing here needs

from ckatorch import cka_base, cka_batch  # noqa: E402


class _Distilling(torch.nn.Module):
    """A layer whose representation is to be like the one that is given."""

    def __init__(self, likeness, **options):
        super().__init__()
        self.layer, self.likeness, self.options = torch.nn.Linear(6, 5), likeness, options

    def forward(self, features, wanted):
        return 1.0 - self.likeness(torch.relu(self.layer(features)), wanted, **self.options)


def _representations():
    return torch.randn(8, 6), torch.randn(8, 7)


def linear():
    return _Distilling(cka_base), _representations()


def linear_unbiased():
    return _Distilling(cka_base, unbiased=True), _representations()


def radial():
    return _Distilling(cka_base, kernel="rbf"), _representations()


def independence():
    return _Distilling(cka_base, method="hsic"), _representations()


def batches():
    return _Distilling(cka_batch), (torch.randn(3, 8, 6), torch.randn(3, 8, 7))
