"""What fails only where a row of weights is next to 0, as weight normalisation divides by its norm, is a note."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.findings import Finding, Level
from analyzer.graph import Graph, ValueRange
from analyzer.numerical.analysis import analyse

N = helper.make_node
ROWS = np.random.default_rng(0).standard_normal((6, 4)).astype(np.float32)


def constant(name: str, value: Any, dtype: Any = np.float32) -> Any:
    return N("Constant", [], [name], value=numpy_helper.from_array(np.asarray(value, dtype)))


def review(rows: np.ndarray, temperature: float, *, trained: bool = True, normed: bool = True) -> list[Finding]:
    """Of ``exp(x / |x| @ (v * (g / |v|)).T / temperature)``; the rows v are weights, or an input."""
    nodes = [
        constant("last", [1], np.int64),
        constant("eps", 1e-12),
        constant("t", temperature),
        N("ReduceL2", ["x", "last"], ["norm"]),
        N("Max", ["norm", "eps"], ["least"]),
        N("Div", ["x", "least" if normed else "eps"], ["unit"]),
        N("ReduceL2", ["v", "last"], ["length"]),
        N("Div", ["g", "length"], ["scale"]),
        N("Mul", ["v", "scale"], ["w"]),
        N("Gemm", ["unit", "w"], ["cosines"], transB=1),
        N("Div", ["cosines", "t"], ["scores"]),
        N("Exp", ["scores"], ["y"]),
    ]
    weights = [numpy_helper.from_array(rows, "v"), numpy_helper.from_array(np.ones((6, 1), np.float32), "g")]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 4])]
    if not trained:
        inputs.append(helper.make_tensor_value_info("v", TensorProto.FLOAT, [6, 4]))
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    graph = helper.make_graph(nodes, "g", inputs, outputs, weights if trained else weights[1:])
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    given = {i.name: InputSpec(range=ValueRange(-10, 10)) for i in inputs}
    target = TargetConfig(id="t", entry="t.py:build", inputs=given)
    found = analyse(Graph(ir.from_proto(proto), "torch"), target, confirm=False, explain=False).findings
    return [f for f in found if f.rule == "numerical/exp-overflow"]


def test_an_overflow_behind_a_norm_of_weights_is_a_note() -> None:
    (found,) = review(ROWS, 0.05)
    assert found.level is Level.NOTE
    assert any("shorter than 1e-16" in s and "`v`" in s for s in found.evidence.sentences)


@pytest.mark.parametrize(
    ("rows", "temperature", "options"),
    [
        (ROWS, 0.01, {}),  # a gain of 2 is too much for it
        (ROWS, 0.05, {"normed": False}),
        (ROWS, 0.05, {"trained": False}),
        (np.where(np.arange(6)[:, None] == 2, 0, ROWS).astype(np.float32), 0.05, {}),  # training starts there
    ],
)
def test_what_fails_for_other_weights_too_is_none(
    rows: np.ndarray, temperature: float, options: dict[str, Any]
) -> None:
    (found,) = review(rows, temperature, **options)
    assert found.level is Level.ERROR
