"""Entry points of ring-attention-pytorch: its language model on one machine, with its loss, and its attention alone."""

import torch
from ring_attention_pytorch import RingAttention, RingTransformer


class _Language(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        small = {"num_tokens": 11, "dim": 8, "depth": 1, "dim_head": 4, "heads": 2, "ff_mult": 2, "bucket_size": 4}
        self.model = RingTransformer(causal=True, **small, **options)

    def forward(self, text):
        return self.model(text, return_loss=True)


class _Predicting(torch.nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.first, self.attention, self.last = torch.nn.Linear(5, 8), attention, torch.nn.Linear(8, 1)

    def forward(self, series, wanted, mask):
        hidden = self.first(series)
        given = self.last(hidden + self.attention(hidden, mask=mask)).squeeze(-1)
        return torch.nn.functional.mse_loss(given[mask], wanted[mask])


def ring():
    return _Language(ring_attn=True, ring_seq_size=4), (torch.randint(11, (2, 9)),)


def regular():
    return _Language(force_regular_attn=True, num_grouped_query_heads=2), (torch.randint(11, (2, 9)),)


def padded():
    mask = torch.arange(8) < torch.tensor([[8], [5]])
    layer = RingAttention(8, dim_head=4, heads=2, bucket_size=4, force_regular_attn=True)
    return _Predicting(layer), (torch.randn(2, 8, 5), torch.randn(2, 8), mask)
