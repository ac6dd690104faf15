"""One result covers every size a dimension may take: means, sums and divisions by the batch size included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from build import Builder, bounds, rules
from programs import session

SIZES = (1, 2, 7, 64)


def batch_size(b: Builder, x: str, dtype: int = 1) -> str:
    n = b.op("Gather", b.op("Shape", x), b.const(0, np.int64), axis=0)
    return str(b.op("Cast", n, to=dtype))


def build(kind: str) -> Any:
    b = Builder()
    x = b.input("x", ("n", 3))
    axis = b.const([0], np.int64)
    n = batch_size(b, x)
    total = b.op("ReduceSum", x, axis, keepdims=0)
    results = {
        "mean": lambda: b.op("ReduceMean", x, axis, keepdims=0),
        "sum": lambda: total,
        "sum over size": lambda: b.op("Div", total, n),
        "unbiased variance": lambda: b.op(
            "Div",
            b.op("ReduceSumSquare", b.op("Sub", x, b.op("ReduceMean", x, axis)), axis, keepdims=0),
            b.op("Sub", n, b.const(1.0)),
        ),
        "one over size": lambda: b.op("Add", b.op("Div", b.const(1.0), n), b.op("ReduceMax", x, axis, keepdims=0)),
        "standard error": lambda: b.op("Div", b.op("ReduceMean", b.op("Abs", x), axis, keepdims=0), b.op("Sqrt", n)),
        "flattened": lambda: b.op("ReduceMean", b.op("Reshape", x, b.const([-1], np.int64)), keepdims=0),
        "size of a concatenation": lambda: b.op(
            "Div", total, batch_size(b, b.op("Concat", x, x, b.const(np.ones((2, 3))), axis=0))
        ),
    }
    result = results[kind]()
    return b.graph(result)


KINDS = ["mean", "sum", "sum over size", "one over size", "standard error", "flattened", "size of a concatenation"]


@pytest.mark.parametrize("kind", KINDS)
def test_runs_of_every_size_lie_within_one_result(kind: str) -> None:
    import onnx_ir as ir

    graph = build(kind)
    low, high = bounds(graph, {"x": (-2, 5)})
    assert rules(graph, {"x": (-2, 5)}) == []
    run = session(ir.to_proto(graph.model), False)
    rng = np.random.default_rng(4)
    for n in SIZES:
        for x in (rng.uniform(-2, 5, (n, 3)), np.full((n, 3), -2.0), np.full((n, 3), 5.0)):
            (value,) = run.run(None, {"x": x.astype(np.float32)})
            assert low <= value.min(), (n, value)
            assert value.max() <= high, (n, value)


def test_the_variance_of_one_element_divides_by_zero() -> None:
    graph = build("unbiased variance")
    assert [r for r, _ in rules(graph, {"x": (-2, 5)})] == ["division-by-zero"]
    assert rules(graph, {"x": (-2, 5)}, symbols={"n": (2, None)}) == []


@pytest.mark.parametrize(("kind", "rule"), [("mean", "empty-mean"), ("sum over size", "division-by-zero")])
def test_a_batch_that_may_be_empty(kind: str, rule: str) -> None:
    graph = build(kind)
    assert [r for r, _ in rules(graph, {"x": (-2, 5)}, symbols={"n": (0, None)})] == [rule]


def test_a_bounded_symbol_bounds_sums() -> None:
    low, high = bounds(build("sum"), {"x": (1, 2)}, symbols={"n": (2, 10)})
    assert 1.99 <= low <= 2
    assert 20 <= high <= 20.01


def test_equal_names_are_equal_sizes() -> None:
    b = Builder()
    x, y = b.input("x", ("n", 3)), b.input("y", ("n", 3))
    ratio = b.op("Div", batch_size(b, x), batch_size(b, y))
    assert bounds(b.graph(ratio), {"x": (0, 1), "y": (0, 1)})[0] > 0


@pytest.mark.parametrize("end", [10**9, 2**31 - 1, 2**63 - 1])
@pytest.mark.parametrize("size_type", [None, 6])
def test_a_softmax_keeps_its_rows_through_shapes_of_32_bits_and_slices_to_the_end(
    end: int, size_type: int | None
) -> None:
    """What tf2onnx makes of JAX: sizes cast to int32 and back, slices that end at 10**9."""
    b = Builder()
    x = b.input("x", ("n", 4))
    whole = b.op("Slice", x, b.const([0], np.int64), b.const([end], np.int64), b.const([0], np.int64))
    n = b.op("Slice", b.op("Shape", x), b.const([0], np.int64), b.const([1], np.int64))
    if size_type is not None:
        n = b.op("Cast", b.op("Cast", n, to=size_type), to=7)
    column = b.op("Concat", n, b.const([1], np.int64), axis=0)
    most = b.op("ReduceMax", whole, b.const([1], np.int64), keepdims=0)
    e = b.op("Exp", b.op("Sub", whole, b.op("Expand", b.op("Reshape", most, column), column)))
    graph = b.graph(b.op("Div", e, b.op("ReduceSum", e, b.const([1], np.int64), keepdims=1)))
    assert rules(graph, {"x": (-1000, 1000)}) == []
