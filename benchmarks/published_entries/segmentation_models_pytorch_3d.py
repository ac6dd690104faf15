"""Entry points of segmentation-models-pytorch-3d: its losses on volumes."""

import sys
import types

import torch

_package = sys.modules["segmentation_models_pytorch_3d"] = types.ModuleType("segmentation_models_pytorch_3d")
_package.__path__ = ["segmentation_models_pytorch_3d"]

from segmentation_models_pytorch_3d.losses import (  # noqa: E402
    DiceLoss,
    FocalLoss,
    JaccardLoss,
    LovaszLoss,
    MCCLoss,
    SoftBCEWithLogitsLoss,
    TverskyLoss,
)


class _Segmented(torch.nn.Module):
    def __init__(self, loss, channels=1, activation=None):
        super().__init__()
        self.layer, self.loss = torch.nn.Conv3d(1, channels, 3, padding=1), loss
        self.activation = activation or torch.nn.Identity()

    def forward(self, volume, labels):
        return self.loss(self.activation(self.layer(volume)), labels)


def _binary():
    return torch.rand(2, 1, 6, 6, 6), (torch.rand(2, 1, 6, 6, 6) > 0.6).float()


def _classes():
    return torch.rand(2, 1, 6, 6, 6), torch.randint(0, 3, (2, 6, 6, 6))


def dice():
    return _Segmented(DiceLoss("multiclass", log_loss=True), 3), _classes()


def dice_of_some():
    return _Segmented(DiceLoss("binary", smooth=1.0)), _binary()


def jaccard():
    return _Segmented(JaccardLoss("multiclass"), 3), _classes()


def tversky():
    return _Segmented(TverskyLoss("binary", alpha=0.3, beta=0.7, gamma=1.5)), _binary()


def focal():
    return _Segmented(FocalLoss("binary", alpha=0.25)), _binary()


def focal_of_classes():
    return _Segmented(FocalLoss("multiclass", ignore_index=2), 3), _classes()


def lovasz():
    return _Segmented(LovaszLoss("binary", per_image=False)), _binary()


def lovasz_of_classes():
    return _Segmented(LovaszLoss("multiclass"), 3), _classes()


def correlation():
    return _Segmented(MCCLoss(), activation=torch.nn.Sigmoid()), _binary()


def smoothed():
    return _Segmented(SoftBCEWithLogitsLoss(smooth_factor=0.1)), _binary()
