"""Failures of one engine's kernels alone: ONNX Runtime's sigmoid is 0 from -18, PyTorch's is not before -88."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import onnxruntime
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.findings import Confidence, Finding, Level
from analyzer.graph import Graph, ValueRange
from analyzer.numerical.analysis import analyse
from analyzer.numerical.confirm.confirmation import ConfirmationBudget
from analyzer.numerical.findings import ELSEWHERE

LEAST = -30.0


def model() -> ModelProto:
    nodes = [
        helper.make_node("Mul", ["x", "w"], ["h"]),
        helper.make_node("Sigmoid", ["h"], ["s"]),
        helper.make_node("Log", ["s"], ["y"], name="log"),
    ]
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [4]) for n in "xy"]
    weight = numpy_helper.from_array(np.full(4, 1.0, np.float32), "w")
    graph = helper.make_graph(nodes, "g", infos[:1], infos[1:], [weight])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def review(framework: str) -> Finding:
    entry = {"entry": "t.py:build"} if framework == "torch" else {"path": "m.onnx"}
    target = TargetConfig(id="t", inputs={"x": InputSpec(range=ValueRange(LEAST, 30))}, **entry)  # type: ignore[arg-type]
    graph = Graph(ir.from_proto(model()), framework)
    found = analyse(graph, target, explain=False, budget=ConfirmationBudget(search=2.0)).findings
    (finding,) = [f for f in found if f.rule == "numerical/log-of-nonpositive"]
    return finding


def runtime_fails() -> bool:
    """What the kernel of this processor gives."""
    session = onnxruntime.InferenceSession(model().SerializeToString(), providers=["CPUExecutionProvider"])
    return not bool(np.isfinite(session.run(None, {"x": np.full(4, LEAST, np.float32)})[0]).all())


@pytest.mark.parametrize("framework", ["onnx", "torch"])
def test_a_kernel_that_fails_alone_is_asked_and_told(framework: str) -> None:
    """A file runs there; code of PyTorch need not."""
    found = review(framework)
    if not runtime_fails():
        assert found.confidence is Confidence.POSSIBLE
        return
    assert found.confidence is Confidence.CONFIRMED
    assert found.level is (Level.ERROR if framework == "onnx" else Level.WARNING)
    assert ELSEWHERE in found.evidence.sentences
