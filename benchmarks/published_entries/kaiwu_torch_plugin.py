"""Entry points of kaiwu-torch-plugin: its Boltzmann machines by their objective, and the laws of its autoencoder."""

import torch
from kaiwu.torch_plugin import BoltzmannMachine, RestrictedBoltzmannMachine
from kaiwu.torch_plugin.gbrbm import GaussianBernoulliRestrictedBoltzmannMachine
from kaiwu.torch_plugin.qvae_dist_util import FactorialBernoulliUtil, MixtureGeneric


class _Objective(torch.nn.Module):
    """Energies of the data against those of samples."""

    def __init__(self, machine):
        super().__init__()
        self.machine = machine

    def forward(self, data, samples):
        return self.machine.objective(data, samples)


def _bits(count):
    return torch.rand(4, count).round(), torch.rand(5, count).round()


def restricted():
    return _Objective(RestrictedBoltzmannMachine(6, 4, device=torch.device("cpu"))), _bits(10)


def full():
    return _Objective(BoltzmannMachine(6, device=torch.device("cpu"))), _bits(6)


def gaussian():
    machine = GaussianBernoulliRestrictedBoltzmannMachine(6, 4, device=torch.device("cpu"))
    states = (torch.cat((torch.randn(n, 6), torch.rand(n, 4).round()), dim=1) for n in (4, 5))
    return _Objective(machine), tuple(states)


class _Smoothed(torch.nn.Module):
    """An autoencoder of smoothed bits: the error of its images, and how its bits differ from fair ones."""

    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = torch.nn.Linear(6, 4), torch.nn.Linear(4, 6)

    def forward(self, samples):
        posterior = MixtureGeneric(self.encoder(samples), 5.0)
        bits = posterior.reparameterize(is_training=True)
        prior = MixtureGeneric(torch.zeros_like(bits), 5.0)
        divergence = posterior.log_prob_per_var(bits) - prior.log_prob_per_var(bits)
        error = torch.nn.functional.binary_cross_entropy_with_logits(self.decoder(bits), samples, reduction="sum")
        return error + divergence.sum()


def smoothed():
    return _Smoothed(), (torch.rand(3, 6).round(),)


class _Bits(torch.nn.Module):
    """Bits by a layer: their likelihood less their entropy."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(5, 4)

    def forward(self, samples, bits):
        law = FactorialBernoulliUtil(self.layer(samples))
        return -(law.log_prob_per_var(bits) + 0.1 * law.entropy()).sum(dim=1).mean()


def bits():
    return _Bits(), (torch.randn(3, 5), torch.rand(3, 4).round())
