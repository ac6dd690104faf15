"""Where neither wall can stand: files are parsed and analysed, engines are not run, and the report says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from onnx import TensorProto, helper

from analyzer.commands.cli import main

WHY = "the kernel is too old"
SENTENCE = f"no wall can be closed around engines here: {WHY}"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a model whose second operator is unsafe, on a system without a wall of the kernel."""
    for where in ("analyzer.walls.launch.standing", "analyzer.running.target_run.standing"):
        monkeypatch.setattr(where, lambda: WHY)
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy")
    nodes = [helper.make_node("Abs", ["x"], ["a"]), helper.make_node("Log", ["a"], ["y"])]
    made = helper.make_model(helper.make_graph(nodes, "g", [x], [y]), opset_imports=[helper.make_opsetid("", 17)])
    (tmp_path / "m.onnx").write_bytes(made.SerializeToString())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def checked(place: Path, *more: str) -> tuple[dict[str, Any], str]:
    """The target's part of the report, and all of its text."""
    main(["check", "m.onnx", "--out", "report", *more])
    report = json.loads((place / "report" / "report.json").read_text(encoding="utf-8"))
    (target,) = report["targets"]
    return target, json.dumps(report)


def test_no_engine_runs_and_the_report_says_so_once(place: Path) -> None:
    target, text = checked(place)
    assert not target.get("backends")
    assert target["notes"] == [f"Not compared, because {SENTENCE}."]
    assert text.count(SENTENCE) == 1
    assert SENTENCE in (place / "report" / "report.md").read_text(encoding="utf-8")
    assert target["status"] == "analysed"
    assert "numerical/log-of-nonpositive" in text


def test_engines_run_where_a_person_says_so(place: Path) -> None:
    target, text = checked(place, "--sandbox", "process")
    assert target["backends"]
    assert SENTENCE not in text


def test_a_comparison_is_refused_with_the_way_out(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "m.onnx", "--out", "out"]) in (1, 3)
    said = capfd.readouterr()
    assert f"{SENTENCE}; `--sandbox process` runs them without" in " ".join((said.out + said.err).split())
