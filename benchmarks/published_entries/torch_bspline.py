"""Entry points of torch-bspline: its bases of splines with weights on them, fitted by values and derivatives."""

import torch
from torch_bspline import BSpline, BSplineFunctions, TensorBasis


class _Fitted(torch.nn.Module):
    def __init__(self, basis, size):
        super().__init__()
        self.basis, self.weights = basis, torch.nn.Linear(size, 1, bias=False)

    def forward(self, points, wanted):
        return torch.nn.functional.mse_loss(self.weights(self.basis(points)), wanted)


def uniform():
    basis = BSpline.uniform(lims=(0.0, 1.0), n_segments=6, degree=3)
    return _Fitted(basis, 9), (torch.rand(8), torch.randn(8, 1))


def plane():
    basis = TensorBasis(BSpline.uniform((0.0, 1.0), 4, 2), BSpline.uniform((-1.0, 1.0), 4, 2))
    return _Fitted(basis, 36), (torch.rand(8, 2), torch.randn(8, 1))


class _Smooth(torch.nn.Module):
    """A fit whose second derivative is penalized, as splines are smoothed."""

    def __init__(self):
        super().__init__()
        self.basis = BSpline.uniform(lims=(0.0, 1.0), n_segments=6, degree=3)
        self.weights = torch.nn.Linear(9, 1, bias=False)

    def forward(self, points, wanted):
        error = torch.nn.functional.mse_loss(self.weights(self.basis(points)), wanted)
        return error + 1e-3 * self.weights(self.basis.derivative(points, 2)).square().mean()


def smooth():
    return _Smooth(), (torch.rand(8), torch.randn(8, 1))


class _Flow(torch.nn.Module):
    """Forces from a potential of splines at points that a layer moves."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 2)
        basis = TensorBasis(BSpline.uniform((-1.0, 1.0), 4, 3))
        self.potential = BSplineFunctions(basis, torch.randn(49, 1))

    def forward(self, features):
        return self.potential.gradient(torch.tanh(self.layer(features)))


def gradient():
    return _Flow(), (torch.randn(6, 3),)
