"""Entry points of nam-pt: additive networks of its two kinds of units, with its penalized losses."""

import sys
import types

import torch

sys.modules["sklearn"] = types.ModuleType("sklearn")  # only named by the package

from nam import NeuralAdditiveModel, penalized_cross_entropy, penalized_mse  # noqa: E402
from nam.model import FeatureNN, ReLULayer  # noqa: E402

del sys.modules["sklearn"]


class _Trained(torch.nn.Module):
    def __init__(self, loss, penalty, **options):
        super().__init__()
        self.model = NeuralAdditiveModel(4, **options)
        self.loss, self.penalty = loss, penalty

    def forward(self, features, wanted):
        given, parts = self.model(features)
        return self.loss(given, wanted, parts, self.penalty)


def classifier():
    options = {"shallow_units": 16, "hidden_units": (8,), "hidden_dropout": 0.1, "feature_dropout": 0.1}
    model = _Trained(penalized_cross_entropy, 0.01, **options)
    return model, (torch.rand(6, 4) * 2 - 1, torch.tensor([0.0, 1, 1, 0, 1, 0]))


def regression():
    options = {"shallow_units": [8, 6, 8, 4], "hidden_units": (8, 4), "shallow_layer": ReLULayer}
    return _Trained(penalized_mse, 0.1, **options), (torch.rand(6, 4) * 2 - 1, torch.randn(6))


class _Feature(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = FeatureNN(12, (6,), dropout=0.2)

    def forward(self, values, wanted):
        return torch.nn.functional.l1_loss(self.model(values)[:, 0], wanted)


def feature():
    return _Feature(), (torch.rand(8), torch.randn(8))
