"""Entry points of change-detection-pytorch: a segmentation of two pictures by few layers, with the package's losses."""

import sys
import types
from unittest.mock import MagicMock

import torch

_package = sys.modules["change_detection_pytorch"] = types.ModuleType("change_detection_pytorch")
_package.__path__ = ["change_detection_pytorch"]
_base = sys.modules["change_detection_pytorch.base"] = types.ModuleType("change_detection_pytorch.base")
_base.__path__ = ["change_detection_pytorch/base"]
sys.modules.setdefault("cv2", MagicMock())  # pictures from files, which nothing here needs

from change_detection_pytorch import losses  # noqa: E402
from change_detection_pytorch.base.modules import CBAM, SCSEModule  # noqa: E402


class _Changes(torch.nn.Module):
    def __init__(self, loss, classes, attention=None):
        super().__init__()
        self.first, self.last = torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.Conv2d(8, classes, 1)
        self.attention, self.loss = attention or torch.nn.Identity(), loss

    def forward(self, before, after, labels):
        hidden = self.attention((self.first(before) - self.first(after)).abs())
        return self.loss(self.last(hidden), labels)


class _Distances(torch.nn.Module):
    """Two pictures' features, told apart by the distance of STANet."""

    def __init__(self):
        super().__init__()
        self.first, self.loss = torch.nn.Conv2d(3, 8, 3, padding=1), losses.BCLLoss()

    def forward(self, before, after, labels):
        distance = torch.nn.functional.pairwise_distance(self.first(before), self.first(after), keepdim=True)
        return self.loss(distance.mean(-1, keepdim=True), labels)


def _pictures(labels):
    return torch.rand(2, 3, 6, 6), torch.rand(2, 3, 6, 6), labels


def _binary(loss, attention=None):
    return _Changes(loss, 1, attention), _pictures((torch.rand(2, 1, 6, 6) > 0.5).float())


def _classes(loss):
    return _Changes(loss, 3), _pictures(torch.randint(3, (2, 6, 6)))


def dice():
    return _classes(losses.DiceLoss("multiclass", log_loss=True))


def jaccard():
    return _binary(losses.JaccardLoss("binary"), CBAM(8, reduction=4, kernel_size=3))


def tversky():
    return _binary(losses.TverskyLoss("binary", alpha=0.3, beta=0.7, gamma=0.75), SCSEModule(8, reduction=4))


def focal():
    return _binary(losses.FocalLoss("binary", alpha=0.25, normalized=True))


def lovasz():
    return _binary(losses.LovaszLoss("binary"))


def smoothed():
    return _classes(losses.SoftCrossEntropyLoss(smooth_factor=0.1))


def hybrid():
    return _classes(losses.HybridLoss(losses.FocalLoss("multiclass"), losses.DiceLoss("multiclass")))


def contrast():
    return _Distances(), _pictures((torch.rand(2, 8, 6, 1) > 0.5).float())
