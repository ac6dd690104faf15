"""Entry points of torch-pme: electrostatic potentials of a few charges, charges given by a layer."""

import torch
from torchpme import CoulombPotential, EwaldCalculator, InversePowerLawPotential
from torchpme.calculators import Calculator


class _Charged(torch.nn.Module):
    def __init__(self, calculator):
        super().__init__()
        self.layer, self.calculator = torch.nn.Linear(3, 1), calculator
        self.register_buffer("cell", 6 * torch.eye(3))
        i, j = torch.triu_indices(5, 5, 1)
        self.register_buffer("pairs", torch.stack([i, j], 1))

    def forward(self, features, positions):
        apart = positions[self.pairs[:, 0]] - positions[self.pairs[:, 1]]
        distances = torch.linalg.norm(apart, dim=-1)
        charges = self.layer(features)
        potential = self.calculator(charges, self.cell, positions, self.pairs, distances)
        return (charges * potential).sum()


def _atoms():
    return torch.randn(5, 3), torch.rand(5, 3) * 5


def coulomb():
    return _Charged(Calculator(CoulombPotential(smearing=None))), _atoms()


def power():
    return _Charged(Calculator(InversePowerLawPotential(exponent=6))), _atoms()


def ewald():
    return _Charged(EwaldCalculator(CoulombPotential(smearing=1.0), lr_wavelength=2.0)), _atoms()
