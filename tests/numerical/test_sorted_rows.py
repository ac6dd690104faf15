"""Neighbours in sorted rows are in order, and every row of a causal mask shows something, whatever its length."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from build import Builder, bounds, rules
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper, numpy_helper
from test_relations import engine

from analyzer.graph import Graph

WIDE = {"x": (-9.0, 9.0)}
SIZE = 8
ROOT = [("sqrt-of-negative", "root")]
MASKED = [("softmax-of-minus-infinity", "softmax")]
Between = Callable[[Builder, str], str]


def root_of_steps(
    between: Between = lambda b, y: y, *, largest: int = 0, swapped: bool = False, axis: int = -1, apart: int = 1
) -> Graph:
    """``sqrt(y[1:] - y[:-1])`` of a sorted row, `swapped`: the other way round."""
    b = Builder()
    x = b.input("x", (3, SIZE))
    y, _ = b.op("TopK", x, b.const([SIZE], np.int64), outputs=2, axis=axis, largest=largest)
    y = between(b, y)
    at = [b.const([n], np.int64) for n in (apart, SIZE, 0, SIZE - apart, 1)]
    later, sooner = b.op("Slice", y, at[0], at[1], at[4]), b.op("Slice", y, at[2], at[3], at[4])
    return b.graph(b.op("Sqrt", b.op("Sub", *((sooner, later) if swapped else (later, sooner))), name="root"))


@pytest.mark.parametrize("largest", [0, 1])
@pytest.mark.parametrize("swapped", [False, True])
def test_a_sorted_row_rises_or_falls(largest: int, swapped: bool) -> None:
    assert rules(root_of_steps(largest=largest, swapped=swapped), WIDE) == ([] if swapped == bool(largest) else ROOT)


BETWEEN: dict[str, tuple[Between, bool]] = {
    "scaled": (lambda b, y: b.op("Mul", y, b.const(0.3)), True),
    "moved": (lambda b, y: b.op("Sub", y, b.const(0.7)), True),
    "rectified": (lambda b, y: b.op("Relu", y), True),
    "clipped": (lambda b, y: b.op("Clip", y, b.const(-1.0), b.const(1.0)), True),
    "turned": (lambda b, y: b.op("Neg", y), False),
    "turned and scaled": (lambda b, y: b.op("Mul", b.op("Neg", y), b.const(2.0)), False),
    "scaled by a negative number": (lambda b, y: b.op("Mul", y, b.const(-1.0)), False),
    "scaled by each its own": (lambda b, y: b.op("Mul", y, b.const(np.arange(1.0, SIZE + 1))), False),
    "clipped each by its own": (lambda b, y: b.op("Max", y, b.const(np.arange(float(SIZE), 0, -1))), False),
    "squared": (lambda b, y: b.op("Mul", y, y), False),
    "absolute": (lambda b, y: b.op("Abs", y), False),
}


@pytest.mark.parametrize("how", BETWEEN)
def test_what_keeps_the_order_and_what_does_not(how: str) -> None:
    between, kept = BETWEEN[how]
    assert rules(root_of_steps(between), WIDE) == ([] if kept else ROOT)
    if how.startswith("turned"):
        assert rules(root_of_steps(between, swapped=True), WIDE) == []


def test_an_order_along_another_axis_proves_nothing() -> None:
    b = Builder()
    x = b.input("x", (SIZE, SIZE))
    y, _ = b.op("TopK", x, b.const([SIZE], np.int64), outputs=2, axis=0, largest=0)
    at = [b.const([n], np.int64) for n in (1, SIZE, 0, SIZE - 1, 1)]
    step = b.op("Sub", b.op("Slice", y, at[0], at[1], at[4]), b.op("Slice", y, at[2], at[3], at[4]))
    assert rules(b.graph(b.op("Sqrt", step, name="root")), WIDE) == ROOT


@given(st.lists(st.floats(-9, 9, width=32), min_size=3 * SIZE, max_size=3 * SIZE))
def test_runs_of_sorted_rows_are_in_order(numbers: list[float]) -> None:
    x = np.array(numbers, np.float32).reshape(3, SIZE)
    for between, kept in BETWEEN.values():
        if kept:
            (found,) = engine(root_of_steps(between)).run(None, {"x": x})
            assert np.isfinite(found).all()
    y = torch.sort(torch.tensor(x)).values
    assert bool((y[:, 1:] - y[:, :-1] >= 0).all())


def test_a_step_is_bounded_by_the_range() -> None:
    low, high = bounds(root_of_steps(), WIDE)
    assert low == 0
    assert high >= np.sqrt(np.float32(18))


def causal(form: str, *, strict: bool = False, rows: str = "t", moved: bool = False) -> Graph:
    """A softmax of scores behind a triangle of ones of any size; `strict`: the first row shows nothing."""
    b = Builder()
    x = b.input("x", (2, rows, "t"))
    sizes = b.op("Slice", b.op("Shape", x), b.const([1], np.int64), b.const([3], np.int64))
    one = numpy_helper.from_array(np.ones(1, np.float32))
    ones = b.op("ConstantOfShape", sizes, value=one)
    if form == "tril":
        triangle = b.op("Trilu", ones, b.const(-1 if strict else 0, np.int64), upper=0)
        hidden = b.op("Equal", triangle, b.const(0.0))
    elif form == "not tril":
        triangle = b.op("Trilu", ones, b.const(-1 if strict else 0, np.int64), upper=0)
        hidden = b.op("Not", b.op("Cast", triangle, to=helper.np_dtype_to_tensor_dtype(np.dtype(bool))))
    elif form == "triu":
        triangle = b.op("Trilu", ones, b.const(0 if strict else 1, np.int64), upper=1)
        hidden = b.op("Cast", triangle, to=helper.np_dtype_to_tensor_dtype(np.dtype(bool)))
    else:  # what lies before the diagonal is hidden
        triangle = b.op("Trilu", ones, b.const(1 if strict else 0, np.int64), upper=1)
        hidden = b.op("Equal", triangle, b.const(0.0))
    hidden = b.op("Unsqueeze", hidden, b.const([0], np.int64)) if moved else hidden
    scores = b.op("Where", hidden, b.const(-np.inf), x)
    return b.graph(b.op("Softmax", scores, name="softmax"))


@pytest.mark.parametrize("moved", [False, True])
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("form", ["tril", "not tril", "triu", "anticausal"])
def test_a_triangle_of_any_size_shows_something_in_every_row(form: str, strict: bool, moved: bool) -> None:
    graph = causal(form, strict=strict, moved=moved)
    assert rules(graph, WIDE) == (MASKED if strict else [])
    for size in (1, 2, 5):
        (found,) = engine(graph).run(None, {"x": np.ones((2, size, size), np.float32)})
        assert np.isfinite(found).all() == (not strict)


def test_more_rows_than_columns_reach_past_the_diagonal() -> None:
    assert rules(causal("tril", rows="s"), WIDE) == []
    assert rules(causal("anticausal", rows="s"), WIDE) == MASKED
    (found,) = engine(causal("anticausal", rows="s")).run(None, {"x": np.ones((2, 3, 2), np.float32)})
    assert np.isnan(found).any()
