"""Entry points of transformer-builder: transformers of words made of its heads, its residuals and other layers."""

import torch
from torch import nn
from transformer_builder.attention import MultiHeadAttention, SelfAttention
from transformer_builder.layers import ResidualConnection


def _head(**options):
    names = "q_architecture", "k_architecture", "v_architecture"
    return SelfAttention(**{name: nn.Linear(8, 4) for name in names}, **options)


def _block(attention):
    forward = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8))
    return nn.ModuleList([ResidualConnection(attention, nn.LayerNorm(8)), ResidualConnection(forward, nn.LayerNorm(8))])


class _Words(nn.Module):
    def __init__(self, *blocks):
        super().__init__()
        self.words, self.places = nn.Embedding(20, 8), nn.Parameter(0.02 * torch.randn(6, 8))
        self.blocks, self.head = nn.ModuleList(blocks), nn.Linear(8, 20)

    def forward(self, words, mask=None):
        x = self.words(words) + self.places[: words.shape[1]]
        for attention, forward in self.blocks:
            x = forward(attention(x, mask))
        return self.head(x)


def _sentences():
    return torch.tensor([[3, 7, 5, 9, 14, 6], [5, 12, 11, 4, 0, 0]])


def padded():
    heads = _block(MultiHeadAttention(nn.Linear(8, 8), [_head(), _head(scale=0.3)], nn.Linear(8, 8)))
    more = _block(MultiHeadAttention(self_attention_heads=[_head(), SelfAttention(layer_after=nn.Linear(8, 4))]))
    return _Words(heads, more), (_sentences(), (_sentences() != 0)[:, None, :])


class _Generator(nn.Module):
    def __init__(self):
        super().__init__()
        heads = [_head(casual_masking=True, dropout=0.1) for _ in range(2)]
        self.model = _Words(_block(MultiHeadAttention(self_attention_heads=heads, layer_after=nn.Linear(8, 8))))

    def forward(self, words):
        return nn.functional.cross_entropy(self.model(words[:, :-1]).mT, words[:, 1:], ignore_index=0)


def generator():
    return _Generator(), (_sentences(),)


def plain_attention():
    return _Words(_block(SelfAttention(v_architecture=nn.Linear(8, 8)))), (_sentences(),)
