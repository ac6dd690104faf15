"""Cases around a threshold that is computed from constants, so that its bounds are not one number."""

from __future__ import annotations

import pytest

from analyzer.graph import Graph
from tests.numerical.build import Builder, rules

RANGES = {"x": (-100.0, 100.0)}


def quotient(threshold: float, where_near: float, near: bool = True) -> Graph:
    """``2 / where(|x| < t, c, x)``, or the other way round, with ``t = sqrt(sqrt(threshold))``."""
    b = Builder()
    x = b.input("x", (3,))
    found = b.op("Less" if near else "Greater", b.op("Abs", x), b.op("Sqrt", b.op("Sqrt", b.const(threshold))))
    return b.graph(b.op("Div", b.const(2.0), b.op("Where", found, b.const(where_near), x), name="div"))


@pytest.mark.parametrize("where_near", [1.0, -1.0, 1e-30])
def test_what_is_replaced_near_0_is_not_0(where_near: float) -> None:
    assert rules(quotient(1e-7, where_near), RANGES) == []


@pytest.mark.parametrize(("threshold", "where_near", "near"), [(1e-7, 0.0, True), (0.0, 1.0, True), (1e-7, 1.0, False)])
def test_what_is_replaced_by_0_or_elsewhere_may_be_0(threshold: float, where_near: float, near: bool) -> None:
    assert rules(quotient(threshold, where_near, near), RANGES) == [("division-by-zero", "div")]


@pytest.mark.parametrize("other", ["x", "y"])
def test_cases_exclude_each_other_only_of_the_same_element(other: str) -> None:
    """Where the threshold is another tensor's, or of the elements in another order, both cases occur at once."""
    b = Builder()
    x, y = b.input("x", (3, 3)), b.input("y", (3, 3))
    compared = y if other == "y" else b.op("Transpose", x, perm=[1, 0])
    small = b.op("Less", b.op("Abs", compared), b.op("Sqrt", b.op("Sqrt", b.const(1e-7))))
    graph = b.graph(b.op("Div", b.const(2.0), b.op("Where", small, b.const(1.0), x), name="div"))
    assert rules(graph, {**RANGES, "y": (-100.0, 100.0)}) == [("division-by-zero", "div")]
