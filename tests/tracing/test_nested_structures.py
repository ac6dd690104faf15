"""Nested structures taken into their leaves, and lists of texts as arrays."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import numpy as np
import torch
import tree
a, b = np.zeros((3, 4)), np.zeros((5, 6))
names = ["x", "y", "z"]
def unknown():
    import absent_package
    return absent_package.load()
"""


def sizes_told(tmp_path: Path, size: str, wrong: int) -> list[int]:
    program = f"{HEAD}n = {size}\ntorch.zeros(2, n) @ torch.zeros({wrong}, 3)\n"
    shared = explore(tmp_path, "run.py", ast.parse(program), Versions())
    return [p.site.line for p in shared.problems.values() if p.level in ("error", "warning")]


@pytest.mark.parametrize(
    ("size", "number"),
    [
        ("tree.flatten(a)[0].shape[1]", 4),
        ("tree.flatten([a, (b, a)])[1].shape[0]", 5),
        ("tree.flatten({'z': a, 'k': b})[0].shape[0]", 5),
        ("len(tree.flatten([a, {'k': b}, 1]))", 3),
        ("tree.map_structure(lambda v: v.sum(1), [a, b])[1].shape[0]", 5),
        ("np.array([names[i] for i in np.argmax(a, axis=1)]).shape[0]", 3),
        ("np.array(['x', 'y']).reshape(-1).shape[0]", 2),
    ],
)
def test_a_size_of_a_leaf(tmp_path: Path, size: str, number: int) -> None:
    assert not sizes_told(tmp_path, size, number)
    assert sizes_told(tmp_path, size, number + 1)


def test_what_is_not_known_may_have_leaves(tmp_path: Path) -> None:
    assert not sizes_told(tmp_path, "len(tree.flatten([a, unknown()]))", 7)
