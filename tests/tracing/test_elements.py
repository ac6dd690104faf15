"""Sizes that elements of small tensors decide."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore


@pytest.mark.parametrize(
    ("size", "number"),
    [
        ("int(lengths.max())", 5),
        ("lengths.max().item()", 5),
        ("torch.min(lengths).item()", 2),
        ("lengths.sum().item()", 10),
        ("torch.tensor([[2, 3], [1, 2]]).prod().item()", 12),
        ("lengths.amax().item() - 1", 4),
        ("max(lengths).item()", 5),
    ],
)
def test_a_size_from_the_elements(tmp_path: Path, size: str, number: int) -> None:
    text = "import torch\nlengths = torch.tensor([3, 5, 2])\nn = {}\nx = torch.zeros(2, {})\nx @ torch.zeros(n, 4)\n"
    for given in (number, number + 1):
        source = text.format(size, given)
        shared = explore(tmp_path, "net.py", ast.parse(source), Versions())
        errors = [p.site.line for p in shared.problems.values() if p.level == "error" and p.proved]
        assert errors == ([] if given == number else [5])
