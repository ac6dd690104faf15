"""Squared distances written out: below 0 by rounding alone, so that their root fails and their exponential does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from build import Builder, bounds, rules, run
from containment import outside
from test_relations import engine

from analyzer.graph import Graph

N, M, D = 6, 8, 5
RANGES: dict[str, Any] = {"x": (-20.0, 20.0), "y": (-20.0, 20.0)}


def sums(b: Builder, x: str, keepdims: int, axis: int = 1) -> str:
    return str(b.op("ReduceSum", b.op("Pow", x, b.const(2.0)), b.const([axis], np.int64), keepdims=keepdims))


def transposed(b: Builder, y: str) -> str:
    return str(b.op("Transpose", y, perm=[1, 0]))


def expanded(b: Builder, x: str, y: str, factor: float) -> str:
    cross = b.op("Mul", b.op("MatMul", x, transposed(b, y)), b.const(factor))
    return str(b.op("Sub", b.op("Add", sums(b, x, 1), sums(b, y, 0)), cross))


def added_last(b: Builder, x: str, y: str, factor: float) -> str:
    cross = b.op("MatMul", b.op("Mul", x, b.const(-factor)), transposed(b, y))
    column = b.op("Unsqueeze", sums(b, x, 0), b.const([1], np.int64))
    return str(b.op("Add", b.op("Add", cross, column), transposed(b, sums(b, y, 1))))


def one_operator(b: Builder, x: str, y: str, factor: float) -> str:
    rows = b.op("Expand", sums(b, x, 1), b.const([N, M], np.int64))
    columns = transposed(b, b.op("Expand", sums(b, y, 1), b.const([M, N], np.int64)))
    return str(b.op("Gemm", x, transposed(b, y), b.op("Add", rows, columns), alpha=-factor))


def of_labels(b: Builder, x: str, y: str, factor: float) -> str:
    both = b.op("Add", sums(b, x, 1), sums(b, y, 0))
    cross = b.op("Einsum", x, y, equation="nd,md->nm")
    return str(b.op("Sub", both, b.op("Mul", cross, b.const(factor))))


def negated(b: Builder, x: str, y: str, factor: float) -> str:
    cross = b.op("Mul", b.op("MatMul", x, transposed(b, y)), b.const(factor))
    return str(b.op("Neg", b.op("Sub", b.op("Sub", cross, sums(b, x, 1)), sums(b, y, 0))))


def of_itself(b: Builder, x: str, y: str, factor: float) -> str:
    gram = b.op("MatMul", x, transposed(b, x))
    flat = b.op("Reshape", gram, b.const([-1], np.int64))
    squares = b.op("Gather", flat, b.const(np.arange(N) * (N + 1), np.int64), axis=0)
    both = b.op("Add", squares, b.op("Unsqueeze", squares, b.const([1], np.int64)))
    return str(b.op("Sub", both, b.op("Mul", gram, b.const(factor))))


def by_element(b: Builder, x: str, y: str, factor: float) -> str:
    z = b.op("Slice", y, b.const([0], np.int64), b.const([N], np.int64), b.const([0], np.int64))
    squares = b.op("Add", b.op("Mul", x, x), b.op("Mul", z, z))
    return str(b.op("Sub", squares, b.op("Mul", b.op("Mul", x, b.const(factor)), z)))


FORMS = [expanded, added_last, one_operator, of_labels, negated, of_itself, by_element]
Form = Callable[[Builder, str, str, float], str]


def graph_of(form: Form, last: str = "", factor: float = 2.0) -> Graph:
    b = Builder()
    d = form(b, b.input("x", (N, D)), b.input("y", (M, D)), factor)
    if last == "exp":
        d = b.op("Exp", b.op("Neg", d), name="last")
    elif last == "sqrt":
        d = b.op("Sqrt", d, name="last")
    elif last:
        d = b.op("Log", b.op("Add", d, b.const(float(last))), name="last")
    return b.graph(d)


@pytest.mark.parametrize("form", FORMS)
def test_rounding_is_all_that_takes_a_squared_distance_below_zero(form: Form) -> None:
    low, high = bounds(graph_of(form), RANGES)
    assert -0.1 < low < 0 < high
    assert rules(graph_of(form, "exp"), RANGES) == []
    assert rules(graph_of(form, "0.1"), RANGES) == []
    assert rules(graph_of(form, "1e-6"), RANGES) == [("log-of-nonpositive", "last")]  # rounding may take more
    assert rules(graph_of(form, "sqrt"), RANGES) == [("sqrt-of-negative", "last")]
    assert bounds(graph_of(form, factor=2.01), RANGES)[0] < -1
    assert rules(graph_of(form, "exp", factor=2.4), RANGES) == [("exp-overflow", "last")]  # 0.4 * 20² of one element
    assert bounds(graph_of(form, factor=1.9), RANGES)[0] > -0.1  # what is added is not negative
    assert bounds(graph_of(form, factor=-2.0), RANGES)[0] > -0.1


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(3))
def test_no_run_leaves_the_bounds_of_a_distance(form: Form, seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = graph_of(form)
    known = run(graph, RANGES, everything=True).values[graph.graph.outputs[0]]
    session, below = engine(graph), 0
    for scale in (1.0, 1e-3, 1e-12, 1e-22):
        for _ in range(8):
            x = (rng.uniform(-20, 20, (N, D)) * scale).astype(np.float32)
            y = (rng.uniform(-20, 20, (M, D)) * scale).astype(np.float32)
            x[3:] = x[:3] * (1 + rng.choice([0, 1e-4, 1e-7], (3, 1)).astype(np.float32))
            y[:N] = x + rng.choice([0, 1e-4, 1e-7], (N, 1)).astype(np.float32) * x
            feeds = {i.name: {"x": x, "y": y}[i.name] for i in session.get_inputs()}
            (result,) = session.run(None, feeds)
            below += int((result < 0).any())
            assert outside(known, result) == ""
    assert below  # the bound below 0 is no mere caution


def wrong(what: str) -> Graph:
    """Nearly the same: of other rows, of other vectors, with the squares along the wrong axis."""
    b = Builder()
    x, y = b.input("x", (N, N)), b.input("y", (N, N))
    squares = {"rows": (sums(b, x, 0), sums(b, y, 0)), "axis": (sums(b, x, 1, 0), sums(b, y, 0))}
    first, second = squares.get(what, (sums(b, x, 1), sums(b, y, 0)))
    other = transposed(b, y) if what != "untransposed" else y
    left = b.op("Slice", x, b.const([-1], np.int64), b.const([-N - 1], np.int64), b.const([0], np.int64),
                b.const([-1], np.int64)) if what == "reversed" else x  # fmt: skip
    if what == "shifted":
        left = b.op("Add", x, b.const(1.0))
    cross = b.op("Mul", b.op("MatMul", left, other), b.const(2.0))
    return b.graph(b.op("Exp", b.op("Neg", b.op("Sub", b.op("Add", first, second), cross)), name="last"))


@pytest.mark.parametrize("what", ["rows", "axis", "untransposed", "reversed", "shifted"])
def test_what_only_looks_like_a_distance_is_none(what: str) -> None:
    assert rules(wrong(what), RANGES) == [("exp-overflow", "last")]
    assert rules(wrong("nothing"), RANGES) == []


def test_what_is_repeated_along_the_sum_is_another_vector() -> None:
    """``x² + sum(y²) - 2 sum(x y)`` with one number x for all y: of one unknown size or of size 1."""
    for size in ("k", 1):
        b = Builder()
        x, y = b.input("x", (4, size)), b.input("y", (4, 5))
        cross = b.op("ReduceSum", b.op("Mul", x, y), b.const([1], np.int64), keepdims=0)
        both = b.op("Add", sums(b, x, 0), sums(b, y, 0))
        graph = b.graph(b.op("Sub", both, b.op("Mul", cross, b.const(2.0))))
        assert bounds(graph, RANGES)[0] < -100


def test_doubles_whose_squares_overflow_prove_nothing_and_raise_nothing() -> None:
    b = Builder()
    x, y = b.input("x", (4,), "float64"), b.input("y", (4,), "float64")
    squares = b.op("Add", b.op("Mul", x, x), b.op("Mul", y, y))
    cross = b.op("Mul", b.op("Mul", b.const(0.8, np.float64), x), y)
    graph = b.graph(b.op("Log", b.op("Add", b.op("Sub", squares, cross), b.const(1.0, np.float64)), name="log"))
    assert rules(graph, {"x": (-1e3, 1e3), "y": (-1e3, 1e3)}) == []
    found = run(graph, {"x": (-1e200, 1e200), "y": (-1e200, 1e200)})
    assert found.failed_rules == ()
    assert [w.node.name for w in found.warnings if w.rule.endswith("log-of-nonpositive")] == ["log"]
