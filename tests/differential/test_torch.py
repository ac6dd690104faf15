"""PyTorch in all its forms through `assay diff`: eager, compiled, exported programs, and its ONNX form beside them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from analyzer.commands.cli import main

MODEL = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.head = nn.Linear(4, 3)

    def forward(self, x):
        x = torch.relu(self.norm(self.conv(x)))
        return torch.softmax(self.head(x.mean((2, 3))), -1)


class Strict(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 4)

    def forward(self, x):
        return torch.relu(self.linear(x))


class Branching(Strict):
    def forward(self, x):
        if torch._C._len_torch_dispatch_stack() > 0:  # a tracer or a recorder looks on
            raise RuntimeError("runs eagerly only")
        x = self.linear(x)
        return x * 2 if bool(x.sum() > 0) else x - 1


class Threaded(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.head = nn.Linear(8, 16), nn.Linear(16, 4)

    def forward(self, x):
        return self.head(torch.relu(self.first(x)) * (1.01 if torch.get_num_threads() == 1 else 1.0))


def threaded():
    return Threaded(), (torch.randn(2, 8),)


def divided():
    return nn.AvgPool2d(2, divisor_override=3), (torch.randn(2, 3, 8, 8),)


def branching():
    return Branching(), (torch.randn(2, 8),)


def build():
    return Net(), (torch.randn(2, 3, 7, 9),)


def mixed():
    return Strict(), (torch.randn(2, 8).half(),)


if __name__ == "__main__":
    net, inputs = build()
    torch.export.save(torch.export.export(net.eval(), inputs), "net.pt2")
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "net.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "240")
    return tmp_path


def diff(*arguments: str) -> int:
    return main(["diff", *arguments, "--sandbox", "process"])


def test_eager_compiled_exported_and_onnx_agree(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    engines = "torch,torch:mode=compile:backend=aot_eager,torch:mode=export,torch:precision=bfloat16,onnxruntime"
    assert diff("net.py:build", "--backends", f"{engines},torch:precision=mixed_bfloat16") == 0
    said = capfd.readouterr().out
    for title in (
        "PyTorch agrees",
        "PyTorch (backend=aot_eager, mode=compile) agrees",
        "PyTorch (mode=export) agrees",
        "PyTorch (precision=bfloat16) agrees",
        "PyTorch (precision=mixed_bfloat16) agrees",
        "ONNX Runtime agrees",
    ):
        assert f"{title} with the float64 ONNX reference" in said, title


def test_an_exported_program_is_a_model_file(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    subprocess.run([sys.executable, "net.py"], check=True, capture_output=True)
    assert diff("net.pt2", "--backends", "torch,torch:mode=export") == 0
    said = capfd.readouterr().out
    assert "PyTorch agrees with the float64" in said
    assert "PyTorch (mode=export) agrees with the float64" in said


def test_an_element_type_that_a_layer_refuses(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """float16 into a float32 layer: PyTorch raises, where a run in float64 gives numbers."""
    assert diff("net.py:mixed", "--backends", "torch") == 1
    assert "PyTorch crashes in `linear`" in " ".join(capfd.readouterr().out.split())


def test_a_module_that_cannot_be_traced_is_compared_as_a_whole(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert diff("net.py:branching", "--backends", "torch,torch:mode=compile:backend=aot_eager") == 0
    said = " ".join(capfd.readouterr().out.split())
    assert "PyTorch agrees with the float64 run" in said
    assert "PyTorch (backend=aot_eager, mode=compile) agrees with the float64 run" in said
    assert "compared as a whole" in said


def test_engines_that_the_missing_export_keeps_out_are_named(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "net.py").write_text(MODEL, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "400")
    assert main(["diff", "net.py:branching", "--backends", "torch,onnxruntime", "--sandbox", "process"]) == 0
    out = capfd.readouterr().out
    assert "onnxruntime did not run, for the model could not be written as ONNX" in out
    assert "PyTorch agrees with" in out
    assert "Inputs: the model's example inputs" in out


def test_what_a_setting_changes_is_not_the_exports_doing(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert diff("net.py:threaded", "--backends", "torch:threads=2,torch:threads=1") == 1
    out = " ".join(capfd.readouterr().out.split())
    assert "error: PyTorch (threads=1) deviates from the float64 ONNX reference" in out
    assert "The ONNX export of" not in out


def test_what_the_export_changes_is_its_doing(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    diff("net.py:divided", "--backends", "torch,torch:threads=1")
    assert "The ONNX export of" in " ".join(capfd.readouterr().out.split())
