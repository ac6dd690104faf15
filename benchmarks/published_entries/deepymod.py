"""Entry points of deepymod: networks whose derivatives obey an equation that is found, trained as its loop does."""

import sys
import types

import torch

_package = sys.modules["deepymod"] = types.ModuleType("deepymod")
_package.__path__ = ["deepymod"]

from deepymod.model.constraint import GradParams, LeastSquares, Ridge  # noqa: E402
from deepymod.model.func_approx import NN, Siren  # noqa: E402
from deepymod.model.library import Library1D, Library2D  # noqa: E402


class _Discovered(torch.nn.Module):
    """The error of the fit and of the equation, as in its training."""

    def __init__(self, network, library, constraint):
        super().__init__()
        self.network, self.library, self.constraint = network, library, constraint

    def forward(self, points, wanted):
        given, points = self.network(points)
        derivatives, terms = self.library((given, points))
        found = self.constraint((derivatives, terms))
        fit = ((given - wanted) ** 2).mean()
        return fit + sum(((d - t @ c) ** 2).mean() for d, t, c in zip(derivatives, terms, found, strict=True))


def _points(axes=2):
    points = torch.rand(20, axes)
    return points, torch.sin(3 * points.sum(dim=1, keepdim=True))


def least_squares():
    return _Discovered(NN(2, [10, 10], 1), Library1D(poly_order=1, diff_order=2), LeastSquares()), _points()


def ridge():
    return _Discovered(NN(2, [10, 10], 1), Library1D(poly_order=1, diff_order=2), Ridge()), _points()


def learned_coefficients():
    return _Discovered(NN(2, [10, 10], 1), Library1D(poly_order=2, diff_order=2), GradParams(9, 1)), _points()


def sines():
    return _Discovered(Siren(2, [10, 10], 1), Library1D(poly_order=1, diff_order=2), GradParams(6, 1)), _points()


def plane():
    return _Discovered(NN(3, [10, 10], 1), Library2D(poly_order=1), LeastSquares()), _points(3)
