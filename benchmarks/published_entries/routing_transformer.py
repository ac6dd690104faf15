"""Entry points of routing-transformer: a small language model with routed attention."""

import torch
from routing_transformer import RoutingTransformerLM


def language():
    model = RoutingTransformerLM(num_tokens=20, dim=8, heads=2, depth=1, max_seq_len=16, window_size=4, causal=True)
    return model, (torch.randint(0, 20, (1, 16)),)
