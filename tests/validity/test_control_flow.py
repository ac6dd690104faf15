"""Branches and loops: their bodies are checked, and what they give is what all paths have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from onnx import TensorProto
from onnx import helper as h

from analyzer.configuration.config import TargetConfig
from analyzer.findings import Confidence, Finding, Level
from analyzer.graph import Graph
from analyzer.validity import analyse
from analyzer.validity.architecture import Requirements
from analyzer.validity.decide import VALID_FOR_ALL, decide
from analyzer.validity.graph_reader import program_of, read_graph, without_results
from analyzer.validity.space_reader import read_space

FLOAT, INT, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def info(name: str, shape: Any, kind: int = FLOAT) -> onnx.ValueInfoProto:
    return h.make_tensor_value_info(name, kind, shape)


def constant(name: str, value: Any) -> onnx.TensorProto:
    return onnx.numpy_helper.from_array(np.asarray(value), name)


def graph_of(nodes: list[Any], inputs: list[Any], outputs: list[Any], constants: list[Any] | None = None) -> Graph:
    model = h.make_model(
        h.make_graph(nodes, "g", inputs, outputs, constants or []), opset_imports=[h.make_opsetid("", 17)]
    )
    return Graph(ir.serde.deserialize_model(model))


def findings(graph: Graph) -> list[Finding]:
    return [f for f in analyse(graph, TargetConfig("t", path="t.onnx")).findings if f.level is Level.ERROR]


def program(graph: Graph) -> Requirements:
    return program_of(read_graph(graph))


def branch(name: str, size: int) -> onnx.GraphProto:
    """Multiplies the outer `x` (4 × 8) with `size` × 3 weights."""
    weight = constant(f"{name}_w", np.zeros((size, 3), np.float32))
    node = h.make_node("MatMul", ["x", f"{name}_w"], [f"{name}_y"], name=f"{name}_matmul")
    return h.make_graph([node], name, [], [info(f"{name}_y", [4, 3])], [weight])


def choice(then: int, other: int, condition: list[Any]) -> Graph:
    node = h.make_node("If", ["c"], ["y"], name="choice", then_branch=branch("a", then), else_branch=branch("b", other))
    inputs = [info("x", [4, 8])] if condition else [info("x", [4, 8]), info("c", [], BOOL)]
    return graph_of([node], inputs, [info("y", None)], condition)


def test_a_branch_that_cannot_run_with_these_shapes_is_possible() -> None:
    (found,) = findings(choice(8, 7, []))
    assert found.confidence is Confidence.POSSIBLE
    assert "whenever `else_branch` of `choice` runs" in found.message
    assert "7" in found.message
    assert not findings(choice(8, 8, []))


@pytest.mark.parametrize(("value", "wrong"), [(True, False), (False, True)])
def test_of_a_constant_condition_only_the_taken_branch_counts(value: bool, wrong: bool) -> None:
    graph = choice(8, 7, [constant("c", value)])
    assert bool(findings(graph)) is wrong
    assert all(f.confidence is Confidence.PROVED for f in findings(graph))


def test_branches_of_one_shape_pass_it_on_and_others_do_not() -> None:
    assert program(choice(8, 8, [])).values["y"].shape == (4, 3)


def loop(width: int, trips: int | None, grows: bool = False) -> Graph:
    """Carries x (4 × 8): multiplied with 8 × `width` weights, or joined with itself, in each pass."""
    weight = constant("w", np.zeros((8, width), np.float32))
    step = (
        h.make_node("Concat", ["h", "h"], ["h2"], axis=0, name="join")
        if grows
        else h.make_node("MatMul", ["h", "w"], ["h2"], name="matmul")
    )
    body = h.make_graph(
        [h.make_node("Identity", ["go"], ["go2"]), step, h.make_node("ReduceSum", ["h2"], ["s"], keepdims=0)],
        "body",
        [info("i", [], INT), info("go", [], BOOL), info("h", None)],
        [info("go2", [], BOOL), info("h2", None), info("s", [])],
        [weight],
    )
    node = h.make_node("Loop", ["m", ""], ["y", "sums"], name="loop", body=body)
    node.input[:] = ["m", "", "x"]
    inputs = [info("x", [4, 8])] + ([info("m", [], INT)] if trips is None else [])
    constants = [] if trips is None else [constant("m", np.int64(trips))]
    return graph_of([node], inputs, [info("y", None), info("sums", None)], constants)


def test_the_first_pass_of_a_loop_that_runs_is_certain() -> None:
    assert not findings(loop(8, 3))
    assert program(loop(8, 3)).values["y"].shape == (4, 8)
    assert program(loop(8, 3)).values["sums"].shape == (3,)
    wrong = loop(8, 3)
    wrong.graph.inputs[0].shape = ir.Shape([4, 7])
    (found,) = findings(wrong)
    assert found.confidence is Confidence.PROVED
    wrong = loop(8, None)
    wrong.graph.inputs[0].shape = ir.Shape([4, 7])
    (found,) = findings(wrong)
    assert found.confidence is Confidence.POSSIBLE
    assert "the loop `loop` runs" in found.message


def test_what_a_loop_changes_is_unknown_after_it() -> None:
    shape = program(loop(8, None, grows=True)).values["y"].shape
    assert shape is not None
    assert len(shape) == 2
    assert not isinstance(shape[0], int)
    assert shape[1] == 8
    assert not findings(loop(8, None, grows=True))


def scan(width: int) -> Graph:
    body = h.make_graph(
        [h.make_node("Add", ["s", "e"], ["s2"], name="add"), h.make_node("Identity", ["s2"], ["o"])],
        "body",
        [info("s", [width]), info("e", [8])],
        [info("s2", None), info("o", None)],
    )
    node = h.make_node("Scan", ["s0", "x"], ["last", "all"], name="scan", body=body, num_scan_inputs=1)
    return graph_of([node], [info("s0", [width]), info("x", [5, 8])], [info("last", None), info("all", None)])


def test_a_scan_takes_slices_and_stacks_results() -> None:
    assert not findings(scan(8))
    values = program(scan(8)).values
    assert values["last"].shape == (8,)
    assert values["all"].shape == (5, 8)
    (found,) = findings(scan(7))
    assert found.confidence is Confidence.PROVED


def test_a_body_may_use_a_name_of_its_own_anew() -> None:
    """The body's `y` is not the outer one."""
    inner = h.make_graph([h.make_node("Transpose", ["x"], ["y"], perm=[1, 0])], "inner", [], [info("y", [8, 4])])
    node = h.make_node("If", ["c"], ["z"], then_branch=inner, else_branch=branch("b", 8))
    after = h.make_node("MatMul", ["y", "x"], ["out"])
    first = h.make_node("Transpose", ["x"], ["y"], perm=[1, 0])
    graph = graph_of([first, node, after], [info("x", [4, 8]), info("c", [], BOOL)], [info("out", None)])
    assert program(graph).values["out"].shape == (8, 8)


