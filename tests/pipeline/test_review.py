"""The pipeline on real models: two revisions, the cache, broken targets, deadlines."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from analyzer.configuration.config import Config, InputSpec, TargetConfig
from analyzer.findings import Confidence, Evidence, Finding, Level, Report, Status, TargetReport, Verdict
from analyzer.graph.ranges import ValueRange
from analyzer.running.local import review
from analyzer.running.outcome import TargetOutcome
from analyzer.running.pipeline import RunOptions
from analyzer.running.pipeline import _report as report_of
from tests.pipeline import models

NUMERICAL = Config(only=("numerical",), timeout=120)


def target(path: str) -> TargetConfig:
    return TargetConfig(id=path, path=path, inputs={"x": InputSpec(range=ValueRange(-50, 50))})


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Path, Path]:
    """A base and a head: one model is broken, one repaired, one stays broken, one stays good."""
    head, base = tmp_path / "head", tmp_path / "base"
    models.unsafe(head / "broken.onnx")
    models.safe(base / "broken.onnx")
    models.safe(head / "repaired.onnx")
    models.unsafe(base / "repaired.onnx")
    for tree in (head, base):
        models.unsafe(tree / "known.onnx")
        models.safe(tree / "good.onnx")
    return head, base


NAMES = ("broken.onnx", "repaired.onnx", "known.onnx", "good.onnx")


def run(
    head: Path, base: Path | None, output: Path, config: Config = NUMERICAL, options: RunOptions | None = None
) -> Report:
    return review(
        head, base, config, [target(n) for n in NAMES], output=output, base_name="b" if base else None, options=options
    )


def test_new_fixed_and_known_are_told_apart(trees: tuple[Path, Path], tmp_path: Path) -> None:
    report = run(*trees, tmp_path / "out")
    by_target = {f.target: f for f in report.findings}
    assert set(by_target) == {"broken.onnx", "known.onnx"}
    broken = by_target["broken.onnx"]
    assert (broken.rule, broken.node, broken.new) == ("numerical/log-of-nonpositive", "log_rest", True)
    assert broken.level is Level.ERROR
    assert broken.confidence is Confidence.CONFIRMED
    assert broken.reproducer is not None
    assert (tmp_path / "out" / broken.reproducer).is_file()
    assert not by_target["known.onnx"].new
    assert [f.target for f in report.fixed] == ["repaired.onnx"]
    assert report.verdict is Verdict.FAIL
    assert report.blocking == (broken,)


def test_without_a_base_everything_is_new(trees: tuple[Path, Path], tmp_path: Path) -> None:
    report = run(trees[0], None, tmp_path / "out")
    assert {f.target: f.new for f in report.findings} == {"broken.onnx": True, "known.onnx": True}
    assert report.fixed == ()


def test_an_unchanged_model_is_a_cache_hit_and_says_the_same(trees: tuple[Path, Path], tmp_path: Path) -> None:
    options = RunOptions(cache=tmp_path / "cache")
    first = run(*trees, tmp_path / "one", options=options)
    again = run(*trees, tmp_path / "two", options=options)
    assert not any(t.cached for t in first.targets)
    assert all(t.cached for t in again.targets)
    assert again.findings == first.findings
    assert again.fixed == first.fixed
    for finding in again.findings:
        assert finding.reproducer is not None
        assert (tmp_path / "two" / finding.reproducer).is_file()
    models.safe(trees[0] / "broken.onnx")
    third = run(*trees, tmp_path / "three", options=options)
    assert {t.id: t.cached for t in third.targets}["broken.onnx"] is True  # the base's bytes, seen before
    assert "broken.onnx" not in {f.target for f in third.findings}


def test_policy_is_applied_on_both_sides(trees: tuple[Path, Path], tmp_path: Path) -> None:
    off = replace(NUMERICAL, rules={"numerical/*": None})
    report = run(*trees, tmp_path / "out", off, RunOptions(today=lambda: date(2026, 1, 1)))
    assert (report.findings, report.fixed, report.verdict) == ((), (), Verdict.PASS)


def test_a_broken_target_is_one_sentence_and_the_others_go_on(trees: tuple[Path, Path], tmp_path: Path) -> None:
    (trees[0] / "good.onnx").write_bytes((trees[0] / "good.onnx").read_bytes()[:40])
    (trees[0] / "broken.onnx").unlink()
    report = run(*trees, tmp_path / "out")
    status = {t.id: t for t in report.targets}
    assert status["good.onnx"].status is Status.FAILED
    assert "good.onnx" in (status["good.onnx"].error or "")
    assert "\n" not in (status["good.onnx"].error or "")
    assert status["broken.onnx"].status is Status.FAILED
    assert status["known.onnx"].status is Status.ANALYSED
    assert {f.rule for f in report.blocking} == {"analysis/no-longer-analysed"}  # the base could be
    assert report.verdict is Verdict.FAIL


def test_the_deadline_is_reported(trees: tuple[Path, Path], tmp_path: Path) -> None:
    report = run(trees[0], None, tmp_path / "out", replace(NUMERICAL, timeout=0.001))
    assert all("longer than" in (t.error or "") for t in report.targets)


def test_layers_carry_intervals_for_the_page(trees: tuple[Path, Path], tmp_path: Path) -> None:
    report = run(trees[0], None, tmp_path / "out")
    layers = {n.label: n for t in report.targets if t.id == "broken.onnx" for n in t.layers.nodes}
    assert layers["probability"].shape == "2 × 4"
    assert layers["rest"].interval == "[0, 1]"


def test_a_known_deviation_that_got_much_worse_is_new(trees: tuple[Path, Path], tmp_path: Path) -> None:
    def outcome(error: float, rule: str = "differential/inconsistent-layer") -> TargetOutcome:
        evidence = Evidence("deviation", data={"error": error})
        finding = Finding(rule, Level.ERROR, Confidence.CONFIRMED, "m", "model", layer="l", evidence=evidence)
        return TargetOutcome(TargetReport("model", "file", "model.onnx"), (finding,))

    def new(head: TargetOutcome, base: TargetOutcome) -> list[bool]:
        report = report_of(
            [TargetConfig("model", path="model.onnx")],
            {("head", "model"): head, ("base", "model"): base},
            NUMERICAL,
            RunOptions(),
            0.0,
            compared=True,
            base_name="b",
            head_name="h",
            changed=None,
            notes=(),
        )
        return [f.new for f in report.findings]

    assert new(outcome(0.2), outcome(0.1)) == [False], "other weights"
    assert new(outcome(0.9), outcome(0.1)) == [True]
    assert new(outcome(0.9, "numerical/overflow"), outcome(0.1, "numerical/overflow")) == [False]
