"""A target whose engines all did not run is no plain pass: told, counted, and neutral where the change is not why."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from analyzer.commands.cli import main
from analyzer.configuration.config import Config, TargetConfig, Thresholds
from analyzer.differential.backend import parse
from analyzer.differential.plan import Family, onnx_artefact
from analyzer.differential.pool import Pool
from analyzer.differential.study import Study, study
from analyzer.differential.uncompared import uncompared
from analyzer.differential.verdict import Failure, Kind
from analyzer.findings import Cause, Finding, Level, Report, Status, TargetReport, Verdict
from analyzer.loading.reading import load
from analyzer.rendering.markdown import headline, summary
from analyzer.running.local import review
from analyzer.running.outcome import TargetOutcome
from analyzer.running.regressions import no_longer_analysed, not_compared
from tests.action.reports import KERNEL


def net(folder: Path, operator: str = "Relu") -> Path:
    folder.mkdir(exist_ok=True)
    value = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in "xy"]
    graph = helper.make_graph([helper.make_node(operator, ["x"], ["y"])], "g", value[:1], value[1:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), folder / "net.onnx")
    return folder


def check(folder: Path, monkeypatch: pytest.MonkeyPatch, backends: str) -> tuple[int, dict[str, object]]:
    (net(folder) / ".assay.yml").write_text(f"version: 1\ntargets:\n  - {{path: net.onnx, backends: {backends}}}\n")
    monkeypatch.chdir(folder)
    code = main(["check", "--only", "differential", "--sandbox", "process"])
    (target,) = json.loads((folder / "assay-report" / "report.json").read_text())["targets"]
    return code, target


def test_engines_that_are_asked_for_and_not_there_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a real worker: ONNX Runtime has no such device on this machine."""
    code, target = check(tmp_path / "repo", monkeypatch, "['onnxruntime:device=tensorrt']")
    assert (code, target["status"], target["cause"]) == (3, "failed", "engines"), target
    assert "none of the engines that `backends` names gave a result" in str(target["error"])
    assert "Install one of them here, or name others" in str(target["error"])


def test_the_same_on_both_sides_is_neutral_and_counted(tmp_path: Path) -> None:
    sides = {side: net(tmp_path / side, op) for side, op in (("base", "Relu"), ("head", "Sigmoid"))}
    target = TargetConfig("net", path="net.onnx", backends=("onnxruntime:device=tensorrt",))
    report = review(
        sides["head"], sides["base"], Config(only=("differential",)), [target], output=tmp_path / "out", base_name="b"
    )
    assert (report.verdict, report.findings) == (Verdict.INCOMPLETE, ())
    assert report.targets[0].cause is Cause.ENGINES
    assert headline(report).text == "Assay: 1 of 1 changed model could not be analysed; nothing blocks"
    assert "1 failed" in headline(report).extras
    text = summary(report)
    assert "none of the engines that `backends` names gave a result" in text
    assert "run the job again" not in text, "another run has the same engines"


def studied(kinds: Sequence[Kind]) -> list[Study]:
    names = ("onnxruntime", "onnxruntime:opt=disable")[: len(kinds)]
    family = Family("onnx", tuple(parse(n) for n in names), parse("reference:precision=float64"))
    missing = tuple((parse(n).name, Failure(kind, "it says so")) for n, kind in zip(names, kinds, strict=True))
    return [Study(family, missing=missing)]


ASKED = TargetConfig("net", path="net.onnx", backends=("onnxruntime", "onnxruntime:opt=disable"))


@pytest.mark.parametrize(
    ("kinds", "asked", "default"),
    [
        ((Kind.MISSING, Kind.MISSING), Cause.ENGINES, None),
        ((Kind.MISSING, Kind.UNSUPPORTED), Cause.ENGINES, None),
        ((Kind.MISSING, Kind.TIMEOUT), Cause.ENGINES, Cause.ENGINES),
        ((Kind.MISSING, Kind.CRASH), Cause.MODEL, Cause.MODEL),
    ],
)
def test_whose_doing_it_is(kinds: tuple[Kind, ...], asked: Cause, default: Cause | None) -> None:
    told = uncompared(studied(kinds), ASKED, allowed=False)
    assert told is not None
    assert told[1] is asked
    told = uncompared(studied(kinds), replace(ASKED, backends=None), allowed=False)
    assert told is not None
    assert told[1] is default
    assert "onnxruntime, onnxruntime:opt=disable: it says so" in told[0]
    assert uncompared(studied(kinds), replace(ASKED, backends=()), allowed=False) is None


def test_an_entry_whose_code_may_not_run_is_the_runs_policy() -> None:
    entry = replace(ASKED, path=None, entry="m.py:build")
    told = uncompared(studied((Kind.MISSING,)), entry, allowed=False)
    assert told is not None
    assert told[1] is Cause.POLICY


def test_engines_that_take_no_such_model_are_told() -> None:
    told = uncompared([], ASKED, allowed=True)
    assert told is not None
    assert told[1] is Cause.MODEL
    told = uncompared([], replace(ASKED, backends=None), allowed=True)
    assert told == ("Not compared: no engine here takes this kind of model.", None)


def test_a_base_without_engines_hides_only_what_engines_say() -> None:
    report = TargetReport("vae-loss", "model", "net.onnx")
    lost = TargetOutcome(replace(report, status=Status.FAILED, cause=Cause.ENGINES, error="vae-loss: not compared"))
    by_engine: Finding = replace(KERNEL, rule="differential/inconsistent-layer", level=Level.ERROR)
    proved = replace(KERNEL, rule="numerical/log-of-nonpositive", level=Level.ERROR)
    after = not_compared(TargetOutcome(report, (by_engine, proved)), lost)
    assert [f.suppressed is None for f in after.findings] == [False, True]
    only = not_compared(TargetOutcome(report, (proved,)), lost)
    assert only.target.status is Status.ANALYSED
    assert no_longer_analysed(lost, TargetOutcome(report)) == ()
    assert Report((lost.target,), (proved,), base="b").verdict is Verdict.FAIL, "what was proved still blocks"


def test_an_engine_that_is_not_installed_is_told_without_a_start(tmp_path: Path) -> None:
    """Nor is the oracle started where there is nothing to compare."""
    found = [parse(name) for name in ("onnxruntime", "onnxruntime:opt=disable")]
    gone = tuple(replace(b, engine=replace(b.engine, packages=("no_such_engine",))) for b in found)
    path = net(tmp_path / "repo") / "net.onnx"
    family = Family("onnx", gone, parse("reference:precision=float64"))
    target = TargetConfig("net", path="net.onnx")
    with Pool() as pool:
        done = study(family, {"onnx": onnx_artefact(load(path), tmp_path / "form")}, target, pool, Thresholds())
        assert not pool.runners
    assert done.oracle is None
    assert uncompared([done], target, allowed=True) == (
        "Not compared, because no engine for this model is at hand here (onnxruntime, onnxruntime:opt=disable: "
        "no_such_engine is not installed; `pip install assay-action[backends]` brings it).",
        None,
    )
