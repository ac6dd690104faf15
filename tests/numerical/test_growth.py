"""Which values grow exponentially with what a model is given, and which a deep network only passes on."""

from __future__ import annotations

from collections.abc import Sequence

import onnx
import pytest
from onnx import TensorProto, helper

from analyzer.loading.onnx_file import graph_from_proto
from analyzer.numerical.growth import exponential
from analyzer.numerical.interpreter import Options, interpret


def growing(nodes: Sequence[onnx.NodeProto], result: str) -> int:
    """How many nodes of a graph of one unbounded input."""
    graph = helper.make_graph(
        list(nodes), "g",
        [helper.make_tensor_value_info("x0", TensorProto.FLOAT, [4])],
        [helper.make_tensor_value_info(result, TensorProto.FLOAT, [4])],
    )  # fmt: skip
    made = graph_from_proto(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]), None)
    return len(exponential(made, interpret(made, {}, options=Options()).values))


@pytest.mark.parametrize("gate", ["Sigmoid", "Tanh"])
def test_gates_add_no_degree(gate: str) -> None:
    node = helper.make_node
    layers = [
        each
        for i in range(20)
        for each in (node(gate, [f"x{i}"], [f"g{i}"]), node("Mul", [f"x{i}", f"g{i}"], [f"x{i + 1}"]))
    ]
    assert growing(layers, "x20") == 0


def test_squares_of_squares_grow() -> None:
    node = helper.make_node
    assert growing([node("Mul", [f"x{i}", f"x{i}"], [f"x{i + 1}"]) for i in range(6)], "x6") > 0
