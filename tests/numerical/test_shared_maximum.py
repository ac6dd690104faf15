"""``exp(p - m) s + exp(q - m) t`` with m = max(p, q): one exponential is 1, so what it weighs remains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from build import Builder, bounds, rules, run
from containment import outside
from test_relations import engine

from analyzer.graph import Graph
from analyzer.numerical.domain.dtypes import FLOAT32
from analyzer.numerical.domain.tensor import interval_tensor

WIDE = {"x": (-1e4, 1e4), "y": (-1e4, 1e4), "s": (2.0, 3.0), "t": (0.5, 9.0), "z": (-1e4, 1e4)}


def weighed(*, beside: str = "both", other: bool = False, factor: str = "s", order: int = 1) -> Graph:
    """Both exponentials beside the maximum; `beside`: of which values, `other`: of other ones than are subtracted."""
    b = Builder()
    x, y, z, s, t = (b.input(n, (3, 1) if n in "st" else (3, 4)) for n in "xyzst")
    highest = b.op("Max", *((x, z if other else y)[::order]))
    if beside == "three":
        highest = b.op("Max", x, y, z)
    parts = [b.op("Exp", b.op("Sub", v, highest)) for v in (x, y)]
    first = b.op("Mul", *((parts[0], s if factor == "s" else z)[::order]))
    return b.graph(b.op("Add", first, b.op("Mul", t, parts[1])))


@pytest.mark.parametrize("order", [1, -1])
def test_what_the_greater_one_weighs_remains(order: int) -> None:
    assert 0.4999 < bounds(weighed(order=order), WIDE)[0] <= 0.5
    assert bounds(weighed(order=order), {**WIDE, "t": (0.0, 9.0)})[0] == 0


@pytest.mark.parametrize("how", [{"beside": "three"}, {"other": True}])
def test_beside_another_maximum_nothing_need_remain(how: dict[str, Any]) -> None:
    assert bounds(weighed(**how), WIDE)[0] <= 0


def test_weights_below_0_prove_nothing() -> None:
    assert bounds(weighed(factor="z"), WIDE)[0] < 0


def test_infinities_have_no_difference() -> None:
    """What is masked by -inf may be so on both sides: nothing is then known of the sum."""
    graph = weighed()
    masked = {n: interval_tensor(FLOAT32, (3, 4), -np.inf, 1.0) for n in "xy"}
    found = run(graph, {**WIDE, **masked}, everything=True).values[graph.graph.outputs[0]]
    assert found.nan or found.low <= 0


def steps(count: int, *, decay: bool = True) -> Graph:
    """A softmax over `count` positions in steps, as recurrent attention computes it: numerator over denominator."""
    b = Builder()
    k, v, w = b.input("k", (count, 5)), b.input("v", (count, 5)), b.input("w", (5,))
    highest, total, weight = b.const(np.full(5, -1e30)), b.const(np.zeros(5)), b.const(np.zeros(5))
    result = ""
    for place in range(count):
        key, value = (b.op("Gather", t, b.const(place, np.int64), axis=0) for t in (k, v))
        beside = b.op("Add", w, highest) if decay else highest
        new = b.op("Max", beside, key)
        old, own = b.op("Exp", b.op("Sub", beside, new)), b.op("Exp", b.op("Sub", key, new))
        total = b.op("Add", b.op("Mul", old, total), b.op("Mul", own, value))
        weight = b.op("Add", b.op("Mul", old, weight), own)
        highest, result = new, b.op("Div", total, weight, name=f"div_{place}")
    return b.graph(result)


STEPS = {"k": (-50.0, 50.0), "v": (-10.0, 10.0), "w": (-5.0, 0.0)}


@pytest.mark.parametrize("decay", [True, False])
def test_running_denominators_stay_away_from_0(decay: bool) -> None:
    assert rules(steps(5, decay=decay), STEPS) == []


def rows(*, axis: int = 1, kept: int = 1, wide: bool = False) -> Graph:
    """A block of rows beside an earlier maximum: ``exp(p - m) l + sum(exp(x - m))``, m the greater of p and max(x)."""
    b = Builder()
    x, p, s = b.input("x", (4, 4)), b.input("p", (4, 4 if wide else 1)), b.input("l", (4, 1))
    axes, over = b.const([1], np.int64), b.const([axis], np.int64)
    most = b.op("ReduceMax", x, over, keepdims=1) if axis == 1 else b.op("Transpose", b.op("ReduceMax", x, over))
    highest = b.op("Max", p, most)
    block = b.op("ReduceSum", b.op("Exp", b.op("Sub", x, highest)), axes, keepdims=kept)
    return b.graph(b.op("Add", b.op("Mul", b.op("Exp", b.op("Sub", p, highest)), s), block))


BLOCKS = {"x": (-1e3, 1e3), "p": (-1e3, 1e3), "l": (1.0, 16.0)}


def test_a_block_of_rows_beside_an_earlier_maximum() -> None:
    assert 0.999 < bounds(rows(), BLOCKS)[0] <= 1
    assert bounds(rows(axis=0), BLOCKS)[0] <= 0  # the maxima of the columns


def test_a_maximum_that_differs_along_the_row_leaves_nothing() -> None:
    """Where p is greater at the place of the greatest x, the sum of the row may underflow, and so may p elsewhere."""
    graph = rows(wide=True)
    x, p = np.full((4, 4), -200.0), np.full((4, 4), -300.0)
    x[:, 0], p[:, 0] = 0.0, 500.0
    (result,) = engine(graph).run(
        None, {"x": x.astype(np.float32), "p": p.astype(np.float32), "l": np.ones((4, 1), np.float32)}
    )
    assert result.min() < 1e-30
    assert bounds(graph, BLOCKS)[0] <= 0


@pytest.mark.parametrize(("graph", "ranges"), [(weighed(), WIDE), (steps(3), STEPS), (rows(), BLOCKS)])
def test_no_run_leaves_the_bounds(graph: Graph, ranges: dict[str, tuple[float, float]]) -> None:
    known, session, rng = run(graph, ranges, everything=True).values, engine(graph), np.random.default_rng(0)
    for _ in range(200):
        feeds = {}
        for v in graph.graph.inputs:
            (lo, hi), shape = ranges[v.name or ""], [int(d) for d in v.shape]
            drawn = rng.uniform(lo, hi, shape) * rng.choice([1, 1e-2, 1e-4])
            feeds[v.name] = np.clip(rng.choice([drawn, np.full(shape, lo), np.full(shape, hi)]), lo, hi)
        (result,) = session.run(None, {k: v.astype(np.float32) for k, v in feeds.items()})
        assert outside(known[graph.graph.outputs[0]], result) == ""
