"""Entry points of dlu-torch: its transformer, its basis functions and its low-rank layers in small networks."""

import sys
import types

import torch

_package = sys.modules["dlu"] = types.ModuleType("dlu")
_package.__path__ = ["dlu"]

from dlu.lora import LoRALinear  # noqa: E402
from dlu.modules import DenseNetwork, RadialBasisFunctions, Transformer  # noqa: E402


class _Regression(torch.nn.Module):
    def __init__(self, *parts):
        super().__init__()
        self.model = torch.nn.Sequential(*parts)

    def forward(self, features, wanted):
        return torch.nn.functional.mse_loss(self.model(features), wanted)


class _Language(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.embedding, self.last = torch.nn.Embedding(11, 8), torch.nn.Linear(8, 11)
        self.model = Transformer(8, 1, 2, d_ff=16, max_seq_len=8, **options)

    def forward(self, text, labels, mask=None):
        scores = self.last(self.model(self.embedding(text), mask=mask))
        return torch.nn.functional.cross_entropy(scores.flatten(0, 1), labels.flatten())


def _text():
    return torch.randint(11, (2, 6)), torch.randint(11, (2, 6))


def distances():
    parts = torch.nn.Linear(3, 2), RadialBasisFunctions(4), torch.nn.Flatten(), DenseNetwork(8, 1, [6])
    return _Regression(*parts), (torch.randn(5, 3), torch.randn(5, 1))


def low_rank():
    parts = LoRALinear(torch.nn.Linear(4, 6), rank=2, alpha=4.0), torch.nn.ReLU(), torch.nn.Linear(6, 1)
    return _Regression(*parts), (torch.randn(5, 4), torch.randn(5, 1))


def causal():
    return _Language(is_causal=True, qk_norm=True), _text()


def padded():
    mask = torch.tensor([[False] * 6, [False] * 4 + [True] * 2])
    return _Language(), (*_text(), mask)
