"""Entry points of rotary-embedding-torch: rotated queries and keys in one attention."""

import torch
from rotary_embedding_torch import RotaryEmbedding, apply_rotary_emb


class _Attention(torch.nn.Module):
    def __init__(self, rotary, both=False):
        super().__init__()
        self.queries, self.keys, self.rotary, self.both = torch.nn.Linear(8, 16), torch.nn.Linear(8, 16), rotary, both

    def forward(self, x):
        q, k = (layer(x).reshape(1, 6, 2, 8).transpose(1, 2) for layer in (self.queries, self.keys))
        if self.both:
            q, k = self.rotary.rotate_queries_and_keys(q, k)
        else:
            q, k = self.rotary.rotate_queries_or_keys(q), self.rotary.rotate_queries_or_keys(k)
        return torch.softmax(q @ k.transpose(-1, -2) / 8**0.5, -1)


def _words():
    return (torch.randn(1, 6, 8),)


def language():
    return _Attention(RotaryEmbedding(dim=4, cache_if_possible=False)), _words()


def learned():
    return _Attention(RotaryEmbedding(dim=4, learned_freq=True, cache_if_possible=False)), _words()


def extrapolating():
    return _Attention(RotaryEmbedding(dim=8, use_xpos=True, cache_if_possible=False), both=True), _words()


class _Axial(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rotary = RotaryEmbedding(dim=4, freqs_for="pixel", max_freq=16)
        self.queries = torch.nn.Linear(8, 8)

    def forward(self, picture):
        return apply_rotary_emb(self.rotary.get_axial_freqs(4, 4), self.queries(picture))


def axial():
    return _Axial(), (torch.randn(1, 4, 4, 8),)
