"""What stands in for an infinite maximum, maxima over leading axes, and running maxima are at least their elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from build import Builder, bounds, rules
from test_relations import engine

from analyzer.graph import Graph
from analyzer.numerical.domain.dtypes import FLOAT32
from analyzer.numerical.domain.tensor import AbstractTensor

INFINITE = -np.inf


def scores(low: float = -3e4, high: float = 3e4, nan: bool = False) -> AbstractTensor:
    return AbstractTensor(FLOAT32, (3, 5), np.float64(low), np.float64(high), None, nan)


def hidden(b: Builder) -> str:
    return b.op("Where", b.input("mask", (3, 5), "bool"), b.const(INFINITE), b.input("x", (3, 5)))


def is_finite(b: Builder, x: str) -> str:
    return b.op("And", b.op("Not", b.op("IsInf", x)), b.op("Not", b.op("IsNaN", x)))


def stand_in(b: Builder, top: str, way: str, instead: float) -> str:
    """`top`, but another number where it is infinite; or something that is like it and is not."""
    other = b.const(instead)
    match way:
        case "finite":
            return b.op("Where", is_finite(b, top), top, other)
        case "infinite":
            return b.op("Where", b.op("IsInf", top), other, top)
        case "not infinite":
            return b.op("Where", b.op("Not", b.op("IsInf", top)), top, other)
        case "equal":
            return b.op("Where", b.op("Equal", top, b.const(INFINITE)), other, top)
        case "greater":
            return b.op("Where", b.op("Greater", top, b.const(INFINITE)), top, other)
        case "less":
            return b.op("Where", b.op("Less", b.const(INFINITE), top), top, other)
        case "twice":
            once = b.op("Where", b.op("Equal", top, b.const(INFINITE)), b.const(INFINITE), top)
            return b.op("Where", is_finite(b, once), once, other)
        case "below a number":
            return b.op("Where", b.op("Less", top, b.const(2.0)), other, top)
        case "finite, turned":
            return b.op("Where", is_finite(b, top), other, top)
        case "either":
            asked = b.op("Or", b.op("IsInf", top), b.op("Less", top, b.const(2.0)))
            return b.op("Where", asked, other, top)
        case "another":
            return b.op("Where", b.op("IsInf", b.input("y", (3, 1))), other, top)
    raise ValueError(way)


STANDING = ["finite", "infinite", "not infinite", "equal", "greater", "less", "twice"]
OTHERWISE = ["below a number", "finite, turned", "either", "another"]
RANGES: dict[str, Any] = {
    "mask": (0.0, 1.0),
    "x": (-3e4, 3e4),
    "y": AbstractTensor(FLOAT32, (3, 1), np.float64(-np.inf), np.float64(np.inf)),
}


def stable(way: str, instead: float = 0.0, kind: str = "ReduceMax") -> Graph:
    b = Builder()
    x = hidden(b)
    top = b.op(kind, x, b.const([1], np.int64), keepdims=1)
    rest = b.op("Sub", x, stand_in(b, top, way, instead))
    return b.graph(b.op("Exp", rest, name="exp"))


@pytest.mark.parametrize("instead", [0.0, -3.4e38, 5.0])
@pytest.mark.parametrize("way", STANDING)
def test_nothing_is_above_what_stands_in_for_the_maximum(way: str, instead: float) -> None:
    assert ("exp-overflow", "exp") not in rules(stable(way, instead), RANGES)
    low, high = bounds(stable(way, instead), RANGES)
    assert 0 <= low <= high <= 1


@pytest.mark.parametrize("way", OTHERWISE)
def test_another_number_beside_finite_maxima_is_none(way: str) -> None:
    assert ("exp-overflow", "exp") in rules(stable(way), RANGES)


def test_a_minimum_is_none() -> None:
    assert ("exp-overflow", "exp") in rules(stable("finite", kind="ReduceMin"), RANGES)


def test_infinity_or_nan_in_the_rows_proves_nothing() -> None:
    b = Builder()
    x = b.input("x", (3, 5))
    top = b.op("ReduceMax", x, b.const([1], np.int64), keepdims=1)
    graph = b.graph(b.op("Exp", b.op("Sub", x, stand_in(b, top, "finite", 0.0)), name="exp"))
    assert bounds(graph, {"x": scores(INFINITE)})[1] == 1
    assert bounds(graph, {"x": scores(INFINITE, np.inf)})[1] > 1
    assert bounds(graph, {"x": scores(nan=True)})[1] > 1


def test_the_logarithm_of_a_sum_may_be_below_what_stands_in_for_the_maximum() -> None:
    b = Builder()
    x = hidden(b)
    top = b.op("ReduceMax", x, b.const([1], np.int64), keepdims=1)
    less = b.op("Sub", stand_in(b, top, "finite", 50.0), b.op("ReduceLogSumExp", x, b.const([1], np.int64), keepdims=1))
    assert bounds(b.graph(less), RANGES)[1] == np.inf


@pytest.mark.parametrize("seed", range(40))
def test_no_run_leaves_the_bounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = stable(str(rng.choice(STANDING)), float(rng.choice([0.0, -3.4e38, 5.0])))
    low, high = bounds(graph, RANGES)
    fed = {"mask": rng.random((3, 5)) < rng.choice([0.3, 0.95]), "x": rng.uniform(-40, 40, (3, 5)).astype(np.float32)}
    (result,) = engine(graph).run(None, fed)
    assert low <= result.min() <= result.max() <= high


def semiring(axis: int, replaced: float | None = 0.0, kind: str = "ReduceMax") -> Graph:
    """``log(sum(exp(nan_to_zero(x - max(x)))))`` of pairs, of which each may be hidden."""
    b = Builder()
    pairs = b.op("Where", b.input("mask", (2, 2), "bool"), b.const(INFINITE), b.input("x", (2, 2)))
    top = b.op(kind, pairs, b.const([axis], np.int64), keepdims=0)
    rest = b.op("Sub", pairs, top)
    if replaced is not None:
        rest = b.op("Where", b.op("IsNaN", rest), b.const(replaced), rest)
    total = b.op("ReduceSum", b.op("Exp", rest, name="exp"), b.const([axis], np.int64), keepdims=0)
    return b.graph(b.op("Log", total, name="log"))


def _told(graph: Graph) -> set[str]:
    return {rule for rule, _ in rules(graph, RANGES)} - {"extremum-of-infinity"}


def test_a_maximum_over_the_first_axis_meets_its_elements() -> None:
    assert _told(semiring(0)) == set()
    low, high = bounds(semiring(0), RANGES)
    assert -1e-3 < low <= high < 0.7


@pytest.mark.parametrize(
    "graph", [semiring(1), semiring(0, -np.inf), semiring(0, 100.0), semiring(0, kind="ReduceMin")]
)
def test_a_maximum_over_another_axis_or_another_number_for_nan_proves_nothing(graph: Graph) -> None:
    assert _told(graph)


def test_that_an_element_is_a_number_is_not_told_by_its_being_0() -> None:
    b = Builder()
    pairs = b.op("Where", b.input("mask", (2, 2), "bool"), b.const(INFINITE), b.input("x", (2, 2)))
    rest = b.op("Sub", pairs, b.op("ReduceMax", pairs, b.const([0], np.int64), keepdims=1))
    numbers = b.op("Cast", b.op("Equal", rest, b.const(0.0)), to=1)
    graph = b.graph(b.op("Log", b.op("ReduceSum", numbers, b.const([0], np.int64), keepdims=1), name="log"))
    assert _told(graph) == {"log-of-nonpositive"}  # a row that is hidden whole is NaN everywhere


def running(offset: int, *, first: int = 1, turned: bool = False, dim: int = 1, name: str = "cummax") -> Graph:
    """``exp(before - cummax(cat(before, scores))[:, offset:])``."""
    b = Builder()
    before, more = b.input("before", (3, first)), b.input("x", (3, 5))
    joined = b.op("Concat", *((more, before) if turned else (before, more)), axis=1)
    top, _ = b.op(name, joined, outputs=2, domain="torch.aten", dim=dim)
    shown = b.op("Slice", top, b.const([offset], np.int64), b.const([offset + 3], np.int64), b.const([1], np.int64))
    return b.graph(b.op("Exp", b.op("Sub", before, shown), name="exp"))


AROUND = {"before": (-3e4, 3e4), "x": (-3e4, 3e4)}


@pytest.mark.parametrize(
    "graph", [running(0), running(1), running(3), running(0, first=3), running(2, first=3), running(1, dim=-1)]
)
def test_a_running_maximum_is_at_least_what_came_before(graph: Graph) -> None:
    assert rules(graph, AROUND) == []


@pytest.mark.parametrize(
    "graph", [running(1, turned=True), running(1, dim=0), running(1, name="cummin"), running(2, first=3, turned=True)]
)
def test_a_running_maximum_says_nothing_of_what_comes_later(graph: Graph) -> None:
    assert rules(graph, AROUND) == [("exp-overflow", "exp")]


def test_a_running_maximum_over_what_stands_last_is_at_least_it() -> None:
    b = Builder()
    before, more = b.input("before", (3, 1)), b.input("x", (3, 5))
    top, _ = b.op("cummax", b.op("Concat", more, before, axis=1), outputs=2, domain="torch.aten", dim=1)
    last = b.op("Slice", top, b.const([5], np.int64), b.const([6], np.int64), b.const([1], np.int64))
    assert rules(b.graph(b.op("Exp", b.op("Sub", before, last), name="exp")), AROUND) == []


@pytest.mark.parametrize(("limits", "safe"), [((-1e4,), True), ((-1e4, 2e4), False)])
def test_a_maximum_clipped_from_below_is_at_least_its_elements(limits: tuple[float, ...], safe: bool) -> None:
    b = Builder()
    x = hidden(b)
    top = b.op("ReduceMax", x, b.const([1], np.int64), keepdims=1)
    rest = b.op("Sub", x, b.op("Clip", top, *(b.const(v) for v in limits)))
    graph = b.graph(b.op("Exp", rest, name="exp"))
    assert (("exp-overflow", "exp") not in rules(graph, RANGES)) is safe
