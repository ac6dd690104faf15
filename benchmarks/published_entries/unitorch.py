"""Entry points of unitorch: its losses on the scores of one layer, rankings with some padding, its two blocks."""

import sys
import types

import torch

for _name in ("unitorch", "unitorch.modules"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

from unitorch.losses import BCELoss, CELoss, LMLoss, MSELoss  # noqa: E402
from unitorch.losses.ranking import ApproxMRRLoss, ApproxNDCGLoss, ListMLELoss  # noqa: E402
from unitorch.modules.classifier import MLPLayer, ResLayer  # noqa: E402


class _Scored(torch.nn.Module):
    def __init__(self, classes, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(6, classes), loss

    def forward(self, features, *target):
        return self.loss(self.layer(features), *target)


class _Ranked(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(6, 1), loss

    def forward(self, features, relevance, present):
        return self.loss(self.layer(features).squeeze(-1), relevance, present)


def _lists():
    """Relevance of the documents of three lists; the last two of the second list are padding."""
    relevance = torch.tensor([[2.0, 0.0, 1.0, 0.0, 3.0], [0.0, 1.0, 2.0, 0.0, 0.0], [1.0, 0.0, 0.0, 2.0, 0.0]])
    present = torch.ones(3, 5)
    present[1, 3:] = 0
    return torch.randn(3, 5, 6), relevance, present


def smoothed_entropy():
    weights = torch.tensor([1.0, 0.5, 2.0, 1.0])
    return _Scored(3, CELoss(smoothing_alpha=0.1)), (torch.randn(4, 6), torch.tensor([0, 2, 1, 1]), weights)


def several_labels():
    return _Scored(3, BCELoss()), (torch.randn(4, 6), torch.randint(0, 2, (4, 3)))


def language():
    present = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
    return _Scored(20, LMLoss()), (torch.randn(2, 5, 6), torch.randint(0, 20, (2, 5)), present)


def squares():
    return _Scored(1, MSELoss()), (torch.randn(4, 6), torch.randn(4, 1), torch.tensor([1.0, 0.5, 2.0, 1.0]))


def list_likelihood():
    return _Ranked(ListMLELoss()), _lists()


def discounted_gain():
    return _Ranked(ApproxNDCGLoss()), _lists()


def reciprocal_rank():
    features, relevance, present = _lists()
    return _Ranked(ApproxMRRLoss()), (features, (relevance > 1).float(), present)


def blocks():
    return torch.nn.Sequential(MLPLayer(6, 12, 6, add_post_layer_norm=True), ResLayer(6, 12, 6)), (torch.randn(4, 6),)
