"""Entry points of paramfittorchdemo: numbers of differential equations that are fitted to what was seen."""

import torch
from paramfittorchdemo.models import VDP, Lorenz, LotkaVolterra
from torchdiffeq import odeint


class _Derivatives(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, states, derivatives):
        return torch.nn.functional.mse_loss(self.model(0.0, states), derivatives)


def oscillator():
    return _Derivatives(VDP(0.8)), (torch.randn(4, 2), torch.randn(4, 2))


def attractor():
    return _Derivatives(Lorenz()), (torch.randn(4, 3), torch.randn(4, 3))


class _Fitted(torch.nn.Module):
    """Trajectories from the first states, by steps of a fixed length."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, states, times, seen):
        return torch.nn.functional.mse_loss(odeint(self.model, states, times, method="rk4"), seen)


def prey_and_predators():
    states, times = 0.5 + torch.rand(3, 2), torch.linspace(0, 1, 6)
    return _Fitted(LotkaVolterra()), (states, times, 0.5 + torch.rand(6, 3, 2))


def fitted_oscillator():
    return _Fitted(VDP(0.8)), (torch.randn(3, 2), torch.linspace(0, 1, 6), torch.randn(6, 3, 2))
