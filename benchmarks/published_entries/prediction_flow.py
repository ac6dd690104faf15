"""Entry points of prediction-flow: its attention to what was chosen before, its factors and its cell, with a loss."""

import sys
import types

import torch

for _name in ("prediction_flow", "prediction_flow.pytorch"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

from prediction_flow.pytorch.nn import FM, MLP, Attention, AttentionGRUCell  # noqa: E402


class _Chosen(torch.nn.Module):
    """Whether an item is chosen, by those chosen before."""

    def __init__(self):
        super().__init__()
        self.items, self.attention = torch.nn.Embedding(12, 6), Attention(6, [8, 4], dropout=0.1)
        self.head = torch.nn.Sequential(MLP(12, [8], activation="relu"), torch.nn.Linear(8, 1))

    def forward(self, item, before, lengths, chosen):
        item = self.items(item)
        known = self.attention(item, self.items(before), lengths)
        scores = self.head(torch.cat([item, known], dim=1)).squeeze(1)
        return torch.nn.functional.binary_cross_entropy_with_logits(scores, chosen)


def attention():
    before, lengths = torch.randint(12, (4, 5)), torch.tensor([5, 3, 1, 4])
    return _Chosen(), (torch.randint(12, (4,)), before, lengths, torch.tensor([0.0, 1.0, 0.0, 1.0]))


class _Factors(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.items, self.factors = torch.nn.Embedding(12, 6), FM()

    def forward(self, features, chosen):
        scores = self.factors(self.items(features)).squeeze(1)
        return torch.nn.functional.binary_cross_entropy_with_logits(scores, chosen)


def factors():
    return _Factors(), (torch.randint(12, (4, 3)), torch.tensor([0.0, 1.0, 0.0, 1.0]))


def cell():
    return AttentionGRUCell(6, 8), (torch.randn(3, 6), torch.randn(3, 8), torch.rand(3))
