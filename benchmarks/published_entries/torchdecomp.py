"""Entry points of torchdecomp: its layers of decomposed matrices with the losses that its documentation trains."""

import torch
import torchdecomp as td


class _Rebuilt(torch.nn.Module):
    """A matrix by a layer of its factors alone."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, matrix):
        return torch.nn.functional.mse_loss(self.layer(), matrix)


def triangular_and_orthogonal():
    matrix = torch.randn(5, 5)
    return _Rebuilt(td.QRLayer(matrix)), (matrix,)


def lower_and_upper():
    matrix = torch.randn(5, 5)
    return _Rebuilt(td.LULayer(matrix)), (matrix,)


def symmetric():
    roots = torch.randn(5, 5)
    return _Rebuilt(td.SymRecLayer(roots @ roots.T, 2)), (roots @ roots.T,)


class _Nonnegative(torch.nn.Module):
    def __init__(self, samples, **options):
        super().__init__()
        self.layer = td.NMFLayer(samples, 3, **options)

    def forward(self, samples):
        return self.layer(samples)[0]


def nonnegative():
    samples = torch.rand(6, 5, dtype=torch.float64)
    return _Nonnegative(samples), (samples,)


def nonnegative_divergence():
    samples = 0.1 + torch.rand(6, 5, dtype=torch.float64)
    return _Nonnegative(samples, beta=0), (samples,)


def independent():
    samples = torch.randn(12, 3)
    return torch.nn.Sequential(td.RotationLayer(samples), td.KurtosisICALayer()), (samples,)
