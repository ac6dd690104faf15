"""Distances of rows, whose batches broadcast: what PyTorch gives and what it refuses."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PAIRS = [
    ((16, 2, 8), (2, 16, 8)), ((1, 2, 8), (5, 3, 8)), ((4, 2, 8), (3, 8)), ((3, 8), (4, 2, 8)), ((2, 8), (3, 8)),
    ((2, 8), (3, 7)), ((2, 1, 4, 8), (3, 5, 8)), ((2, 2, 4, 8), (3, 5, 8)), ((8,), (3, 8)),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_distances_are_those_of_torch(first: tuple[int, ...], second: tuple[int, ...], tmp_path: Path) -> None:
    try:
        shape = tuple(torch.cdist(torch.zeros(first), torch.zeros(second)).shape)
    except RuntimeError:
        shape = None
    wanted = (7,) if shape is None else shape
    call = f"torch.cdist(torch.zeros({first}), torch.zeros({second}))"
    program = f"import torch\nd = {call}\nd.view({wanted})\nassert d.shape == {wanted}, 'shape'\n"
    (tmp_path / "run.py").write_text(program)
    found = explore(tmp_path, "run.py", ast.parse(program), Versions()).problems.values()
    assert [p.site.line for p in found if p.level == "error"] == ([2] if shape is None else [])
