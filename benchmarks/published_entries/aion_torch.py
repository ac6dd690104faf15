"""Entry points of aion-torch: its residual connections scaled by energies, in deep small networks, with losses."""

import torch
from aion_torch import AionBlock, AionResidual


def _layer(size):
    return torch.nn.Sequential(torch.nn.Linear(size, 2 * size), torch.nn.GELU(), torch.nn.Linear(2 * size, size))


class _Classified(torch.nn.Module):
    def __init__(self, *blocks):
        super().__init__()
        self.first, self.blocks, self.head = torch.nn.Linear(6, 8), torch.nn.Sequential(*blocks), torch.nn.Linear(8, 3)

    def forward(self, rows, labels):
        return torch.nn.functional.cross_entropy(self.head(self.blocks(self.first(rows))), labels)


def _rows():
    return torch.randn(5, 6), torch.tensor([0, 2, 1, 1, 0])


def blocks():
    return _Classified(*(AionBlock(_layer(8), dim=8) for _ in range(4))), _rows()


def blocks_not_averaged():
    return _Classified(*(AionBlock(_layer(8), dim=8, beta=0.5, ema_gamma=1.0) for _ in range(2))), _rows()


class _Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.norm, self.head = torch.nn.Embedding(12, 8), torch.nn.LayerNorm(8), torch.nn.Linear(8, 12)
        self.attention, self.residual = torch.nn.MultiheadAttention(8, 2, batch_first=True), AionResidual()
        self.block = AionBlock(_layer(8), dim=8)

    def forward(self, words, following):
        hidden = self.embedding(words)
        normed = self.norm(hidden)
        mixed, _ = self.attention(normed, normed, normed, need_weights=False)
        hidden = self.block(self.residual(hidden, mixed, x_norm=normed))
        return torch.nn.functional.cross_entropy(self.head(hidden).flatten(0, 1), following.flatten())


def attention():
    words = torch.tensor([[3, 7, 2, 9, 11], [5, 1, 10, 4, 0]])
    return _Attention(), (words[:, :-1], words[:, 1:])
