"""Entry points of grouped-query-attention-pytorch: attentions whose heads share keys, with a loss."""

import torch
from grouped_query_attention_pytorch.attention import MultiheadGQA, scaled_dot_product_gqa


class _Masked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.queries, self.keys, self.values = (torch.nn.Linear(8, 8 * h) for h in (4, 2, 2))
        self.head = torch.nn.Linear(8, 3)

    def forward(self, states, mask, labels):
        queries, keys, values = (f(states).unflatten(-1, (-1, 8)) for f in (self.queries, self.keys, self.values))
        attended, _ = scaled_dot_product_gqa(queries, keys, values, mask=mask)
        return torch.nn.functional.cross_entropy(self.head(attended.mean((1, 2))), labels)


def masked():
    mask = torch.tensor([[True] * 5, [True, True, True, False, False]])
    return _Masked(), (torch.randn(2, 5, 8), mask, torch.tensor([0, 2]))


class _Attending(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = MultiheadGQA(32, query_heads=4, kv_heads=2)

    def forward(self, states, wanted):
        attended, _ = self.attention(states, states, states, is_causal=True)
        return torch.nn.functional.mse_loss(attended, wanted)


def causal():
    return _Attending(), (torch.randn(2, 5, 32), torch.randn(2, 5, 32))
