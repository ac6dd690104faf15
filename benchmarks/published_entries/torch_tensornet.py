"""Entry points of torch-tensornet: its losses of images and masks, on one convolution."""

import sys
from unittest.mock import MagicMock

import torch

sys.modules["albumentations"] = sys.modules["albumentations.pytorch"] = MagicMock()  # changes of data, not of losses

from tensornet.models.loss import bce_dice_loss, dice_loss, ms_ssim_loss, rmse_loss, ssim_loss  # noqa: E402


class _Given(torch.nn.Module):
    def __init__(self, loss, channels=1, activation=None):
        super().__init__()
        self.convolution, self.loss = torch.nn.Conv2d(channels, channels, 3, padding=1), loss
        self.activation = activation or torch.nn.Identity()

    def forward(self, images, wanted):
        return self.loss(self.activation(self.convolution(images)), wanted)


def root_of_squares():
    return _Given(rmse_loss()), (torch.rand(2, 1, 8, 8), torch.rand(2, 1, 8, 8))


def dice():
    return _Given(dice_loss()), (torch.rand(2, 1, 8, 8), torch.randint(2, (2, 1, 8, 8)).float())


def entropy_and_dice():
    return _Given(bce_dice_loss()), (torch.rand(2, 1, 8, 8), torch.randint(2, (2, 1, 8, 8)).float())


def similarity():
    return _Given(ssim_loss(), 1, torch.nn.Sigmoid()), (torch.rand(2, 1, 24, 24), torch.rand(2, 1, 24, 24))


def similarity_of_scales():
    model = _Given(ms_ssim_loss(channel=1), 1, torch.nn.Sigmoid())
    return model, (torch.rand(1, 1, 176, 176), torch.rand(1, 1, 176, 176))
