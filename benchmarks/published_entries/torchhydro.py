"""Entry points of torchhydro: its losses of rivers' flows, some of them unobserved, on a layer over time."""

import sys
import types
from unittest.mock import MagicMock

import torch

# The package reads where its data sets lie on import; its losses do without.
_package = sys.modules["torchhydro"] = types.ModuleType("torchhydro")
_package.__path__ = ["torchhydro"]
sys.modules["torchhydro.models.model_utils"] = MagicMock()  # reads configurations, which nothing here needs

from torchhydro.models import crits  # noqa: E402


class _Flows(torch.nn.Module):
    """Flows by time and basin."""

    def __init__(self, loss, outputs=1):
        super().__init__()
        self.lstm, self.layer, self.loss = torch.nn.LSTM(4, 6), torch.nn.Linear(6, outputs), loss

    def forward(self, weather, flows):
        return self.loss(self.layer(self.lstm(weather)[0]), flows)


def _observed(outputs=1):
    flows = 5 * torch.rand(8, 3, outputs)
    flows[2, 0], flows[5:, 2] = float("nan"), float("nan")
    return torch.randn(8, 3, 4), flows


def efficiency():
    return _Flows(crits.NSELoss()), _observed()


def root_of_squares():
    return _Flows(crits.RMSELoss(variance_penalty=0.1)), _observed()


def gaussian_sigma():
    return _Flows(crits.SigmaLoss("gauss"), 4), _observed(2)


def gamma_sigma():
    return _Flows(crits.SigmaLoss("invGamma+3+0.5"), 4), _observed(2)


def quantiles():
    return _Flows(crits.QuantileLoss([0.1, 0.5, 0.9]), 3), _observed(3)


def several_outputs():
    loss = crits.MultiOutLoss(crits.RMSELoss(), data_gap=[0, 0], item_weight=[0.8, 0.2])
    return _Flows(loss, 2), _observed(2)
