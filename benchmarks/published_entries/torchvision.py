"""Entry points of torchvision: losses of boxes, and the smallest network of several families."""

import torch
import torchvision
from torchvision import models, ops


class _Boxes(torch.nn.Module):
    """Boxes as a head gives them, corners and sizes, against those of another one."""

    def __init__(self, loss):
        super().__init__()
        self.head, self.loss = torch.nn.Linear(6, 4), loss

    def forward(self, first, second):
        boxes = []
        for x in (first, second):
            corner, size = self.head(x).sigmoid().chunk(2, 1)
            boxes.append(torch.cat([corner, corner + size], 1))
        return self.loss(*boxes, reduction="mean")


def _features():
    return torch.randn(5, 6), torch.randn(5, 6)


def generalized_overlap():
    return _Boxes(ops.generalized_box_iou_loss), _features()


def distance_overlap():
    return _Boxes(ops.distance_box_iou_loss), _features()


def complete_overlap():
    return _Boxes(ops.complete_box_iou_loss), _features()


class _Overlaps(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Linear(6, 4)

    def forward(self, first, second):
        first, second = (ops.box_convert(self.head(x).sigmoid(), "cxcywh", "xyxy") for x in (first, second))
        return ops.generalized_box_iou(first, second)


def overlaps():
    return _Overlaps(), _features()


class _Detecting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Linear(6, 4)

    def forward(self, x, labels):
        return ops.sigmoid_focal_loss(self.head(x), labels, reduction="mean")


def focal():
    return _Detecting(), (torch.randn(5, 6), (torch.rand(5, 4) > 0.5).float())


def _network(make, size=64, **named):
    return make(num_classes=4, **named).eval(), (torch.randn(1, 3, size, size),)


def swin():
    inner = torchvision.models.SwinTransformer([4, 4], 24, [1, 1], [2, 2], [2, 2], num_classes=4)
    return inner.eval(), (torch.randn(1, 3, 32, 32),)


def swin_v2():
    block = torchvision.models.swin_transformer.SwinTransformerBlockV2
    merging = torchvision.models.swin_transformer.PatchMergingV2
    inner = torchvision.models.SwinTransformer(
        [4, 4], 24, [1, 1], [2, 2], [2, 2], num_classes=4, block=block, downsample_layer=merging
    )
    return inner.eval(), (torch.randn(1, 3, 32, 32),)


def transformer():
    inner = models.VisionTransformer(32, 8, 2, 2, 16, 32, num_classes=4)
    return inner.eval(), (torch.randn(1, 3, 32, 32),)


def regnet():
    return _network(models.regnet_y_400mf)


def mobile():
    return _network(models.mobilenet_v3_small)


def shuffle():
    return _network(models.shufflenet_v2_x0_5)
