"""A failure that is cast to an integer and selected away is told, but is no error; a visible one is."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from analyzer.config import InputSpec, TargetConfig
from analyzer.findings import Level
from analyzer.graph.ranges import ValueRange
from analyzer.loading import load
from analyzer.numerical import analyse

LOG = helper.make_node("Log", ["x"], ["l"], "log")
CAST = helper.make_node("Cast", ["l"], ["i"], to=TensorProto.INT64)
SMALL = helper.make_node("Less", ["other", "one"], ["small"])  # of another value: no refinement proves the log safe
PICK = helper.make_node("Where", ["small", "zero", "i"], ["bucket"])
TABLE = helper.make_node("Gather", ["table", "bucket"], ["y"])

CASES = {
    "cast and selected away": ([LOG, CAST, SMALL, PICK, TABLE], "y", TensorProto.FLOAT, Level.WARNING),
    "cast, and never selected": (
        [LOG, CAST, helper.make_node("Gather", ["table", "i"], ["y"])], "y", TensorProto.FLOAT, Level.ERROR,
    ),
    "the index is a result too": ([LOG, CAST, SMALL, PICK, TABLE], "i", TensorProto.INT64, Level.ERROR),
    "a selection among floats leaks into gradients": (
        [LOG, SMALL, helper.make_node("Where", ["small", "x", "l"], ["y"])], "y", TensorProto.FLOAT, Level.ERROR,
    ),
    "a result of its own": ([LOG, CAST, SMALL, PICK, TABLE], "l", TensorProto.FLOAT, Level.ERROR),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_level(name: str, tmp_path: Path) -> None:
    nodes, result, kind, level = CASES[name]
    constants = [
        helper.make_tensor("one", TensorProto.FLOAT, [], [1.0]),
        helper.make_tensor("zero", TensorProto.INT64, [], [0]),
        helper.make_tensor("table", TensorProto.FLOAT, [4], [1.0, 2.0, 3.0, 4.0]),
    ]
    outputs = [helper.make_tensor_value_info(n, k, [3]) for n, k in {"y": TensorProto.FLOAT, result: kind}.items()]
    inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [3]) for n in ("x", "other")]
    graph = helper.make_graph(nodes, "g", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    onnx.save(model, tmp_path / "m.onnx")
    target = TargetConfig(id="m", path="m.onnx", inputs={"x": InputSpec(range=ValueRange(0, 20))})
    result_of = analyse(load(tmp_path / "m.onnx"), target, output=tmp_path / "out", root=tmp_path, confirm=False)
    (finding,) = [f for f in result_of.findings if f.rule == "numerical/log-of-nonpositive"]
    assert finding.level is level
