"""Entry points of torch-cubic-spline-grids: splines that are fitted, of places that one layer gives."""

import torch
from torch_cubic_spline_grids import CubicBSplineGrid1d, CubicBSplineGrid2d, CubicCatmullRomGrid1d


class _Fitted(torch.nn.Module):
    def __init__(self, grid, places):
        super().__init__()
        self.layer, self.grid = torch.nn.Linear(3, places), grid

    def forward(self, features, wanted):
        return torch.nn.functional.mse_loss(self.grid(torch.sigmoid(self.layer(features))), wanted)


def line():
    return _Fitted(CubicBSplineGrid1d(resolution=5, n_channels=2), 1), (torch.randn(6, 3), torch.randn(6, 2))


def through():
    return _Fitted(CubicCatmullRomGrid1d(resolution=5), 1), (torch.randn(6, 3), torch.randn(6, 1))


def plane():
    return _Fitted(CubicBSplineGrid2d(resolution=(4, 5)), 2), (torch.randn(6, 3), torch.randn(6, 1))
