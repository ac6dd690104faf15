"""Entry points of natten-mps: attention to what is near in steps, images and volumes, with heads that are shared."""

import torch
from natten_mps.nn import NeighborhoodAttention1D, NeighborhoodAttention2D, NeighborhoodAttention3D


class _Classified(torch.nn.Module):
    def __init__(self, channels, attention):
        super().__init__()
        self.first, self.norm, self.attention = torch.nn.Linear(channels, 8), torch.nn.LayerNorm(8), attention
        self.head = torch.nn.Linear(8, 3)

    def forward(self, given, labels):
        given = self.first(given)
        given = given + self.attention(self.norm(given))
        return torch.nn.functional.cross_entropy(self.head(given.flatten(1, -2).mean(1)), labels)


def images():
    attention = NeighborhoodAttention2D(8, 2, kernel_size=3, dilation=2, attn_drop=0.1)
    return _Classified(3, attention), (torch.rand(2, 8, 8, 3), torch.tensor([2, 0]))


def shared_heads():
    attention = NeighborhoodAttention2D(8, 4, kernel_size=(3, 5), num_kv_heads=2)
    return _Classified(3, attention), (torch.rand(2, 6, 8, 3), torch.tensor([1, 0]))


def volumes():
    return _Classified(2, NeighborhoodAttention3D(8, 2, kernel_size=3)), (torch.rand(1, 4, 4, 5, 2), torch.tensor([2]))


class _Next(torch.nn.Module):
    """The next word by attention that looks back."""

    def __init__(self):
        super().__init__()
        self.words, self.head = torch.nn.Embedding(20, 8), torch.nn.Linear(8, 20)
        self.attention = NeighborhoodAttention1D(8, 2, kernel_size=4, is_causal=True)

    def forward(self, words):
        given = self.words(words[:, :-1])
        logits = self.head(given + self.attention(given))
        return torch.nn.functional.cross_entropy(logits.transpose(1, 2), words[:, 1:])


def words():
    return _Next(), (torch.tensor([[3, 7, 2, 19, 4, 8, 11, 5], [5, 6, 1, 9, 2, 11, 3, 14]]),)
