"""ONNX files whose weights lie in a file beside them, as PyTorch's exporter writes every model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from analyzer.commands.cli import main
from tests.differential.conftest import save_onnx


def saved(path: Path, scale: float = 1.0) -> Path:
    weights = np.random.default_rng(0).standard_normal((6, 3)).astype(np.float32) * np.float32(scale)
    save_onnx(path, [helper.make_node("MatMul", ["x", "w"], ["y"], name="layer")], {"w": weights}, ["n", 6])
    onnx.save(onnx.load(path), path, save_as_external_data=True, location=f"{path.name}.data", size_threshold=0)
    assert (path.parent / f"{path.name}.data").stat().st_size == 72
    return path


def test_engines_find_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    saved(tmp_path / "m.onnx")
    monkeypatch.chdir(tmp_path)
    assert main(["diff", "m.onnx", "--backends", "onnxruntime"]) == 0
    assert "ONNX Runtime agrees" in " ".join(capfd.readouterr().out.split())


def test_two_models_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    saved(tmp_path / "base.onnx")
    saved(tmp_path / "head.onnx", scale=1.5)
    monkeypatch.chdir(tmp_path)
    assert main(["diff", "head.onnx", "--against", "base.onnx"]) == 0
    assert "brought in by `layer`" in " ".join(capfd.readouterr().out.split())


def test_why_no_inputs_are_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    w = np.ones((6, 3), np.float32)
    save_onnx(tmp_path / "m.onnx", [helper.make_node("MatMul", ["x", "w"], ["y"], name="layer")], {"w": w}, ["n", 5])
    monkeypatch.chdir(tmp_path)
    main(["diff", "m.onnx", "--backends", "onnxruntime"])
    out = " ".join(capfd.readouterr())
    assert "layer" in out
    assert "Traceback" not in out
