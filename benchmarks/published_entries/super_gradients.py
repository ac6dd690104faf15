"""Entry points of super-gradients: losses of segmentation, detection and distillation behind a convolution."""

import torch
from super_gradients.training.losses.bce_dice_loss import BCEDiceLoss
from super_gradients.training.losses.cwd_loss import ChannelWiseKnowledgeDistillationLoss
from super_gradients.training.losses.dice_loss import DiceLoss, GeneralizedDiceLoss
from super_gradients.training.losses.focal_loss import FocalLoss
from super_gradients.training.losses.iou_loss import GeneralizedIoULoss, IoULoss
from super_gradients.training.losses.ppyolo_loss import GIoULoss
from super_gradients.training.losses.yolox_loss import IOUloss


class _Segmenting(torch.nn.Module):
    def __init__(self, loss, classes=3):
        super().__init__()
        self.convolution, self.loss = torch.nn.Conv2d(3, classes, 3, padding=1), loss

    def forward(self, image, labels):
        return self.loss(self.convolution(image), labels)


def _labelled(classes=3):
    return torch.randn(2, 3, 8, 8), torch.randint(classes, (2, 8, 8))


def dice():
    return _Segmenting(DiceLoss()), _labelled()


def generalized_dice():
    return _Segmenting(GeneralizedDiceLoss()), _labelled()


def jaccard():
    return _Segmenting(IoULoss()), _labelled()


def generalized_jaccard():
    return _Segmenting(GeneralizedIoULoss()), _labelled()


def binary_dice():
    return _Segmenting(BCEDiceLoss(), 1), (torch.randn(2, 3, 8, 8), torch.randint(2, (2, 8, 8)).float())


def channel_wise_distillation():
    loss = ChannelWiseKnowledgeDistillationLoss()
    return _Segmenting(loss), (torch.randn(2, 3, 8, 8), torch.randn(2, 3, 8, 8))


def focal():
    loss = FocalLoss(torch.nn.BCEWithLogitsLoss(reduction="mean"))
    return _Segmenting(loss, 1), (torch.randn(2, 3, 8, 8), torch.randint(2, (2, 1, 8, 8)).float())


class _Boxes(torch.nn.Module):
    """Centres and sizes; or corners, where `corners`."""

    def __init__(self, loss, corners):
        super().__init__()
        self.head, self.loss, self.corners = torch.nn.Linear(6, 4), loss, corners

    def forward(self, features, boxes):
        centre, size = self.head(features).chunk(2, dim=-1)
        size = torch.nn.functional.softplus(size)
        if self.corners:
            return self.loss(torch.cat([centre - size / 2, centre + size / 2], dim=-1), boxes).mean()
        return self.loss(torch.cat([centre, size], dim=-1), boxes).mean()


def box_overlap():
    return _Boxes(IOUloss(), False), (torch.randn(5, 6), torch.rand(5, 4) + 0.5)


def generalized_box_overlap():
    corners = torch.rand(5, 2)
    return _Boxes(GIoULoss(), True), (torch.randn(5, 6), torch.cat([corners, corners + torch.rand(5, 2) + 0.1], dim=1))
