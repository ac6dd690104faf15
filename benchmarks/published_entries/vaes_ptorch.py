"""Entry points of vaes-ptorch: its variational autoencoder with its bound, as its training computes them."""

import torch
from vaes_ptorch import VAE, GaussianMLP
from vaes_ptorch.elbo import elbo
from vaes_ptorch.utils import gaussian_kl


class _Bound(torch.nn.Module):
    def __init__(self, hidden, scale=1.0):
        super().__init__()
        self.model = VAE(GaussianMLP(6, hidden, 2), GaussianMLP(2, hidden, 6))
        self.scale = scale

    def forward(self, samples):
        return elbo(samples, self.model(samples), scale=self.scale)[0]


def linear():
    return _Bound([]), (torch.randn(4, 6),)


def hidden_layers():
    return _Bound([8, 8]), (torch.randn(4, 6),)


def warming_up():
    return _Bound([8, 8], scale=0.25), (torch.randn(4, 6),)


class _Divergence(torch.nn.Module):
    """One Gaussian drawn to another."""

    def __init__(self):
        super().__init__()
        self.layers = GaussianMLP(5, [8, 8], 3)

    def forward(self, samples, mean, variance):
        given_mean, given_variance = self.layers(samples)
        return gaussian_kl(left_sig=given_variance, left_mu=given_mean, right_sig=variance, right_mu=mean)


def divergence():
    return _Divergence(), (torch.randn(4, 5), torch.randn(4, 3), 0.5 + torch.rand(4, 3))
