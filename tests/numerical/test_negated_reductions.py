"""What is subtracted as the negative of a reduction is ordered as what is subtracted outright."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, rules

from analyzer.graph import Graph


def transport(axis: int, other: int | None = None) -> Graph:
    """A plan of transport of logarithms: ``exp(s + v)`` with ``v = -logsumexp(s)`` along an axis, as it is written."""
    b = Builder()
    s = b.input("s", (4, 4))
    v = b.op("Neg", b.op("ReduceLogSumExp", s, b.const([axis], np.int64), keepdims=0))
    spread = b.op("Unsqueeze", v, b.const([axis if other is None else other], np.int64))
    return b.graph(b.op("Exp", b.op("Add", spread, s), name="exp"))


@pytest.mark.parametrize("axis", [0, 1])
def test_a_negative_logarithm_of_sums_is_added_as_it_is_subtracted(axis: int) -> None:
    assert rules(transport(axis), {"s": (-1e6, 1e6)}) == []


@pytest.mark.parametrize("axis", [0, 1])
def test_sums_along_another_axis_bound_nothing(axis: int) -> None:
    assert rules(transport(axis, 1 - axis), {"s": (-1e6, 1e6)}) == [("exp-overflow", "exp")]


def test_a_logarithm_of_sums_that_is_added_bounds_nothing() -> None:
    b = Builder()
    s = b.input("s", (4, 4))
    sums = b.op("ReduceLogSumExp", s, b.const([1], np.int64), keepdims=1)
    graph = b.graph(b.op("Exp", b.op("Add", s, b.op("Neg", b.op("Neg", sums))), name="exp"))
    assert rules(graph, {"s": (-1e6, 1e6)}) == [("exp-overflow", "exp")]
