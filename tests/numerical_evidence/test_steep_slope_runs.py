"""A derivative that overflows beside 0 fails in a real run, as its script shows; a usual epsilon keeps it finite."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.findings import Confidence, Level
from analyzer.graph import Graph, ValueRange
from analyzer.numerical.analysis import analyse


def normalised(function: str, epsilon: float) -> Graph:
    """x w / sqrt(sum of its squares + epsilon), as `function` of PyTorch is exported."""
    steps = [
        ("MatMul", ["x", "w"], "made"),
        ("Mul", ["made", "made"], "squares"),
        ("ReduceSum", ["squares", "val_1"], "sum"),
        ("Add", ["sum", "val_2"], "above"),
        ("Sqrt", ["above"], "root"),
        ("Reciprocal", ["root"], "inverse"),
        ("Mul", ["made", "inverse"], "y"),
    ]
    nodes = [helper.make_node(op, given, [made], name=made) for op, given, made in steps]
    constants = [
        numpy_helper.from_array(np.array([1]), "val_1"),
        numpy_helper.from_array(np.float32(epsilon), "val_2"),
        numpy_helper.from_array(np.ones((4, 3), np.float32), "w"),
    ]
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [2, size]) for n, size in (("x", 4), ("y", 3)))
    graph = helper.make_graph(nodes, "g", [x], [y], constants)
    model = ir.from_proto(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10))
    for node in model.graph:
        if node.op_type in ("Sqrt", "Reciprocal"):
            node.metadata_props["namespace"] = f": aten.{function}.default"
    return Graph(model, framework="torch")


@pytest.mark.parametrize(
    ("function", "epsilon", "told"),
    [("rsqrt", 1e-30, 1), ("rsqrt", 1e-12, 0), ("reciprocal", 1e-30, 0)],  # (1e15)² is finite, (1e15)³ is not
)
def test_a_gradient_beyond_float32_blocks(function: str, epsilon: float, told: int, tmp_path: Path) -> None:
    target = TargetConfig(id="t", entry="t.py:build", inputs={"x": InputSpec(range=ValueRange(-1, 1))})
    result = analyse(normalised(function, epsilon), target, output=tmp_path)
    found = [f for f in result.findings if f.rule == "numerical/gradient-overflow"]
    assert len(found) == told
    assert not [f for f in result.findings if f not in found]
    for finding in found:
        shown = finding.evidence.sentences
        assert (finding.level, finding.confidence, finding.node) == (Level.ERROR, Confidence.CONFIRMED, "inverse"), (
            shown
        )
        assert finding.reproducer is not None
        script = [sys.executable, "-I", tmp_path / finding.reproducer]
        done = subprocess.run(script, capture_output=True, text=True, timeout=300, check=False)
        assert (done.returncode, "the gradient of" in done.stdout) == (1, True), done.stdout + done.stderr
