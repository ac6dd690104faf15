"""Entry points of medicaltorch: its losses of segmentation on one convolution."""

import sys
import types

import torch

_package = sys.modules["medicaltorch"] = types.ModuleType("medicaltorch")
_package.__path__ = ["medicaltorch"]

from medicaltorch.losses import ConfidentMSELoss, MaskedDiceLoss, dice_loss  # noqa: E402


class _Segmented(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Conv2d(1, 1, 3, padding=1), loss

    def forward(self, image, target):
        return self.loss(torch.sigmoid(self.layer(image)), target)


def _inputs():
    return torch.rand(4, 1, 8, 8), (torch.rand(4, 1, 8, 8) > 0.7).float()


def dice():
    return _Segmented(dice_loss), _inputs()


def masked_dice():
    image, target = _inputs()
    target[2] = -100.0
    return _Segmented(MaskedDiceLoss()), (image, target)


def confident():
    return _Segmented(ConfidentMSELoss()), (torch.rand(4, 1, 8, 8), torch.rand(4, 1, 8, 8))
