"""Rows of what is not negative, replaced where their sum is 0, have no sum that is 0."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from build import Builder, rules, run
from containment import outside
from test_relations import engine

from analyzer.graph import Graph

WIDE = {"x": (0.0, 10.0), "y": (0.0, 10.0)}


def shares(
    *,
    asked: str = "x",
    question: str = "Greater",
    limit: float = 0.0,
    filled: float = 0.1,
    over: int = 1,
    axis: int = 1,
) -> Graph:
    """``x = where(x.sum(1) > 0, x, filled); x / x.sum(1)``; the sum of what, over which axis, is asked for."""
    b = Builder()
    x, y = b.input("x", (4, 4)), b.input("y", (4, 4))
    total = b.op("ReduceSum", x if asked == "x" else y, b.const([over], np.int64), keepdims=1)
    if over == 0:
        total = b.op("Reshape", total, b.const([4, 1], np.int64))
    if question == "after":  # without the axis, which comes back afterwards
        flat = b.op("Greater", b.op("Reshape", total, b.const([-1], np.int64)), b.const(limit))
        condition = b.op("Unsqueeze", flat, b.const([1], np.int64))
    elif question == "not":
        condition = b.op("Not", b.op("Equal", total, b.const(limit)))
    else:
        condition = b.op(question, total, b.const(limit))
    chosen = b.op("Where", condition, x, b.const(np.full((4, 4), filled)))
    again = b.op("ReduceSum", chosen, b.const([axis], np.int64), keepdims=1)
    return b.graph(b.op("Div", chosen, again, name="share"))


@pytest.mark.parametrize(
    "how", [{}, {"question": "after"}, {"question": "not"}, {"question": "GreaterOrEqual", "limit": 0.5}]
)
def test_the_sum_of_a_replaced_row_is_not_0(how: dict[str, Any]) -> None:
    assert rules(shares(**how), WIDE) == []


@pytest.mark.parametrize(
    "how",
    [
        {"asked": "y"},  # of something else
        {"over": 0},  # of the columns
        {"axis": 0},  # summed over the columns
        {"filled": 0.0},
        {"question": "Less", "limit": 0.5},
        {"question": "GreaterOrEqual"},  # is true of 0 too
        {"limit": -1.0},
    ],
)
def test_what_asks_for_something_else_proves_nothing(how: dict[str, Any]) -> None:
    assert rules(shares(**how), WIDE) == [("division-by-zero", "share")]


def test_numbers_of_both_signs_may_cancel() -> None:
    assert rules(shares(question="not"), {"x": (-1, 1), "y": (-1, 1)}) == [("division-by-zero", "share")]


@pytest.mark.parametrize("graph", [shares(), shares(question="after"), shares(question="not")])
def test_no_run_leaves_the_bounds(graph: Graph) -> None:
    known, session, rng = run(graph, WIDE, everything=True).values, engine(graph), np.random.default_rng(0)
    for scale in (10.0, 1e-20, 1e-38, 0.0):
        x = rng.uniform(0, scale, (4, 4)) * (rng.random((4, 1)) < 0.5)
        feeds = {"x": x.astype(np.float32), "y": np.zeros((4, 4), np.float32)}
        (result,) = session.run(None, {k: v for k, v in feeds.items() if k in {i.name for i in session.get_inputs()}})
        assert outside(known[graph.graph.outputs[0]], result) == ""
