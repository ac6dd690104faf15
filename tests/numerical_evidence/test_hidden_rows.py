"""A maximum of a row that a mask has hidden whole: confirmed where it reaches a result, silent where it does not."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.findings import AnalysisResult, Confidence, Level
from analyzer.graph import Graph, ValueRange
from analyzer.numerical.analysis import analyse
from analyzer.numerical.confirm.confirmation import ConfirmationBudget, Confirmer

N = helper.make_node


@pytest.fixture(scope="module")
def workers() -> Iterator[Confirmer]:
    with Confirmer(ConfirmationBudget(search=6.0)) as confirmer:
        yield confirmer


def review(workers: Confirmer, hidden: float, after: str, framework: str, folder: Path) -> AnalysisResult:
    """The findings of a model that takes the maxima of rows of x (2, 4) whose positive elements are hidden."""
    kept = {"zero": 0.0, "hidden": hidden, "w": np.linspace(0.5, 1.5, 16).reshape(4, 4)}
    nodes = [
        N("MatMul", ["x", "w"], ["h"]),
        N("Greater", ["x", "zero"], ["mask"]),
        N("Where", ["mask", "hidden", "h"], ["shown"]),
        N("ReduceMax", ["shown", "axes"], ["largest"], keepdims=0, name="largest"),
        N(after, ["largest"], ["after"]),
        N("ReduceSum", ["after"], ["y"], keepdims=0),
    ]
    weights = [numpy_helper.from_array(np.asarray(v, np.float32), n) for n, v in kept.items()]
    weights.append(numpy_helper.from_array(np.array([1], np.int64), "axes"))
    given = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 4])]
    made = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [])]
    proto = helper.make_model(
        helper.make_graph(nodes, "g", given, made, weights), opset_imports=[helper.make_opsetid("", 20)], ir_version=10
    )
    target = TargetConfig(id="t", path="t.onnx", inputs={"x": InputSpec(range=ValueRange(-3, 3))})
    model = Graph(ir.from_proto(proto), framework, losses=("y",))
    return analyse(model, target, explain=False, confirmer=workers, output=folder)


@pytest.mark.parametrize("framework", ["onnx", "torch"])
def test_a_hidden_row_is_shown_by_a_script(workers: Confirmer, framework: str, tmp_path: Path) -> None:
    (found,) = review(workers, -np.inf, "Neg", framework, tmp_path).findings
    assert (found.rule, found.confidence) == ("numerical/extremum-of-infinity", Confidence.CONFIRMED)
    assert (found.level, found.node) == (Level.ERROR, "largest")
    assert found.reproducer is not None
    for threads in ("1", "4"):
        script = [sys.executable, "-I", str(tmp_path / found.reproducer)]
        done = subprocess.run(
            script, env={**os.environ, "THREADS": threads}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1, done.stdout + done.stderr
    assert review(workers, -1e4, "Neg", framework, tmp_path).findings == ()


def test_what_reaches_no_result_is_not_told(workers: Confirmer, tmp_path: Path) -> None:
    """exp(-inf) is 0, and so is its gradient."""
    assert review(workers, -np.inf, "Exp", "torch", tmp_path).findings == ()
