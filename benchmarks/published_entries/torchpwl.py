"""Entry points of torchpwl: small regressions with its piecewise linear functions between layers."""

import torch
from torchpwl.pwl import PWL, Calibrator, MonoPointPWL, MonoPWL


class _Regression(torch.nn.Module):
    def __init__(self, part):
        super().__init__()
        self.first, self.part, self.last = torch.nn.Linear(3, 4), part, torch.nn.Linear(4, 1)

    def forward(self, features, wanted):
        return torch.nn.functional.mse_loss(self.last(self.part(self.first(features))), wanted)


class _Calibrated(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Calibrator([[0.0, 0.5, 1.0, 2.0]], [1.0])
        self.last = torch.nn.Linear(1, 1)

    def forward(self, features, wanted):
        return torch.nn.functional.mse_loss(self.last(self.part(features)), wanted)


def _entry(part):
    return _Regression(part), (torch.randn(5, 3), torch.randn(5, 1))


def slopes():
    return _entry(PWL(4, 3))


def monotonic():
    return _entry(MonoPWL(4, 3))


def points():
    return _entry(MonoPointPWL(4, 3))


def calibrated():
    return _Calibrated(), (torch.randn(5, 1), torch.randn(5, 1))
