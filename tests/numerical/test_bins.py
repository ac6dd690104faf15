"""The bin in which a number lies, and what a spline makes of its place in it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from build import Builder, bounds, rules, run
from containment import outside
from hypothesis import given
from hypothesis import strategies as st
from test_relations import engine

from analyzer.graph import Graph

BINS, LEAST, BOUND, ROWS = 4, 1e-3, 3.0, 5
INSIDE = {"x": (-BOUND, BOUND), "w": (-100.0, 100.0), "h": (-100.0, 100.0), "d": (-20.0, 20.0)}


def _edges(b: Builder, x: str, end: float = BOUND) -> str:
    each = b.op("Add", b.op("Mul", b.op("Softmax", x, axis=-1), b.const(1 - BINS * LEAST)), b.const(LEAST))
    sums = b.op("Pad", b.op("CumSum", each, b.const(-1, np.int64)), b.const([0, 1, 0, 0], np.int64), b.const(0.0))
    edges = b.op("Add", b.op("Mul", sums, b.const(2 * BOUND)), b.const(-BOUND))
    for place, value in ((0, -BOUND), (BINS, end)):
        where, what = b.const(np.full((ROWS, 1), place), np.int64), b.const(np.full((ROWS, 1), value))
        edges = b.op("ScatterElements", edges, where, what, axis=1)
    return edges


def _between(b: Builder, edges: str) -> str:
    later = b.op("Slice", edges, *(b.const([v], np.int64) for v in (1, BINS + 1, 1)))
    return b.op("Sub", later, b.op("Slice", edges, *(b.const([v], np.int64) for v in (0, BINS, 1))))


def spline(
    *, less: int = 1, compare: str = "GreaterOrEqual", beyond: float = 1e-6, of: str = "w", shown: str = "share"
) -> Graph:
    """A monotone rational quadratic spline; `shown`: the share of the bin, the value, or the derivative's logarithm."""
    b = Builder()
    x, w, h = b.input("x", (ROWS,)), b.input("w", (ROWS, BINS)), b.input("h", (ROWS, BINS))
    d = b.op("Add", b.op("Softplus", b.input("d", (ROWS, BINS + 1))), b.const(LEAST))
    across, up = _edges(b, w), _edges(b, h)
    widths, heights = _between(b, across), _between(b, up)
    slopes = b.op("Div", heights, widths)
    moved = b.op("ScatterElements", across, b.const(np.full((ROWS, 1), BINS), np.int64),
                 b.const(np.full((ROWS, 1), np.float32(BOUND) + np.float32(beyond))), axis=1)  # fmt: skip
    column = b.op("Unsqueeze", x, b.const([1], np.int64))
    counted = b.op("Cast", b.op(compare, column, moved), to=7)
    count = b.op("ReduceSum", counted, b.const([1], np.int64), keepdims=0)
    index = b.op("Unsqueeze", b.op("Sub", count, b.const(less, np.int64)), b.const([1], np.int64))

    def chosen(rows: str) -> str:
        return b.op("Squeeze", b.op("GatherElements", rows, index, axis=-1), b.const([1], np.int64))

    distance = b.op("Sub", x, chosen(moved if of == "w" else up))
    share = b.op("Div", distance, chosen(widths))
    if shown == "share":
        return b.graph(b.op("Sqrt", share, name="root"), share)
    slope, height, first = chosen(slopes), chosen(heights), chosen(d)
    second = chosen(b.op("Slice", d, *(b.const([v], np.int64) for v in (1, BINS + 1, 1))))
    rest = b.op("Sub", b.const(1.0), share)
    both = b.op("Mul", share, rest)
    squared = b.op("Pow", share, b.const(2.0))
    above = b.op("Mul", height, b.op("Add", b.op("Mul", slope, squared), b.op("Mul", first, both)))
    curved = b.op("Sub", b.op("Add", first, second), b.op("Mul", slope, b.const(2.0)))
    below = b.op("Add", slope, b.op("Mul", curved, both))
    value = b.op("Add", chosen(up), b.op("Div", above, below, name="quotient"))
    if shown == "value":
        return b.graph(value)
    terms = b.op("Add", b.op("Mul", second, squared), b.op("Mul", b.op("Mul", slope, b.const(2.0)), both))
    terms = b.op("Add", terms, b.op("Mul", first, b.op("Pow", rest, b.const(2.0))))
    steep = b.op("Log", b.op("Mul", b.op("Pow", slope, b.const(2.0)), terms), name="log_above")
    return b.graph(b.op("Sub", steep, b.op("Mul", b.const(2.0), b.op("Log", below, name="log_below"))), value)


