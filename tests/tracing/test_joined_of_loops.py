"""What is joined out of a list of unknown length has the sizes of the items that are seen, but for one axis."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

LOOP = """
import sys
import numpy as np
import torch
found, arrays = [], []
for line in sys.stdin:
    found.append(torch.zeros({shape}))
    arrays.append(np.zeros({shape}))
{before}
{joined}
"""
JOINED = [
    ("torch.cat(found) @ torch.zeros(4, 2)", "(3, 4)", False),
    ("torch.cat(found) @ torch.zeros(5, 2)", "(3, 4)", True),
    ("torch.cat(found, dim=1) @ torch.zeros(5, 2)", "(3, 4)", False),
    ("torch.cat(found, -1).t() @ torch.zeros(5, 2)", "(3, 4)", True),
    ("torch.stack(found)[0] @ torch.zeros(5, 2)", "(3, 4)", True),
    ("torch.stack(found, 1).sum(1) @ torch.zeros(4, 2)", "(3, 4)", False),
    ("torch.stack(found, 1).sum(1) @ torch.zeros(3, 2)", "(3, 4)", True),
    ("torch.cat(found) @ torch.zeros(5)", "(3,)", False),
    ("torch.cat(found) @ torch.zeros(5, 2)", "(0, 4)", False),  # what is empty may be left out
    ("np.concatenate(arrays) @ np.zeros((4, 2))", "(3, 4)", False),
    ("np.concatenate(arrays) @ np.zeros((5, 2))", "(3, 4)", True),
    ("np.stack(arrays, axis=-1)[:, :, 0] @ np.zeros((5, 2))", "(3, 4)", True),
    ("np.concatenate(arrays, axis=None) @ np.zeros(9)", "(3, 4)", False),
]


@pytest.mark.parametrize(("joined", "shape", "wrong"), JOINED)
def test_the_sizes_beside_the_axis(tmp_path: Path, joined: str, shape: str, wrong: bool) -> None:
    text = LOOP.format(shape=shape, joined=joined, before="")
    shared = explore(tmp_path, "main.py", ast.parse(text), Versions())
    assert [p.proved for p in shared.problems.values() if p.level == "error"] == [True] * wrong


@pytest.mark.parametrize(
    "before",
    [
        "import other; other.fill(found)",
        "found = [f.mean() for f in found]",
        "found = other_names if (other_names := [sys.stdin]) else found",
        "found.append(sys.stdin.read())",
    ],
)
def test_of_other_items_nothing_is_known(tmp_path: Path, before: str) -> None:
    text = LOOP.format(shape="(3, 4)", joined="torch.cat(found) @ torch.zeros(5, 2)", before=before)
    shared = explore(tmp_path, "main.py", ast.parse(text), Versions())
    assert not [p for p in shared.problems.values() if p.level == "error" and p.proved]
