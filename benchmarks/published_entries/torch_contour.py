"""Entry points of torch-contour: outlines that a layer moves, as masks and distances, with losses of their shape."""

import math
import sys
from unittest.mock import MagicMock

import torch

sys.modules["numba"] = MagicMock()  # for outlines that are mended beside any network

from torch_contour.torch_contour import (  # noqa: E402
    ContourToDistanceMap,
    ContourToMask,
    ContourToSDF,
    DrawContour,
    Smoothing,
    smoothness_loss,
    spacing_loss,
)


class _Moved(torch.nn.Module):
    """A circle of twelve nodes, moved by a layer."""

    def __init__(self, layer, weight=0.0):
        super().__init__()
        angles = torch.arange(12) * (2 * math.pi / 12)
        self.register_buffer("circle", 0.5 + 0.3 * torch.stack([angles.cos(), angles.sin()], -1))
        self.offsets, self.layer, self.weight = torch.nn.Linear(6, 24), layer, weight

    def forward(self, features, wanted):
        contour = self.circle + 0.02 * self.offsets(features).reshape(-1, 1, 12, 2).tanh()
        loss = torch.nn.functional.mse_loss(self.layer(contour).reshape(wanted.shape), wanted)
        if not self.weight:
            return loss
        return loss + self.weight * (smoothness_loss(contour) + spacing_loss(contour)).mean()


def masks():
    mask = torch.zeros(2, 1, 12, 12)
    mask[..., 3:9, 3:9] = 1
    return _Moved(ContourToMask(12), 0.1), (torch.randn(2, 6), mask)


def distances():
    return _Moved(ContourToDistanceMap(12)), (torch.randn(2, 6), torch.rand(2, 1, 12, 12))


def signed_distances():
    return _Moved(ContourToSDF(12)), (torch.randn(2, 6), torch.randn(2, 1, 12, 12))


def drawn():
    return _Moved(DrawContour(12)), (torch.randn(2, 6), torch.rand(2, 1, 12, 12))


def smoothed():
    return _Moved(Smoothing(1.0), 0.1), (torch.randn(2, 6), torch.rand(2, 1, 12, 2))
