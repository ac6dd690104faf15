"""A gradient that is not finite blocks where training computes it: behind weights, and in a loss without any."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.findings import Confidence, Level
from analyzer.graph import Graph, ValueRange
from analyzer.numerical.analysis import analyse
from analyzer.numerical.findings import NOT_TRAINED

HALF = np.array(0.5, np.float32)
SQRT = [helper.make_node("Abs", ["a"], ["b"]), helper.make_node("Sqrt", ["b"], ["c"], name="sqrt")]
BEFORE = [helper.make_node("MatMul", ["x", "w"], ["a"]), *SQRT, helper.make_node("Identity", ["c"], ["y"])]
AFTER = [helper.make_node("Identity", ["x"], ["a"]), *SQRT, helper.make_node("MatMul", ["c", "w"], ["y"])]
NONE = [helper.make_node("Identity", ["x"], ["a"]), *SQRT, helper.make_node("Identity", ["c"], ["y"])]


@pytest.mark.parametrize(("nodes", "level"), [(BEFORE, Level.ERROR), (AFTER, Level.NOTE), (NONE, Level.ERROR)])
def test_the_gradient_of_what_the_input_alone_decides_does_not_block(nodes: list[object], level: Level) -> None:
    weight = numpy_helper.from_array(np.eye(4, dtype=np.float32), "w")
    used = [weight] if any("w" in n.input for n in nodes) else []  # type: ignore[attr-defined]
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [2, 4]) for n in "xy")
    proto = helper.make_model(
        helper.make_graph(nodes, "g", [x], [y], used), opset_imports=[helper.make_opsetid("", 20)], ir_version=10
    )
    target = TargetConfig(id="t", entry="t.py:build", inputs={"x": InputSpec(range=ValueRange(-1, 1))})
    (found,) = analyse(Graph(ir.from_proto(proto), framework="torch"), target, explain=False).findings
    assert (found.rule, found.confidence) == ("numerical/gradient-of-sqrt-at-zero", Confidence.CONFIRMED)
    assert found.level is level
    assert (NOT_TRAINED in found.evidence.sentences) == (level is Level.NOTE)


@pytest.mark.parametrize(("closed", "least"), [(True, "1e-12"), (False, "1e-06")])
def test_a_power_is_kept_from_0_by_what_hardly_moves_its_results(closed: bool, least: str) -> None:
    """Behind a ReLU many operands are exactly 0, where the root of 1e-6 is 1e-3 off."""
    weight, half = (numpy_helper.from_array(a, n) for n, a in (("w", np.eye(4, dtype=np.float32)), ("half", HALF)))
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"]),
        helper.make_node("Relu" if closed else "Abs", ["a"], ["b"]),
        helper.make_node("Pow", ["b", "half"], ["y"], name="pow"),
    ]
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [2, 4]) for n in "xy")
    graph = helper.make_graph(nodes, "g", [x], [y], [weight, half])
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    target = TargetConfig(id="t", entry="t.py:build", inputs={"x": InputSpec(range=ValueRange(-1, 1))})
    (found,) = analyse(Graph(ir.from_proto(proto), framework="torch"), target).findings
    assert found.rule == "numerical/gradient-of-pow-at-zero"
    assert found.suggestion is not None
    assert f"≥ {least};" in found.suggestion.description
