"""What machines read on standard output: every format of every command, and nothing else beside it."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from safetensors.numpy import save_file
from sarif_pydantic import Sarif

from analyzer.commands.cli import main
from analyzer.configuration.schemas import schema
from tests.pipeline.models import safe, unsafe

SOURCE = "import torch\nx = torch.zeros(2, 3)\né = 1; y = x.view(7)\n"
SPACE = """version: 1
model:
  inputs: {x: {shape: [2, 3, 8, 8]}}
  layers:
    - {name: conv, op: Conv2d, in_channels: 3, out_channels: 4, kernel_size: k}
hyperparameters: {k: [3, 9, 12]}
"""
FORMATS = ("json", "sarif", "github", "markdown")


def prepared(command: str, folder: Path) -> list[str]:
    if command == "check":
        return ["check", unsafe(folder / "m.onnx").name, "--only", "numerical", "--out", "out"]
    if command == "trace":
        (folder / "net.py").write_text(SOURCE)
        return ["trace", "net.py", "--root", "."]
    if command == "space":
        (folder / "space.yml").write_text(SPACE)
        return ["space", "space.yml"]
    if command == "diff":
        safe(folder / "other.onnx")
        return ["diff", unsafe(folder / "m.onnx").name, "--against", "other.onnx", "--budget", "mad=0", "--out", "out"]
    save_file({"w": np.array([1.0, np.nan], np.float32)}, folder / "w.safetensors")
    return ["checkpoint", "w.safetensors"]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("command", ["check", "trace", "checkpoint", "space", "diff"])
def test_every_format_of_every_command(
    command: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    code = main([*prepared(command, tmp_path), "--format", form])
    text = capfd.readouterr().out
    assert code in (0, 1)
    if form == "json":
        found = json.loads(text)
        Draft202012Validator(schema("space" if command == "space" else "report")).validate(found)
        if command == "space":
            assert found[0]["valid"] == 1
        else:
            assert found["findings"]
    elif form == "sarif":
        assert Sarif.model_validate(json.loads(text)).runs[0].results
    elif form == "github":
        assert all(re.match(r"::(error|warning|notice) title=[a-z]+/", line) for line in text.splitlines())
        assert text
    else:
        assert text.startswith("**")


def test_standard_input_stands_for_a_file_and_columns_count_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO(SOURCE))
    assert main(["trace", "-", "--stdin-filename", "models/net.py", "--root", ".", "--format", "json"]) == 1
    (finding,) = json.loads(capfd.readouterr().out)["findings"]
    assert finding["location"] == {"path": "models/net.py", "line": 3, "end_line": None, "column": 12}


def test_standard_input_stands_alone(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", "-", "other.py"]) == 2
    assert "- stands alone" in capfd.readouterr().err
