"""What the base could analyse and the head cannot blocks; what neither could is told and does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import TensorProto, helper

from analyzer.configuration.config import Config, TargetConfig
from analyzer.findings import Cause, Finding, Level, Report, Status, TargetReport, Verdict
from analyzer.problem import NotAllowedProblem, SurroundingsProblem, TargetProblem, UsageProblem
from analyzer.rendering.headline import headline
from analyzer.rendering.markdown import summary
from analyzer.rendering.rules import NO_LONGER_ANALYSED
from analyzer.running import target_run
from analyzer.running.local import review
from analyzer.running.outcome import Surroundings
from analyzer.running.processes import JobResult, run_all
from analyzer.running.regressions import no_longer_analysed, not_compared
from analyzer.running.target_run import TargetOutcome, run_target
from analyzer.selecting.targets import notes_of, select
from tests.action.reports import KERNEL

TARGET = TargetReport("net", "entry", "net.py:build")


def outcome(status: Status, *findings: Finding) -> TargetOutcome:
    return TargetOutcome(replace(TARGET, status=status, error="net: it raises"), findings)


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
    assert f"{after.capitalize()} (1)" not in summary(report)
    assert summary(report).count("it raises") == 2, "in the list of problems, and with its reason"


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


def test_an_entry_whose_code_may_not_run_is_traced_only(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("def build():\n    return None\n")
    where = Surroundings(tmp_path, tmp_path / "out", Config(only=("tracing",)))
    told = run_target(TargetConfig("net", entry="net.py:build"), where).target
    assert (told.status, told.cause) == (Status.TRACED, Cause.POLICY)
    assert "was not exported, only traced" in (told.error or "")


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


@pytest.mark.parametrize(("folder", "expected"), [(".", ["net", "other"]), ("nets", ["net"]), ("nets/", ["net"])])
def test_a_folder_stands_for_the_configured_targets_below_it(tmp_path: Path, folder: str, expected: list[str]) -> None:
    (tmp_path / "nets").mkdir()
    (tmp_path / "empty").mkdir()
    config = Config(targets=(TargetConfig("net", entry="nets/net.py:build"), TargetConfig("other", entry="b.py:build")))
    assert [t.id for t in select((folder,), config, tmp_path).targets] == expected
    with pytest.raises(UsageProblem, match="holds no model"):
        select(("empty",), config, tmp_path)


@pytest.mark.parametrize("cause", [Cause.SURROUNDINGS, Cause.POLICY, Cause.ASSAY])
@pytest.mark.parametrize("after", [Status.FAILED, Status.TRACED])
def test_what_is_not_the_heads_doing_does_not_block_and_is_said(after: Status, cause: Cause) -> None:
    lost = replace(outcome(after).target, cause=cause)
    assert no_longer_analysed(TargetOutcome(lost), outcome(Status.ANALYSED)) == ()
    report = Report((lost,), (), base="b")
    assert report.verdict is Verdict.INCOMPLETE
    assert ("This change did not cause it" in summary(report)) is (cause is not Cause.POLICY)


def test_what_the_model_did_blocks_whatever_else_failed() -> None:
    own = replace(outcome(Status.FAILED).target, cause=Cause.MODEL)
    assert len(no_longer_analysed(TargetOutcome(own), outcome(Status.ANALYSED))) == 1


def net(folder: Path) -> Path:
    folder.mkdir()
    value = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in "xy"]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", value[:1], value[1:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), folder / "net.onnx")
    return folder


class Engine:
    """In the place of `Containers`: what happens to each job, by its name and how often it was begun."""

    def __init__(self, happens: Callable[[str, int], JobResult]) -> None:
        self.happens = happens
        self.begun: list[str] = []

    def run(self, jobs: Mapping[str, Any], *_: object) -> Iterator[tuple[str, JobResult]]:
        for name, (request, _) in jobs.items():
            self.begun.append(name)
            answer = self.happens(name, self.begun.count(name))
            finding = replace(KERNEL, target=request.target.id)
            good = TargetOutcome(TargetReport(request.target.id, "model", "net.onnx"), (finding,)).to_json()
            yield name, answer if answer.error else JobResult(good)


def reviewed(folder: Path, engine: Engine) -> Report:
    trees = net(folder / "head"), net(folder / "base")
    (trees[0] / "net.onnx").write_bytes((trees[0] / "net.onnx").read_bytes() + b"\x3a\x00")  # other bytes
    targets = [TargetConfig("net", path="net.onnx")]
    keys = {(side, "net"): (side, None) for side in ("head", "base")}
    return review(*trees, Config(), targets, output=folder / "out", contained=engine, keys=keys)  # type: ignore[arg-type]


LOST = JobResult(error="the container of the analysis could not be kept (ReadTimeout).", cause=Cause.SURROUNDINGS)
RAISES = JobResult(error="it raises")


def test_an_engine_that_stops_answering_is_tried_once_more(tmp_path: Path) -> None:
    once = Engine(lambda name, time: LOST if name == "head net" and time == 1 else JobResult())
    report = reviewed(tmp_path, once)
    assert (once.begun.count("head net"), report.verdict) == (2, Verdict.PASS)
    assert [f.new for f in report.findings] == [False]


def test_an_engine_that_is_gone_is_neutral(tmp_path: Path) -> None:
    gone = Engine(lambda name, time: LOST if name == "head net" else JobResult())
    report = reviewed(tmp_path, gone)
    assert (report.findings, report.verdict) == ((), Verdict.INCOMPLETE)
    assert "ReadTimeout" in (report.targets[0].error or "")


def test_a_head_that_raises_blocks(tmp_path: Path) -> None:
    raises = Engine(lambda name, time: RAISES if name == "head net" else JobResult())
    report = reviewed(tmp_path, raises)
    assert (raises.begun.count("head net"), [f.rule for f in report.blocking]) == (1, [NO_LONGER_ANALYSED])


def test_findings_are_not_new_because_the_engine_lost_the_base(tmp_path: Path) -> None:
    """They block nothing, and the target is told as not analysed."""
    report = reviewed(tmp_path, Engine(lambda name, time: LOST if name == "base net" else JobResult()))
    assert (report.blocking, report.verdict) == ((), Verdict.INCOMPLETE)
    assert "which of its problems are new is not known" in (report.targets[0].error or "")
    assert "ReadTimeout" in summary(report)


def test_findings_are_new_where_the_base_itself_could_not_be_analysed(tmp_path: Path) -> None:
    report = reviewed(tmp_path, Engine(lambda name, time: RAISES if name == "base net" else JobResult()))
    assert len(report.blocking) == 1


def test_a_head_without_findings_needs_no_base() -> None:
    lost = TargetOutcome(replace(TARGET, status=Status.FAILED, cause=Cause.SURROUNDINGS))
    assert not_compared(outcome(Status.ANALYSED), lost).target.status is Status.ANALYSED


def test_a_file_that_acts_blocks_although_the_base_was_lost() -> None:
    acts = Finding("security/runs-code", Level.ERROR, KERNEL.confidence, "it acts", "net")
    lost = TargetOutcome(replace(TARGET, status=Status.FAILED, cause=Cause.SURROUNDINGS))
    assert not_compared(outcome(Status.ANALYSED, acts, KERNEL), lost).findings[0].suppressed is None


@pytest.mark.parametrize(
    ("raised", "cause"),
    [
        (RuntimeError("a mistake of ours"), Cause.ASSAY),
        (SurroundingsProblem("the Docker engine did not do what it was asked"), Cause.SURROUNDINGS),
        (NotAllowedProblem("running this repository's code is not allowed here"), Cause.POLICY),
        (TargetProblem("it raises"), Cause.MODEL),
        (MemoryError(), Cause.MODEL),
    ],
)
def test_a_stage_says_whose_doing_its_failure_is(
    raised: Exception, cause: Cause, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: Any, **__: Any) -> None:
        raise raised

    monkeypatch.setattr(target_run, "validity", breaks)
    where = Surroundings(net(tmp_path / "head"), tmp_path / "out", Config(only=("validity",)))
    told = run_target(TargetConfig("net", path="net.onnx"), where).target
    assert (told.status, told.cause) == (Status.FAILED, cause)


@pytest.mark.parametrize(("raised", "cause"), [(MemoryError(), Cause.MODEL), (RuntimeError("ours"), Cause.ASSAY)])
def test_a_process_says_whose_doing_its_end_was(raised: Exception, cause: Cause, tmp_path: Path) -> None:
    def job(_: object) -> None:
        raise raised

    ((_, answer),) = run_all({"job": job}, deadline=60, parallel=1, logs=tmp_path)
    assert (answer.cause, answer.error is not None) == (cause, True)
