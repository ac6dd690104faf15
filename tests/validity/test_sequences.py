"""Sequences of tensors are followed: exporters split and pick through them."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from onnx import TensorProto
from onnx import helper as h

from analyzer.graph import Graph
from analyzer.validity.architecture import Requirements
from analyzer.validity.graph_reader import program_of, read_graph


def program(nodes: list[Any], shape: list[int], **constants: Any) -> Requirements:
    values = [onnx.numpy_helper.from_array(np.asarray(v, np.int64), n) for n, v in constants.items()]
    graph = h.make_graph(
        nodes,
        "g",
        [h.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [h.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        values,
    )
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 17)])
    return program_of(read_graph(Graph(ir.serde.deserialize_model(model))))


SPLIT = h.make_node("SplitToSequence", ["x", "parts"], ["s"], axis=1)


@pytest.mark.parametrize(
    ("parts", "index", "shape"),
    [([3, 5], 1, (2, 5)), (3, 2, (2, 2)), (3, -3, (2, 3))],
)
def test_a_part_has_its_size(parts: Any, index: int, shape: tuple[int, ...]) -> None:
    found = program([SPLIT, h.make_node("SequenceAt", ["s", "i"], ["y"])], [2, 8], parts=parts, i=index)
    assert found.values["y"].shape == shape
    assert not found.unknown


def failures(found: Requirements) -> list[str]:
    return [s.requirement.rule.id for s in found.steps if s.condition is False]


def test_positions_and_parts_are_checked() -> None:
    pick = h.make_node("SequenceAt", ["s", "i"], ["y"])
    assert failures(program([SPLIT, pick], [2, 8], parts=[3, 5], i=2)) == ["sequence-position"]
    assert failures(program([SPLIT, pick], [2, 8], parts=[3, 4], i=0)) == ["split-sum"]


def test_what_was_split_can_be_changed_and_joined() -> None:
    nodes = [
        SPLIT,
        h.make_node("SequenceErase", ["s", "i"], ["t"]),
        h.make_node("SequenceInsert", ["t", "x"], ["u"]),
        h.make_node("SequenceLength", ["u"], ["n"]),
        h.make_node("ConcatFromSequence", ["u"], ["y"], axis=1),
    ]
    found = program(nodes, [2, 8], parts=[3, 5], i=0)
    assert found.values["n"].value == 2
    assert found.values["y"].shape == (2, 13)
