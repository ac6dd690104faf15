"""What the base could analyse and the head cannot blocks; what neither could is told and does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from analyzer.configuration.config import Config, TargetConfig
from analyzer.findings import Finding, Report, Status, TargetReport, Verdict
from analyzer.rendering.markdown import headline
from analyzer.running.regressions import NO_LONGER_ANALYSED, no_longer_analysed
from analyzer.running.target_run import Outcome
from analyzer.selecting.targets import notes_of, select
from tests.action.reports import KERNEL

TARGET = TargetReport("net", "entry", "net.py:build")


def outcome(status: Status, *findings: Finding) -> Outcome:
    return Outcome(replace(TARGET, status=status, error="net: it raises"), findings)


@pytest.mark.parametrize("after", [Status.FAILED, Status.SKIPPED, Status.TRACED])
def test_what_the_base_could_and_the_head_cannot_blocks(after: Status) -> None:
    (found,) = no_longer_analysed(outcome(after), outcome(Status.ANALYSED))
    assert found.rule == NO_LONGER_ANALYSED
    assert "cannot be any more: it raises" in found.message
    report = Report((outcome(after).target,), (found,), base="b")
    assert report.verdict is Verdict.FAIL
    text = headline(report)
    assert text.text == "Assay: 1 new problem in 1 of 1 changed model"
    assert len(text.extras) == 1, "a model is a problem or not analysed, not both"


@pytest.mark.parametrize(
    ("after", "before"),
    [
        (Status.FAILED, Status.FAILED),
        (Status.TRACED, Status.TRACED),
        (Status.ANALYSED, Status.ANALYSED),
        (Status.FAILED, None),
    ],
)
def test_what_neither_could_does_not_block(after: Status, before: Status | None) -> None:
    assert no_longer_analysed(outcome(after), outcome(before) if before else None) == ()


def test_a_proved_error_says_it_already() -> None:
    assert no_longer_analysed(outcome(Status.FAILED, KERNEL), outcome(Status.ANALYSED)) == ()


@pytest.mark.parametrize("status", [Status.FAILED, Status.TRACED, Status.SKIPPED])
def test_an_unknown_model_is_not_green_and_is_counted(status: Status) -> None:
    good = TargetReport("other", "model", "other.onnx")
    report = Report((replace(TARGET, status=status), good), (), base="b")
    assert report.verdict is Verdict.INCOMPLETE
    text = headline(report)
    assert text.text == "Assay: 1 of 2 changed models could not be analysed; nothing blocks"
    words = {Status.FAILED: "1 failed", Status.TRACED: "1 traced only", Status.SKIPPED: "1 skipped"}
    assert text.extras[0] == words[status]


def test_models_that_no_target_names_are_found(tmp_path: Path) -> None:
    value = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in "xy"]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", value[:1], value[1:])
    for name in ("named.onnx", "new.onnx"):
        onnx.save(helper.make_model(graph), tmp_path / name)
    config = Config(targets=(TargetConfig("named", path="named.onnx"),))
    chosen = select((), config, tmp_path)
    assert [t.id for t in chosen.targets] == ["named", "new.onnx"]
    assert "No target names `new.onnx`" in chosen.notes[0]
    assert [t.id for t in select((), replace(config, discover=False), tmp_path).targets] == ["named"]
    assert notes_of(()) == ()
