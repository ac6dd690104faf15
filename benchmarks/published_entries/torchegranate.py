"""Entry points of torchegranate: how likely rows are under its distributions, mixtures and hidden states."""

import sys
from unittest.mock import MagicMock

import torch

sys.modules["apricot"] = MagicMock()  # chooses the first means of k-means, which nothing here fits

from torchegranate.bayes_classifier import BayesClassifier  # noqa: E402
from torchegranate.distributions import Exponential, Gamma, LogNormal, Normal, Poisson, StudentT  # noqa: E402
from torchegranate.gmm import GeneralMixtureModel  # noqa: E402


class _Likelihood(torch.nn.Module):
    """Minus the mean of the logarithms of likelihoods."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, rows):
        return -self.model.log_probability(rows).mean()


def gaussian():
    return _Likelihood(Normal([0.3, -0.2], [[1.0, 0.2], [0.2, 2.0]])), (torch.randn(6, 2),)


def gamma():
    return _Likelihood(Gamma([1.5, 2.0], [1.0, 0.5])), (0.1 + 3 * torch.rand(6, 2),)


def counts():
    return _Likelihood(Poisson([1.5, 4.0])), (torch.randint(8, (6, 2)).float(),)


def log_gaussian():
    return _Likelihood(LogNormal([0.3, -0.2], [0.5, 1.0])), (0.1 + 3 * torch.rand(6, 2),)


def student():
    return _Likelihood(StudentT(torch.tensor(3), [0.3, -0.2], [0.5, 1.0])), (torch.randn(6, 2),)


def mixture():
    parts = [Exponential([1.5, 0.5]), Exponential([3.0, 2.0]), Gamma([1.5, 2.0], [1.0, 0.5])]
    return _Likelihood(GeneralMixtureModel(parts, priors=[0.2, 0.5, 0.3])), (0.1 + 3 * torch.rand(6, 2),)


class _Classified(torch.nn.Module):
    def __init__(self):
        super().__init__()
        parts = [Normal([m, -m], [1.0, 0.5], covariance_type="diag") for m in (-1.0, 0.0, 1.0)]
        self.model = BayesClassifier(parts, priors=[0.2, 0.5, 0.3])

    def forward(self, rows, labels):
        return torch.nn.functional.nll_loss(self.model.predict_log_proba(rows), labels)


def bayesian_classifier():
    return _Classified(), (torch.randn(6, 2), torch.tensor([0, 2, 1, 1, 0, 2]))
