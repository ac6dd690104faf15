"""Two revisions through the pipeline: a deviation that is new or got worse blocks, one that was there does not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.configuration.config import Config, TargetConfig
from analyzer.findings import Finding, Report, Verdict
from analyzer.running.local import review

CONFIG = Config(only=("differential",), timeout=600)


def padded(path: Path, *, lifted: float = 0.0, pad: bool = True) -> None:
    """Pad of zeros before MaxPool over `lifted` minus a sigmoid: ONNX Runtime's Pad_Fusion loses the zeros, which
    matters in windows that are negative as a whole. The more is lifted, the smaller the error."""
    node = helper.make_node
    pools = [
        node("Pad", ["n", "pads"], ["p"], name="pad"),
        node("MaxPool", ["p"], ["m"], name="pool", kernel_shape=[2, 2], strides=[2, 2]),
    ]
    plain = [node("MaxPool", ["n"], ["m"], name="pool", kernel_shape=[2, 2], strides=[2, 2])]
    nodes = [
        node("Sigmoid", ["x"], ["s"], name="sigmoid"),
        node("Sub", ["lift", "s"], ["n"], name="lower"),
        *(pools if pad else plain),
        node("Tanh", ["m"], ["y"], name="tanh"),
    ]
    weights = {"lift": np.array(lifted, np.float32), "pads": np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64)}
    graph = helper.make_graph(
        nodes,
        "model",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3, 8, 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(a, n) for n, a in weights.items() if pad or n == "lift"],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    path.parent.mkdir(exist_ok=True)
    onnx.save(model, path)


@pytest.fixture
def compare(tmp_path: Path):  # type: ignore[no-untyped-def]
    def run() -> tuple[Report, dict[str, Finding]]:
        head, base = tmp_path / "head", tmp_path / "base"
        targets = [TargetConfig(p.name, path=p.name) for p in sorted(head.iterdir())]
        report = review(head, base, CONFIG, targets, output=tmp_path / "out", base_name="main")
        return report, {f.target: f for f in report.findings}

    return run


def test_only_what_is_new_or_worse_blocks(tmp_path: Path, compare) -> None:  # type: ignore[no-untyped-def]
    head, base = tmp_path / "head", tmp_path / "base"
    padded(base / "introduced.onnx", pad=False)
    padded(head / "introduced.onnx")
    for tree in (base, head):
        padded(tree / "stays.onnx")
    padded(base / "worse.onnx", lifted=0.9)
    padded(head / "worse.onnx")
    padded(base / "milder.onnx")
    padded(head / "milder.onnx", lifted=0.9)
    report, found = compare()
    assert {name: f.new for name, f in found.items()} == {
        "introduced.onnx": True,
        "stays.onnx": False,
        "worse.onnx": True,
        "milder.onnx": False,  # it deviates, which it did before, and by more
    }
    assert {f.rule for f in found.values()} == {"differential/inconsistent-layer"}
    small, large = (float(found[n].evidence.data["error"]) for n in ("milder.onnx", "worse.onnx"))
    assert 0 < 4 * small < large
    assert {f.target for f in report.blocking} == {"introduced.onnx", "worse.onnx"}
    assert report.verdict is Verdict.FAIL


def test_a_deviation_that_is_gone_is_fixed(tmp_path: Path, compare) -> None:  # type: ignore[no-untyped-def]
    padded(tmp_path / "base" / "model.onnx")
    padded(tmp_path / "head" / "model.onnx", pad=False)
    report, found = compare()
    assert found == {}
    assert [f.op for f in report.fixed] == ["Pad+MaxPool"]
    assert report.verdict is Verdict.PASS
