"""Entry points of torchnmf: products of non-negative factors, and their divergences from what is wanted."""

import torch
from torchnmf import metrics
from torchnmf.nmf import NMF, NMFD


class _Factorized(torch.nn.Module):
    """A factorization trained by gradients, as the package's trainers do."""

    def __init__(self, model, divergence):
        super().__init__()
        self.model, self.divergence = model, divergence

    def forward(self, wanted):
        return self.divergence(self.model(), wanted)


class _Activated(torch.nn.Module):
    """Activations that a layer gives, with a penalty on how dense they are."""

    def __init__(self):
        super().__init__()
        self.layer, self.model = torch.nn.Linear(5, 3), NMF((6, 8), rank=3)

    def forward(self, features, wanted):
        activations = torch.nn.functional.softplus(self.layer(features))
        given = self.model(H=activations)
        return metrics.kl_div(given, wanted) - 0.1 * metrics.sparseness(activations)


def _factorized(divergence):
    return _Factorized(NMF((6, 8), rank=3), divergence), (torch.rand(6, 8),)


def kullback_leibler():
    return _factorized(metrics.kl_div)


def itakura_saito():
    return _factorized(metrics.is_div)


def euclidean():
    return _factorized(metrics.euclidean)


def beta_divergence():
    return _factorized(lambda given, wanted: metrics.beta_div(given, wanted, beta=0.5))


def deconvolution():
    return _Factorized(NMFD((1, 6, 12), rank=3, T=4), metrics.kl_div), (torch.rand(1, 6, 12),)


def activations():
    return _Activated(), (torch.randn(6, 5), torch.rand(6, 8))
