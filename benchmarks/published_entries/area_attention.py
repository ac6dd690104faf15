"""Entry points of area-attention: attention over areas of a memory, with one head and several, and kinds of keys."""

import torch
from area_attention import AreaAttention, MultiHeadAreaAttention


def _attention(mode, **options):
    shape = {"max_area_height": 2, "max_area_width": 2, "memory_height": 3, "memory_width": 3}
    return AreaAttention(key_query_size=8, area_key_mode=mode, **shape, **options)


def _memory():
    return torch.rand(2, 4, 8), torch.rand(2, 9, 8), torch.rand(2, 9, 6)


def greatest():
    return _attention("max", area_value_mode="mean", dropout_rate=0.2), _memory()


def concatenated():
    return _attention("concat", area_value_mode="max"), _memory()


def sampled_top():
    return _attention("sample_sum", area_value_mode="sum", top_k_areas=4), _memory()


def several_heads():
    sizes = {"key_query_size": 8, "key_query_size_hidden": 8, "value_size": 6, "value_size_hidden": 6}
    return MultiHeadAreaAttention(_attention("max", area_value_mode="mean"), num_heads=2, **sizes), _memory()
