"""Entry points of da-rnn: its attention over series and over steps, in PyTorch, with a loss of the next values."""

import torch
from da_rnn.torch import DARNN


class _Forecast(torch.nn.Module):
    def __init__(self, **sizes):
        super().__init__()
        self.model = DARNN(**sizes)

    def forward(self, series, targets):
        return torch.nn.functional.mse_loss(self.model(series), targets)


def forecast():
    return DARNN(n=4, T=6, m=8), torch.randn(3, 6, 5)


def forecast_trained():
    return _Forecast(n=4, T=6, m=8, p=6), (torch.randn(3, 6, 5), torch.randn(3, 1))


def several_values_trained():
    return _Forecast(n=4, T=5, m=8, y_dim=2), (torch.randn(3, 5, 6), torch.randn(3, 2))
