"""A trained factor of masked scores fails in a real run, as its reproducer shows; a twin that masks last does not."""

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

FIRST = [("Where", ["m", "val_1", "s"], "a"), ("Mul", ["a", "w"], "b")]
LAST = [("Mul", ["s", "w"], "a"), ("Where", ["m", "val_1", "a"], "b")]


def scores(steps: list[tuple[str, list[str], str]]) -> Graph:
    nodes = [helper.make_node(op, given, [made], name=made) for op, given, made in [*steps, ("Softmax", ["b"], "y")]]
    constants = [
        numpy_helper.from_array(np.float32(-np.inf), "val_1"),
        numpy_helper.from_array(np.ones(1, np.float32), "w"),
    ]
    m, s, y = (
        helper.make_tensor_value_info(n, t, [2, 4])
        for n, t in (("m", TensorProto.BOOL), ("s", TensorProto.FLOAT), ("y", TensorProto.FLOAT))
    )
    graph = helper.make_graph(nodes, "g", [m, s], [y], constants)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    return Graph(ir.from_proto(proto), framework="torch")


@pytest.mark.parametrize("masked_last", [False, True])
def test_a_trained_factor_of_masked_scores_blocks(masked_last: bool, tmp_path: Path) -> None:
    target = TargetConfig(id="t", entry="t.py:build", inputs={"s": InputSpec(range=ValueRange(-1, 1))})
    result = analyse(scores(LAST if masked_last else FIRST), target, output=tmp_path)
    found = [f for f in result.findings if f.rule == "numerical/gradient-of-infinite-factor"]
    assert len(found) == (0 if masked_last else 1)
    for finding in found:
        shown = finding.evidence.sentences
        assert (finding.level, finding.confidence, finding.node) == (Level.ERROR, Confidence.CONFIRMED, "b"), shown
        assert "is not finite where its first operand is infinite" in finding.message
        assert finding.reproducer is not None
        script = [sys.executable, "-I", tmp_path / finding.reproducer]
        done = subprocess.run(script, capture_output=True, text=True, timeout=300, check=False)
        assert (done.returncode, "gradient of w" in done.stdout) == (1, True), done.stdout + done.stderr


def test_no_range_is_proposed_for_truth_values() -> None:
    """That a mask lies in [1e-07, 1] is no advice."""
    shown = [("Not", ["m"], "n"), ("Where", ["n", "val_1", "s"], "a"), ("Mul", ["a", "w"], "b")]
    target = TargetConfig(id="t", entry="t.py:build", inputs={"s": InputSpec(range=ValueRange(-1, 1))})
    (found,) = (f for f in analyse(scores(shown), target).findings if f.node == "y")
    assert found.rule == "numerical/softmax-of-minus-infinity"
    assert found.suggestion is None, found.suggestion
