"""Entry points of torchvine: likelihoods, under its copulas, of ranks that a layer gives."""

import torch
from torchvine import Bicop, BicopFamily


class _Likelihood(torch.nn.Module):
    def __init__(self, family, *parameters, rotation=0):
        super().__init__()
        self.layer = torch.nn.Linear(3, 2)
        numbers = torch.tensor(parameters, dtype=torch.float64)
        self.copula = Bicop(family, rotation=rotation, parameters=numbers)

    def forward(self, features):
        ranks = torch.sigmoid(self.layer(features)).double()
        return -torch.log(self.copula.pdf(ranks)).mean()


def _rows():
    return (torch.randn(6, 3),)


def gaussian():
    return _Likelihood(BicopFamily.gaussian, 0.7), _rows()


def student():
    return _Likelihood(BicopFamily.student, 0.4, 4.0), _rows()


def clayton():
    return _Likelihood(BicopFamily.clayton, 3.0, rotation=90), _rows()


def gumbel():
    return _Likelihood(BicopFamily.gumbel, 2.0), _rows()


def frank():
    return _Likelihood(BicopFamily.frank, 4.0), _rows()


def joe_clayton():
    return _Likelihood(BicopFamily.bb7, 1.5, 1.0), _rows()
