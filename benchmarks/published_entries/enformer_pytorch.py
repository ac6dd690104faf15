"""Entry points of enformer-pytorch: its network of sequences, its loss, and its heads of finetuning."""

import sys
from unittest.mock import MagicMock

import torch

for _name in ("polars", "pyfaidx", "discrete_key_value_bottleneck_pytorch"):
    sys.modules[_name] = MagicMock()  # readers of genomes, and a bottleneck which is off by default

from enformer_pytorch import Enformer  # noqa: E402
from enformer_pytorch.finetune import (  # noqa: E402
    ContextAdapterWrapper,
    ContextAttentionAdapterWrapper,
    HeadAdapterWrapper,
)


def _enformer(**options):
    return Enformer.from_hparams(
        dim=48, depth=2, heads=4, output_heads={"human": 7, "mouse": 5}, target_length=8, num_downsamples=4,
        dim_divisible_by=8, **options
    )  # fmt: skip


def _sequence():
    return torch.randint(0, 5, (2, 256))


class _Heads(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = _enformer()

    def forward(self, sequence):
        made = self.model(sequence)
        return made["human"], made["mouse"]


def heads():
    return _Heads(), (_sequence(),)


class _Trained(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = _enformer()

    def forward(self, sequence, target):
        return self.model(sequence, target=target, head="human")


def trained():
    return _Trained(), (torch.nn.functional.one_hot(torch.randint(4, (2, 256)), 4).float(), torch.rand(2, 8, 7) * 3)


class _Tuned(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, sequence, target):
        return self.model(sequence, target=target)


def finetuned():
    return _Tuned(HeadAdapterWrapper(enformer=_enformer(), num_tracks=6)), (_sequence(), torch.rand(2, 8, 6) * 3)


def finetuned_after_transformer():
    model = HeadAdapterWrapper(enformer=_enformer(), num_tracks=6, post_transformer_embed=True)
    return _Tuned(model), (_sequence(), torch.rand(2, 8, 6) * 3)


class _Contextual(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, sequence, target, context):
        return self.model(sequence, context=context, target=target)


def context():
    model = ContextAdapterWrapper(enformer=_enformer(), context_dim=10)
    return _Contextual(model), (_sequence(), torch.rand(2, 8, 4) * 3, torch.randn(4, 10))


def context_attention():
    model = ContextAttentionAdapterWrapper(enformer=_enformer(), context_dim=10, heads=2, dim_head=8)
    return _Contextual(model), (_sequence()[:1], torch.rand(1, 8, 4) * 3, torch.randn(4, 5, 10))
