"""Entry points of channel-attention: classifiers of pictures and series with its attention, with losses of labels."""

import torch
from channel_attention import (
    ConvBlockAttention,
    EfficientChannelAttention,
    LocalAttention,
    MultiSEAttention,
    SEAttention,
)


class _Pictures(torch.nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.first, self.attention, self.head = torch.nn.Conv2d(3, 8, 3, padding=1), attention, torch.nn.Linear(8, 4)

    def forward(self, pictures, labels):
        hidden = self.attention(torch.relu(self.first(pictures)))
        return torch.nn.functional.cross_entropy(self.head(hidden.mean((2, 3))), labels)


def _pictures():
    return torch.rand(2, 3, 16, 16), torch.tensor([3, 0])


def squeezed():
    return _Pictures(SEAttention(n_dims=2, n_channels=8, reduction=4)), _pictures()


def squeezed_in_branches():
    return _Pictures(MultiSEAttention(n_dims=2, n_channels=8, reduction=4, n_branches=3)), _pictures()


def in_blocks():
    return _Pictures(ConvBlockAttention(n_dims=2, n_channels=8, reduction=4, kernel_size=7)), _pictures()


def local():
    return _Pictures(LocalAttention(n_dims=2, n_channels=8, hidden_channels=8)), _pictures()


class _Series(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.head = torch.nn.Conv1d(2, 8, 3, padding=1), torch.nn.Linear(8, 4)
        self.attention = EfficientChannelAttention(n_dims=1, kernel_size=3)

    def forward(self, series, labels):
        hidden = self.attention(torch.relu(self.first(series)))
        return torch.nn.functional.cross_entropy(self.head(hidden.mean(2)), labels)


def efficient():
    return _Series(), (torch.randn(2, 2, 12), torch.tensor([3, 0]))
