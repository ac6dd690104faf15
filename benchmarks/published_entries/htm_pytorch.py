"""Entry points of htm-pytorch: attention to chunks of memories, and its block."""

import torch
from htm_pytorch import HTMAttention, HTMBlock


def _memories():
    return torch.randn(1, 4, 16), torch.randn(1, 24, 16)


def attention():
    return HTMAttention(dim=16, heads=2, topk_mems=2, mem_chunk_size=8, dim_head=8), _memories()


def block():
    return HTMBlock(dim=16, heads=2, topk_mems=2, mem_chunk_size=8, dim_head=8), _memories()


class _Masked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = HTMAttention(dim=16, heads=2, topk_mems=2, mem_chunk_size=8, dim_head=8)

    def forward(self, queries, memories, mask):
        return self.attention(queries, memories, mask=mask)


def masked_attention():
    return _Masked(), (*_memories(), torch.ones(1, 24, dtype=torch.bool))
