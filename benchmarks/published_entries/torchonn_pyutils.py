"""Entry points of torchonn-pyutils: its losses of classes and teachers, its normalisations, a clipped activation."""

import sys
import types

import torch

for _name in ("pyutils", "pyutils.loss"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

from pyutils.activation import Swish  # noqa: E402
from pyutils.loss.alpha_divergence import AdaptiveLossSoft  # noqa: E402
from pyutils.loss.ce_smooth import CrossEntropyLossSmooth  # noqa: E402
from pyutils.loss.dkd import DKDLoss  # noqa: E402
from pyutils.loss.dual_focal import DualFocalLoss  # noqa: E402
from pyutils.loss.focal_smooth import FocalLossWithSmoothing  # noqa: E402
from pyutils.loss.kd import KDLoss  # noqa: E402
from pyutils.normalization import CenConv2d, FilterResponseNorm2d  # noqa: E402
from pyutils.quantize import PACT_Act  # noqa: E402


class _Classified(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(6, 4), loss

    def forward(self, features, *target):
        return self.loss(self.layer(features), *target)


def _labels():
    return torch.randn(5, 6), torch.tensor([0, 3, 1, 2, 3])


def _taught():
    features, labels = _labels()
    return features, 2 * torch.randn(5, 4), labels


def alpha_divergence():
    return _Classified(AdaptiveLossSoft(-1.0, 1.0)), _taught()[:2]


def smoothed_entropy():
    return _Classified(CrossEntropyLossSmooth()), _labels()


def decoupled_teacher():
    return _Classified(DKDLoss()), _taught()


def teacher():
    return _Classified(KDLoss(logit_stand=True)), _taught()


def dual_focal():
    return _Classified(DualFocalLoss()), _labels()


def smoothed_focal():
    return _Classified(FocalLossWithSmoothing(4)), _labels()


def normalised():
    layers = CenConv2d(3, 4, 3, padding=1), FilterResponseNorm2d(4, learnable_eps=True), Swish()
    return torch.nn.Sequential(*layers), (torch.rand(2, 3, 8, 8),)


def clipped():
    layers = torch.nn.Linear(6, 8), PACT_Act(precision=4, device=torch.device("cpu")), torch.nn.Linear(8, 3)
    return torch.nn.Sequential(*layers), (torch.randn(5, 6),)
