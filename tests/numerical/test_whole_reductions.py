"""A reduction over everything bounds every element, whatever is left of its axes."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, bounds, rules, run

LEFT = {"kept": {"keepdims": 1}, "scalar": {"keepdims": 0}}


@pytest.mark.parametrize("left", LEFT)
@pytest.mark.parametrize("shape", [(6,), (3, 4)])
def test_a_softmax_by_hand_over_everything(left: str, shape: tuple[int, ...]) -> None:
    b = Builder()
    x = b.input("x", shape)
    e = b.op("Exp", b.op("Sub", x, b.op("ReduceMax", x, **LEFT[left])))
    graph = b.graph(b.op("Div", e, b.op("ReduceSum", e, **LEFT[left])))
    assert rules(graph, {"x": (-1000, 1000)}) == []
    assert run(graph, {"x": (-1000, 1000)}).overflows == ()
    low, high = bounds(graph, {"x": (-1000, 1000)})
    assert low >= 0
    assert high <= 1.001


@pytest.mark.parametrize("reshaped", [None, [1], [1, 1]])
def test_a_scalar_maximum_may_be_reshaped(reshaped: list[int] | None) -> None:
    b = Builder()
    x = b.input("x", (3, 4))
    most = b.op("ReduceMax", x, keepdims=0)
    if reshaped is not None:
        most = b.op("Reshape", most, b.const(reshaped, np.int64))
    assert bounds(b.graph(b.op("Sub", x, most)), {"x": (-50, 50)})[1] <= 0


@pytest.mark.parametrize("start", [-np.inf, -1e9, 0.0])
def test_the_softmax_of_jax_starts_its_maximum_with_minus_infinity(start: float) -> None:
    """Of jax2tf: max(-inf, reduce_max(x)), reshaped and expanded to the row. A start within the values is no excuse."""
    b = Builder()
    x = b.input("x", (3, 4))
    most = b.op("Max", b.const(start), b.op("ReduceMax", x, b.const([1], np.int64), keepdims=0))
    column = b.op("Reshape", most, b.const([3, 1], np.int64))
    e = b.op("Exp", b.op("Sub", x, b.op("Expand", column, b.const([3, 4], np.int64))))
    graph = b.graph(b.op("Div", e, b.op("ReduceSum", e, b.const([1], np.int64), keepdims=1)))
    low, high = (-1000, 1000) if start else (-1000, -200)
    assert rules(graph, {"x": (low, high)}) == ([] if start else [("division-by-zero", "Div_7")])


def test_scaling_by_a_norm_of_everything() -> None:
    b = Builder()
    x = b.input("x", (3, 4))
    scaled = b.op("Div", x, b.op("Add", b.op("ReduceL2", x, keepdims=0), b.const(1e-6)))
    low, high = bounds(b.graph(scaled), {"x": (-50, 50)})
    assert low >= -1.01
    assert high <= 1.01


def test_a_maximum_over_one_axis_bounds_no_other_row() -> None:
    """x of (4, 4) minus its maxima over axis 1, which broadcast along the other axis."""
    b = Builder()
    x = b.input("x", (4, 4))
    graph = b.graph(b.op("Sub", x, b.op("ReduceMax", x, b.const([1], np.int64), keepdims=0)))
    assert bounds(graph, {"x": (-50, 50)})[1] >= 100


def test_a_sum_of_segments_of_what_is_not_negative_is_not_negative() -> None:
    """PyTorch Geometric's degrees: scatter_add of ones and weights on zeros."""
    b = Builder()
    index, weights = b.input("i", (6,), "int64"), b.input("w", (6,))
    total = b.op("ScatterElements", b.const(np.zeros(3)), index, weights, axis=0, reduction="add")
    low, high = bounds(b.graph(total), {"i": (0, 2), "w": (0, 5)})
    assert low == 0
    assert 30 <= high <= 30.01
    assert rules(b.graph(b.op("Log", b.op("Add", total, b.const(1e-6)))), {"i": (0, 2), "w": (0, 5)}) == []
