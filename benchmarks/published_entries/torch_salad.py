"""Entry points of torch-salad: a classifier of one layer that is adapted to another domain by the package's losses."""

import sys
import types
from unittest.mock import MagicMock

import torch

for _name in ("h5py", "pkg_resources"):
    sys.modules.setdefault(_name, MagicMock())  # files and name spaces, which nothing here needs
_package = sys.modules["salad"] = types.ModuleType("salad")
_package.__path__ = ["salad"]

from salad.layers.association import AssociativeLoss  # noqa: E402
from salad.layers.base import KLDivWithLogits, WeightedCE  # noqa: E402
from salad.layers.coral import CoralLoss, JeffreyDivergence, LogCoralLoss  # noqa: E402
from salad.layers.vat import ConditionalEntropy  # noqa: E402


class _Adapting(torch.nn.Module):
    def __init__(self, loss, labelled=False):
        super().__init__()
        self.first, self.last, self.loss, self.labelled = torch.nn.Linear(5, 3), torch.nn.Linear(3, 4), loss, labelled

    def forward(self, source, target, labels):
        source, target = self.first(source), self.first(target)
        distance = self.loss(source, target, labels) if self.labelled else self.loss(source, target)
        return torch.nn.functional.cross_entropy(self.last(source), labels) + distance


class _Unlabelled(torch.nn.Module):
    """A loss of the scores of pictures that nobody labelled."""

    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(5, 4), loss

    def forward(self, *images):
        return self.loss(*map(self.layer, images))


def _entry(loss, labelled=False):
    return _Adapting(loss, labelled), (torch.randn(8, 5), torch.randn(8, 5), torch.arange(8) % 4)


def association():
    return _entry(AssociativeLoss(), labelled=True)


def coral():
    return _entry(CoralLoss())


def log_coral():
    return _entry(LogCoralLoss())


def jeffrey():
    return _entry(JeffreyDivergence())


def entropy():
    return _Unlabelled(ConditionalEntropy()), (torch.randn(6, 5),)


def consistency():
    return _Unlabelled(KLDivWithLogits()), (torch.randn(6, 5), torch.randn(6, 5))


def ensemble():
    return _Unlabelled(WeightedCE()), (torch.randn(6, 5), torch.randn(6, 5))
