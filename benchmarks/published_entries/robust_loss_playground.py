"""Entry points of robust-loss-playground: regressions with outliers that its losses of residuals train."""

import torch
from robust_loss.torch import L1, L2, Cauchy, Charbonnier, Huber, Tukey


class _Regression(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.model = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
        self.loss = loss

    def forward(self, rows, targets):
        return self.loss(self.model(rows).squeeze(-1) - targets)


def _rows():
    return torch.randn(8, 4), torch.randn(8)


def charbonnier():
    return _Regression(Charbonnier(scale=1.0, eps=0.01)), _rows()


def huber():
    return _Regression(Huber(delta=1.0)), _rows()


def cauchy():
    return _Regression(Cauchy(scale=0.5)), _rows()


def tukey():
    return _Regression(Tukey(reduction="sum")), _rows()


class _Reweighted(_Regression):
    """Least squares whose weights the residuals themselves give."""

    def forward(self, rows, targets):
        residuals = self.model(rows).squeeze(-1) - targets
        return (self.loss.weight(residuals).detach() * L2(reduction="none")(residuals)).mean()


def reweighted():
    return _Reweighted(Huber()), _rows()


def reweighted_absolute():
    return _Reweighted(L1()), _rows()
