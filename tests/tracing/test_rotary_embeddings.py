"""Queries and keys that a rotary embedding turns keep their shapes."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAM = """
import torch
from torch import nn
from rotary_embedding_torch import RotaryEmbedding, apply_rotary_emb

class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.rotary = RotaryEmbedding(dim=32)

    def forward(self, q, k):
        return {}

model = Attention().to("cpu")
count = sum(p.numel() for p in model.parameters())
model(torch.zeros(2, 8, 10, 32), torch.zeros(2, 8, 10, 32)) @ torch.zeros({}, 5)
"""


@pytest.mark.parametrize(
    "turned",
    [
        "self.rotary.rotate_queries_or_keys(q)",
        "self.rotary.rotate_queries_or_keys(t=q, offset=3)",
        "self.rotary.rotate_queries_and_keys(q, k)[1]",
        "self.rotary.rotate_queries_with_cached_keys(q=q, k=k)[0]",
        "apply_rotary_emb(self.rotary(torch.arange(10)), q)",
    ],
)
@pytest.mark.parametrize(("width", "fits"), [(32, True), (31, False)])
def test_turned_tensors_keep_their_shape(turned: str, width: int, fits: bool, tmp_path: Path) -> None:
    shared = explore(tmp_path, "main.py", ast.parse(PROGRAM.format(turned, width)), Versions())
    assert [p.proved for p in shared.problems.values() if p.level != "note"] == ([] if fits else [True])
