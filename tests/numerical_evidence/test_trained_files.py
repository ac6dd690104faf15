"""Gradients are reported of what is trained: code, and files that say so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.configuration.config import TargetConfig
from analyzer.graph import ValueRange
from analyzer.loading.reading import load
from analyzer.numerical.analysis import analyse

NODES = [
    helper.make_node("MatMul", ["x", "w"], ["a"]),
    helper.make_node("Abs", ["a"], ["b"]),
    helper.make_node("Sqrt", ["b"], ["r"]),
]


def written(folder: Path, output: str = "y", training: bool = False, last: tuple[Any, ...] = ()) -> Path:
    nodes = [*NODES, *(last or [helper.make_node("ReduceMean", ["r"], [output], keepdims=0)])]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 4])
    y = helper.make_tensor_value_info(output, TensorProto.FLOAT, [])
    weight = numpy_helper.from_array(np.eye(4, dtype=np.float32), "w")
    proto = helper.make_model(
        helper.make_graph(nodes, "g", [x], [y], [weight]), opset_imports=[helper.make_opsetid("", 20)], ir_version=10
    )
    if training:
        step = helper.make_graph([helper.make_node("Identity", ["y"], ["z"])], "step", [], [])
        proto.training_info.append(onnx.TrainingInfoProto(algorithm=step))
    path = folder / "model.onnx"
    onnx.save(proto, path)
    return path


def gradients(path: Path, **stated: Any) -> tuple[list[str], list[str]]:
    """The rules on gradients that are reported, and the notes that tell of others."""
    target = TargetConfig(id="t", path="model.onnx", **stated)
    found = analyse(load(path), target, explain=False, confirm=False)
    rules = [f.rule for f in found.findings if f.rule.startswith("numerical/gradient")]
    return rules, [n for n in found.notes if "gradient" in n]


def test_a_file_that_is_only_run_has_one_line_on_its_gradients(tmp_path: Path) -> None:
    rules, notes = gradients(written(tmp_path))
    assert rules == []
    assert notes == [
        "A gradient may not be finite, which is not reported: nothing in this file or its configuration says that it "
        "is trained."
    ]


@pytest.mark.parametrize(
    ("form", "stated"),
    [
        ({"training": True}, {}),
        ({"output": "train_loss"}, {}),
        ({}, {"parameters": {"w": ValueRange(-1, 1)}}),
        ({}, {"unbounded": ("parameters",)}),
    ],
)
def test_a_file_that_is_trained_says_so(tmp_path: Path, form: dict[str, Any], stated: dict[str, Any]) -> None:
    assert gradients(written(tmp_path, **form), **stated) == (["numerical/gradient-of-sqrt-at-zero"], [])


def test_a_cross_entropy_is_trained_and_what_fails_forward_is_told_in_any_case(tmp_path: Path) -> None:
    labels = helper.make_node("Constant", [], ["l"], value=numpy_helper.from_array(np.array([0, 1])))
    loss = helper.make_node("SoftmaxCrossEntropyLoss", ["r", "l"], ["y"])
    assert gradients(written(tmp_path, last=(labels, loss)))[0] == ["numerical/gradient-of-sqrt-at-zero"]
    log = helper.make_node("Log", ["r"], ["g"])
    mean = helper.make_node("ReduceMean", ["g"], ["y"], keepdims=0)
    found = analyse(load(written(tmp_path, last=(log, mean))), TargetConfig(id="t", path="model.onnx"), explain=False)
    assert [(f.rule, str(f.confidence)) for f in found.findings] == [("numerical/log-of-nonpositive", "confirmed")]
