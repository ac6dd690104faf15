"""Broadcasts that grow: told where a loss hides behind them, silent where a mask is meant."""

from __future__ import annotations

from typing import Any

import onnx
import onnx_ir as ir
import pytest
from onnx import TensorProto
from onnx import helper as h

from analyzer.configuration.config import TargetConfig
from analyzer.findings import Finding
from analyzer.graph import Graph
from analyzer.validity import analyse

FLOAT, INT = TensorProto.FLOAT, TensorProto.INT64
RULE = "validity/broadcast-grows-both"


def notes(inputs: dict[str, tuple[int, list[Any]]], nodes: list[onnx.NodeProto]) -> list[Finding]:
    values = [h.make_tensor_value_info(n, kind, shape) for n, (kind, shape) in inputs.items()]
    graph = h.make_graph(nodes, "g", values, [h.make_tensor_value_info(nodes[-1].output[0], FLOAT, None)])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 17)])
    found = analyse(Graph(ir.serde.deserialize_model(model)), TargetConfig("t", path="t.onnx")).findings
    return [f for f in found if f.rule == RULE]


def squared_error(left: list[Any], right: list[Any], kind: int = FLOAT, **mean: Any) -> list[Finding]:
    nodes = [
        h.make_node("Sub", ["a", "b"], ["d"]),
        h.make_node("Cast", ["d"], ["f"], to=FLOAT),
        h.make_node("Mul", ["f", "f"], ["s"]),
        h.make_node("ReduceMean", ["s"], ["y"], **mean),
    ]
    return notes({"a": (kind, left), "b": (kind, right)}, nodes)


@pytest.mark.parametrize(("left", "right"), [([32, 1], [32]), ([32], [32, 1]), (["batch", 1], ["batch"])])
def test_a_column_against_a_vector_under_a_mean_is_told(left: list[Any], right: list[Any]) -> None:
    assert len(squared_error(left, right)) == 1
    assert len(squared_error(left, right, keepdims=0)) == 1


@pytest.mark.parametrize(
    ("left", "right"),
    [([32, 1], [1, 32]), ([32, 1], [16]), ([32, 1], [32, 1]), ([2, 16, 1, 8], [32, 8]), ([4, 16, 8], [8])],
)
def test_what_is_aligned_on_purpose_or_does_not_grow_is_silent(left: list[Any], right: list[Any]) -> None:
    assert not squared_error(left, right)


def test_positions_are_whole_numbers_and_silent() -> None:
    assert not squared_error([32, 1], [32], kind=INT)


def test_what_is_not_reduced_is_silent() -> None:
    bias = [h.make_node("Add", ["a", "b"], ["d"]), h.make_node("Softmax", ["d"], ["y"])]
    assert not notes({"a": (FLOAT, [32, 1]), "b": (FLOAT, [32])}, bias)
    assert not squared_error([32, 1], [32], axes=[1])  # a sum over one of them is a kernel estimate


def test_repeats_of_one_line_are_one_note() -> None:
    nodes = []
    for i in range(3):
        nodes += [h.make_node("Sub", ["a", "b"], [f"d{i}"]), h.make_node("ReduceMean", [f"d{i}"], [f"y{i}"])]
    for node in nodes:
        node.metadata_props.add(key="namespace", value="net/loss")
    found = notes({"a": (FLOAT, [8, 1]), "b": (FLOAT, [8])}, nodes)
    assert len(found) < 3


def test_relations_that_follow_from_an_earlier_one_are_not_told_again() -> None:
    """Two feeds whose batches must be equal are one note, however many operators need it."""
    inputs = {"a": (FLOAT, ["n", 8]), "b": (FLOAT, ["m", 8])}
    nodes = [h.make_node("Sub", ["a", "b"], ["d0"])]
    for i in range(4):
        nodes += [h.make_node("Mul", [f"d{i}", "b"], [f"e{i}"]), h.make_node("Add", [f"e{i}", "a"], [f"d{i + 1}"])]
    values = [h.make_tensor_value_info(n, kind, shape) for n, (kind, shape) in inputs.items()]
    graph = h.make_graph(nodes, "g", values, [h.make_tensor_value_info("d4", FLOAT, None)])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 17)])
    found = analyse(Graph(ir.serde.deserialize_model(model)), TargetConfig("t", path="t.onnx")).findings
    (told,) = (f for f in found if f.rule == "validity/dimension-contract")
    assert "n = m" in told.message or "m = n" in told.message


def test_sizes_that_data_decide_are_no_contract_of_the_inputs() -> None:
    """What an operator outside the standard gives has sizes of its own: nobody who feeds the model chooses them."""

    def told(size: str) -> list[str]:
        value = h.make_tensor_value_info
        graph = h.make_graph(
            [h.make_node("Find", ["x"], ["found"], domain="torch.lib"), h.make_node("Add", ["found", "y"], ["z"])],
            "g",
            [value("x", FLOAT, ["n", 4]), value("y", FLOAT, [48, 4])],
            [value("z", FLOAT, None)],
            value_info=[value("found", FLOAT, [size, 4])],
        )
        opsets = [h.make_opsetid("", 17), h.make_opsetid("torch.lib", 1)]
        proto = h.make_model(graph, opset_imports=opsets)
        found = analyse(Graph(ir.serde.deserialize_model(proto)), TargetConfig("t", path="t.onnx")).findings
        return [f.rule for f in found]

    assert told("n") == ["validity/dimension-contract"]
    assert told("u0") == ["validity/undecided"]
