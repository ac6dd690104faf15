"""What is computed of constants alone is known: sums of whole numbers, rows picked at constant places."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import onnxruntime
import pytest
from build import Builder, bounds, rules
from hypothesis import given
from hypothesis import strategies as st

from analyzer.graph import Graph

N = np.int64


@pytest.mark.parametrize(("stride", "safe"), [(2, True), (1, True), (3, False)])
def test_each_window_of_a_padded_mask_holds_something(stride: int, safe: bool) -> None:
    """log(n) of the n places of windows of 2 by 2, which lie in the picture; steps of 3 leave windows of padding."""
    b = Builder()
    x = b.input("x", (1,))
    ones = b.const(np.ones((12, 12) if safe else (3, 3)))
    padded = b.op("Pad", ones, b.const([1, 1, 1, 1] if safe else [3, 3, 3, 3], N), b.const(0.0))
    size = 14 if safe else 9
    places = np.add.outer(np.arange(0, size - 1, stride), np.arange(2))
    rows = b.op("Gather", padded, b.const(places, N), axis=0)
    windows = b.op("Gather", rows, b.const(places, N), axis=2)
    inside = b.op("Cast", b.op("Equal", windows, b.const(1.0)), to=7)
    counts = b.op("Cast", b.op("ReduceSum", inside, b.const([1, 3], N), keepdims=0), to=1)
    graph = b.graph(b.op("Add", b.op("Log", counts, name="log"), x))
    assert rules(graph, {"x": (-1, 1)}) == ([] if safe else [("log-of-nonpositive", "log")])
    session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    assert bool(np.isfinite(session.run(None, {"x": np.zeros(1, np.float32)})[0]).all()) == safe


@pytest.mark.parametrize(("second", "safe"), [(1, True), (0, False)])
def test_rows_at_constant_places(second: int, safe: bool) -> None:
    """x / (grid[i + 1] - grid[i]): places that indexing with arrays picks."""
    b = Builder()
    x = b.input("x", (1,))
    grid = b.op("Concat", b.const([0.75]), b.op("Add", b.const([0.75]), b.const([0.25])), axis=0)
    first, later = (b.op("GatherND", grid, b.const([[i]], N)) for i in (0, second))
    graph = b.graph(b.op("Div", x, b.op("Sub", later, first), name="div"))
    assert rules(graph, {"x": (1, 2)}) == ([] if safe else [("division-by-zero", "div")])


@given(
    st.lists(st.integers(-(2**25), 2**25), min_size=12, max_size=12),
    st.sampled_from([[0], [1], [0, 1]]),
    st.booleans(),
    st.sampled_from(["float32", "int64"]),
)
def test_sums_of_constants_hold_what_an_engine_gives(values: list[int], axes: list[int], kept: bool, kind: str) -> None:
    b = Builder()
    x = b.input("x", (1,), kind)
    added = b.op("ReduceSum", b.const(np.reshape(values, (3, 4)), kind), b.const(axes, N), keepdims=int(kept))
    graph = b.graph(b.op("Add", added, x))
    low, high = bounds(graph, {"x": (0, 0)})
    session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    (made,) = session.run(None, {"x": np.zeros(1, kind)})
    assert low <= float(np.min(made)) <= float(np.max(made)) <= high


@given(st.lists(st.integers(-3, 2), min_size=1, max_size=4), st.booleans())
def test_picked_rows_hold_what_an_engine_gives(places: list[int], columns: bool) -> None:
    b = Builder()
    x = b.input("x", (3, 2) if columns else (3,))
    parts = b.op("Concat", x, b.const(np.full((1, 2) if columns else (1,), 7.0)), axis=0)
    graph = b.graph(b.op("GatherND", parts, b.const([[p] for p in places], N)))
    low, high = bounds(graph, {"x": (-1, 1)})
    session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    (made,) = session.run(
        None,
        {
            "x": np.linspace(-1, 1, 6 if columns else 3, dtype=np.float32).reshape(3, -1)
            if columns
            else np.float32([-1, 0, 1])
        },
    )
    assert low <= float(np.min(made)) <= float(np.max(made)) <= high


def unmarked(how: str, size: int = 4) -> Graph:
    """``1 / (n - sum(marks) + 1e-7)``: how many of n elements are not marked."""
    b = Builder()
    x = b.input("x", (size,))
    marks = x if how == "shares" else b.op("Cast", b.op("Equal", x, b.const(1.0)), to=1)
    total = b.op("ReduceMean" if how == "means" else "ReduceSum", marks, b.const([0], N))
    of = 1.0 if how == "means" else float(size)
    return b.graph(b.op("Reciprocal", b.op("Add", b.op("Sub", b.const(of), total), b.const(1e-7)), name="share"))


def test_sums_of_truth_values_are_exact() -> None:
    unsafe = [("division-by-zero", "share")]
    assert rules(unmarked("marks"), {"x": (0, 1)}) == []
    assert rules(unmarked("shares"), {"x": (0, 1)}) == unsafe
    assert rules(unmarked("means"), {"x": (0, 1)}) == unsafe
    assert rules(unmarked("marks", 2**25), {"x": (0, 1)}) == unsafe  # past what the type counts one by one
    session = onnxruntime.InferenceSession(ir.to_proto(unmarked("marks").model).SerializeToString())
    (made,) = session.run(None, {"x": np.ones(4, np.float32)})
    assert np.isfinite(made).all()
