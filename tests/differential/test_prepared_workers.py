"""A worker that builds an entry point while it is exported: as if loaded afterwards, and ended when nobody asks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.differential.backend import parse
from analyzer.differential.pool import Pool
from analyzer.differential.runner import Artefact
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


def test_what_nobody_asks_for_is_ended(project: Path) -> None:
    pool = Pool(sandbox=ProcessSandbox())
    described = {"entry": "net.py:slow", "root": "project"}
    pool.prepare(parse("torch"), Artefact("torch-entry", {"project": project}, described))
    ((runner, begun),) = pool._ahead.values()
    pool.close()
    assert isinstance(begun.exception(), EngineFailed)
    assert not runner.transport.folder.exists()
