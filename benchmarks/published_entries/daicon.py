"""Entry points of daicon: adapters of low rank beside layers that stay as they are."""

import torch
from daicon.layers import (
    CheriParallelDepthwiseAdapter,
    CheriPostBlockAdapter,
    LowRankConv1dAdapter,
    LowRankLinearAdapter,
)


class _Counted(torch.nn.Module):
    """Counts along a sequence of bases."""

    def __init__(self, *layers):
        super().__init__()
        self.layers = torch.nn.Sequential(*layers)

    def forward(self, bases, counts):
        return torch.nn.functional.poisson_nll_loss(self.layers(bases), counts)


def _bases():
    return torch.nn.functional.one_hot(torch.randint(4, (2, 12)), 4).float().transpose(1, 2), torch.rand(2, 3).round()


def convolved():
    layer = LowRankConv1dAdapter(torch.nn.Conv1d(4, 8, 3, padding=1), rank=2, dropout=0.1)
    head = LowRankLinearAdapter(torch.nn.Linear(8, 3), rank=2, scale=0.5)
    return _Counted(layer, torch.nn.ReLU(), torch.nn.AdaptiveAvgPool1d(1), torch.nn.Flatten(), head), _bases()


class _Block(torch.nn.Module):
    """A block in the form of those that its adapters are made for."""

    def __init__(self, n_filters=8, dilation=2):
        super().__init__()
        self.n_filters, self.dilation = n_filters, dilation
        self.conv = torch.nn.Conv1d(n_filters, n_filters, 3, padding=dilation, dilation=dilation)

    def forward(self, hidden):
        return hidden + self.conv(hidden.transpose(1, 2)).transpose(1, 2).relu()


def after_a_block():
    return CheriPostBlockAdapter(_Block(), rank=3, dropout=0.1), torch.randn(2, 9, 8)


def beside_a_block():
    return CheriParallelDepthwiseAdapter(_Block(), rank=3), torch.randn(2, 9, 8)