def test_a_space_over_a_graph_follows_its_shape_arithmetic() -> None:
    """A flatten that exporters write as Shape, Gather, Concat and Reshape holds for every batch of the space."""
    nodes = [
        h.make_node("Shape", ["x"], ["s"]),
        h.make_node("Gather", ["s", "zero"], ["b"], axis=0),
        h.make_node("Unsqueeze", ["b", "axes"], ["b1"]),
        h.make_node("Concat", ["b1", "rest"], ["target"], axis=0),
        h.make_node("Reshape", ["x", "target"], ["f"]),
        h.make_node("MatMul", ["f", "w"], ["y"], name="fc"),
    ]
    constants = [
        constant("zero", np.int64(0)),
        constant("axes", np.array([0])),
        constant("rest", np.array([32])),
        constant("w", np.zeros((32, 5), np.float32)),
    ]
    stated = [info("f", [2, 32]), info("y", [2, 5])]
    graph = graph_of(nodes, [info("x", [2, 4, 8])], stated[1:], constants)
    architecture = without_results(read_graph(graph).architecture)
    space = read_space("version: 1\nhyperparameters:\n  x.shape[0]: [1, 2, 3, 64]\n", "s.yml", architecture)
    decision = decide(space)
    assert decision.verdict == VALID_FOR_ALL
    assert not decision.unknown
    narrow = read_space("version: 1\nhyperparameters:\n  x.shape[2]: [4, 8]\n", "s.yml", architecture)
    assert (decide(narrow).total, decide(narrow).valid) == (2, 1)
