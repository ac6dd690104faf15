"""Entry points of neuralforecast: losses of forecasts behind a linear layer."""

import torch
from neuralforecast.losses import pytorch as losses


class _Forecasting(torch.nn.Module):
    def __init__(self, loss, outputs=1):
        super().__init__()
        self.head, self.loss, self.outputs = torch.nn.Linear(6, 4 * outputs), loss, outputs

    def forward(self, past, wanted):
        return self.loss(y=wanted, y_hat=self.head(past).view(-1, 4, 1, self.outputs).squeeze(-1))


def _series():
    return torch.randn(5, 6), torch.rand(5, 4, 1) + 0.5


def root_mean_square():
    return _Forecasting(losses.RMSE()), _series()


def percentage():
    return _Forecasting(losses.MAPE()), _series()


def symmetric_percentage():
    return _Forecasting(losses.SMAPE()), _series()


def tukey():
    return _Forecasting(losses.TukeyLoss(normalize=False)), _series()


class _Mixing(torch.nn.Module):
    """Parameters of a mixture as the package's models hand them over."""

    def __init__(self, loss):
        super().__init__()
        self.loss = loss
        self.head = torch.nn.Linear(6, 4 * loss.outputsize_multiplier)

    def forward(self, past, wanted):
        found = self.head(past).view(-1, 4, self.loss.outputsize_multiplier)
        return self.loss(y=wanted, distr_args=self.loss.scale_decouple(self.loss.domain_map(found)))


def poisson_mixture():
    return _Mixing(losses.PMM(n_components=2)), (torch.randn(5, 6), torch.randint(9, (5, 4, 1)).float())


def gaussian_mixture():
    return _Mixing(losses.GMM(n_components=2)), (torch.randn(5, 6), torch.randn(5, 4, 1))


def negative_binomial_mixture():
    return _Mixing(losses.NBMM(n_components=2)), (torch.randn(5, 6), torch.randint(9, (5, 4, 1)).float())
