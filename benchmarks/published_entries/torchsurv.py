"""Entry points of torchsurv: its losses of times to events, some censored, on one layer or two networks."""

import torch
from torchsurv.loss.cox import neg_partial_log_likelihood
from torchsurv.loss.momentum import Momentum
from torchsurv.loss.survival import neg_log_likelihood
from torchsurv.loss.weibull import neg_log_likelihood_weibull, survival_function_weibull

EVENTS = (True, False, True, True, False, True)


class _Survival(torch.nn.Module):
    def __init__(self, loss, outputs=1):
        super().__init__()
        self.layer, self.loss, self.outputs = torch.nn.Linear(5, outputs), loss, outputs

    def forward(self, covariates, event, time, *others):
        given = self.layer(covariates)
        return self.loss(given.squeeze(-1) if self.outputs == 1 else given, event, time, *others)


def _patients():
    return torch.randn(6, 5), torch.tensor(EVENTS), torch.tensor([1.5, 2.0, 3.5, 4.0, 5.5, 6.0])


def _tied():
    return torch.randn(6, 5), torch.tensor(EVENTS), torch.tensor([1.0, 2.0, 2.0, 4.0, 4.0, 4.0])


def cox():
    return _Survival(neg_partial_log_likelihood), _patients()


def efron():
    return _Survival(lambda *a: neg_partial_log_likelihood(*a, ties_method="efron")), _tied()


def breslow():
    return _Survival(lambda *a: neg_partial_log_likelihood(*a, ties_method="breslow")), _tied()


def weibull():
    return _Survival(neg_log_likelihood_weibull, 2), _patients()


def exponential():
    return _Survival(neg_log_likelihood_weibull), _patients()


def piecewise():
    times = torch.tensor([0.0, 2.0, 4.0, 6.0])
    return _Survival(neg_log_likelihood, 4), (*_patients(), times)


class _Probabilities(torch.nn.Module):
    """The chance to survive until times, from parameters that a layer gives."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(5, 2)

    def forward(self, covariates, times):
        return survival_function_weibull(self.layer(covariates), times)


def probabilities():
    return _Probabilities(), (torch.randn(6, 5), torch.tensor([1.0, 3.0, 5.0]))


def momentum():
    network = torch.nn.Sequential(torch.nn.Linear(5, 1))
    return Momentum(network, neg_partial_log_likelihood, batchsize=6, steps=2, rate=0.9), _patients()
