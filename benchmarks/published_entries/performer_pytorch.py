"""Entry points of performer-pytorch: attention by random features."""

import torch
from performer_pytorch import Performer, PerformerLM


def layers():
    return Performer(dim=16, depth=1, heads=2, dim_head=8, causal=False), (torch.randn(1, 12, 16),)


def generalized():
    inner = Performer(dim=16, depth=1, heads=2, dim_head=8, generalized_attention=True)
    return inner, (torch.randn(1, 12, 16),)


def language():
    inner = PerformerLM(num_tokens=11, max_seq_len=12, dim=16, depth=1, heads=2, dim_head=8)
    return inner, (torch.randint(11, (1, 12)),)
