"""Entry points of flash-pytorch: gated attention units."""

import torch
from flash_pytorch import GAU, FLASHTransformer


def unit():
    return GAU(dim=8, query_key_dim=4, causal=True, expansion_factor=2, laplace_attn_fn=True), (torch.randn(1, 6, 8),)


def transformer():
    model = FLASHTransformer(num_tokens=20, dim=16, depth=1, group_size=4, query_key_dim=8, causal=True)
    return model, (torch.randint(0, 20, (1, 8)),)
