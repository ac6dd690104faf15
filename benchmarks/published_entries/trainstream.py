"""Entry points of trainstream: its entropy in chunks for language models and classes, with what does not count."""

import sys
import types

import torch

_package = sys.modules["trainstream"] = types.ModuleType("trainstream")  # which builds for GPUs, its losses do without
_package.__path__ = ["trainstream"]

from trainstream.losses import causal_lm_loss, chunked_cross_entropy  # noqa: E402


class _Language(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.recurrent = torch.nn.Embedding(20, 8), torch.nn.GRU(8, 8, batch_first=True)

    def forward(self, words, labels):
        return causal_lm_loss(self.recurrent(self.words(words))[0], self.words.weight, labels, chunk_size=4)


def language():
    words = torch.tensor([[3, 7, 2, 19, 4, 8, 11, 5], [5, 6, 1, 9, 0, 0, 0, 0]])
    return _Language(), (words, words.masked_fill(words == 0, -100))


class _Classes(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.body, self.head, self.options = torch.nn.Linear(5, 8), torch.nn.Linear(8, 4), options

    def forward(self, rows, labels):
        given = torch.tanh(self.body(rows))
        return chunked_cross_entropy(given, self.head.weight, labels, self.head.bias, **self.options)


def classes():
    return _Classes(chunk_size=2), (torch.randn(6, 5), torch.tensor([0, 3, -100, 2, 1, 1]))


def summed():
    return _Classes(reduction="sum"), (torch.randn(2, 3, 5), torch.tensor([[0, 3, 1], [2, -100, 1]]))
