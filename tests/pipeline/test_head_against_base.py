"""The outputs of a changed model against those of its base, from two trees to the comment."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

from analyzer.configuration.config import Config, DriftBudget, TargetConfig
from analyzer.findings import Report, Verdict
from analyzer.rendering import markdown
from analyzer.running.local import review

TARGET = TargetConfig(id="classifier", path="classifier.onnx", backends=("onnxruntime",))


def save(path: Path, by: float) -> None:
    rng = np.random.default_rng(0)
    first = rng.standard_normal((8, 6)).astype(np.float32)
    second = (rng.standard_normal((6, 4)) + by * rng.standard_normal((6, 4))).astype(np.float32)
    nodes = [
        helper.make_node("MatMul", ["x", "first"], ["a"], name="hidden"),
        helper.make_node("Relu", ["a"], ["b"], name="relu"),
        helper.make_node("MatMul", ["b", "second"], ["y"], name="head"),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", 1, ["n", 8])],
        [helper.make_tensor_value_info("y", 1, ["n", 4])],
        [numpy_helper.from_array(first, "first"), numpy_helper.from_array(second, "second")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 10
    path.parent.mkdir(parents=True)
    onnx.save(model, path)


def run(folder: Path, budget: DriftBudget) -> Report:
    save(folder / "base" / "classifier.onnx", 0.0)
    save(folder / "head" / "classifier.onnx", 0.3)
    config = Config(only=("differential",), timeout=300, drift=budget)
    out = folder / "out"
    return review(folder / "head", folder / "base", config, [TARGET], output=out, base_name="main")


def test_a_changed_weight_is_told_and_blocks_beyond_its_budget(tmp_path: Path) -> None:
    within, beyond = run(tmp_path / "a", DriftBudget()), run(tmp_path / "b", DriftBudget(top1=0.5))
    assert within.blocking == ()
    assert within.verdict is Verdict.PASS
    (line,) = (s for t in within.targets for s in t.backends if s.startswith("Head against base"))
    assert "brought in by `head` (MatMul" in line
    assert "**Backends**: `classifier`: Head against base on" in markdown.summary(within)
    (finding,) = beyond.blocking
    assert (finding.rule, finding.layer or finding.node, beyond.verdict) == ("differential/drift", "head", Verdict.FAIL)
    assert finding.reproducer is not None
    assert (tmp_path / "b" / "out" / finding.reproducer).is_file()
    text = markdown.summary(beyond)
    assert "top-1 changes on" in text
    assert "budget 0.5" in text
    assert [m.title for t in beyond.targets for m in t.maps] == ["Head against base"]
