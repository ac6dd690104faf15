"""What a reduction says of its operand holds where its places of size 1 are repeated; |p - q| is at most p + q."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import onnxruntime
import pytest
from build import Builder, bounds, rules
from hypothesis import given
from hypothesis import strategies as st

from analyzer.graph import Graph


def _softmax(shape: tuple[int, ...], repeats: list[int]) -> Graph:
    """exp(x - m) / sum(exp(x - m)) with the maximum and the sum along axis 1 repeated by `repeats`."""
    b = Builder()
    x, axis, times = b.input("x", shape), b.const([1], np.int64), b.const(repeats, np.int64)
    grown = b.op("Exp", b.op("Sub", x, b.op("Tile", b.op("ReduceMax", x, axis), times)), name="exp")
    return b.graph(b.op("Div", grown, b.op("Tile", b.op("ReduceSum", grown, axis), times), name="div"))


@pytest.mark.parametrize(
    ("shape", "repeats"),
    [((2, 3, 4), [1, 3, 1]), ((2, 3, 4), [1, 1, 1]), ((1, 3, 4), [2, 3, 1]), ((2, 1, 3), [1, 1, 1])],
)
def test_a_repeated_maximum_bounds_what_it_is_of(shape: tuple[int, ...], repeats: list[int]) -> None:
    assert rules(_softmax(shape, repeats), {"x": (-500, 500)}) == []


def test_rows_repeated_in_another_order_bound_nothing() -> None:
    """The maxima of 2 rows, tiled to the 4 rows of something twice as long: each meets another one's."""
    b = Builder()
    x = b.input("x", (2, 3))
    longer = b.op("Reshape", b.op("Concat", x, x, axis=1), b.const([4, 3], np.int64))
    tiled = b.op("Tile", b.op("ReduceMax", x, b.const([1], np.int64)), b.const([2, 3], np.int64))
    graph = b.graph(b.op("Exp", b.op("Sub", longer, tiled), name="exp"))
    assert rules(graph, {"x": (-500, 500)}) == [("exp-overflow", "exp")]
    session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    assert np.isinf(session.run(None, {"x": np.float32([[0, 0, 0], [400, 400, 400]])})[0]).any()


@pytest.mark.parametrize(
    ("least", "shift", "more", "safe"), [(0.0, 1.0, 1.0, True), (-5.0, 1.0, 1.0, False), (0.0, 2.0, 1.0, False)]
)
def test_a_difference_is_no_larger_than_the_sum(least: float, shift: float, more: float, safe: bool) -> None:
    """asin((p - 1) / (p + 1)) of what is not negative, as on the sphere of Riemann; not of p below 0, nor of others."""
    b = Builder()
    x = b.input("x", (8,))
    p = b.op("Mul", x, x) if least == 0 else x
    ratio = b.op("Div", b.op("Sub", p, b.const(shift)), b.op("Add", p, b.const(more)))
    graph = b.graph(b.op("Asin", ratio, name="asin"))
    found = rules(graph, {"x": (max(least, -0.9) if least < 0 else -1e4, 1e4)})
    assert ([] if safe else [("invalid-domain", "asin")]) == found


SIZES = st.lists(st.floats(0, 2.0**127, width=32), min_size=4, max_size=4)


@given(SIZES, SIZES, st.booleans())
def test_the_bound_holds_for_every_two_numbers(first: list[float], second: list[float], turned: bool) -> None:
    b = Builder()
    p, q = b.input("p", (4,)), b.input("q", (4,))
    less = b.op("Sub", q, p) if turned else b.op("Add", p, b.op("Neg", q))
    graph = b.graph(b.op("Div", less, b.op("Add", q, p)))
    assert bounds(graph, {"p": (0, 2.0**126), "q": (1e-30, 2.0**126)}) == (-1, 1)
    x, y = np.float32(first), np.maximum(np.float32(second), np.float32(1e-30))
    with np.errstate(over="ignore", invalid="ignore"):
        total, apart = x + y, (y - x if turned else x - y)
        ratio = apart / total
    assert bool((np.abs(ratio[np.isfinite(total)]) <= 1).all())
