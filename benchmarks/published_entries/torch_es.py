"""Entry points of torch-es: exponential smoothing of two seasons, multiplied, added and corrected, and its loss."""

import torch
from torches.modules.dshw_module import DSHWModule


class _Forecast(torch.nn.Module):
    def __init__(self, **settings):
        super().__init__()
        self.model = DSHWModule(input_dim=2, period1=2, period2=4, hs=[3, 3], **settings)

    def forward(self, series):
        result = self.model(series)
        return result.mean, result.yhat


def _series():
    """Values around ten with two seasons."""
    time = torch.arange(10.0)
    seasons = 10 + torch.sin(time * torch.pi) + 2 * torch.cos(time * torch.pi / 2)
    return seasons.view(1, 10, 1) + torch.rand(2, 10, 2)


def multiplied():
    return _Forecast(), (_series(),)


def added():
    return _Forecast(is_multiplicative=False), (_series(),)


def corrected():
    return _Forecast(enable_ar=True), (_series(),)


class _Trained(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = DSHWModule(input_dim=2, period1=2, period2=4, hs=[3, 3])

    def forward(self, series, wanted):
        return self.model.get_loss(series, wanted, torch.nn.functional.mse_loss)[1]


def loss():
    return _Trained(), (_series(), _series()[:, :3])
