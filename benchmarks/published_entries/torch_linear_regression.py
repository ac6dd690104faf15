"""Entry points of torch-linear-regression: closed-form regressions, fitted on features that a network gives."""

import torch
from torch_linear_regression import OLS, Ridge


class _Head(torch.nn.Module):
    """A regression that is fitted to one set of rows, and judged on another, so that its features learn."""

    def __init__(self, regression):
        super().__init__()
        self.features, self.regression = torch.nn.Linear(6, 3), regression

    def forward(self, rows, wanted, others, other_wanted):
        self.regression.fit(self.features(rows).tanh(), wanted)
        return torch.nn.functional.mse_loss(self.regression(self.features(others).tanh()), other_wanted)


def _rows():
    return torch.randn(10, 6), torch.randn(10, 2), torch.randn(5, 6), torch.randn(5, 2)


def least_squares():
    return _Head(OLS(fit_intercept=True)), _rows()


def without_intercept():
    return _Head(OLS(fit_intercept=False)), _rows()


def ridge():
    return _Head(Ridge(lambda_=0.1, fit_intercept=True)), _rows()


def fitted():
    model = Ridge(lambda_=0.1)
    model.fit(torch.randn(10, 4), torch.randn(10, 2))
    return model, (torch.randn(5, 4),)
