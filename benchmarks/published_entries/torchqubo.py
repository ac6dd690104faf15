"""Entry points of torchqubo: quadratic functions of bits, relaxed as its solvers train them."""

import torch
from torchqubo.solvers import _QUBOSte
from torchqubo.utils import delta_energy_all, qubo_energy


def _costs(count=6):
    costs = torch.randn(count, count)
    return (costs + costs.T) / 2


def relaxed():
    return _QUBOSte(6, tau=1.0), (_costs(),)


class _Balanced(torch.nn.Module):
    """With a weight on how many bits are set, at the last of its temperatures."""

    def __init__(self):
        super().__init__()
        self.solver = _QUBOSte(6, tau=0.1)

    def forward(self, costs):
        return self.solver(costs, lambda_bin=0.01, lambda_mean=1.0, rho=0.5)


def balanced():
    return _Balanced(), (_costs(),)


class _Energies(torch.nn.Module):
    def forward(self, costs, bits):
        return qubo_energy(costs, bits), delta_energy_all(costs, bits)


def energies():
    return _Energies(), (_costs(), torch.randint(0, 2, (3, 6)).float())
