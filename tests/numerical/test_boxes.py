"""Proofs over boxes: expressions in which a value occurs along several paths."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from build import Builder, rules
from hypothesis import given
from hypothesis import strategies as st
from test_relations import engine

from analyzer.graph import Graph

Make = Callable[[Builder, str, str], str]


def _damped(b: Builder, x: str, y: str) -> str:
    """x (1 - x / 4) + 0.1, for x in [0, 4.2]: -0.11 at the end."""
    part = b.op("Tanh", b.op("Mul", x, b.const(0.25)))
    return b.op("Sub", b.op("Add", x, b.const(0.1)), b.op("Mul", x, part))


def _mixed(b: Builder, x: str, y: str) -> str:
    """exp(x) - x y, which has a minimum above 0 while y is small."""
    return b.op("Sub", b.op("Exp", x), b.op("Mul", x, y))


def _surrounded(b: Builder, x: str, y: str) -> str:
    """x² - x y + y² + 1."""
    squares = b.op("Add", b.op("Mul", x, x), b.op("Mul", y, y))
    return b.op("Add", b.op("Sub", squares, b.op("Mul", x, y)), b.const(1.0))


def _returned(b: Builder, x: str, y: str) -> str:
    """(x + 1) - x, which rounding spoils where x is large."""
    return b.op("Sub", b.op("Add", b.op("Mul", x, y), b.const(1.0)), b.op("Mul", x, y))


def logarithm(make: Make) -> Graph:
    b = Builder()
    value = make(b, b.input("x", (8,)), b.input("y", (8,)))
    return b.graph(b.op("Log", value, name="log"), value)


CASES: list[tuple[Make, dict[str, tuple[float, float]]]] = [
    (_damped, {"x": (0.0, 100.0), "y": (0.0, 0.0)}),
    (_mixed, {"x": (-5.0, 5.0), "y": (0.0, 2.5)}),
    (_surrounded, {"x": (-100.0, 100.0), "y": (-100.0, 100.0)}),
    (_returned, {"x": (-100.0, 100.0), "y": (-100.0, 100.0)}),
]


@pytest.mark.parametrize(("make", "ranges"), CASES)
def test_boxes_prove_what_bounds_do_not(make: Make, ranges: dict[str, tuple[float, float]]) -> None:
    assert rules(logarithm(make), ranges) == []


@pytest.mark.parametrize(
    ("make", "ranges"),
    [
        (_damped, {"x": (-1.0, 100.0), "y": (0.0, 0.0)}),
        (_mixed, {"x": (-5.0, 5.0), "y": (0.0, 2.8)}),  # e is where it touches 0
        (_mixed, {"x": (-5.0, 5.0), "y": (-1.0, 2.5)}),
        (_returned, {"x": (-1e5, 1e5), "y": (-1e5, 1e5)}),
    ],
)
def test_what_may_fail_is_told(make: Make, ranges: dict[str, tuple[float, float]]) -> None:
    assert rules(logarithm(make), ranges) == [("log-of-nonpositive", "log")]


@pytest.mark.parametrize(("make", "ranges"), CASES)
@given(seed=st.integers(0, 2**32 - 1))
def test_no_run_fails(make: Make, ranges: dict[str, tuple[float, float]], seed: int) -> None:
    rng = np.random.default_rng(seed)
    feeds = {}
    for name, (low, high) in ranges.items():
        drawn = rng.uniform(low, high, 8)
        drawn[rng.uniform(size=8) < 0.3] *= 10.0 ** rng.uniform(-8, 0)
        feeds[name] = np.clip(drawn, low, high).astype(np.float32)
        feeds[name][:2] = low, high
    result, value = engine(logarithm(make)).run(None, feeds)
    assert np.isfinite(result).all(), value


def test_a_value_and_its_transpose_are_two_variables() -> None:
    b = Builder()
    x = b.input("x", (3, 3))
    value = b.op("Add", b.op("Sub", b.op("Mul", x, x), b.op("Mul", x, b.op("Transpose", x))), b.const(1.0))
    assert rules(b.graph(b.op("Log", value, name="log")), {"x": (-2.0, 2.0)}) == [("log-of-nonpositive", "log")]


def test_a_type_without_the_points_between_is_covered_whole() -> None:
    """``(x - 1.5) (1.5 - x)`` of whole numbers and of halves: 0 at 1.5, which is a number of the type."""
    b = Builder()
    x = b.input("x", (4,))
    product = b.op("Mul", b.op("Sub", x, b.const(1.5)), b.op("Sub", b.const(1.5), x))
    assert rules(b.graph(b.op("Log", b.op("Neg", product), name="log")), {"x": (0.3, 7.0)}) == [
        ("log-of-nonpositive", "log")
    ]


def focal(weight: float, *, given: float = 1.0, again: bool = False) -> Graph:
    """``exp(-weight y x - 2 log(given + exp(-x)))``; with `again` of what no run has to survive."""
    b = Builder()
    x, y = b.input("x", (8,)), b.input("y", (8,))
    total = b.op("Add", b.op("Exp", b.op("Mul", x, b.const(-1.0)), name="first"), b.const(given))
    if again:  # where the first overflows, its result is thrown away
        total = b.op("Where", b.op("Greater", x, b.const(-80.0)), total, b.const(2.0))
    labelled = b.op("Mul", b.op("Mul", y, b.const(-weight)), x)
    return b.graph(b.op("Exp", b.op("Sub", labelled, b.op("Mul", b.op("Log", total), b.const(2.0))), name="last"))


WIDE = {"x": (-1e7, 1e7), "y": (0.0, 1.0)}
OVERFLOW = "exp-overflow"


@pytest.mark.parametrize("weight", [0.5, 2.0])
def test_what_an_earlier_operator_does_not_survive_is_no_case(weight: float) -> None:
    assert rules(focal(weight), WIDE) == [(OVERFLOW, "first")]


def test_what_an_earlier_operator_survives_may_fail_later() -> None:
    assert rules(focal(3.5), WIDE) == [(OVERFLOW, "first"), (OVERFLOW, "last")]


def test_what_an_earlier_operator_throws_away_is_a_case() -> None:
    assert (OVERFLOW, "last") in rules(focal(2.0, again=True), WIDE)


@given(seed=st.integers(0, 2**32 - 1))
def test_no_run_that_survives_the_first_exponential_fails_at_the_last(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-88.7, rng.choice([1.0, 100.0, 1e7]), 8).astype(np.float32)
    y = rng.choice([rng.uniform(0, 1, 8), rng.choice([0.0, 1.0], 8)]).astype(np.float32)
    (result,) = engine(focal(2.0)).run(None, {"x": x, "y": y})
    assert np.isfinite(result).all()
