"""Entry points of dtw-loss-functions: its loss of optimal transport warping, on networks that rebuild time series."""

import torch
from dtw_loss_functions.otw import otw_distance


class _Rebuilt(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.encoder, self.decoder = torch.nn.LSTM(1, 8, batch_first=True), torch.nn.Linear(8, 1)
        self.options = options

    def forward(self, series):
        steps, _ = self.encoder(series[..., None])
        return otw_distance(series, self.decoder(steps).squeeze(-1), **self.options)


def rebuilt():
    return _Rebuilt(s=4), torch.randn(3, 12)


def in_part_of_the_length():
    return _Rebuilt(m=2, s=0.5, beta=0.5), torch.randn(3, 12)


class _Forecast(torch.nn.Module):
    """One series, whose next values a perceptron gives."""

    def __init__(self):
        super().__init__()
        self.model = torch.nn.Sequential(torch.nn.Linear(16, 8), torch.nn.Tanh(), torch.nn.Linear(8, 6))

    def forward(self, past, future):
        return otw_distance(self.model(past), future, s=3, reduction="sum")


def forecast():
    return _Forecast(), (torch.randn(16), torch.randn(6))
