"""Reductions over segments given by an index, running sums and parts in sequences, with twins that prove nothing."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, bounds, rules, run

RANGES = {"x": (-1000, 1000), "i": (0, 2), "j": (0, 2)}


def segment_softmax(b: Builder, gathered: str = "i", start: float = -np.inf) -> str:
    """PyTorch Geometric's: scores of (6, 2) normalised over the three nodes that the index names."""
    x, i = b.input("x", (6, 2)), b.input("i", (6,), "int64")
    back = i if gathered == "i" else b.input(gathered, (6,), "int64")
    spread = b.op("Expand", b.op("Reshape", i, b.const([-1, 1], np.int64)), b.const([6, 2], np.int64))
    most = b.op("ScatterElements", b.const(np.full((3, 2), start)), spread, x, axis=0, reduction="max")
    e = b.op("Exp", b.op("Sub", x, b.op("Gather", most, back, axis=0)), name="exp")
    total = b.op("ScatterElements", b.const(np.zeros((3, 2))), spread, e, axis=0, reduction="add")
    total = b.op("Add", total, b.const(1e-16))
    return b.op("Div", e, b.op("Gather", total, back, axis=0), name="div")


@pytest.mark.parametrize("start", [-np.inf, 0.0])
def test_a_softmax_over_segments_is_proved(start: float) -> None:
    b = Builder()
    graph = b.graph(segment_softmax(b, start=start))
    assert rules(graph, RANGES) == []
    assert run(graph, RANGES).overflows == ()
    low, high = bounds(graph, RANGES)
    assert low == 0
    assert 1 <= high <= 1.5  # the denominator may be denormal as far as bounds go


def test_other_indices_gather_other_segments() -> None:
    b = Builder()
    graph = b.graph(segment_softmax(b, "j", start=0.0))
    assert ("exp-overflow", "exp") in rules(graph, RANGES)


def test_a_segment_is_no_whole() -> None:
    """A maximum over segments gathered in another shape is no maximum over all."""
    b = Builder()
    x, i = b.input("x", (6,)), b.input("i", (6,), "int64")
    most = b.op("ScatterElements", b.const(np.zeros(3)), i, x, axis=0, reduction="max")
    apart = b.op("Sub", x, b.op("Reshape", b.op("Gather", most, i, axis=0), b.const([6, 1], np.int64)))
    assert bounds(b.graph(apart), RANGES)[1] >= 1000


def test_a_sum_of_segments_that_starts_below_zero_bounds_nothing() -> None:
    b = Builder()
    e, i = b.input("e", (6,)), b.input("i", (6,), "int64")
    total = b.op("ScatterElements", b.const(np.full(3, -4.0)), i, e, axis=0, reduction="add")
    graph = b.graph(b.op("Div", e, b.op("Gather", total, i, axis=0), name="div"))
    assert rules(graph, {"e": (0, 5), "i": (0, 2)}) == [("division-by-zero", "div")]


@pytest.mark.parametrize("turned", [False, True])
def test_scaling_to_the_span_stays_between_0_and_1(turned: bool) -> None:
    b = Builder()
    x = b.input("x", (5, 4))
    most, least = b.op("ReduceMax", x, keepdims=0), b.op("ReduceMin", x, keepdims=0)
    above = b.op("Sub", most, x) if turned else b.op("Sub", x, least)
    scaled = b.op("Div", above, b.op("Add", b.op("Sub", most, least), b.const(1e-8)))
    low, high = bounds(b.graph(scaled), {"x": (-100, 100)})
    assert low == 0
    assert high <= 1.001


def test_the_span_of_something_else_bounds_nothing() -> None:
    b = Builder()
    x, y = b.input("x", (4,)), b.input("y", (4,))
    span = b.op("Sub", b.op("ReduceMax", y, keepdims=0), b.op("ReduceMin", y, keepdims=0))
    scaled = b.op("Div", b.op("Sub", x, b.op("ReduceMin", x, keepdims=0)), b.op("Add", span, b.const(1e-8)))
    assert bounds(b.graph(scaled), {"x": (-100, 100), "y": (-100, 100)})[1] > 1e6


@pytest.mark.parametrize(("reach", "fails"), [((-50.0, 0.0), False), ((-50.0, 50.0), True)])
def test_decay_between_falling_running_sums_is_at_most_one(reach: tuple[float, float], fails: bool) -> None:
    b = Builder()
    total = b.op("CumSum", b.input("x", (2, 8)), b.const(1, np.int64))
    last = b.op("Slice", total, *(b.const([v], np.int64) for v in (7, 8, 1)))
    graph = b.graph(b.op("Exp", b.op("Sub", last, total), name="exp"))
    assert bool(rules(graph, {"x": reach})) == fails


@pytest.mark.parametrize("sizes", [np.array([2, 4], np.int64), np.array(3, np.int64), None])
def test_parts_in_a_sequence_keep_shape_and_bounds(sizes: np.ndarray | None) -> None:
    """``split``, ``chunk`` and ``unbind``: of two blocks that were joined only the first is positive."""
    b = Builder()
    x, y = b.input("x", (2, 3)), b.input("y", (4, 3))
    joined = b.op("Concat", x, y, axis=0)
    if sizes is None:
        parts = b.op("SplitToSequence", joined, axis=0, keepdims=0)
    else:
        parts = b.op("SplitToSequence", joined, b.const(sizes, np.int64), axis=0)
    first = b.op("SequenceAt", parts, b.const(0, np.int64))
    graph = b.graph(b.op("Log", first, name="log"))
    found = rules(graph, {"x": (1, 2), "y": (-1, 1)})
    assert found == ([] if sizes is None or sizes.ndim else [("log-of-nonpositive", "log")])


def test_scaled_attention_of_one_projection_is_proved() -> None:
    """Queries, keys and values split out of one tensor: norms of parts bound their quotients."""
    b = Builder()
    parts = b.op("SplitToSequence", b.input("x", (4, 9)), b.const(3, np.int64), axis=1)
    q = b.op("SequenceAt", parts, b.const(1, np.int64))
    again = b.op("SequenceAt", parts, b.const(1, np.int64))
    norm = b.op("Add", b.op("ReduceL2", again, b.const([1], np.int64)), b.const(1e-12))
    low, high = bounds(b.graph(b.op("Div", q, norm)), {"x": (-100, 100)})
    assert low >= -1.01
    assert high <= 1.01
