"""A reproducer tells what its run depended on, and holds with one thread and with four."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx_ir as ir
from onnx import TensorProto, helper, numpy_helper

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.graph import Graph, ValueRange
from analyzer.numerical.analysis import analyse
from analyzer.numerical.confirm.confirmation import ConfirmationBudget


def graph() -> Graph:
    """``sum(log(1 - sigmoid(x)))``."""
    one = numpy_helper.from_array(np.array(1, np.float32), "one")
    nodes = [
        helper.make_node("Sigmoid", ["x"], ["s"]),
        helper.make_node("Sub", ["one", "s"], ["d"]),
        helper.make_node("Log", ["d"], ["v"], name="log"),
    ]
    proto = helper.make_model(
        helper.make_graph(
            [*nodes, helper.make_node("ReduceSum", ["v"], ["loss"], keepdims=0)],
            "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [64])],
            [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])],
            [one],
        ),
        opset_imports=[helper.make_opsetid("", 20)],
    )
    return Graph(ir.from_proto(proto))


def test_the_script_names_its_surroundings_and_holds_with_one_and_four_threads(tmp_path: Path) -> None:
    target = TargetConfig(id="g", path="g.onnx", inputs={"x": InputSpec(range=ValueRange(-5, 40))})
    result = analyse(graph(), target, output=tmp_path, explain=False, budget=ConfirmationBudget(search=4.0))
    (finding,) = [f for f in result.findings if f.reproducer]
    assert finding.reproducer is not None
    script = tmp_path / finding.reproducer
    head = script.read_text().split('"""')[1]
    assert "ONNX Runtime" in head
    assert "Python 3" in head
    assert "1 and 4 threads alike" in head
    for threads in ("1", "4"):
        done = subprocess.run(
            [sys.executable, "-I", script],
            env={**os.environ, "THREADS": threads},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 1, done.stdout + done.stderr
