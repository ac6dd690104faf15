"""Entry points of mlgb: rankers of its PyTorch side with the loss that its examples train, over made-up features."""

import sys
import types

import torch

_package = sys.modules["mlgb"] = types.ModuleType("mlgb")
_package.__path__ = ["mlgb"]

from mlgb.torch.models.mtl import MMoE  # noqa: E402
from mlgb.torch.models.ranking import DIN, PNN, XDeepFM  # noqa: E402


def _ids(name, count, length=1):
    names = {"feature_name": name, "input_length": length, "mask_zero": True}
    return {**names, "feature_nunique": count, "embed_feature_nunique": count + 1, "embed_dim": 4}


def _group(prefix, sequences=False):
    groups = tuple({"feature_name": f"{prefix}{place}"} for place in range(3)), tuple(_ids(prefix, 9) for _ in range(3))
    return (*groups, tuple(_ids(prefix, 9, 5) for _ in range(3))) if sequences else groups


def _features(sequences=False):
    values = torch.rand(4, 3), torch.randint(1, 9, (4, 3))
    return (*values, torch.randint(9, (4, 3, 5))) if sequences else values


class _Ranked(torch.nn.Module):
    """Its models make their parameters at the first call."""

    def __init__(self, model, inputs):
        super().__init__()
        self.model, self.loss = model, torch.nn.BCELoss()
        model(inputs)

    def forward(self, inputs, clicks):
        return self.loss(self.model(inputs).squeeze(-1), clicks) + self.model.l1l2_loss()


def _ranked(kind, **options):
    inputs = _features()
    model = kind(_group("x"), embed_dim=4, model_l2=1e-6, dnn_hidden_units=(8, 4), **options)
    return _Ranked(model, inputs), (inputs, torch.tensor([0.0, 1, 1, 0]))


def products():
    return _ranked(PNN)


def cross_interactions():
    return _ranked(XDeepFM)


def interests():
    inputs = _features(True), _features(True)
    model = DIN((_group("user", True), _group("item", True)), embed_dim=4, model_l2=1e-6, dnn_hidden_units=(8, 4))
    return _Ranked(model, inputs), (inputs, torch.tensor([0.0, 1, 1, 0]))


class _Tasks(torch.nn.Module):
    def __init__(self, inputs):
        super().__init__()
        self.model = MMoE(_group("x"), task=("binary", "binary"), embed_dim=4)
        self.model(inputs)

    def forward(self, inputs):
        return self.model(inputs)


def two_tasks():
    inputs = _features()
    return _Tasks(inputs), (inputs,)
