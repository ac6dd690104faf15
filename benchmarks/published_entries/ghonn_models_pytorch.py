"""Entry points of ghonn-models-pytorch: its units and networks of higher order, gated and not, with losses."""

import sys
import types

import torch

_package = sys.modules["ghonn_models_pytorch"] = types.ModuleType("ghonn_models_pytorch")
_package.__path__ = ["ghonn_models_pytorch"]

from ghonn_models_pytorch.core import GHONN, GHONU, HONN, HONU  # noqa: E402


class _Trained(torch.nn.Module):
    def __init__(self, model, loss):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, features, wanted):
        return self.loss(self.model(features).reshape(wanted.shape[0], -1).squeeze(-1), wanted)


def unit():
    return _Trained(HONU(3, 2, activation="tanh"), torch.nn.MSELoss()), (torch.randn(6, 3), torch.rand(6))


def gated_unit():
    model = GHONU(3, 3, 2, predictor_activation="identity", gate_activation="sigmoid")
    return _Trained(model, torch.nn.MSELoss()), (torch.randn(6, 3), torch.randn(6))


def classifier():
    model = HONN(4, 3, 5, [2, 3], activations="relu", output_type="linear")
    return _Trained(model, torch.nn.CrossEntropyLoss()), (torch.randn(6, 4), torch.tensor([0, 2, 1, 1, 0, 2]))


def stacked():
    first = GHONN(4, 3, 3, [1, 2, 3], [2], gate_activations="tanh", output_type="raw", weight_divisor=10)
    model = torch.nn.Sequential(first, GHONN(3, 1, 4, [2], [1, 2], output_type="linear"))
    return _Trained(model, torch.nn.L1Loss()), (torch.randn(6, 4), torch.randn(6))


def summed():
    return _Trained(HONN(4, 1, 3, [2], output_type="sum"), torch.nn.MSELoss()), (torch.randn(6, 4), torch.randn(6))
