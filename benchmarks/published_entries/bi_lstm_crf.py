"""Entry points of bi-lstm-crf: taggers of sentences in both directions, under the loss of its random field."""

import sys
import types

import torch

_package = sys.modules["bi_lstm_crf"] = types.ModuleType("bi_lstm_crf")
_package.__path__ = ["bi_lstm_crf"]

from bi_lstm_crf.model.crf import CRF  # noqa: E402
from bi_lstm_crf.model.model import BiRnnCrf  # noqa: E402


class _Tagger(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.model = BiRnnCrf(20, 4, 8, 12, **options)

    def forward(self, words, tags):
        return self.model.loss(words, tags)


def _sentences():
    words = torch.tensor([[5, 12, 7, 0, 0, 0], [3, 7, 2, 19, 4, 8], [6, 1, 9, 2, 0, 0]])
    return words, torch.tensor([[1, 3, 2, 0, 0, 0], [2, 0, 1, 1, 3, 0], [0, 1, 1, 2, 0, 0]])


def tagger():
    return _Tagger(), _sentences()


def tagger_of_gates():
    return _Tagger(rnn="gru", num_rnn_layers=2), _sentences()


class _Convolved(torch.nn.Module):
    """Its random field on what convolutions make of steps."""

    def __init__(self):
        super().__init__()
        self.convolution, self.field = torch.nn.Conv1d(3, 8, 3, padding=1), CRF(8, 4)

    def forward(self, series, tags, real):
        given = torch.relu(self.convolution(series.transpose(1, 2))).transpose(1, 2)
        return self.field.loss(given, tags, real)


def convolved():
    words, tags = _sentences()
    return _Convolved(), (torch.randn(3, 6, 3), tags, words > 0)
