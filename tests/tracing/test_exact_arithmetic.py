"""Runs on made-up numbers: sums and products of small whole numbers are exact in any order, others are not."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.samples.exactness import of_whole_numbers
from analyzer.tracing.tracing import explore

ONES, HALVES = np.ones((4, 4)), np.full((4, 4), 0.5)


@pytest.mark.parametrize(
    ("name", "given", "exact"),
    [
        ("@", (ONES, 3 * ONES), True),
        ("@", (ONES.astype(np.float32), ONES.astype(np.float32)), True),
        ("@", (ONES.astype(np.float32), 20 * ONES.astype(np.float32)), False),  # bfloat16 cannot hold all of these
        ("@", (2.0**30 * ONES, 2.0**30 * ONES), False),
        ("@", (ONES, HALVES), False),
        ("+", (ONES, 3), True),
        ("*", (HALVES, 2), False),
        ("/", (ONES, 3), False),
        ("exp", (ONES,), False),
        ("+", (np.full(3, np.inf), 1), False),
    ],
)
def test_what_is_exact(name: str, given: tuple[np.ndarray, ...], exact: bool) -> None:
    assert of_whole_numbers(name, given, np.asarray(given[0])) is exact


PROGRAM = """import torch
order = torch.arange(6)
mask = order[:, None] > order
reach = mask.double() @ mask.double().t() == mask.sum(dim={})
rows = reach.sum(dim=-1).nonzero().squeeze(-1)
if (~reach[:, rows[:2]]).all():
    raise ValueError("nothing is reached")
"""


@pytest.mark.parametrize("axis", [-1, -2])
def test_a_refusal_that_hangs_on_products_of_masks(tmp_path: Path, axis: int) -> None:
    text = PROGRAM.format(axis)
    try:
        exec(text, {})
        refused = False
    except ValueError:
        refused = True
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.level for p in problems] == ["error"] * refused
    assert not any(p.proved for p in problems)


def test_what_rounding_decides_is_not_told(tmp_path: Path) -> None:
    text = "import torch\nx = torch.arange(5) / 5\nif (x @ x > 1.2).any():\n    raise ValueError('too large')\n"
    assert not explore(tmp_path, "net.py", ast.parse(text), Versions()).problems
