"""Entry points of lfm-torch: transformers with liquid cells and experts, and recurrent liquid neurons."""

import sys
import types
from unittest.mock import MagicMock

import torch

_package = sys.modules["lfm_torch"] = types.ModuleType("lfm_torch")
_package.__path__ = ["lfm_torch"]
WANTING = {"loguru"} - set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock()  # messages, which nothing here needs

from lfm_torch.liquid_t_moe import LiquidCell, LiquidTransformer, MixtureOfExperts  # noqa: E402
from lfm_torch.rnn import LiquidRNN  # noqa: E402

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed


def cell():
    return LiquidCell(6, 8), (torch.randn(4, 6), torch.randn(4, 8))


def experts():
    return MixtureOfExperts(3, 6, 8), (torch.randn(4, 6),)


def transformer():
    return LiquidTransformer(8, 2, 3, 8, 2), (torch.randn(5, 2, 8),)


class _Next(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.model = torch.nn.Embedding(20, 6), LiquidRNN(6, 8, 20)

    def forward(self, words):
        logits = self.model(self.words(words[:, :-1]))
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), words[:, 1:].flatten())


def recurrent():
    return LiquidRNN(6, 8, 5), (torch.randn(2, 7, 6),)


def trained():
    return _Next(), (torch.randint(0, 20, (2, 7)),)
