"""Models whose files have names that are not UTF-8, as git and Linux allow."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from onnx import TensorProto, helper

from analyzer.commands.cli import main

SCRIPT = b"import torch\nfrom torch import nn\n\nnn.Linear(3, 4)(torch.zeros(2, 5))\n"


def test_a_name_that_is_not_utf8_is_checked_like_any_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Log", ["x"], ["y"])], "g", [x], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.onnx")).write_bytes(model.SerializeToString())
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/na\xefve.py")).write_bytes(SCRIPT)
    monkeypatch.chdir(tmp_path)
    targets = [os.fsdecode(b"caf\xe9.onnx"), os.fsdecode(b"na\xefve.py")]
    assert main(["check", *targets, "--only", "numerical,tracing"]) == 1
    report = json.loads((tmp_path / "assay-report" / "report.json").read_text(encoding="utf-8"))
    assert {t["status"] for t in report["targets"]} == {"analysed"}
    assert {f["rule"] for f in report["findings"]} == {"numerical/log-of-nonpositive", "tracing/incompatible-shape"}
