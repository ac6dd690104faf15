"""Entry points of helptrain: its attention to valid places, its loss of masked texts, and its recurrent model."""

import sys
from unittest.mock import MagicMock

import torch

WANTING = {"pandas", "IPython", "matplotlib", "torchvision", "torchstat"} - set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock()  # data and drawings, which nothing here needs

from helptrain.mylib import (  # noqa: E402
    AdditiveAttention,
    DotProductAttention,
    MaskedSoftmaxLoss,
    MultiHeadAttention,
    PositionalEncoding,
    RNNModel,
)

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed


def _places(width=8):
    return torch.randn(2, 3, width), torch.randn(2, 5, 8), torch.randn(2, 5, 8), torch.tensor([2, 5])


def additive():
    return AdditiveAttention(8, 6, 10, 0.1), _places(6)


class _Heads(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.places, self.model = PositionalEncoding(8, 0.1), MultiHeadAttention(8, 8, 8, 8, 2, 0.1)

    def forward(self, queries, keys, values, lengths):
        return self.model(self.places(queries), self.places(keys), values, lengths)


def heads():
    return _Heads(), _places()


class _Products(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.model = torch.nn.Linear(8, 8), DotProductAttention(0.1)

    def forward(self, queries, keys, values, lengths):
        return self.model(self.layer(queries), keys, values, lengths)


def products():
    return _Products(), _places()


class _Language(torch.nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.model = RNNModel(layer, 12)

    def forward(self, words):
        state = self.model.begin_state(len(words), "cpu")
        scores, _ = self.model(words[:, :-1], state)
        return torch.nn.functional.cross_entropy(scores, words[:, 1:].T.reshape(-1))


def language():
    return _Language(torch.nn.GRU(12, 8)), torch.randint(12, (2, 7))


class _Masked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model, self.loss = torch.nn.Linear(6, 12), MaskedSoftmaxLoss()

    def forward(self, steps, words, lengths):
        return self.loss(self.model(steps), words, lengths).mean()


def masked():
    return _Masked(), (torch.randn(2, 5, 6), torch.randint(12, (2, 5)), torch.tensor([3, 5]))
