"""Entry points of irtorch: models of answers to items, with the likelihood of what was answered."""

import sys
from unittest.mock import MagicMock

import torch

sys.modules["splinetorch"] = MagicMock()  # for the models of splines, which no entry here has
sys.modules["splinetorch.b_spline_basis"] = MagicMock()

from irtorch.models import (  # noqa: E402
    GeneralizedPartialCredit,
    GradedResponse,
    MonotoneNN,
    NominalResponse,
    ThreeParameterLogistic,
    TwoParameterLogistic,
)


class _Answered(torch.nn.Module):
    """The traits of few respondents are trained with the items."""

    def __init__(self, model, traits):
        super().__init__()
        self.model, self.layer = model, torch.nn.Linear(6, traits)

    def forward(self, answers, data):
        theta = self.layer(answers)
        return -self.model.log_likelihood(data, self.model(theta)).mean()


def _answered(kind, categories, traits=1, **options):
    model = kind(latent_variables=traits, **options)
    return _Answered(model, traits), (torch.randn(8, 6), torch.randint(categories, (8, 5)).float())


def two_parameters():
    return _answered(TwoParameterLogistic, 2, 2, items=5)


def three_parameters():
    return _answered(ThreeParameterLogistic, 2, items=5)


def graded():
    return _answered(GradedResponse, 4, item_categories=[4] * 5)


def partial_credit():
    return _answered(GeneralizedPartialCredit, 4, 2, item_categories=[4] * 5)


def nominal():
    return _answered(NominalResponse, 3, item_categories=[3] * 5)


def monotone_network():
    return _answered(MonotoneNN, 3, item_categories=[3] * 5, hidden_dim=[3])
