"""Decoder-only attention with rotary positions and a cache of keys and values, called token by token."""

import torch
import torch.nn as nn
from jaxtyping import Float, Int
from torch import Tensor


def rotate_half(x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch d"]:
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


def apply_rotary(
    x: Float[Tensor, "b heads t d"], cos: Float[Tensor, "t d"], sin: Float[Tensor, "t d"]
) -> Float[Tensor, "b heads t d"]:
    return x * cos + rotate_half(x) * sin


class Rotary(nn.Module):
    def __init__(self, d: int, most: int = 128):
        super().__init__()
        inverse = 1.0 / 10000 ** (torch.arange(0, d, 2).float() / d)
        angles = torch.outer(torch.arange(most).float(), inverse)
        angles = torch.cat((angles, angles), dim=-1)
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def forward(self, start: int, count: int) -> tuple[Float[Tensor, "count d"], Float[Tensor, "count d"]]:
        return self.cos[start : start + count], self.sin[start : start + count]


class GroupedAttention(nn.Module):
    def __init__(self, dim: int, heads: int, groups: int):
        super().__init__()
        self.heads, self.groups, self.d = heads, groups, dim // heads
        self.q = nn.Linear(dim, heads * self.d, bias=False)
        self.kv = nn.Linear(dim, 2 * groups * self.d, bias=False)
        self.o = nn.Linear(dim, dim, bias=False)
        self.rotary = Rotary(self.d)

    def forward(
        self, x: Float[Tensor, "b t dim"], cache: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Float[Tensor, "b t dim"], tuple[Tensor, Tensor]]:
        b, t, dim = x.shape
        q = self.q(x).view(b, t, self.heads, self.d).transpose(1, 2)
        k, v = self.kv(x).view(b, t, 2, self.groups, self.d).permute(2, 0, 3, 1, 4)
        start = cache[0].shape[2] if cache is not None else 0
        cos, sin = self.rotary(start, t)
        q, k = apply_rotary(q, cos, sin), apply_rotary(k, cos, sin)
        if cache is not None:
            k, v = torch.cat((cache[0], k), dim=1), torch.cat((cache[1], v), dim=1)  # <- expected
        repeats = self.heads // self.groups
        keys, values = k.repeat_interleave(repeats, dim=1), v.repeat_interleave(repeats, dim=1)
        scores = q @ keys.transpose(-1, -2) * self.d**-0.5
        if t > 1:
            scores = scores.masked_fill(torch.ones(t, t).triu(1).bool(), float("-inf"))
        out = (scores.softmax(-1) @ values).transpose(1, 2).reshape(b, t, dim)
        return self.o(out), (k, v)


class Decoder(nn.Module):
    def __init__(self, words: int = 100, dim: int = 32):
        super().__init__()
        self.embed = nn.Embedding(words, dim)
        self.attention = GroupedAttention(dim, 4, 2)
        self.head = nn.Linear(dim, words)

    def forward(self, tokens: Int[Tensor, "b t"], cache: tuple[Tensor, Tensor] | None = None):
        out, cache = self.attention(self.embed(tokens), cache)
        return self.head(out), cache


@torch.no_grad()
def generate(model: Decoder, prompt: Int[Tensor, "b t"], count: int) -> Int[Tensor, "b u"]:
    logits, cache = model(prompt)
    tokens = [logits[:, -1].argmax(-1, keepdim=True)]
    for _ in range(count - 1):
        logits, cache = model(tokens[-1], cache)
        tokens.append(logits[:, -1].argmax(-1, keepdim=True))
    return torch.cat([prompt, *tokens], dim=1)


if __name__ == "__main__":
    print(generate(Decoder(), torch.randint(0, 100, (3, 5)), 6).shape)
