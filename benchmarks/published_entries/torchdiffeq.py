"""Entry points of torchdiffeq: a small differential equation, solved in fixed steps."""

import torch
from torchdiffeq import odeint


class _Equation(torch.nn.Module):
    def __init__(self, method):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3))
        self.method = method

    def forward(self, x, wanted):
        end = odeint(lambda _, y: self.net(y), x, torch.linspace(0, 1, 4), method=self.method)[-1]
        return torch.nn.functional.mse_loss(end, wanted)


def euler():
    return _Equation("euler"), (torch.randn(5, 3), torch.randn(5, 3))


def runge_kutta():
    return _Equation("rk4"), (torch.randn(5, 3), torch.randn(5, 3))
