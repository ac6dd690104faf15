"""Edges of bins that a softmax shares out: their widths stay as large as the least share."""

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

WIDE = {"x": (-100.0, 100.0)}
BINS, LEAST, BOUND = 4, 1e-3, 3.0


def widths(
    *,
    least: float = LEAST,
    left: float = -BOUND,
    right: float = BOUND,
    apart: int = 1,
    axis: int = -1,
    shares: str = "Softmax",
    place: int = BINS,
) -> Graph:
    """``edges = 2 b cumsum(least + (1 - n least) softmax(x)) - b``, 0 before them, ends written; 1 over differences."""
    b = Builder()
    x = b.input("x", (3, BINS))
    shared = b.op(shares, x, axis=axis) if shares == "Softmax" else b.op(shares, x)
    each = b.op("Add", b.op("Mul", shared, b.const(1 - BINS * least)), b.const(least))
    edges = b.op("Pad", b.op("CumSum", each, b.const(-1, np.int64)), b.const([0, 1, 0, 0], np.int64), b.const(0.0))
    edges = b.op("Add", b.op("Mul", edges, b.const(2 * BOUND)), b.const(-BOUND))
    for where, end in ((0, left), (place, right)):
        index, value = b.const(np.full((3, 1), where), np.int64), b.const(np.full((3, 1), end))
        edges = b.op("ScatterElements", edges, index, value, axis=1)
    ends = [b.const([v], np.int64) for v in (apart, BINS + 1, 0, BINS + 1 - apart, 1)]
    later, sooner = b.op("Slice", edges, *ends[:2], ends[4]), b.op("Slice", edges, *ends[2:4], ends[4])
    return b.graph(b.op("Reciprocal", b.op("Sub", later, sooner), name="quotient"))


def test_every_bin_is_as_wide_as_the_least_share() -> None:
    graph = widths()
    assert rules(graph, WIDE) == []
    found = run(graph, WIDE, everything=True).values
    (width,) = [v for k, v in found.items() if (p := k.producer()) is not None and p.op_type == "Sub"]
    assert 0.98 * 2 * BOUND * LEAST < width.low <= 2 * BOUND * LEAST


@pytest.mark.parametrize("how", [{"left": -4.0}, {"right": 3.1}, {"shares": "Sigmoid", "right": 30.0}])
def test_ends_that_are_moved_outwards_leave_more(how: dict[str, Any]) -> None:
    assert rules(widths(**how), WIDE) == []


@pytest.mark.parametrize(
    "how",
    [
        {"least": 0.0},  # a share may be 0
        {"least": 1e-7},  # less than rounding takes
        {"left": -2.9},  # above the edge after it
        {"right": 2.9},
        {"axis": 0},  # columns add up to 1, rows do not
        {"shares": "Sigmoid"},
        {"place": 2},  # in the middle
    ],
)
def test_what_may_be_no_wider_than_nothing_is_told(how: dict[str, Any]) -> None:
    assert rules(widths(**how), WIDE) == [("division-by-zero", "quotient")]


def test_places_further_apart_are_no_neighbours() -> None:
    assert rules(widths(apart=2), WIDE) == [("division-by-zero", "quotient")]


@pytest.mark.parametrize("how", [{}, {"left": -2.999}, {"right": 3.1}, {"least": 0.1}, {"least": 2e-5}])
@given(seed=st.integers(0, 2**32 - 1))
def test_no_run_leaves_the_bounds(how: dict[str, Any], seed: int) -> None:
    graph, rng = widths(**how), np.random.default_rng(seed)
    known = run(graph, WIDE, everything=True).values[graph.graph.outputs[0]]
    x = rng.choice([rng.uniform(-100, 100, (3, BINS)), rng.normal(size=(3, BINS)), np.zeros((3, BINS))])
    x[:, rng.integers(BINS)] += rng.choice([0.0, 20.0, 90.0])
    (result,) = engine(graph).run(None, {"x": np.clip(x, -100, 100).astype(np.float32)})
    assert bounds(graph, WIDE)[0] <= result.min()
    assert outside(known, result) == ""


def moved_edges(*, start: str = "begin", least: float = 1e-3, far: float = 1.0, varied: bool = False) -> Graph:
    """``[t, t + cumsum(softplus(w) + least)]`` of a trained beginning t; 1 over the widths between neighbours."""
    b = Builder()
    w = b.input("w", (BINS,))
    begin, other = b.input("begin", (BINS,) if varied else ()), b.input("other", ())
    each = b.op("Add", b.op("Softplus", w), b.const(least))
    edges = b.op("Add", begin, b.op("Mul", b.op("CumSum", each, b.const(0, np.int64)), b.const(far)))
    first = b.op("Unsqueeze", {"begin": begin, "other": other}[start], b.const([0], np.int64)) if not varied else other
    first = b.op("Reshape", first, b.const([1], np.int64))
    edges = b.op("Concat", first, edges, axis=0)
    limits = [b.const([v], np.int64) for v in (1, BINS + 1, 0, BINS)]
    later, sooner = b.op("Slice", edges, *limits[:2]), b.op("Slice", edges, *limits[2:])
    return b.graph(b.op("Reciprocal", b.op("Sub", later, sooner), name="quotient"))


MOVED = {"w": (-5.0, 5.0), "begin": (-50.0, 50.0), "other": (-50.0, 50.0)}


def test_edges_behind_a_trained_beginning_stay_apart() -> None:
    failing = [("division-by-zero", "quotient")]
    assert rules(moved_edges(), MOVED) == []
    assert rules(moved_edges(), {**MOVED, "begin": (-1e6, 1e6)}) == failing  # widths are rounded away
    assert rules(moved_edges(start="other"), MOVED) == failing
    assert rules(moved_edges(start="other"), {**MOVED, "other": (-70.0, -60.0)}) == []
    assert rules(moved_edges(least=-0.1), MOVED) == failing
    assert rules(moved_edges(varied=True), MOVED) == failing


def test_no_run_leaves_the_widths_behind_a_trained_beginning() -> None:
    graph, rng = moved_edges(), np.random.default_rng(0)
    found, session = run(graph, MOVED, everything=True).values, engine(graph)
    for _ in range(5):
        shapes = {"w": (BINS,), "begin": ()}
        numbers = {k: np.asarray(rng.uniform(*MOVED[k], shape), np.float32) for k, shape in shapes.items()}
        wanted = {i.name for i in session.get_inputs()}
        (result,) = session.run(None, {k: v for k, v in numbers.items() if k in wanted} | {"other": np.zeros((), "f")})
        assert outside(found[graph.graph.outputs[0]], result) == ""
