"""Scaled dot-product attention in half precision."""

import math

import torch
from torch import nn


class Attention(nn.Module):
    def forward(self, query, key, value):
        scale = 1 / math.sqrt(query.shape[-1])
        scores = (query * scale) @ key.transpose(-2, -1)
        return torch.softmax(scores, dim=-1) @ value


def build():
    shape = (2, 4, 16, 64)  # batch, heads, positions, channels of a head
    return Attention(), tuple(torch.zeros(shape, dtype=torch.float16) for _ in range(3))
