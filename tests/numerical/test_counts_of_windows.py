"""How many elements of a grid a window holds: ones padded with zeros, shifted and added up, known one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from build import Builder, bounds, rules

from analyzer.graph import Graph

SIDE = 12  # more elements than blocks


def window_counts(value: float, border: float = 0.0, own: bool = True) -> tuple[Builder, str]:
    """The neighbours in a row of each cell of a grid, itself among them if `own`."""
    b = Builder()
    ones = b.const(np.full((1, SIDE, SIDE), value))
    wide = b.op("Pad", ones, b.const([0, 0, 1, 0, 0, 1], np.int64), b.const(border))

    def part(first: int) -> Any:
        ends = (b.const([v], np.int64) for v in (first, first + SIDE, 2))
        return b.op("Slice", wide, *ends)

    total = b.op("Add", part(0), part(2))
    return b, b.op("Add", total, part(1)) if own else total


@pytest.mark.parametrize(
    ("value", "border", "own", "expected"),
    [(1.0, 0.0, True, (2, 3)), (1.0, 0.0, False, (1, 2)), (3.0, -2.0, True, (4, 9)), (1.0, -2.0, True, (0, 3))],
)
def test_counts_are_exact(value: float, border: float, own: bool, expected: tuple[float, float]) -> None:
    b, last = window_counts(value, border, own)
    assert bounds(b.graph(last), {}) == expected


def quotient(border: float) -> Graph:
    b, last = window_counts(1.0, border)
    return b.graph(b.op("Div", b.input("x", (1, SIDE, SIDE)), last))


@pytest.mark.parametrize(("border", "unsafe"), [(0.0, False), (-1.0, False), (-2.0, True)])
def test_a_mean_over_a_window_divides_by_what_it_holds(border: float, unsafe: bool) -> None:
    assert ("division-by-zero" in dict(rules(quotient(border), {"x": (-1, 1)}))) is unsafe


def test_sums_that_are_rounded_are_no_counts() -> None:
    """2^24 + 1 is no float32, and 0.1 + 0.2 is one of several."""
    for value in (float(1 << 24), 0.1):
        b, last = window_counts(value)
        low, high = bounds(b.graph(last), {})
        assert low <= 2 * np.float32(value)
        assert high >= 3 * np.float32(value)
