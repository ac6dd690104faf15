"""Entry points of darts: likelihoods of forecasts on the outputs of one layer, and losses in per cent."""

import torch
from darts.utils.likelihood_models import torch as likelihoods
from darts.utils.losses import MapeLoss, SmapeLoss


class _Forecasting(torch.nn.Module):
    def __init__(self, likelihood, count):
        super().__init__()
        self.head, self.likelihood, self.count = torch.nn.Linear(6, 2 * count), likelihood, count

    def forward(self, series, future):
        outputs = self.head(series).reshape(series.shape[0], 2, 1, self.count)
        return self.likelihood.compute_loss(outputs, future, None)


def _entry(likelihood, future):
    return _Forecasting(likelihood, likelihood.num_parameters), (torch.randn(5, 6), future)


def _real():
    return torch.randn(5, 2, 1)


def _positive():
    return torch.rand(5, 2, 1) * 3 + 0.1


def _counted():
    return torch.randint(0, 9, (5, 2, 1)).float()


def _unit():
    return torch.rand(5, 2, 1) * 0.98 + 0.01


def gaussian():
    return _entry(likelihoods.GaussianLikelihood(), _real())


def gaussian_with_prior():
    return _entry(likelihoods.GaussianLikelihood(prior_mu=0.5, prior_sigma=1.0), _real())


def weighted_gaussian():
    return _entry(likelihoods.GaussianLikelihood(beta_nll=0.5), _real())


def poisson():
    return _entry(likelihoods.PoissonLikelihood(), _counted())


def negative_binomial():
    return _entry(likelihoods.NegativeBinomialLikelihood(), _counted())


def bernoulli():
    return _entry(likelihoods.BernoulliLikelihood(), torch.randint(0, 2, (5, 2, 1)).float())


def beta():
    return _entry(likelihoods.BetaLikelihood(), _unit())


def cauchy():
    return _entry(likelihoods.CauchyLikelihood(), _real())


def continuous_bernoulli():
    return _entry(likelihoods.ContinuousBernoulliLikelihood(), _unit())


def exponential():
    return _entry(likelihoods.ExponentialLikelihood(), _positive())


def gamma():
    return _entry(likelihoods.GammaLikelihood(), _positive())


def geometric():
    return _entry(likelihoods.GeometricLikelihood(), _counted())


def gumbel():
    return _entry(likelihoods.GumbelLikelihood(), _real())


def half_normal():
    return _entry(likelihoods.HalfNormalLikelihood(), _positive())


def laplace():
    return _entry(likelihoods.LaplaceLikelihood(), _real())


def log_normal():
    return _entry(likelihoods.LogNormalLikelihood(), _positive())


def weibull():
    return _entry(likelihoods.WeibullLikelihood(), _positive())


class _Compared(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.head, self.loss = torch.nn.Linear(6, 2), loss

    def forward(self, series, future):
        return self.loss(self.head(series), future)


def symmetric_percentage():
    return _Compared(SmapeLoss()), (torch.randn(5, 6), torch.rand(5, 2) * 3 + 0.1)


def percentage():
    return _Compared(MapeLoss()), (torch.randn(5, 6), torch.rand(5, 2) * 3 + 0.1)
