"""Entry points of edgeml-pytorch: its tree, its prototypes and its recurrent cells as small classifiers."""

import sys
from unittest.mock import MagicMock

import torch

sys.modules.setdefault("fastgrnn_cuda", MagicMock())  # a compiled part, which the cells here do without

from edgeml_pytorch.graph.bonsai import Bonsai  # noqa: E402
from edgeml_pytorch.graph.protoNN import ProtoNN  # noqa: E402
from edgeml_pytorch.graph.rnn import GRU, BaseRNN, FastGRNN, FastRNNCell  # noqa: E402


class _Tree(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = Bonsai(3, 5, 4, 2, 1.0)

    def forward(self, features, labels):
        scores, _ = self.model(features, 1.0)
        return torch.nn.functional.multi_margin_loss(scores, labels)


class _Prototypes(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = ProtoNN(5, 4, 6, 3, 0.5)

    def forward(self, features, labels):
        return torch.nn.functional.cross_entropy(self.model(features), labels)


class _Recurrent(torch.nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.cell, self.last = cell, torch.nn.Linear(4, 3)

    def forward(self, series, labels):
        hidden = self.cell(series)
        hidden = hidden[0] if isinstance(hidden, tuple) else hidden
        return torch.nn.functional.cross_entropy(self.last(hidden[:, -1]), labels)


def tree():
    return _Tree(), (torch.randn(4, 5), torch.randint(3, (4,)))


def prototypes():
    return _Prototypes(), (torch.randn(4, 5), torch.randint(3, (4,)))


def fast_grnn():
    return _Recurrent(FastGRNN(2, 4)), (torch.randn(3, 5, 2), torch.randint(3, (3,)))


def fast_rnn():
    return _Recurrent(BaseRNN(FastRNNCell(2, 4, wRank=2, uRank=2))), (torch.randn(3, 5, 2), torch.randint(3, (3,)))


def gru():
    return _Recurrent(GRU(2, 4, gate_nonlinearity="quantSigm")), (torch.randn(3, 5, 2), torch.randint(3, (3,)))
