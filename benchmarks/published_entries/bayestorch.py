"""Entry points of bayestorch: layers with distributions over their weights, and what training them minimizes."""

import torch
from bayestorch.distributions import (
    get_log_scale_normal,
    get_mixture_log_scale_normal,
    get_softplus_inv_scale_normal,
)
from bayestorch.nn import ParticlePosteriorModule, PriorModule, VariationalPosteriorModule


class _Variational(torch.nn.Module):
    """The data's loss and the divergence of posterior and prior, by its samples or in closed form."""

    def __init__(self, exact):
        super().__init__()
        self.exact = exact
        layer = torch.nn.Linear(5, 1)
        if exact:
            prior = get_log_scale_normal(layer.parameters(), loc=0.0, log_scale=-1.0)
        else:
            options = {"weights": [0.75, 0.25], "locs": (0.0, 0.0), "log_scales": (-1.0, -6.0)}
            prior = get_mixture_log_scale_normal(layer.parameters(), **options)
        posterior = get_softplus_inv_scale_normal(
            layer.parameters(), loc=0.0, softplus_inv_scale=-7.0, requires_grad=True
        )
        self.model = VariationalPosteriorModule(layer, *prior, *posterior)

    def forward(self, features, wanted):
        given, divergence = self.model(features, num_mc_samples=2, return_kl_div=True, exact_kl_div=self.exact)
        return torch.nn.functional.mse_loss(given, wanted) + 0.01 * divergence


def _rows():
    return torch.randn(4, 5), torch.randn(4, 1)


def mixture_prior():
    return _Variational(False), _rows()


def exact_divergence():
    return _Variational(True), _rows()


class _Maximum(torch.nn.Module):
    """The most likely weights under the prior."""

    def __init__(self, kind, **options):
        super().__init__()
        layer = torch.nn.Linear(5, 1)
        self.model = kind(layer, *get_log_scale_normal(layer.parameters(), loc=0.0, log_scale=-1.0), **options)

    def forward(self, features, wanted):
        given, prior = self.model(features, return_log_prior=True)
        return torch.nn.functional.mse_loss(given, wanted) - 0.01 * prior


def prior():
    return _Maximum(PriorModule), _rows()


def particles():
    return _Maximum(ParticlePosteriorModule, num_particles=3), _rows()
