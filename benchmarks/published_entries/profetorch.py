"""Entry points of profetorch: forecasts by a trend, seasons and a squashed range, with the losses of the package."""

import sys
from unittest.mock import MagicMock

import numpy as np
import torch

for _name in ("fastai", "fastai.basics", "fastai.data_block", "fastai.basic_train", "matplotlib", "matplotlib.pyplot"):
    sys.modules.setdefault(_name, MagicMock())  # the training loop and pictures, which nothing here needs
sys.modules["profetorch.model.model"] = MagicMock()

from profetorch.losses import mae, mse, q_loss  # noqa: E402
from profetorch.model.blocks import DefaultModel, DefaultQModel, Seasonal  # noqa: E402

MOMENTS = {"t": [100.0, 50.0], "t_range": np.array([0.0, 4.0]), "y": [0.0, 1.0]}


class _Forecast(torch.nn.Module):
    def __init__(self, model, loss):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, times, wanted):
        return self.loss(self.model(times), wanted)


def _entry(model, loss):
    return _Forecast(model, loss), (torch.linspace(0, 4, 6)[:, None], torch.randn(6, 1))


def seasons():
    return _entry(Seasonal(3, 2, 1, scale=50.0), mse)


def forecast():
    return _entry(DefaultModel(MOMENTS, y_n=3, m_n=2), mae)


def bounded():
    return _entry(DefaultModel(MOMENTS, y_n=3, m_n=2, l=-1.0, h=1.0), mse)


def quantiles():
    return _entry(DefaultQModel(MOMENTS, y_n=3, m_n=2), q_loss)
