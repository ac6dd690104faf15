"""Entry points of rec-pangu: its models that rank items by few-valued and numeric features, with their loss."""

import sys
import types
from unittest.mock import MagicMock

import torch

_package = sys.modules["rec_pangu"] = types.ModuleType("rec_pangu")
_package.__path__ = ["rec_pangu"]
WANTING = {"loguru", "pandas", "dgl", "dgl.function"} - set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock()  # logs, tables and graphs, which nothing here needs

from rec_pangu.models.ranking import AFM, DCN, NFM, WDL, DeepFM, FiBiNet  # noqa: E402

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed

FEATURES = {
    "user": {"vocab_size": 6},
    "item": {"vocab_size": 8},
    "kind": {"vocab_size": 4},
    "price": {"min": 0.0, "max": 1.0},
    "age": {"min": 0.0, "max": 1.0},
}


class _Ranked(torch.nn.Module):
    def __init__(self, kind, **settings):
        super().__init__()
        self.model = kind(embedding_dim=4, enc_dict=FEATURES, **settings)

    def forward(self, user, item, kind, price, age, label):
        data = {"user": user, "item": item, "kind": kind, "price": price, "age": age, "label": label}
        return self.model(data)["loss"]


def _rows():
    few = (torch.randint(size, (5,)) for size in (6, 8, 4))
    return *few, torch.rand(5), torch.rand(5), torch.tensor([0.0, 1.0, 0.0, 0.0, 1.0])


def wide_and_deep():
    return _Ranked(WDL, hidden_units=[8, 8]), _rows()


def factors():
    return _Ranked(DeepFM, hidden_units=[8, 8]), _rows()


def crossed():
    return _Ranked(DCN, crossing_layers=2), _rows()


def multiplied_factors():
    return _Ranked(NFM, hidden_units=[8, 8]), _rows()


def attentive_factors():
    return _Ranked(AFM), _rows()


def weighed_features():
    return _Ranked(FiBiNet, hidden_units=[8, 8]), _rows()
