"""Entry points of torch-find-peaks: peaks of several shapes fitted to an image or volume, with the loss of fitting."""

import sys
from unittest.mock import MagicMock

import torch

sys.modules["torch_subpixel_crop"] = MagicMock()  # which finds the first peaks

from torch_find_peaks.gaussians import Gaussian2D, Gaussian3D, WarpedGaussian2D  # noqa: E402


class _Fitted(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, grid, seen):
        return torch.nn.functional.mse_loss(self.model(grid), seen)


def _grid(dimensions):
    axes = torch.meshgrid(*[torch.linspace(-3, 3, 7)] * dimensions, indexing="ij")
    return torch.stack(axes, -1)


def round_peak():
    return _Fitted(Gaussian2D(1.5, 0.2, -0.3, 1.0, 0.8)), (_grid(2), torch.rand(7, 7))


def several_peaks():
    numbers = [0.5 + torch.rand(3), torch.randn(3), torch.randn(3), 0.5 + torch.rand(3), 0.5 + torch.rand(3)]
    return _Fitted(Gaussian2D(*numbers)), (_grid(2), torch.rand(3, 7, 7))


def warped_peak():
    return _Fitted(WarpedGaussian2D()), (_grid(2), torch.rand(7, 7))


def volume_peak():
    return _Fitted(Gaussian3D()), (_grid(3), torch.rand(7, 7, 7))
