"""Engines named in `.assay.yml` and in the action's input, on the real engines: JAX, Inductor, Keras on OpenVINO."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from action.run import Outside
from analyzer.commands.cli import main
from tests.action.harness import Workbench
from tests.github_simulator import Simulator

JAX = """
import jax
import jax.numpy as jnp
import numpy as np

WEIGHTS = np.random.default_rng(0).normal(size=(6, 8)).astype("float32")


def gated(scale):
    def model(x):
        with jax.named_scope("gate"):
            y = jnp.exp(scale * jnp.abs(x @ WEIGHTS))
        return jnp.log1p(y)

    return model, (np.random.default_rng(1).normal(size=(4, 6)).astype("float32"),)


def build():
    return gated({scale})
"""

TORCH = """
import torch
from torch import nn


def build():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.Linear(8, 5))  # one kernel: Inductor compiles each in C++
    return model, (torch.randn(2, 6),)
"""

KERAS = """
import keras
from keras import layers as L


def build():
    keras.utils.set_random_seed(0)
    image = keras.Input((13, 11, 3), name="image")
    x = L.Resizing(5, 7, interpolation="nearest", name="smaller")(L.Conv2D(4, 3, padding="same", name="before")(image))
    return keras.Model(image, L.GlobalAveragePooling2D(name="pool")(x))
"""


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]) -> tuple[int, dict[str, Any]]:
    """`assay check` in a folder of these files; its exit code and the only target's report."""
    for name, text in files.items():
        (folder / name).write_text(text)
    monkeypatch.chdir(folder)
    code = main(["check", "--only", "differential", "--sandbox", "process"])
    return code, json.loads((folder / "assay-report" / "report.json").read_text())


def configured(entry: str, backends: str) -> str:
    return f"version: 1\ntargets:\n  - {{entry: '{entry}', backends: [{backends}]}}\n"


def test_jax_in_both_modes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        ".assay.yml": configured("model.py:build", "jax, 'jax:mode=eager'"),
        "model.py": JAX.replace("{scale}", "1.0"),
    }
    code, report = run(tmp_path, monkeypatch, files)
    (target,) = report["targets"]
    assert (code, target["status"], report["findings"]) == (0, "analysed", [])
    assert [s.partition(" (relative")[0] for s in target["backends"]] == [
        "JAX agrees with the float64 run",
        "JAX (mode=eager) agrees with the float64 run",
    ]
    assert any("no exported graph" in note for note in target["notes"])


def test_a_jax_function_without_named_engines_says_what_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        ".assay.yml": "version: 1\ntargets: [{entry: 'model.py:build'}]\n",
        "model.py": JAX.replace("{scale}", "1"),
    }
    code, report = run(tmp_path, monkeypatch, files)
    assert code == 3
    assert "`backends: [jax, jax:mode=eager]`" in report["targets"][0]["error"]


@pytest.mark.study  # tests/differential/test_torch.py holds compiled results against eager ones
def test_inductor_and_eager_mode_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {".assay.yml": configured("model.py:build", "torch, torch.compile"), "model.py": TORCH}
    code, report = run(tmp_path, monkeypatch, files)
    (target,) = report["targets"]
    assert (code, target["status"], report["findings"]) == (0, "analysed", [])
    assert any(s.startswith("PyTorch (mode=compile) agrees with") for s in target["backends"])
    assert not [note for note in target["notes"] if "did not run" in note]


@pytest.mark.study
def test_keras_on_openvino_is_blamed_for_its_resizing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {".assay.yml": configured("model.py:build", "keras-tensorflow, keras-openvino"), "model.py": KERAS}
    code, report = run(tmp_path, monkeypatch, files)
    assert code == 1
    (finding,) = report["findings"]
    assert (finding["rule"], finding["layer"]) == ("differential/inconsistent-layer", "smaller")
    assert finding["evidence"]["data"]["backend"] == "keras-openvino"
    assert (tmp_path / "assay-report" / finding["reproducer"]).is_file()


class Real(Workbench):
    """The action with the real pipeline; entry points run in a process."""

    def outside(self) -> Outside:
        from action.isolation import choose_sandbox
        from action.run import _pipeline, _write

        return replace(super().outside(), sandbox=choose_sandbox, pipeline=_pipeline, write=_write)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Real]:
    with Simulator() as simulator:
        yield Real(tmp_path, simulator)
        assert simulator.violations == []


INPUTS = {"project-code": "process", "only": "differential", "output": "report"}


def test_a_pull_request_that_overflows_in_jax(bench: Real) -> None:
    """`backends` of the action's input; float32 overflows in both modes where float64 does not: said, not blocked."""
    files = {".assay.yml": "version: 1\ntargets: [{entry: 'net.py:build'}]\n", "net.py": JAX.replace("{scale}", "1.0")}
    bench.base = bench.commit(files)
    bench.open_pull({"net.py": JAX.replace("{scale}", "60.0")})
    ran = bench.run(inputs={**INPUTS, "backends": "jax,jax:mode=eager"})
    assert ran.code == 0, ran.log
    assert "Every engine that ran deviates from the float64 run in `gate`" in ran.summary


def test_a_dispatch_compares_a_checkpoint(bench: Real) -> None:
    """A model file that the default branch brings along, on the engines that the dispatch names."""
    from tests.differential.test_review import padded

    padded(bench.workspace / "runs.onnx")
    bench.head = bench.commit({"models/last.onnx": (bench.workspace / "runs.onnx").read_bytes()})
    event = {"inputs": {"checkpoint": "models/last.onnx", "backends": "onnxruntime,onnxruntime:opt=disable"}}
    ran = bench.run("workflow_dispatch", event, inputs={k: INPUTS[k] for k in ("only", "output")})
    assert ran.code == 1, ran.log
    (check,) = bench.simulator.state.check_runs.values()
    assert (check.head_sha, check.conclusion) == (bench.head, "failure")
    assert "Assay: 1 new problem in 1 of 1 model" in ran.summary
    (finding,) = json.loads((bench.workspace / "report" / "report.json").read_text())["findings"]
    assert finding["op"] == "Pad+MaxPool"
    assert finding["evidence"]["data"]["pass"] == "Pad_Fusion"


@pytest.mark.study
def test_a_pull_request_is_blocked_by_what_got_worse_alone(bench: Real) -> None:
    """Real git and real engines: what deviates on the base as well is told, and does not block."""
    from tests.differential.test_review import padded

    def model(**options: Any) -> bytes:
        padded(bench.folder / "made" / "model.onnx", **options)
        return (bench.folder / "made" / "model.onnx").read_bytes()

    config = "version: 1\ntargets: [{path: kept.onnx}, {path: worse.onnx}]\n"
    bench.base = bench.commit({".assay.yml": config, "kept.onnx": model(), "worse.onnx": model(lifted=0.9)})
    bench.open_pull({"kept.onnx": model(lifted=0.01), "worse.onnx": model(lifted=0.9)})
    ran = bench.run(inputs={k: INPUTS[k] for k in ("only", "output")})
    assert (ran.code, ran.outputs["verdict"]) == (0, "pass"), ran.log
    bench.push({"worse.onnx": model()})
    ran = bench.run(inputs={k: INPUTS[k] for k in ("only", "output")})
    assert (ran.code, ran.outputs["verdict"]) == (1, "fail"), ran.log
    report = json.loads((bench.workspace / "report" / "report.json").read_text())
    assert {f["target"]: f["new"] for f in report["findings"]} == {"kept.onnx": False, "worse.onnx": True}
