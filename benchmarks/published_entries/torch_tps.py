"""Entry points of torch-tps: splines through control points that a layer gives, as a part of a network."""

import torch
from torch_tps import ThinPlateSpline


class _Warping(torch.nn.Module):
    """Points moved by the spline that takes control points to where a layer puts them."""

    def __init__(self, dimensions=2, **options):
        super().__init__()
        self.layer, self.options = torch.nn.Linear(dimensions, dimensions), options

    def forward(self, control, points, wanted):
        spline = ThinPlateSpline(**self.options)
        moved = spline.fit(control, control + 0.1 * self.layer(control)).transform(points)
        return torch.nn.functional.mse_loss(moved, wanted)


def _points(dimensions=2):
    return torch.rand(8, dimensions), torch.rand(12, dimensions), torch.rand(12, dimensions)


def exact():
    return _Warping(), _points()


def regularised():
    return _Warping(alpha=0.5), _points()


def volume():
    return _Warping(3, alpha=0.1), _points(3)
