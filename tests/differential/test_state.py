"""Each case starts from the state that was loaded: counters, statistics and recurrent states of one reach no other."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from analyzer.commands.cli import main
from analyzer.differential.backend import parse
from analyzer.differential.pool import Pool
from analyzer.differential.runner import Artefact, Runner

COUNTING = """
import torch


class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x):
        self.calls += 1
        return torch.tanh(x) * self.calls


def build():
    torch.manual_seed(0)
    return Counting(), (torch.randn(3, 4),)
"""

RECURRENT = """
import sys, keras
from keras import layers as L
keras.utils.set_random_seed(0)
i = keras.Input(batch_shape=(2, 5, 3))
keras.Model(i, L.Dense(2)(L.GRU(4, stateful=True)(i))).save(sys.argv[1])
"""


def test_a_module_that_counts_its_calls_is_right_each_time(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")
    (tmp_path / "net.py").write_text(COUNTING, encoding="utf-8")
    code = main(["diff", "net.py:build", "--backends", "torch,onnxruntime", "--sandbox", "process"])
    out = " ".join(capfd.readouterr().out.split())
    assert code == 0  # a model may keep a state on purpose: a spiking neuron's potential, a cache
    assert "PyTorch agrees with the float64 ONNX reference" in out
    assert "The model's own code changes its weights or buffers during inference" in out
    assert "run twice" not in out
    assert "deviates" not in out
    (script,) = (tmp_path / "assay-diff" / "differential").glob("state-mutated-*.py")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    again = subprocess.run([sys.executable, script, tmp_path], cwd=elsewhere, capture_output=True, text=True)
    assert again.returncode == 1, again.stderr
    assert "1 of 1 arrays changed" in again.stdout
    assert "the outputs are 0 apart" not in again.stdout


def test_a_stateful_layer_forgets_between_cases(tmp_path: Path) -> None:
    saved = tmp_path / "model.keras"
    env = {**os.environ, "KERAS_BACKEND": "numpy"}
    subprocess.run([sys.executable, "-c", RECURRENT, str(saved)], check=True, env=env, capture_output=True)
    artefact = Artefact("keras", {"model.keras": saved}, {"path": "model.keras"})
    with Pool() as pool:
        runner = pool.get(parse("keras-numpy"), artefact)
        assert isinstance(runner, Runner), runner
        assert runner.description is not None
        feeds = {runner.description.inputs[0].name: np.ones((2, 5, 3), np.float32)}
        first, second = runner.replay([(feeds, None), (feeds, None)])
    assert first.failure is None
    for name, array in first.arrays.items():
        np.testing.assert_array_equal(array, second.arrays[name])
