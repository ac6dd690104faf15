"""Entry points of fintorch: the parts of its transformer of time series, the whole, and its loss of quantiles."""

import sys
import types
from unittest.mock import MagicMock

import torch

for _name in ("fintorch", "fintorch.models", "fintorch.models.timeseries", "fintorch.models.timeseries.tft"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

from fintorch.models.timeseries.tft.GatedResidualNetwork import GatedAddNorm, GatedResidualNetwork  # noqa: E402
from fintorch.models.timeseries.tft.InterpretableMultiHeadAttention import (  # noqa: E402
    InterpretableMultiHeadAttention,
)
from fintorch.models.timeseries.tft.tft import TemporalFusionTransformer  # noqa: E402
from fintorch.models.timeseries.tft.utils import attention_mask  # noqa: E402
from fintorch.models.timeseries.tft.VariableSelectionNetwork import VariableSelectionNetwork  # noqa: E402

_package.TemporalFusionTransformer = TemporalFusionTransformer
WANTING = {"lightning"} - set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock(LightningModule=torch.nn.Module)  # the training loop, which nothing here needs

from fintorch.models.timeseries.tft.tft_module import TemporalFusionTransformerModule  # noqa: E402

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed

PAST, FUTURE = {"price": 1, "volume": 2}, {"day": 3}


class _Forecast(torch.nn.Module):
    def __init__(self, future=None):
        super().__init__()
        # the loss reads the model under this name
        self.tft_model = TemporalFusionTransformer(6, 3, 8, 8, 0.1, 2, PAST, future, None, 4, "cpu", [0.1, 0.5, 0.9])

    def forward(self, price, volume, day=None):
        future = None if day is None else {"day": day}
        return self.tft_model({"price": price, "volume": volume}, future)[0]


class _Trained(_Forecast):
    def forward(self, price, volume, day, target):
        found = super().forward(price, volume, day)
        return TemporalFusionTransformerModule.quantile_loss(self, found, target)


def _series():
    return torch.randn(4, 6, 1), torch.randn(4, 6, 2), torch.rand(4, 3, 3)


class _Gated(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gated, self.added = GatedResidualNetwork(4, 8, 8, 0.1, 5), GatedAddNorm(8, 8, 8, 6)

    def forward(self, x, skip, context):
        return self.added(self.gated(x, context), skip)


def gated():
    return _Gated(), (torch.randn(4, 6, 4), torch.randn(4, 6, 6), torch.randn(4, 5))


class _Selected(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = VariableSelectionNetwork(PAST, 8, 0.1, 5)

    def forward(self, price, volume, context):
        return self.model({"price": price, "volume": volume}, context)


def selected():
    return _Selected(), (torch.randn(4, 6, 1), torch.randn(4, 6, 2), torch.randn(4, 5))


class _Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = InterpretableMultiHeadAttention(2, 8, 0.1)

    def forward(self, x):
        return self.model(x, x, x, attention_mask(4, 2))


def attention():
    return _Attention(), (torch.randn(2, 6, 8),)


def past_alone():
    return _Forecast(), _series()[:2]


def past_and_future():
    return _Forecast(FUTURE), _series()


def quantiles():
    return _Trained(FUTURE), (*_series(), torch.randn(4, 3))
