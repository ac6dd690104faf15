"""The same commit is the same report, byte for byte but for the times, whatever the process's hash seed is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline import models

TARGETS = {
    "net": '{id: net, entry: "net.py:build", backends: [torch, onnxruntime]}',
    "loss": "{id: loss, path: loss.onnx, inputs: {x: {range: [-50, 50]}}, backends: [onnxruntime]}",
    "dense": '{id: dense, entry: "others.py:dense", backends: [keras-tensorflow]}',
    "scaled": '{id: scaled, entry: "others.py:scaled", backends: [tensorflow]}',
}


Run = tuple[Any, dict[str, bytes]]  # the report without its times, the files beside it


def checked(root: Path, seed: int) -> Run:
    out = root.parent / f"out{seed}"
    command = [sys.executable, "-m", "analyzer", "check", "--sandbox", "process", "--out", str(out), "--jobs", "1"]
    environment = {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode in (0, 1), done.stdout[-1000:] + done.stderr[-2000:]
    report = json.loads((out / "report.json").read_text())
    files = {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.suffix in (".py", ".onnx", ".npz", ".json", ".md") and path.name not in TIMED
    }
    return without_times(report), files


TIMED = ("report.json", "report.md")  # they tell how long it took


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_times(v) for key, v in value.items() if key != "seconds"}
    if isinstance(value, list):
        return [without_times(v) for v in value]
    return re.sub(r"\b\d+(\.\d+)? m?s\b", "", value) if isinstance(value, str) else value


OTHERS = """
import keras
import tensorflow as tf


def dense():
    inputs = keras.Input((4,))
    parts = [keras.layers.Dense(4, "relu", name=name)(inputs) for name in {"left", "middle", "right"}]
    return keras.Model(inputs, keras.layers.Dense(2)(keras.layers.Add()(parts)))


class Scaled(tf.Module):
    def __init__(self):
        self.scales = {name: tf.Variable(tf.random.normal([4]), name=name) for name in {"low", "high", "wide"}}

    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32)])
    def __call__(self, x):
        return tf.math.log(tf.nn.softmax(x * tf.add_n(list(self.scales.values()))))


def scaled():
    return Scaled(), (tf.random.normal([2, 4]),)
"""


PROJECTS = [
    pytest.param(("net", "loss"), id="PyTorch and ONNX"),
    pytest.param(("dense", "scaled"), id="Keras and TensorFlow", marks=pytest.mark.study),
]


@pytest.fixture(scope="module", params=PROJECTS)
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Run]:
    """One project with a model of each kind, checked with two hash seeds."""
    root = tmp_path_factory.mktemp("determinism") / "project"
    root.mkdir()
    (root / "net.py").write_text(models.UNORDERED)
    (root / "others.py").write_text(OTHERS)
    targets = "".join(f"  - {TARGETS[name]}\n" for name in request.param)
    (root / ".assay.yml").write_text(f"version: 1\ntargets:\n{targets}")
    models.unsafe(root / "loss.onnx")
    return checked(root, 1), checked(root, 2)


def test_every_model_is_analysed(both: tuple[Run, Run]) -> None:
    (first, _), _ = both
    named = {t["id"] for t in first["targets"]} & TARGETS.keys()
    assert len(named) == 2
    assert {t["status"] for t in first["targets"]} == {"analysed"}, [t["error"] for t in first["targets"]]
    assert {f["target"] for f in first["findings"]} >= named & {"net", "loss"}


def test_two_processes_write_the_same_report(both: tuple[Run, Run]) -> None:
    (first, _), (second, _) = both
    assert json.dumps(first) == json.dumps(second)


def test_two_processes_write_the_same_files(both: tuple[Run, Run]) -> None:
    (_, ours), (_, theirs) = both
    assert sorted(ours) == sorted(theirs)
    assert [name for name in ours if ours[name] != theirs[name]] == []
