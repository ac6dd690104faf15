"""A list times a whole number of PyTorch's is repeated, as Python does it: no elements are multiplied."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAM = """import torch
rows = {rows}
every = torch.cartesian_prod(*rows)
every.view(-1, {size})
"""
ROWS = [
    "torch.tensor(3) * [torch.arange(2)]",
    "[torch.arange(2)] * torch.tensor(3)",
    "torch.prod(torch.tensor(torch.zeros(1, 3, 2).shape[1:-1])) * [torch.arange(2)]",
    "torch.tensor([3]) * [torch.arange(2)]",
]


@pytest.mark.parametrize("rows", ROWS)
def test_what_works_is_not_told(rows: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    text = PROGRAM.format(rows=rows, size=3)
    exec(text, {})
    assert not explore(tmp_path, "net.py", ast.parse(text), Versions()).problems


def test_a_known_number_repeats_a_list(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    text = PROGRAM.format(rows=ROWS[0], size=5)
    with pytest.raises(RuntimeError, match="invalid for input of size 24"):
        exec(text, {})
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [(p.site.line, p.proved) for p in problems] == [(4, True)]
