"""A worker that builds an entry point while it is exported: as if loaded afterwards, and ended when nobody asks."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.differential.backend import parse
from analyzer.differential.pool import Pool
from analyzer.differential.runner import Artefact, Runner
from analyzer.differential.transport import EngineFailed
from analyzer.differential.verdict import Failure
from analyzer.walls.process import ProcessSandbox

MODEL = """
import sys
import time

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 2)
        sys.builds = getattr(sys, "builds", 0) + 1
        self.register_buffer("builds", torch.tensor(float(sys.builds)), persistent=False)
        self.register_buffer("calls", torch.tensor(0.0))

    def forward(self, x):
        self.calls += 1
        return torch.relu(self.linear(x)) + self.builds + self.calls


def build():
    return Net(), (torch.ones(1, 3),)


def slow():
    time.sleep(100)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "net.py").write_text(MODEL)
    return tmp_path / "project"


def test_the_exported_weights_replace_those_of_a_model_that_was_built_before(project: Path) -> None:
    weight, bias = np.array([[1, 2, 3], [-1, -1, -1]], np.float32), np.array([0.5, 0.5], np.float32)
    stored = [numpy_helper.from_array(weight, "linear.weight"), numpy_helper.from_array(bias, "linear.bias")]
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, s]) for n, s in (("x", 3), ("y", 2))]
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "g", values[:1], values[1:], stored)
    onnx.save(helper.make_model(graph), project.parent / "model.onnx")
    described = {"entry": "net.py:build", "root": "project"}
    whole = Artefact(
        "torch-entry",
        {"project": project, "model.onnx": project.parent / "model.onnx"},
        {**described, "weights": "model.onnx"},
    )
    with Pool(sandbox=ProcessSandbox()) as pool:
        pool.prepare(parse("torch"), Artefact("torch-entry", {"project": project}, described))
        runner = pool.get(parse("torch"), whole)
        assert not isinstance(runner, Failure), runner
        x = np.array([[1.0, 1.0, 2.0]], np.float32)
        result = runner.run({"x": x})
        hidden = runner.run({"x": x}, ["linear"])
    assert result.ok, result
    assert next(iter(result.arrays.values())).tolist() == [[9.5 + 1 + 1, 0.0 + 1 + 1]]  # built once, called once
    assert hidden.arrays["linear"].tolist() == [[9.5, -3.5]]


@pytest.mark.parametrize("after", [0.0, 0.002, 0.02, 0.2, 2.0])
def test_what_nobody_asks_for_is_ended(project: Path, after: float) -> None:
    """While its files are laid, while it is started, while it builds."""
    pool = Pool(sandbox=ProcessSandbox())
    described = {"entry": "net.py:slow", "root": "project"}
    pool.prepare(parse("torch"), Artefact("torch-entry", {"project": project}, described))
    ((runner, begun),) = pool._ahead.values()
    time.sleep(after)
    pool.close()
    assert isinstance(begun.exception(), EngineFailed)
    assert not runner.transport.folder.exists()
    assert runner.transport._child is None


def test_a_worker_that_waits_for_a_file_takes_it_and_a_large_one_gets_another(tmp_path: Path) -> None:
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in "xy"]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", values[:1], values[1:])
    onnx.save(helper.make_model(graph), tmp_path / "model.onnx")
    artefact = Artefact("onnx", {"model.onnx": tmp_path / "model.onnx"}, {"path": "model.onnx"})
    large = tmp_path / "weights.bin"
    with large.open("wb") as file:
        file.truncate((1 << 30) + 1)
    beside = Artefact("onnx", {**artefact.files, "weights.bin": large}, artefact.request)
    names = parse("reference:precision=float64"), parse("reference")
    with Pool() as pool:
        pool.wake([*names, parse("onnxruntime@1.20.1")])  # versions are overlays: they are started when asked for
        waiting = dict(pool._ahead)
        assert set(waiting) == {(n.name, False) for n in names}
        taken, other = pool.get(names[0], artefact), pool.get(names[1], beside)
        assert taken is waiting[names[0].name, False][0]
        assert isinstance(other, Runner)
        assert other is not waiting[names[1].name, False][0]
        for runner in (taken, other):
            assert runner.run({"x": np.array([-1.0, 2.0], np.float32)}).arrays["y"].tolist() == [0.0, 2.0]
    assert not pool._ahead
