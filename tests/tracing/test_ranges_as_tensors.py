"""Tensors of ranges, and data sets of which one part is not known."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

RANGES = """
import torch
for i in range(3):
    print(torch.{make}.unsqueeze(0).view({rows}, -1).shape)
"""
ROWS = """
import torch
from somewhere import loaded
from torch.utils.data import TensorDataset

data = TensorDataset(loaded(), torch.zeros(4, 2), torch.zeros({rows}))
"""


def lines(tmp_path: Path, program: str) -> list[int]:
    (tmp_path / "run.py").write_text(program)
    found = explore(tmp_path, "run.py", ast.parse(program), Versions()).problems.values()
    return [p.site.line for p in found if p.level == "error"]


@pytest.mark.parametrize("make", ["tensor(range(i, i + 6))", "tensor(range(6, 0, -1), dtype=torch.int64)"])
def test_a_range_has_as_many_elements_as_numbers(make: str, tmp_path: Path) -> None:
    assert lines(tmp_path, RANGES.format(make=make, rows=4)) == [4]
    assert lines(tmp_path, RANGES.format(make=make, rows=3)) == []


def test_rows_that_are_known_must_be_as_many(tmp_path: Path) -> None:
    assert lines(tmp_path, ROWS.format(rows=5)) == [6]
    assert lines(tmp_path, ROWS.format(rows=4)) == []
