"""Bags of embeddings are judged as PyTorch judges them: matrices of indices, and single rows with offsets."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore, read_source

torch = pytest.importorskip("torch")

HEAD = """\
import torch
import torch.nn.functional as F
from torch import nn

row, matrix, starts = torch.arange(10), torch.zeros(5, 7, dtype=torch.long), torch.tensor([0, 4, 6])
bag, table = nn.EmbeddingBag(20, 16), torch.zeros(20, 16)
summed = nn.EmbeddingBag(20, 16, mode="sum", include_last_offset=True)
"""
WORKS = (
    "bag(row, starts).view(3, 16)",
    "bag(row, offsets=starts).view(3, 16)",
    "nn.Linear(16, 4)(bag(input=row, offsets=starts)).view(3, 4)",
    "bag(matrix).view(5, 16)",
    "summed(row, starts).view(2, 16)",
    "summed(row, starts, torch.ones(10)).view(2, 16)",
    "F.embedding_bag(row, table, starts).view(3, 16)",
    "F.embedding_bag(row, table, starts, None, 2, False, 'sum', False, None, True).view(2, 16)",
)
FAILS = (
    "bag(row)",
    "bag(matrix.float())",
    "bag(matrix, starts)",
    "bag(row, starts.view(1, 3))",
    "bag(matrix.view(5, 7, 1))",
    "summed(row, starts, torch.ones(9))",
    "bag(row, starts).view(2, 16)",
    "summed(row, starts).view(3, 16)",
    "nn.Linear(15, 4)(bag(row, starts))",
    "F.embedding_bag(row, table)",
)


@pytest.mark.parametrize("line", [*WORKS, *FAILS])
def test_a_bag_is_refused_where_torch_refuses_it(tmp_path: Path, line: str) -> None:
    try:
        exec(HEAD + line, {})
        fails = False
    except (RuntimeError, ValueError):
        fails = True
    assert fails == (line in FAILS)
    (tmp_path / "program.py").write_text(HEAD + line + "\n")
    _, tree = read_source(tmp_path / "program.py", tmp_path)
    found = explore(tmp_path, "program.py", tree, Versions()).problems.values()
    assert bool([p for p in found if p.level == "error"]) == fails
