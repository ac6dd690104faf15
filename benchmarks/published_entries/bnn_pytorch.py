"""Entry points of bnn-pytorch: variational layers with their divergence from the prior."""

import torch
from bnn import BConv2d, BLinear
from bnn.distributions.posteriors import DiagonalNormal
from bnn.distributions.priors import DiagonalNormal as Prior
from bnn.distributions.priors import GaussianMixture, Laplace


class Bound(torch.nn.Module):
    def __init__(self, layer, last):
        super().__init__()
        self.layer, self.last = layer, last

    def forward(self, x, y):
        self.layer.zero_kl_div()
        logits = self.last(torch.nn.functional.softplus(self.layer(x)).flatten(1))
        return torch.nn.functional.cross_entropy(logits, y) + self.layer.get_kl_div() / 100


class Density(torch.nn.Module):
    """The evidence of a sample under a prior and the posterior it came from."""

    def __init__(self, prior):
        super().__init__()
        self.posterior, self.prior = DiagonalNormal(torch.randn(6), torch.full((6,), -3.0)), prior

    def forward(self, x):
        sample = self.posterior.sample() + 0 * x
        return (self.posterior.log_prob(sample) - self.prior.log_prob(sample)).sum()


def _labels():
    return torch.randint(0, 3, (4,))


def linear():
    return Bound(BLinear(6, 8), torch.nn.Linear(8, 3)), (torch.randn(4, 6), _labels())


def convolution():
    return Bound(BConv2d(1, 2, 3, padding=1), torch.nn.Linear(72, 3)), (torch.randn(4, 1, 6, 6), _labels())


def mixture():
    return Density(GaussianMixture(1.0, 0.0025, 0.5)), (torch.zeros(6),)


def laplace():
    return Density(Laplace(torch.tensor(0.0), torch.tensor(1.0))), (torch.zeros(6),)


def normal():
    return Density(Prior()), (torch.zeros(6),)
