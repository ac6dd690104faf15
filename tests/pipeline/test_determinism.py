"""The same commit is the same report, byte for byte but for the times, whatever the process's hash seed is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.pipeline import models

CONFIG = """
version: 1
targets:
  - {id: net, entry: "net.py:build", backends: [torch, onnxruntime]}
  - {id: loss, path: loss.onnx, inputs: {x: {range: [-50, 50]}}, backends: [onnxruntime]}
"""


def checked(root: Path, seed: int) -> Any:
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


def test_so_do_models_of_other_frameworks(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "net.py").write_text(OTHERS)
    targets = "".join(f'  - {{id: {name}, entry: "net.py:{name}"}}\n' for name in ("dense", "scaled"))
    (root / ".assay.yml").write_text(f"version: 1\ndiscover: off\ntargets:\n{targets}")
    (first, ours), (second, theirs) = checked(root, 1), checked(root, 2)
    assert {t["status"] for t in first["targets"]} == {"analysed"}, [t["error"] for t in first["targets"]]
    assert json.dumps(first) == json.dumps(second)
    assert [name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name)] == []


def test_two_processes_write_the_same_report(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "net.py").write_text(models.UNORDERED)
    (root / ".assay.yml").write_text(CONFIG)
    models.unsafe(root / "loss.onnx")
    (first, ours), (second, theirs) = checked(root, 1), checked(root, 2)
    assert {t["status"] for t in first["targets"]} == {"analysed"}, [t["error"] for t in first["targets"]]
    assert {f["target"] for f in first["findings"]} == {"net", "loss"}
    assert json.dumps(first) == json.dumps(second)
    assert sorted(ours) == sorted(theirs)
    assert [name for name in ours if ours[name] != theirs[name]] == []
