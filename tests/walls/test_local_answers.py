"""What a taken-over analysis of one's own machine answers is held against the schema, as in the action."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from analyzer.configuration.config import Config, TargetConfig
from analyzer.findings import Confidence, Finding, LayerGraph, LayerNode, Level, Location, Status, TargetReport
from analyzer.rendering.files import write
from analyzer.running.local import review
from analyzer.running.outcome import TargetOutcome

TARGET = TargetConfig(id="net.onnx", path="net.onnx")
Change = Callable[[dict[str, Any]], Any]


def outcome() -> dict[str, Any]:
    finding = Finding("numerical/overflow", Level.ERROR, Confidence.PROVED, "It overflows.", "net.onnx",
                      location=Location("net.onnx", 1))  # fmt: skip
    layers = LayerGraph((LayerNode("l0", "relu", "Relu"),), ())
    return TargetOutcome(TargetReport("net.onnx", "onnx", "net.onnx", layers=layers), (finding,)).to_json()


FORGED: dict[str, Change] = {
    "a label that is a list": lambda d: d["target"]["layers"]["nodes"][0].update(label=[82, 101]),
    "a status that does not exist": lambda d: d["target"].update(status="green"),
    "another target": lambda d: d["target"].update(id="other.onnx"),
    "a finding of another target": lambda d: d["findings"][0].update(target="other.onnx"),
    "another file": lambda d: d["target"].update(path="other.onnx"),
    "from the cache": lambda d: d["target"].update(cached=True),
    "a picture": lambda d: d["target"].update(pictures=["/etc/passwd"]),
    "a suppressed finding": lambda d: d["findings"][0].update(suppressed="known"),
    "a known finding": lambda d: d["findings"][0].update(new=False),
    "a reproducer elsewhere": lambda d: d["findings"][0].update(reproducer="../../etc/passwd"),
    "a place elsewhere": lambda d: d["findings"][0]["location"].update(path="/etc/passwd"),
    "more keys": lambda d: d.update(more=1),
    "findings without end": lambda d: d.update(findings=d["findings"] * 6000),
}


def answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Any) -> Any:
    monkeypatch.setattr("analyzer.running.local.run_target", lambda *_: SimpleNamespace(to_json=lambda: answer))
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "net.onnx").write_bytes(b"")
    report = review(tmp_path / "tree", None, Config(), [TARGET], output=tmp_path / "out", keys={})
    write(report, tmp_path / "out")
    return report


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_answer_counts_for_nothing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = outcome()
    FORGED[name](answer)
    report = answered(tmp_path, monkeypatch, answer)
    (target,) = report.targets
    assert (target.id, target.status) == ("net.onnx", Status.FAILED)
    assert "answer" in str(target.error)
    assert not report.findings


@pytest.mark.parametrize("answer", [None, 7, [], {}, {"target": {}, "findings": []}, "x" * 100])
def test_what_is_no_answer_is_said(answer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (target,) = answered(tmp_path, monkeypatch, answer).targets
    assert target.status is Status.FAILED


def test_a_proper_answer_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = answered(tmp_path, monkeypatch, outcome())
    assert report.targets[0].status is Status.ANALYSED
    assert len(report.findings) == 1
