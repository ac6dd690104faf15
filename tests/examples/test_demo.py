"""The README's first command: the real action finds every example's defect, and nothing blocks in what is sound."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from action.demo.run import Demo, run_demo

EXPECTED = {
    "vae-loss": ("numerical/log-of-nonpositive", "vae/model.py:33"),
    "digits-loss": ("numerical/exp-overflow", "digits/model.py:34"),
    "attention": ("numerical/overflow", "attention/model.py:12"),
    "ranking-loss": ("numerical/division-by-zero", "ranking/model.py:23"),
    "training-graph": ("numerical/log-of-nonpositive", None),
    "detector": ("validity/incompatible-shape", None),
    "classifier-training": ("tracing/incompatible-shape", "classifier/train.py:23"),
    "segmentation": ("differential/inconsistent-layer", "segmentation/model.py:12"),
    "sentiment": ("checkpoint/renamed", None),
}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    return run_demo(tmp_path_factory.mktemp("demo") / "out", print)


SCRIPTS = {  # changed files that build models are traced as scripts, beside the entry points that some of them hold
    "attention/model.py", "digits/model.py", "ranking/model.py", "segmentation/model.py", "standardise/model.py",
    "training_graph/make_graph.py", "vae/model.py",
}  # fmt: skip


@pytest.fixture(scope="module")
def report(demo: Demo) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((demo.report / "report.json").read_text(encoding="utf-8"))
    return loaded


def blocking(report: dict[str, Any], target: str) -> list[dict[str, Any]]:
    return [
        f for f in report["findings"]
        if f["target"] == target and f["level"] == "error" and f["new"] and f["confidence"] != "possible"
    ]  # fmt: skip


@pytest.mark.parametrize("target", EXPECTED)
def test_each_defect_blocks_under_its_rule_and_on_its_line(report: dict[str, Any], target: str) -> None:
    rule, place = EXPECTED[target]
    found = {
        (f["rule"], f"{f['location']['path']}:{f['location']['line']}" if f["location"] else None)
        for f in blocking(report, target)
    }
    assert (rule, place) in found, [f"{f['rule']} {f['message']}" for f in report["findings"] if f["target"] == target]


def test_everything_was_analysed(report: dict[str, Any]) -> None:
    assert {t["id"]: t["error"] for t in report["targets"] if t["status"] != "analysed"} == {}
    assert {t["id"] for t in report["targets"]} == {*EXPECTED, "forecast", *SCRIPTS}


def test_what_the_pull_request_mends_is_fixed_and_nothing_in_it_blocks(report: dict[str, Any]) -> None:
    assert {f["target"] for f in report["fixed"]} >= {"forecast"}
    assert "numerical/division-by-zero" in {f["rule"] for f in report["fixed"] if f["target"] == "forecast"}
    assert blocking(report, "forecast") == []


def test_the_sound_twins_are_silent(report: dict[str, Any]) -> None:
    """What is known on the base branch, where every other model is its sound twin, is at most advice."""
    known = [f for f in report["findings"] if not f["new"]]
    assert [f for f in known if f["level"] != "note"] == []


def test_the_review_is_left_for_a_person(demo: Demo) -> None:
    assert demo.code == 1
    review = demo.review.read_text(encoding="utf-8")
    assert "❌" in review.splitlines()[0] or "❌" in review[:2000]
    for path in (demo.page, demo.picture, demo.report / "report.html", demo.report / "report.sarif"):
        assert path is not None
        assert Path(path).stat().st_size > 1000
