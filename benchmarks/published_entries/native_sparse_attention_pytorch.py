"""Entry points of native-sparse-attention-pytorch: its language model, and its attention as the only layer of one."""

import torch
from native_sparse_attention_pytorch import SparseAttention
from native_sparse_attention_pytorch.transformer import Transformer

WINDOWS = {
    "sliding_window_size": 4,
    "compress_block_size": 4,
    "compress_block_sliding_stride": 2,
    "selection_block_size": 4,
    "num_selected_blocks": 2,
}


class _Language(torch.nn.Module):
    def __init__(self):
        super().__init__()
        sparse = {"use_sparse_attn": True, "sparse_attn_kwargs": WINDOWS}
        self.model = Transformer(num_tokens=11, dim=8, depth=1, dim_head=4, heads=2, ff_expansion_factor=2.0, **sparse)

    def forward(self, text):
        return self.model(text, return_loss=True)


class _Predicting(torch.nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.first, self.attention, self.last = torch.nn.Linear(5, 8), attention, torch.nn.Linear(8, 1)

    def forward(self, series, wanted):
        hidden = self.first(series)
        return torch.nn.functional.mse_loss(self.last(hidden + self.attention(hidden)).squeeze(-1), wanted)


def language():
    return _Language(), (torch.randint(11, (2, 17)),)


def attention():
    layer = SparseAttention(dim=8, dim_head=4, heads=2, causal=True, **WINDOWS)
    return _Predicting(layer), (torch.randn(2, 16, 5), torch.randn(2, 16))


def both_ways():
    layer = SparseAttention(dim=8, dim_head=4, heads=2, causal=False, **WINDOWS)
    return _Predicting(layer), (torch.randn(2, 16, 5), torch.randn(2, 16))
