"""Entry points of tft-torch: its temporal fusion transformer by quantiles and by classes, and its gated parts."""

import sys
import types

import torch

_package = sys.modules["omegaconf"] = types.ModuleType("omegaconf")
_package.DictConfig = dict  # which the package only names

from tft_torch.loss import get_quantiles_loss_and_q_risk  # noqa: E402
from tft_torch.tft import GatedResidualNetwork, TemporalFusionTransformer, VariableSelectionNetwork  # noqa: E402

del sys.modules["omegaconf"]


class _Config(dict):
    """Settings by key and by attribute."""

    __getattr__ = dict.__getitem__


def _transformer(kind):
    data = {"num_historical_numeric": 3, "num_historical_categorical": 1, "historical_categorical_cardinalities": [4]}
    data |= {"num_static_numeric": 2, "num_static_categorical": 1, "static_categorical_cardinalities": [5]}
    data |= {"num_future_numeric": 1, "num_future_categorical": 1, "future_categorical_cardinalities": [7]}
    model = {
        "attention_heads": 2,
        "dropout": 0.1,
        "lstm_layers": 1,
        "state_size": 8,
        "output_quantiles": [0.1, 0.5, 0.9],
    }
    settings = {"task_type": kind, "target_window_start": None, "model": _Config(model), "data_props": _Config(data)}
    return TemporalFusionTransformer(_Config(settings))


class _Forecast(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = _transformer("regression")
        self.register_buffer("quantiles", torch.tensor([0.1, 0.5, 0.9]))

    def given(self, static, kinds, past, past_kinds, coming, coming_kinds):
        batch = {"static_feats_numeric": static, "static_feats_categorical": kinds}
        batch |= {"historical_ts_numeric": past, "historical_ts_categorical": past_kinds}
        batch |= {"future_ts_numeric": coming, "future_ts_categorical": coming_kinds}
        return self.model(batch)["predicted_quantiles"]

    def forward(self, *inputs):
        *batch, wanted = inputs
        return get_quantiles_loss_and_q_risk(self.given(*batch), wanted, self.quantiles)[0]


def _batch():
    static = torch.randn(2, 2), torch.randint(5, (2, 1))
    past = torch.randn(2, 6, 3), torch.randint(4, (2, 6, 1))
    return *static, *past, torch.randn(2, 3, 1), torch.randint(7, (2, 3, 1))


def forecast():
    return _Forecast(), (*_batch(), torch.randn(2, 3))


class _Classified(_Forecast):
    def __init__(self):
        super().__init__()
        self.model = _transformer("classification")

    def forward(self, *inputs):
        *batch, labels = inputs
        return torch.nn.functional.binary_cross_entropy_with_logits(self.given(*batch)[..., 0], labels)


def classified():
    return _Classified(), (*_batch(), torch.tensor([[1.0, 0, 0], [0, 1, 1]]))


class _Selected(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.context = GatedResidualNetwork(3, 8, 6)
        self.select = VariableSelectionNetwork(4, 3, 8, dropout=0.1, context_dim=6)
        self.head = torch.nn.Linear(8, 1)

    def forward(self, variables, context, wanted):
        given, _ = self.select(variables, self.context(context))
        return torch.nn.functional.mse_loss(self.head(given), wanted)


def selected():
    return _Selected(), (torch.randn(6, 12), torch.randn(6, 3), torch.randn(6, 1))
