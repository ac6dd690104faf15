"""Entry points of linear-attention-transformer."""

import torch
from linear_attention_transformer import LinearAttentionTransformer, LinearAttentionTransformerLM


def layers():
    return LinearAttentionTransformer(dim=16, heads=2, depth=1, max_seq_len=8), (torch.randn(1, 8, 16),)


def causal():
    inner = LinearAttentionTransformerLM(num_tokens=11, dim=16, heads=2, depth=1, max_seq_len=8, causal=True)
    return inner, (torch.randint(11, (1, 8)),)
