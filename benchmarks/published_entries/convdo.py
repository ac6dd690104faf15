"""Entry points of convdo: networks that solve flows, trained by the residuals of its differential operators."""

import torch
from ConvDO import (
    ConvLaplacian,
    DirichletBoundary,
    Domain,
    NeumannBoundary,
    PeriodicDomain,
    PoissonDivergence,
    ScalarField,
    TransientNS,
)


def _network(inputs, outputs):
    first = torch.nn.Conv2d(inputs, 8, 3, padding=1, padding_mode="circular"), torch.nn.GELU()
    return torch.nn.Sequential(*first, torch.nn.Conv2d(8, outputs, 3, padding=1, padding_mode="circular"))


class _Flow(torch.nn.Module):
    """The next step of a flow through a periodic square, by the squares of what is left of its equations."""

    def __init__(self, order):
        super().__init__()
        self.network = _network(3, 3)
        domain = PeriodicDomain(delta_x=0.1, delta_y=0.1)
        self.residual = TransientNS(domain, domain, domain, viscosity=0.01, dt=0.1, order=order)

    def forward(self, state):
        after = state + self.network(state)
        return self.residual(*state.split(1, 1), *after.split(1, 1)).pow(2).mean()


def flow():
    return _Flow(2), torch.randn(2, 3, 8, 8)


def flow_of_high_order():
    return _Flow(6), torch.randn(2, 3, 12, 12)


class _Pressure(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network = _network(2, 1)
        domain = PeriodicDomain(delta_x=0.1, delta_y=0.1)
        self.residual = PoissonDivergence(domain, domain, domain, order=4)

    def forward(self, velocity):
        pressure = self.network(velocity)
        return self.residual(*velocity.split(1, 1), pressure).pow(2).mean()


def pressure():
    return _Pressure(), torch.randn(2, 2, 10, 10)


class _Heat(torch.nn.Module):
    """Two walls are kept at a temperature, nothing passes the others."""

    def __init__(self):
        super().__init__()
        self.network, self.laplacian = _network(1, 1), ConvLaplacian(2)
        walls = [DirichletBoundary(1.0), DirichletBoundary(0.0), NeumannBoundary(0.0), NeumannBoundary(0.0)]
        self.domain = Domain(walls, delta_x=0.1, delta_y=0.1)

    def forward(self, sources):
        temperature = ScalarField(self.network(sources), self.domain)
        return ((self.laplacian * temperature).value + sources).abs().mean()


def heat():
    return _Heat(), torch.rand(2, 1, 8, 8)
