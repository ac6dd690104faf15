"""Entry points of simple-elmo-pytorch: parts of its language model, in a small tagger of words, and alone."""

import sys
import types

import torch

_package = sys.modules["simple_elmo_pytorch"] = types.ModuleType("simple_elmo_pytorch")
_package.__path__ = ["simple_elmo_pytorch"]
_models = sys.modules["simple_elmo_pytorch.models"] = types.ModuleType("simple_elmo_pytorch.models")
_models.__path__ = ["simple_elmo_pytorch/models"]

from simple_elmo_pytorch.models.highway import Highway  # noqa: E402
from simple_elmo_pytorch.models.scalar_mix import ScalarMix  # noqa: E402


def highway():
    return Highway(6, num_layers=2), (torch.randn(4, 6),)


class _Tagged(torch.nn.Module):
    """Both layers of a recurrence, mixed for each word."""

    def __init__(self):
        super().__init__()
        self.words, self.highway = torch.nn.Embedding(20, 6), Highway(6)
        self.first, self.second = (torch.nn.LSTM(6, 6, batch_first=True) for _ in range(2))
        self.mix, self.head = ScalarMix(3), torch.nn.Linear(6, 4)

    def forward(self, words, tags):
        known = self.highway(self.words(words))
        lower = self.first(known)[0]
        mixed = self.mix([known, lower, self.second(lower)[0] + lower])
        return torch.nn.functional.cross_entropy(self.head(mixed).flatten(0, 1), tags.flatten())


def tagger():
    words, tags = torch.tensor([[3, 7, 2, 9, 14], [5, 12, 11, 0, 0]]), torch.tensor([[0, 2, 1, 0, 3], [1, 0, 0, 0, 0]])
    return _Tagged(), (words, tags)
