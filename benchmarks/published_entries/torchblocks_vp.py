"""Entry points of torchblocks-vp: blocks of transformers put together, with a loss of the next token."""

import torch
from torchblocks.adapter import LanguageConditionedAdapter
from torchblocks.attention import CrossAttention, GroupedQueryAttention
from torchblocks.bahdanau import BahdanauAttention
from torchblocks.conv import LocalConvModule
from torchblocks.feedforward import SwiGLUFeedForward
from torchblocks.norm import RMSNorm
from torchblocks.position import RotaryEmbedding


class _Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.rotary = torch.nn.Embedding(40, 16), RotaryEmbedding(4)
        self.first, self.attention = RMSNorm(16), GroupedQueryAttention(16, 4, 2)
        self.second, self.feed, self.scores = RMSNorm(16), SwiGLUFeedForward(16, 32), torch.nn.Linear(16, 40)

    def forward(self, tokens, wanted):
        x, length = self.tokens(tokens), tokens.shape[1]
        cos, sin = self.rotary(length, tokens.device)
        attended = self.attention(self.first(x), cos, sin)
        x = x + (attended[0] if isinstance(attended, tuple) else attended)
        x = x + self.feed(self.second(x))
        return torch.nn.functional.cross_entropy(self.scores(x).transpose(1, 2), wanted)


def next_token():
    return _Model(), (torch.randint(0, 40, (2, 7)), torch.randint(0, 40, (2, 7)))


def cross_attention():
    return CrossAttention(16, 4, 2), (torch.randn(2, 5, 16), torch.randn(2, 7, 16))


def additive_attention():
    mask = torch.ones(2, 7, dtype=torch.bool)
    mask[1, 5:] = False
    return BahdanauAttention(12, 10, 8), (torch.randn(2, 10), torch.randn(2, 7, 12), mask)


def convolution():
    return LocalConvModule(16), (torch.randn(2, 9, 16),)


def adapter():
    return LanguageConditionedAdapter(16, 8), (torch.randn(2, 9, 16), torch.randn(2, 16))
