"""Entry points of info-nce-pytorch: its loss of queries and keys, as in its README, behind a layer for each."""

import torch
from info_nce import InfoNCE


class _Keyed(torch.nn.Module):
    def __init__(self, **settings):
        super().__init__()
        self.query, self.key, self.loss = torch.nn.Linear(6, 8), torch.nn.Linear(5, 8), InfoNCE(**settings)

    def forward(self, queries, keys, others=None):
        return self.loss(self.query(queries), self.key(keys), None if others is None else self.key(others))


def batch():
    return _Keyed(), (torch.randn(4, 6), torch.randn(4, 5))


def unpaired():
    return _Keyed(), (torch.randn(4, 6), torch.randn(4, 5), torch.randn(7, 5))


def paired():
    return _Keyed(negative_mode="paired", temperature=0.5), (torch.randn(4, 6), torch.randn(4, 5), torch.randn(4, 3, 5))
