"""Loops: every trip count that is possible is covered, zero iterations and growth included."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from build import bounds, rules
from onnx import TensorProto, helper, numpy_helper

from analyzer.graph import Graph


def counting(body: str, factor: float = 1.0) -> Graph:
    """for _ in range(n): y = y + factor (or y * factor, or tanh(y) …), from y = 0 (or y0)."""
    c = numpy_helper.from_array(np.float32(factor), "factor")
    nodes = [
        helper.make_node(body, ["y", "factor"] if body in ("Add", "Mul", "Div") else ["y"], ["y_next"], name="step"),
        helper.make_node("Identity", ["go"], ["go_next"]),
        helper.make_node("Identity", ["y"], ["seen"]),
    ]
    scalar = helper.make_tensor_value_info
    inner = helper.make_graph(
        nodes,
        "body",
        [scalar("i", TensorProto.INT64, []), scalar("go", TensorProto.BOOL, []), scalar("y", TensorProto.FLOAT, [])],
        [
            scalar("go_next", TensorProto.BOOL, []),
            scalar("y_next", TensorProto.FLOAT, []),
            scalar("seen", TensorProto.FLOAT, []),
        ],
        [c],
    )
    loop = helper.make_node("Loop", ["n", "", "y0"], ["y_end", "ys"], body=inner, name="loop")
    outer = helper.make_graph(
        [loop],
        "g",
        [scalar("n", TensorProto.INT64, []), scalar("y0", TensorProto.FLOAT, [])],
        [scalar("y_end", TensorProto.FLOAT, []), scalar("ys", TensorProto.FLOAT, ["k"])],
    )
    return Graph(ir.from_proto(helper.make_model(outer, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)))


@pytest.mark.parametrize("trips", [(0, 0), (0, 5), (2, 5), (3, 3), (0, 40), (30, 50)])
def test_every_concrete_trip_count_is_covered(trips: tuple[int, int]) -> None:
    low, high = bounds(counting("Add"), {"n": trips, "y0": (0, 0)})
    for n in {trips[0], trips[1], (trips[0] + trips[1]) // 2}:
        assert low <= n <= high, (n, low, high)
    if trips[0] == trips[1]:
        assert (low, high) == (trips[0], trips[0])


@pytest.mark.parametrize(("body", "factor"), [("Mul", 2.0), ("Mul", -1.5), ("Mul", 0.5), ("Div", -3.0)])
def test_growth_and_decay(body: str, factor: float) -> None:
    low, high = bounds(counting(body, factor), {"n": (0, 30), "y0": (1, 2)})
    for start in (1.0, 2.0):
        y = np.float32(start)
        for _ in range(31):
            assert low <= y <= high, (y, low, high)
            y = np.float32(y * factor) if body == "Mul" else np.float32(y / factor)


def test_what_is_stable_stays_precise() -> None:
    low, high = bounds(counting("Tanh"), {"n": (0, 1000), "y0": (-3, 2)})
    assert low == -3
    assert high == 2
    low, high = bounds(counting("Tanh"), {"n": (1, 1000), "y0": (-3, 2)})
    assert low >= -1.001
    assert high <= 1.001


def test_failures_inside_a_body_are_found_once() -> None:
    assert rules(counting("Log"), {"n": (0, 10), "y0": (2, 3)}) == [("log-of-nonpositive", "step")]
    assert rules(counting("Sqrt"), {"n": (0, 10), "y0": (2, 3)}) == []


def tf_while(limit: int) -> Graph:
    """i = 0; while i < limit: i = i + 1"""

    def value(name: str, dtype: ir.DataType) -> ir.Value:
        return ir.Value(name=name, type=ir.TensorType(dtype), shape=ir.Shape([]))

    def constant(number: int) -> ir.Node:
        tensor = ir.tensor(np.array(number, np.int32))
        node = ir.node("Const", [], {"value": tensor}, domain="tf")
        node.outputs[0].dtype = ir.DataType.INT32
        return node

    def graph(name: str, op: str, number: int) -> ir.Graph:
        i = value("i", ir.DataType.INT32)
        c = constant(number)
        node = ir.node(op, [i, c.outputs[0]], domain="tf")
        return ir.Graph([i], [node.outputs[0]], nodes=[c, node], name=name, opset_imports={"tf": 1})

    start = value("start", ir.DataType.INT32)
    attributes: dict[str, Any] = {"cond": graph("cond", "Less", limit), "body": graph("body", "AddV2", 1)}
    loop = ir.node("While", [start], attributes, domain="tf")
    loop.outputs[0].dtype = ir.DataType.INT32
    main = ir.Graph([start], [loop.outputs[0]], nodes=[loop], name="g", opset_imports={"tf": 1, "": 20})
    return Graph(ir.Model(main, ir_version=10), framework="tensorflow")


def test_leaving_a_while_loop_bounds_its_counter() -> None:
    assert bounds(tf_while(10), {"start": (0, 0)}) == (10, 10)
    assert bounds(tf_while(1000), {"start": (0, 3)}) == (1000, 1000)
    assert bounds(tf_while(10), {"start": (0, 40)}) == (10, 40)


def looping(body: Any, *states: tuple[str, tuple[Any, ...], int], trips: int | None = None) -> Graph:
    """for _ in range(n): the states go through `body(builder, *names) -> names`; `n` is an input, or `trips`."""
    from build import Builder

    inner, outer = Builder(), Builder()
    formals = [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("go", 9, [])]
    formals += [helper.make_tensor_value_info(name, kind, shape) for name, shape, kind in states]
    results = body(inner, *(name for name, _, _ in states))
    on = inner.op("Identity", "go")
    proto = helper.make_graph(
        inner.nodes,
        "body",
        formals,
        [helper.make_empty_tensor_value_info(o) for o in (on, *results)],
        inner.initializers,
    )
    n = outer.const(trips, np.int64) if trips is not None else outer.input("n", (), "int64")
    starts = [outer.input(f"{name}0", shape) for name, shape, _ in states]
    ends = outer.op("Loop", n, "", *starts, body=proto, outputs=len(states))
    return outer.graph(*([ends] if isinstance(ends, str) else ends))


def test_narrowing_comes_back_to_the_fixed_point() -> None:
    """y = y / 2 + 3 tends to 6, whatever threshold widening has jumped to."""
    graph = looping(
        lambda b, y: [b.op("Add", b.op("Mul", y, b.const(0.5)), b.const(3.0))], ("y", (4,), TensorProto.FLOAT)
    )
    low, high = bounds(graph, {"n": (0, 10**6), "y0": (0, 1)})
    assert low <= 0
    assert 6 <= high <= 20


def test_partitions_survive_where_they_are_stable() -> None:
    """The first half grows, the second stays: its logarithm is safe after any number of iterations."""
    from build import Builder

    def body(b: Builder, y: str) -> list[str]:
        first, second = b.op("Split", y, b.const([2, 2], np.int64), axis=0, outputs=2)
        return [b.op("Concat", b.op("Sub", first, b.const(1.0)), second, axis=0)]

    from build import run

    from analyzer.numerical.domain import dtypes
    from analyzer.numerical.domain.tensor import AbstractTensor

    graph = looping(body, ("y", (4,), TensorProto.FLOAT))
    start = AbstractTensor(dtypes.FLOAT32, (4,), np.array([0.0, 3.0]), np.array([1.0, 4.0]), ((0, 2),))
    result = run(graph, {"n": (0, 50), "y0": start}, everything=True).values[graph.graph.outputs[0]]
    assert result.starts is not None
    assert float(result.lo[-1]) == 3.0
    assert float(result.hi[-1]) == 4.0
    assert result.low <= -50


def test_relations_inside_a_body_hold_in_every_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    def body(b: Any, y: str) -> list[str]:
        gap = b.op("Sub", b.op("Relu", y), y)  # never negative
        return [b.op("Log", b.op("Add", gap, b.const(1.0)), name="log")]

    graph = looping(body, ("y", (4,), TensorProto.FLOAT))
    monkeypatch.setattr("analyzer.numerical.interpreter.ROUNDS_OF_A_RUN", 0)  # halving the range of y proves it too
    assert rules(graph, {"n": (0, 1000), "y0": (-5, 5)}) == []
    assert rules(graph, {"n": (0, 1000), "y0": (-5, 5)}, affine=False) == [("log-of-nonpositive", "log")]


def test_states_that_swap_places() -> None:
    graph = looping(lambda b, y, z: [b.op("Identity", z), b.op("Identity", y)], ("y", (), 1), ("z", (), 1))
    assert bounds(graph, {"n": (0, 9), "y0": (0, 1), "z0": (5, 6)}) == (0, 6)


@pytest.mark.parametrize("n", [0, 1, 2, 5, 17])
def test_sums_of_sums_cover_every_trip_count(n: int) -> None:
    """Two states that feed each other: y += z, z *= 1.5."""
    graph = looping(lambda b, y, z: [b.op("Add", y, z), b.op("Mul", z, b.const(1.5))], ("y", (), 1), ("z", (), 1))
    low, high = bounds(graph, {"n": (0, 17), "y0": (0, 0), "z0": (-1, 2)})
    for z0 in (-1.0, 2.0):
        y, z = np.float32(0), np.float32(z0)
        for _ in range(n):
            y, z = np.float32(y + z), np.float32(z * np.float32(1.5))
        assert low <= y <= high
