"""A threshold found by halves stays below the greatest of its row: what lies above it never sums to 0."""

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

WIDE = {"x": (-500.0, 500.0)}


def threshold(
    *, steps: int = 4, below: float = 1.0, width: float = 0.5, scale: float = 1.0, axis: int = 1, swapped: bool = False
) -> Graph:
    """The sum over a row of what lies above a threshold in ``max - below + [0, width]``, and shares of it."""
    b = Builder()
    x, over, half = b.input("x", (4, 4)), b.const([1], np.int64), b.const(2.0)
    greatest = b.op("ReduceMax", x, b.const([axis], np.int64), keepdims=1)
    scaled, greatest = (b.op("Mul", v, b.const(scale)) for v in (x, greatest))
    low = b.op("Sub", greatest, b.const(below))
    step = b.op("Sub", b.op("Add", low, b.const(width)), low)
    above = ""
    for _ in range(steps):
        step = b.op("Div", step, half)
        middle = b.op("Add", low, step)
        above = b.op("Relu", b.op("Sub", scaled, middle))
        enough = b.op("GreaterOrEqual", b.op("ReduceSum", above, over, keepdims=1), b.const(1.0))
        sides = (low, middle) if swapped else (middle, low)
        low = b.op("Where", enough if not swapped else b.op("Not", enough), *sides)
    return b.graph(b.op("Div", above, b.op("ReduceSum", above, over, keepdims=1), name="share"))


@pytest.mark.parametrize("how", [{}, {"steps": 20}, {"scale": 0.5}, {"swapped": True}, {"width": 0.9}])
def test_something_lies_above_the_threshold(how: dict[str, Any]) -> None:
    assert rules(threshold(**how), WIDE) == []


@pytest.mark.parametrize("how", [{"width": 2.0}, {"axis": 0}, {"below": 0.0}, {"scale": -1.0}])
def test_a_threshold_that_may_pass_the_greatest_proves_nothing(how: dict[str, Any]) -> None:
    assert rules(threshold(**how), WIDE) == [("division-by-zero", "share")]


def test_where_numbers_are_so_large_that_steps_vanish_nothing_is_proved() -> None:
    assert rules(threshold(), {"x": (-1e9, 1e9)}) == [("division-by-zero", "share")]


def chosen(shift: float, other: bool) -> Graph:
    """What x is above a selection between its greatest less 1 and that and a little more, or something else."""
    b = Builder()
    x, y = b.input("x", (4, 4)), b.input("y", (4, 1))
    low = b.op("Sub", b.op("ReduceMax", x, b.const([1], np.int64), keepdims=1), b.const(1.0))
    side = y if other else b.op("Add", low, b.const(shift))
    selected = b.op("Where", b.op("Greater", y, b.const(0.0)), side, low)
    return b.graph(b.op("ReduceMax", b.op("Sub", x, selected), b.const([1], np.int64)))


@pytest.mark.parametrize("graph", [threshold(), threshold(steps=9, scale=0.5), chosen(0.3, False), chosen(0.3, True)])
@given(seed=st.integers(0, 2**32 - 1))
def test_no_run_leaves_the_bounds(graph: Graph, seed: int) -> None:
    rng = np.random.default_rng(seed)
    ranges = {"x": (-500.0, 500.0), "y": (-500.0, 500.0)}
    known = run(graph, ranges, everything=True).values[graph.graph.outputs[0]]
    feeds = {v.name: rng.uniform(-500, 500, [int(d) for d in v.shape]) for v in graph.graph.inputs}
    rounded = {k: (np.round(v) if rng.random() < 0.5 else v).astype(np.float32) for k, v in feeds.items()}
    (result,) = engine(graph).run(None, rounded)
    assert outside(known, result) == ""


def test_how_far_above_is_known_as_well() -> None:
    """Peaks of the difference: at least 1 less the step, where the condition holds or not."""
    b = Builder()
    x, y = b.input("x", (4, 4)), b.input("y", (4, 1))
    low = b.op("Sub", b.op("ReduceMax", x, b.const([1], np.int64), keepdims=1), b.const(1.0))
    selected = b.op("Where", b.op("Greater", y, b.const(0.0)), b.op("Add", low, b.const(0.25)), low)
    positive = b.op("Relu", b.op("Sub", x, selected))
    graph = b.graph(b.op("ReduceSum", positive, b.const([1], np.int64)))
    assert 0.74 < bounds(graph, {"x": (-9, 9), "y": (-9, 9)})[0] <= 0.75
