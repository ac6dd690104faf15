"""Entry points of torch-dxdt: derivatives of noisy trajectories by several methods, in the loss of an equation."""

import torch
from torch_dxdt.finite_difference import FiniteDifference
from torch_dxdt.kernel import Kernel
from torch_dxdt.savitzky_golay import SavitzkyGolay
from torch_dxdt.spectral import Spectral
from torch_dxdt.spline_method import Spline
from torch_dxdt.whittaker import Whittaker


class _Equation(torch.nn.Module):
    """A layer that gives a trajectory's derivative from its values."""

    def __init__(self, method):
        super().__init__()
        self.model = torch.nn.Sequential(torch.nn.Linear(1, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
        self.method = method

    def forward(self, trajectories, times):
        derivatives = self.method.d(trajectories, times, dim=-1)
        return torch.nn.functional.mse_loss(self.model(trajectories[..., None])[..., 0], derivatives)


def _trajectories():
    times = torch.linspace(0, 2, 24)
    return torch.sin(3 * times) + 0.05 * torch.randn(2, 24), times


def finite_differences():
    return _Equation(FiniteDifference(k=1)), _trajectories()


def local_polynomials():
    return _Equation(SavitzkyGolay(window_length=5, polyorder=2)), _trajectories()


def spectral():
    return _Equation(Spectral()), _trajectories()


def splines():
    return _Equation(Spline(s=0.1)), _trajectories()


def kernels():
    return _Equation(Kernel(sigma=0.5, lmbd=0.1)), _trajectories()


def whittaker():
    return _Equation(Whittaker(lmbda=10.0)), _trajectories()
