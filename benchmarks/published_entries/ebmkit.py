"""Entry points of ebmkit: its energies of points and pictures with the losses that train them, and its flows."""

import ebm
import torch


class _Trained(torch.nn.Module):
    def __init__(self, energy, loss):
        super().__init__()
        self.energy, self.loss = energy, loss

    def forward(self, samples):
        return self.loss(self.energy, samples).loss


def _points():
    return (torch.randn(6, 2),)


def contrastive_divergence():
    loss = ebm.ContrastiveDivergence(ebm.LangevinDynamics(step_size=1e-2, steps=3), energy_reg=0.1)
    return _Trained(ebm.nets.MLPEnergy(dim=2, hidden=(16, 16)), loss), _points()


def denoising():
    return _Trained(ebm.nets.MLPEnergy(dim=2, hidden=(16, 16)), ebm.DenoisingScoreMatching(sigma=0.1)), _points()


def noise_contrastive():
    return _Trained(ebm.nets.MLPEnergy(dim=2, hidden=(16, 16)), ebm.NoiseContrastiveEstimation()), _points()


def discrepancy():
    loss = ebm.EnergyDiscrepancy(sigma=1.0, m_particles=4)
    return _Trained(ebm.nets.MLPEnergy(dim=2, hidden=(16, 16)), loss), _points()


def pictures():
    return ebm.nets.ResNetEnergy(in_channels=1, channels=(8, 16)), torch.rand(2, 1, 8, 8)


class _Flow(torch.nn.Module):
    def __init__(self, flow):
        super().__init__()
        self.flow = flow

    def forward(self, points):
        return -self.flow.log_prob(points).mean()


def flow():
    return _Flow(ebm.nets.AffineCouplingFlow(dim=2, n_layers=2, hidden=16)), _points()
