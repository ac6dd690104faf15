"""Entry points of remixer-pytorch."""

import torch
from remixer_pytorch import RemixerBlock


def causal():
    return RemixerBlock(dim=8, seq_len=6, causal=True, bias=True), (torch.randn(2, 6, 8),)
