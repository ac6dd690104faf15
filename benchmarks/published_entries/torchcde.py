"""Entry points of torchcde: coefficients of interpolations of a sequence, read by a layer, with a loss."""

import torch
import torchcde


class _Interpolated(torch.nn.Module):
    def __init__(self, coefficients, interpolation):
        super().__init__()
        self.coefficients, self.interpolation = coefficients, interpolation
        self.head = torch.nn.Linear(3, 1)

    def forward(self, sequence, target):
        path = self.interpolation(self.coefficients(sequence))
        return torch.nn.functional.mse_loss(self.head(path.evaluate(path.interval[-1] / 2)), target)


def _sequence():
    return torch.randn(2, 6, 3), torch.randn(2, 1)


def hermite():
    return _Interpolated(
        torchcde.hermite_cubic_coefficients_with_backward_differences, torchcde.CubicSpline
    ), _sequence()


def natural():
    return _Interpolated(torchcde.natural_cubic_coeffs, torchcde.CubicSpline), _sequence()


def linear():
    return _Interpolated(torchcde.linear_interpolation_coeffs, torchcde.LinearInterpolation), _sequence()
