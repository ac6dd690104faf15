"""Differences of all pairs of a running sum: decays between the steps of a sequence, from later to earlier ones."""

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

STEPS = 6
NEGATIVE = {"x": (-100.0, 0.0)}


def decays(
    *,
    kept: str = "lower",
    by: str = "Where",
    last: bool = True,
    chunk: bool = False,
    order: tuple[int, ...] = (),
    axis: int = 1,
    **attributes: Any,
) -> Graph:
    """``exp(where(mask, g[:, :, None] - g[:, None, :], -1e9))`` of running sums g, or the triangle of the difference.

    `last`: the later places are the rows. `chunk`: one of several sequences. `order`: g in another order.
    """
    b = Builder()
    x = b.input("x", (2, 3, STEPS) if chunk else (3, STEPS))
    totals = b.op("CumSum", x, b.const(axis + chunk, np.int64), **attributes)
    if chunk:
        totals = b.op("Gather", totals, b.const(1, np.int64), axis=0)
    if order:
        totals = b.op("Gather", totals, b.const(order, np.int64), axis=1)
    rows, columns = (b.op("Unsqueeze", totals, b.const([i], np.int64)) for i in ((2, 1) if last else (1, 2)))
    apart = b.op("Sub", rows, columns)
    if by == "Trilu":
        masked = b.op("Trilu", apart, upper=int(kept == "upper"))
    else:
        places = np.ones((STEPS, STEPS), bool)
        mask = {"lower": np.tril(places), "strict": np.tril(places, -1), "upper": np.triu(places), "all": places}
        mask["beyond"] = np.tril(places, 1)
        hidden = b.const(-1e9)
        known = mask[kept] if by == "Where" else ~mask[kept]
        branches = (apart, hidden) if by == "Where" else (hidden, apart)
        masked = b.op("Where", b.const(known, np.bool_), *branches)
    return b.graph(b.op("Exp", masked, name="decay"))


SAFE: list[dict[str, Any]] = [
    {},
    {"kept": "strict"},
    {"by": "not"},
    {"by": "Trilu"},
    {"chunk": True},
    {"kept": "upper", "last": False},
    {"kept": "upper", "last": False, "by": "Trilu"},
    {"kept": "upper", "reverse": 1},
    {"exclusive": 1},
]


@pytest.mark.parametrize("how", SAFE)
def test_a_later_sum_of_what_is_not_positive_is_no_larger(how: dict[str, Any]) -> None:
    assert rules(decays(**how), NEGATIVE) == []
    assert bounds(decays(**how), NEGATIVE)[1] < 1.01


@pytest.mark.parametrize(
    "how",
    [
        {"kept": "upper"},
        {"kept": "all"},
        {"kept": "beyond"},  # each place beside the next one
        {"last": False},
        {"by": "Trilu", "last": False},
        {"reverse": 1},
        {"order": (0, 2, 1, 3, 4, 5)},
        {"axis": 0},  # sums over other sequences, not over steps
    ],
)
def test_other_places_and_other_orders_may_be_larger(how: dict[str, Any]) -> None:
    assert rules(decays(**how), NEGATIVE) == [("exp-overflow", "decay")]


def test_sums_of_either_sign_may_be_larger() -> None:
    assert rules(decays(), {"x": (-100.0, 30.0)}) == [("exp-overflow", "decay")]


def test_sums_of_what_is_not_negative_never_fall() -> None:
    positive = {"x": (0.0, 100.0)}
    assert rules(decays(last=False), positive) == []
    assert rules(decays(), positive) == [("exp-overflow", "decay")]


@pytest.mark.parametrize("how", SAFE)
@given(seed=st.integers(0, 2**32 - 1))
def test_no_run_leaves_the_bounds(how: dict[str, Any], seed: int) -> None:
    graph, rng = decays(**how), np.random.default_rng(seed)
    known = run(graph, NEGATIVE, everything=True).values[graph.graph.outputs[0]]
    shape = (2, 3, STEPS) if how.get("chunk") else (3, STEPS)
    x = rng.choice([rng.uniform(-100, 0, shape), -np.abs(rng.normal(size=shape)) * 1e-6, np.zeros(shape)])
    (result,) = engine(graph).run(None, {"x": x.astype(np.float32)})
    assert outside(known, result) == ""


def remaining(*, place: int = -1, first: str = "end", chunk: bool = False) -> Graph:
    """``exp(g[-1:] - g)`` of running sums g, of one of several sequences."""
    b = Builder()
    x = b.input("x", (2, STEPS, 3) if chunk else (STEPS, 3))
    totals = b.op("CumSum", x, b.const(int(chunk), np.int64))
    if chunk:
        totals = b.op("Gather", totals, b.const(1, np.int64), axis=0)
    ends = (place, place + 1) if place != -1 else (place, STEPS)
    end = b.op("Slice", totals, *(b.const([v], np.int64) for v in (*ends, 0)))
    return b.graph(b.op("Exp", b.op("Sub", *((end, totals) if first == "end" else (totals, end))), name="decay"))


@pytest.mark.parametrize("chunk", [False, True])
def test_the_last_sum_is_the_least(chunk: bool) -> None:
    assert rules(remaining(chunk=chunk), NEGATIVE) == []
    assert rules(remaining(chunk=chunk, place=0, first="sums"), NEGATIVE) == []
    for how in ({"place": 2}, {"place": 0}, {"first": "sums"}):
        assert rules(remaining(chunk=chunk, **how), NEGATIVE) == [("exp-overflow", "decay")]  # type: ignore[arg-type]
