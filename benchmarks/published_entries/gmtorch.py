"""Entry points of gmtorch: mixtures of Gaussians that a layer gives, trained by likelihood and divergences."""

import torch
from gmtorch import GaussianMixture, divergences


def _mixture(weights, means, scales):
    return GaussianMixture(3, 2, weights, means, torch.diag_embed(scales**2))


class _Mixture(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 3 * 5)

    def given(self, condition):
        weights, means, scales = self.layer(condition).view(3, 5).split([1, 2, 2], -1)
        return _mixture(weights[:, 0].softmax(0), means, torch.nn.functional.softplus(scales) + 0.05)


class _Likelihood(_Mixture):
    def forward(self, condition, points):
        return -self.given(condition).log_prob(points).mean()


class _Matching(_Mixture):
    def __init__(self, divergence):
        super().__init__()
        self.divergence = divergence

    def forward(self, condition, means, scales):
        return self.divergence(self.given(condition), _mixture(torch.full((3,), 1 / 3), means, scales))


class _Moments(_Mixture):
    def forward(self, condition, mean):
        given = self.given(condition)
        return (given.expectation() - mean).square().sum() + given.covariance().diagonal().sum()


def likelihood():
    return _Likelihood(), (torch.randn(4), torch.randn(6, 2))


def _wanted():
    return torch.randn(4), torch.randn(3, 2), 0.3 + torch.rand(3, 2)


def squared():
    return _Matching(divergences.l2_divergence), _wanted()


def cauchy_schwarz():
    return _Matching(divergences.cs_divergence), _wanted()


def jensen_renyi():
    return _Matching(divergences.jr2_divergence), _wanted()


def total_bregman():
    return _Matching(divergences.tb2_divergence), _wanted()


def moments():
    return _Moments(), (torch.randn(4), torch.randn(2))
