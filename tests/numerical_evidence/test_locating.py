"""The operator that fails first is named; what fails with it is grouped under it; survivors go on restricted."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
from onnx import TensorProto, helper, numpy_helper

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.findings import Finding
from analyzer.graph import Graph, ValueRange
from analyzer.numerical.analysis import analyse


def findings(nodes: list[Any], lo: float, hi: float, **constants: float) -> tuple[Finding, ...]:
    data = [numpy_helper.from_array(np.asarray(v, np.float32), k) for k, v in constants.items()]
    results = [helper.make_tensor_value_info(o, TensorProto.FLOAT, None) for n in nodes for o in n.output]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [3])
    proto = helper.make_model(
        helper.make_graph(nodes, "g", [x], results, data), opset_imports=[helper.make_opsetid("", 20)], ir_version=10
    )
    target = TargetConfig(id="t", path="t.onnx", inputs={"x": InputSpec(range=ValueRange(lo, hi))})
    return analyse(Graph(ir.from_proto(proto)), target, confirm=False, explain=False).findings


def forward(found: tuple[Finding, ...]) -> list[str]:
    return [f.node for f in found if not f.evidence.data["backward"]]


def test_what_fails_with_the_same_operand_is_grouped_under_the_first() -> None:
    found = findings(
        [
            helper.make_node("Sigmoid", ["x"], ["p"], name="p"),
            helper.make_node("Log", ["p"], ["a"], name="first"),
            helper.make_node("Reciprocal", ["p"], ["b"], name="second"),
            helper.make_node("Log", ["p"], ["c"], name="third"),
        ],
        -200.0,
        200.0,
    )
    assert forward(found) == ["first"]
    first = next(f for f in found if f.node == "first")
    assert set(first.evidence.data["follows"]) <= {"second", "third"}


def test_a_run_that_survives_the_first_operator_is_safe_further_on() -> None:
    """Where log(x) is finite for x in [-1, 1], -log(x) is not negative and the root of it is defined."""
    found = findings(
        [
            helper.make_node("Log", ["x"], ["l"], name="log"),
            helper.make_node("Neg", ["l"], ["n"], name="neg"),
            helper.make_node("Sqrt", ["n"], ["r"], name="root"),
            helper.make_node("Exp", ["l"], ["e"], name="back"),
        ],
        -1.0,
        1.0,
    )
    assert forward(found) == ["log"]


def test_an_independent_failure_behind_it_is_reported_on_its_own() -> None:
    found = findings(
        [
            helper.make_node("Log", ["x"], ["l"], name="log"),
            helper.make_node("Add", ["l", "c"], ["s"], name="sum"),
            helper.make_node("Reciprocal", ["s"], ["r"], name="quotient"),
        ],
        0.0,
        100.0,
        c=-1.0,
    )
    assert forward(found) == ["log", "quotient"]


def test_overflow_does_not_make_victims() -> None:
    found = findings(
        [
            helper.make_node("Exp", ["x"], ["e"], name="exp"),
            helper.make_node("Add", ["e", "one"], ["s"], name="sum"),
            helper.make_node("Log", ["s"], ["l"], name="log"),
            helper.make_node("Reciprocal", ["s"], ["r"], name="quotient"),
        ],
        -1000.0,
        1000.0,
        one=1.0,
    )
    assert forward(found) == ["exp"]
