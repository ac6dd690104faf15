"""``x + sqrt(x² + c)`` is not below 0, and how far above it lies follows from c and from what rounding takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from build import Builder, bounds, rules
from hypothesis import given
from hypothesis import strategies as st
from test_relations import engine

from analyzer.graph import Graph

WIDE = {"x": (-100.0, 100.0)}


def root(
    b: Builder, x: str, constant: float | str, *, square: str = "Mul", half: str = "Sqrt", first: bool = False
) -> str:
    squared = b.op("Mul", x, x) if square == "Mul" else b.op("Pow", x, b.const(2.0))
    added = b.const(constant) if isinstance(constant, float) else constant
    total = b.op("Add", *((added, squared) if first else (squared, added)))
    return str(b.op("Sqrt", total) if half == "Sqrt" else b.op("Pow", total, b.const(0.5)))


def plus(constant: float = 4.0, *, sign: str = "Add", other: bool = False, **how: Any) -> Graph:
    """The sum (or difference) of a root and what is squared under it (or something else)."""
    b = Builder()
    x = b.input("x", (6,))
    made = root(b, x, constant, **how)
    beside = b.op("Mul", x, b.const(1.5)) if other else x
    return b.graph(b.op("Sub", made, beside) if sign == "Sub" else b.op("Add", beside, made))


@pytest.mark.parametrize("sign", ["Add", "Sub"])
@pytest.mark.parametrize("how", [{}, {"square": "Pow"}, {"half": "Pow"}, {"first": True}])
def test_what_is_added_under_the_root_keeps_the_sum_away_from_0(sign: str, how: dict[str, Any]) -> None:
    low, _ = bounds(plus(sign=sign, **how), WIDE)
    exact = np.sqrt(1e4 + 4) - 100
    assert 0.99 * exact < low < exact


def test_where_rounding_takes_it_the_sum_is_0_and_never_below() -> None:
    assert bounds(plus(), {"x": (-1e6, 1e6)})[0] == 0
    assert bounds(plus(1e-6), WIDE)[0] == 0
    assert np.float32(-1e6) + np.sqrt(np.float32(1e6) ** 2 + np.float32(4)) == 0


def test_squares_that_underflow_leave_a_little() -> None:
    low, _ = bounds(plus(0.0), WIDE)
    assert -1e-18 < low < -1e-20
    assert bounds(plus(1e-30), WIDE)[0] == 0


def test_without_a_constant_or_beside_something_else_it_may_be_below() -> None:
    assert bounds(plus(-4.0), {"x": (-100, -3)})[0] < 0
    assert bounds(plus(other=True), WIDE)[0] < -10


def test_an_inexact_root_may_be_a_little_less() -> None:
    low, _ = bounds(plus(1e-6, half="Pow"), WIDE)
    assert -1e-3 < low < 0


def test_beside_an_absolute_value_of_anything() -> None:
    b = Builder()
    y = b.op("Add", b.op("Mul", b.input("x", (6,)), b.input("y", (6,))), b.const(0.1))
    assert bounds(b.graph(b.op("Add", y, b.op("Abs", y))), {**WIDE, "y": (-3, 3)})[0] == 0
    assert bounds(b.graph(b.op("Sub", b.op("Abs", y), y)), {**WIDE, "y": (-3, 3)})[0] == 0


def squareplus(reader: str, constant: float) -> Graph:
    b = Builder()
    x = b.input("x", (6,))
    half = b.op("Div", b.op("Add", x, root(b, x, constant)), b.const(2.0))
    return b.graph(b.op(reader, half, name="reader"))


@pytest.mark.parametrize("reader", ["Log", "Sqrt", "Reciprocal"])
def test_a_squareplus_is_read_where_only_positive_numbers_may_be(reader: str) -> None:
    assert rules(squareplus(reader, 4.0), WIDE) == []
    lost = {"Log": "log-of-nonpositive", "Reciprocal": "division-by-zero"}.get(reader)
    assert rules(squareplus(reader, 4.0), {"x": (-1e6, 1e6)}) == ([(lost, "reader")] if lost else [])


@given(
    st.floats(0, 1e4, width=16),
    st.lists(st.floats(-200, 200, width=16), min_size=6, max_size=6),
    st.sampled_from(["Add", "Sub"]),
)
def test_no_run_leaves_the_bounds(constant: float, values: list[float], sign: str) -> None:
    graph, x = plus(float(constant), sign=sign), np.array(values, np.float32)
    low, high = bounds(graph, {"x": (float(x.min()), float(x.max()))})
    (result,) = engine(graph).run(None, {"x": x})
    assert low <= result.min()
    assert result.max() <= high


@given(st.integers(0, 2**15 - 1), st.integers(0, 2**15 - 1))
def test_no_half_precision_root_is_below_what_is_squared(bits: int, more: int) -> None:
    x, constant = (np.array(v, np.uint16).view(np.float16) for v in (bits, more))
    if not (np.isfinite(x) and np.isfinite(constant)):
        return
    with np.errstate(over="ignore"):
        made = np.sqrt(x * x + constant)
    assert made >= x or x * x < 2 * np.finfo(np.float16).tiny