def test_the_share_of_a_bin_lies_between_0_and_1() -> None:
    graph = spline()
    assert rules(graph, INSIDE) == []
    share = run(graph, INSIDE, everything=True).values[graph.graph.outputs[1]]
    assert (share.low, share.high) == (0.0, 1.0)


def test_a_spline_stays_in_its_bin_and_rises() -> None:
    assert rules(spline(shown="derivative"), INSIDE) == []
    low, high = bounds(spline(shown="value"), INSIDE)
    assert low >= -BOUND * 1.001
    assert high <= 2 * BOUND + BOUND * 1.01  # an edge and a height, each at its greatest


@pytest.mark.parametrize("compare", ["Greater", "GreaterOrEqual"])
def test_equal_edges_may_be_left_out(compare: str) -> None:
    ranges = {**INSIDE, "x": (-2.999, 2.999)}
    assert rules(spline(compare=compare), ranges) == []


@pytest.mark.parametrize(
    ("how", "ranges"),
    [
        ({}, {"x": (-3.1, 3.0)}),  # before the first edge
        ({"less": 2}, {}),  # the bin before
        ({"less": 0}, {}),  # the bin after
        ({"compare": "LessOrEqual"}, {}),  # edges that are above
        ({"compare": "Greater"}, {}),  # at the first edge none is counted
        ({"of": "h"}, {}),  # edges of others
    ],
)
def test_numbers_elsewhere_may_have_a_negative_share(how: dict[str, Any], ranges: dict[str, Any]) -> None:
    assert rules(spline(**how), {**INSIDE, **ranges})[-1][1] == "root"


def test_a_bin_that_was_moved_may_be_left_by_as_much() -> None:
    graph = spline(beyond=0.5)
    share = run(graph, {**INSIDE, "x": (-3.0, 3.2)}, everything=True).values[graph.graph.outputs[1]]
    assert 1 + 0.2 / (2 * BOUND * LEAST) <= share.high < 1.1 * (1 + 0.2 / (2 * BOUND * LEAST))


@pytest.mark.parametrize("how", [{}, {"beyond": 0.5}, {"compare": "Greater"}, {"shown": "derivative"}])
@given(seed=st.integers(0, 2**32 - 1))
def test_no_run_leaves_the_bounds(how: dict[str, Any], seed: int) -> None:
    graph, rng = spline(**how), np.random.default_rng(seed)
    end = 3.2 if "beyond" in how else 2.999 if "compare" in how else BOUND
    ranges = {**INSIDE, "x": (-min(end, BOUND), end)}
    known = run(graph, ranges, everything=True).values
    feeds: dict[str, Any] = {}
    for name, size in (("x", ()), ("w", (BINS,)), ("h", (BINS,)), ("d", (BINS + 1,))):
        low, high = ranges[name]
        spread = rng.choice([0.0, 1.0, 100.0])
        feeds[name] = np.clip(rng.normal(size=(ROWS, *size)) * spread, low, high).astype(np.float32)
    feeds["x"][: ROWS - 1] = rng.permutation([ranges["x"][0], ranges["x"][1], 0.0, np.nextafter(np.float32(end), 0)])
    results = engine(graph).run(None, feeds)
    for output, result in zip(graph.graph.outputs, results, strict=True):
        assert np.isfinite(result).all()
        assert outside(known[output], result) == ""
