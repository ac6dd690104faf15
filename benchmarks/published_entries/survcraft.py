"""Entry points of survcraft: networks that give distributions of times until an event, with their losses."""

import torch
from survcraft import loss_modules, survival_modules
from survcraft.input_modules import FeedForwardNet


class _Predictor(torch.nn.Module):
    """An input and a distribution, as its adapters put them together."""

    def __init__(self, distribution):
        super().__init__()
        self.distribution = distribution
        self.net = FeedForwardNet(4, distribution.get_param_number(), hidden_sizes=[8])

    def forward(self, mode, x, times=None):
        return self.distribution(mode, self.net(x), times)


class _Trained(torch.nn.Module):
    def __init__(self, distribution, loss):
        super().__init__()
        self.model, self.loss = _Predictor(distribution), loss

    def forward(self, x, events, times):
        return self.loss(self.model, x, events, times)


def _patients():
    events = torch.tensor([True, False, True, True, False, True])
    return torch.randn(6, 4), events, 0.1 + 4.9 * torch.rand(6)


def weibull_likelihood():
    return _Trained(survival_modules.WeibullSurvivalModule(), loss_modules.FullLikelihoodLoss()), _patients()


def log_normal_crossentropy():
    return _Trained(survival_modules.LogNormalSurvivalModule(), loss_modules.BCEBatchTimesLoss()), _patients()


def exponential_partial_likelihood():
    return _Trained(survival_modules.ExponentialSurvivalModule(), loss_modules.PartialLikelihoodLoss()), _patients()


class _Curves(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = _Predictor(survival_modules.InverseGaussianSurvivalModule())

    def forward(self, x, times):
        return self.model("survival", x, times), self.model("hazard", x, times), self.model("expected_time", x)


def inverse_gaussian_curves():
    return _Curves(), (torch.randn(4, 4), torch.tensor([0.5, 1.0, 2.0, 4.0]))
