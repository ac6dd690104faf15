"""Entry points of pytorchyolo: its overlap of boxes as a loss, and its layer that detects."""

import sys
from unittest.mock import MagicMock

import torch

for _name in ("terminaltables", "imgaug", "imgaug.augmenters", "imgaug.augmentables", "imgaug.augmentables.bbs"):
    sys.modules[_name] = MagicMock()  # for data and tables alone

from pytorchyolo.models import YOLOLayer  # noqa: E402
from pytorchyolo.utils.loss import bbox_iou  # noqa: E402

ANCHORS = [(10, 13), (16, 30), (33, 23)]


class _Boxes(torch.nn.Module):
    """Offsets and sizes of one layer as the package's training decodes them, against boxes."""

    def __init__(self, **kind):
        super().__init__()
        self.layer, self.kind = torch.nn.Linear(6, 4), kind

    def forward(self, features, anchors, boxes):
        raw = self.layer(features)
        given = torch.cat((raw[:, :2].sigmoid(), torch.exp(raw[:, 2:4]) * anchors), 1)
        return (1.0 - bbox_iou(given.T, boxes, x1y1x2y2=False, **self.kind)).mean()


def _boxes():
    return torch.randn(5, 6), 0.5 + 2 * torch.rand(5, 2), torch.cat([torch.rand(5, 2), 0.5 + 2 * torch.rand(5, 2)], 1)


def complete_overlap():
    return _Boxes(CIoU=True), _boxes()


def distance_overlap():
    return _Boxes(DIoU=True), _boxes()


def generalized_overlap():
    return _Boxes(GIoU=True), _boxes()


class _Detected(torch.nn.Module):
    def __init__(self, new_coords):
        super().__init__()
        self.convolution = torch.nn.Conv2d(3, 21, 4, stride=4)
        self.layer = YOLOLayer(ANCHORS, 2, new_coords)

    def forward(self, images):
        return self.layer(self.convolution(images), images.shape[2])


def detected():
    return _Detected(False).eval(), (torch.rand(1, 3, 16, 16),)
