"""Entry points of torch-friction: its laws of friction by rate and state, fitted to what was measured."""

import torch
from torch_friction import DieterichLaw, FrictionLayer, RuinaLaw


class _Fitted(torch.nn.Module):
    """The velocities of an experiment with the friction that it measured."""

    def __init__(self, law):
        super().__init__()
        self.layer = FrictionLayer(mu0=0.6, a=0.015, b=0.02, Dc=0.01, law=law)

    def forward(self, velocities, measured):
        frictions, _ = self.layer.forward_trajectory(velocities, 0.1)
        return torch.nn.functional.mse_loss(frictions, measured)


def _experiment():
    velocities = 1e-6 * (1 + 9 * torch.rand(2, 6, dtype=torch.float64))
    return velocities, 0.6 + 0.01 * torch.randn(2, 6, dtype=torch.float64)


def aging():
    return _Fitted("aging"), _experiment()


def slip():
    return _Fitted("slip"), _experiment()


class _Rate(torch.nn.Module):
    """The rate of a state that a layer gives, with the length of slip learned."""

    def __init__(self, law):
        super().__init__()
        self.layer, self.law = torch.nn.Sequential(torch.nn.Linear(3, 1), torch.nn.Softplus()), law
        self.length = torch.nn.Parameter(torch.tensor(0.01))

    def forward(self, features, velocities):
        return self.law(0.0, self.layer(features), velocities, torch.nn.functional.softplus(self.length))


def rate_by_aging():
    return _Rate(DieterichLaw()), (torch.randn(4, 3), torch.rand(4, 1))


def rate_by_slip():
    return _Rate(RuinaLaw()), (torch.randn(4, 3), torch.rand(4, 1))
