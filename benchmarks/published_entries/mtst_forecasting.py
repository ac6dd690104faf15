"""Entry points of mtst-forecasting: its transformer of series at three resolutions, with its losses and their masks."""

import torch
from mtst.Loss.Custom_loss import get_loss
from mtst.Models.forecasting_model import MTSTForecaster


class _Forecast(torch.nn.Module):
    def __init__(self, name, options, **loss):
        super().__init__()
        self.model, self.loss = MTSTForecaster(3, (4, 2), 16, 2, 1, max_len=20, **options), get_loss(name, **loss)

    def forward(self, past, future, mask=None):
        return self.loss(self.model(past), future, mask)


def _series():
    return torch.randn(3, 16, 3), torch.randn(3, 4, 2)


def relative():
    return _Forecast("mse", {}), _series()


def absolute():
    return _Forecast("huber", {"positional_encoding": "absolute"}, delta=0.5), _series()


def correlated():
    """By differences of neighbours and by correlation, too."""
    return _Forecast("r2boosted", {"positional_encoding": "both", "resolutions": (1, 3, 5)}), _series()


def correlated_with_gaps():
    """Each series misses some of its values."""
    mask = torch.ones(3, 4, 2)
    mask[0, 2:, 0], mask[1, 1, 1], mask[2, 2] = 0, 0, 0
    return _Forecast("r2boosted", {}), (*_series(), mask)
