"""Entry points of windpytorchutils: sequences pooled by attention to a state, masks included, with a loss."""

import torch
from windpytorchutils.nn.attention_pooler import AttentionPooler


class _Pooled(torch.nn.Module):
    def __init__(self, hidden=None):
        super().__init__()
        self.pooler, self.head = AttentionPooler(6, hidden), torch.nn.Linear(6, 3)

    def forward(self, hidden_state, sequence, attention_mask, labels):
        return torch.nn.functional.cross_entropy(self.head(self.pooler(hidden_state, sequence, attention_mask)), labels)


def _sequence():
    return torch.randn(2, 5, 6), torch.tensor([[1.0, 1, 1, 1, 1], [1, 1, 1, 0, 0]]), torch.tensor([0, 2])


def masked():
    return _Pooled(), (torch.randn(2, 6), *_sequence())


def other_state():
    return _Pooled(4), (torch.randn(2, 4), *_sequence())


class _Other(torch.nn.Module):
    """Other values than those that are attended to."""

    def __init__(self):
        super().__init__()
        self.pooler = AttentionPooler(6)

    def forward(self, hidden_state, sequence, attention_mask, values):
        return self.pooler(hidden_state, sequence, attention_mask, values)


def other_values():
    sequence, mask, _ = _sequence()
    return _Other(), (torch.randn(2, 6), sequence, mask, torch.randn(2, 5, 3))
