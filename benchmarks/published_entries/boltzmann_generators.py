"""Entry points of boltzmann-generators: its flows of small systems with their losses, by examples and by energy."""

import torch
from boltzmann_generators.energies import DoubleWell2D, MullerBrown
from boltzmann_generators.flows import FlowModel, GaussianPrior, RealNVP
from boltzmann_generators.flows.cnf import CNFModel, VelocityField
from boltzmann_generators.flows.periodic import PeriodicEmbedding
from boltzmann_generators.losses import kl_by_example


def _flow(dim, mask):
    return FlowModel(GaussianPrior(dim), RealNVP(dim, num_layers=4, hidden_dim=16, mask=mask))


class _ByExample(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, examples):
        return kl_by_example(self.model, examples)


def examples():
    return _ByExample(_flow(2, "halves")), (torch.randn(6, 2) * 0.3 + torch.tensor([1.0, 0.0]),)


def examples_of_more_coordinates():
    return _ByExample(_flow(6, "alternating")), (torch.randn(6, 6),)


class _ByEnergy(torch.nn.Module):
    """The divergence that its training without examples takes: energy of what the flow makes of noise."""

    def __init__(self, energy, energy_max=None):
        super().__init__()
        self.model, self.energy, self.energy_max = _flow(2, "halves"), energy, energy_max

    def forward(self, noise):
        log_prior = self.model.prior.log_prob(noise)
        made, log_det = self.model.flow(noise)
        energy = self.energy(made)
        if self.energy_max is not None:
            energy = torch.clamp(energy, max=self.energy_max)
        return (energy + log_prior - log_det).mean()


def double_well():
    return _ByEnergy(DoubleWell2D()), (torch.randn(6, 2),)


def three_basins():
    return _ByEnergy(MullerBrown(), energy_max=1e3), (torch.randn(6, 2),)


class _Matched(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = CNFModel(VelocityField(4, hidden_dim=16, num_hidden=2, num_freqs=4))
        self.angles = PeriodicEmbedding()

    def forward(self, angles):
        return self.model.cfm_loss(self.angles(angles))


def matched_angles():
    return _Matched(), ((torch.rand(6, 2) * 2 - 1) * torch.pi,)
