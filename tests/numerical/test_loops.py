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
