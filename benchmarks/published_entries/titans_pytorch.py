"""Entry points of titans-pytorch: a memory that learns while it reads, and attentions, of few dimensions."""

import torch
from titans_pytorch import (
    GatedResidualMemoryMLP,
    MemoryAsContextTransformer,
    MemorySwiGluMLP,
    NeuralMemory,
)
from titans_pytorch.implicit_mlp_attention import ImplicitMLPAttention
from titans_pytorch.nested_attention import NestedAttention


class _Retrieved(torch.nn.Module):
    def __init__(self, memory):
        super().__init__()
        self.memory = memory

    def forward(self, sequence, wanted):
        return torch.nn.functional.mse_loss(self.memory(sequence)[0], wanted)


def _sequence():
    return torch.randn(1, 8, 16), torch.randn(1, 8, 16)


def memory():
    return _Retrieved(NeuralMemory(dim=16, chunk_size=4)), _sequence()


def gated_memory():
    return _Retrieved(NeuralMemory(dim=16, chunk_size=4, model=GatedResidualMemoryMLP(16, depth=2))), _sequence()


class _Attending(torch.nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.attention = attention

    def forward(self, sequence, wanted):
        return torch.nn.functional.mse_loss(self.attention(sequence), wanted)


def nested_attention():
    return _Attending(NestedAttention(16, dim_head=8, heads=2)), _sequence()


def implicit_attention():
    return _Attending(ImplicitMLPAttention(16, (8, 4, 8), heads=2)), _sequence()


def memory_of_gates():
    return _Attending(MemorySwiGluMLP(16)), _sequence()


class _Language(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = MemoryAsContextTransformer(
            num_tokens=32,
            dim=16,
            depth=1,
            segment_len=4,
            dim_head=8,
            heads=2,
            num_persist_mem_tokens=2,
            num_longterm_mem_tokens=2,
            neural_memory_layers=(),
        )

    def forward(self, tokens):
        return self.model(tokens, return_loss=True)


def language():
    return _Language(), (torch.randint(32, (2, 9)),)
