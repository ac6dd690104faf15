"""Declared spaces on a pull request: what they lost against the base, and what a pinned framework changes in them."""

from __future__ import annotations

from pathlib import Path

from analyzer.configuration.config import Config, TargetConfig
from analyzer.findings import Report, Verdict
from analyzer.running.local import review
from analyzer.running.pipeline import RunOptions
from tests.pipeline import models

SPACE = """version: 1
model:
  inputs: {x: {shape: [4, 16, 32]}}
  layers:
    - {name: encoder, op: TransformerEncoderLayer, d_model: 32, nhead: heads, batch_first: true}
hyperparameters:
  heads: [1, 2, 4]
"""
TARGET = TargetConfig(id="net", path="net.onnx", space="space.yml")
VALIDITY = Config(only=("validity",), timeout=120)


def tree(root: Path, torch: str, space: str = SPACE) -> Path:
    models.safe(root / "net.onnx")
    (root / "space.yml").write_text(space)
    (root / "requirements.txt").write_text(f"torch=={torch}\n")
    return root


def run(head: Path, base: Path | None, output: Path) -> Report:
    return review(head, base, VALIDITY, [TARGET], output=output, options=RunOptions(cache=output.parent / "cache"))


def rules(report: Report) -> set[str]:
    return {f.rule for f in report.findings if f.new}


def test_a_space_that_lost_vectors_blocks_whatever_the_cache_holds(tmp_path: Path) -> None:
    base = tree(tmp_path / "base", "2.4.0")
    head = tree(tmp_path / "head", "2.4.0", SPACE.replace("d_model: 32", "d_model: 30").replace("32]", "30]"))
    assert not rules(run(head, None, tmp_path / "push"))  # kept, without anything to compare with
    report = run(head, base, tmp_path / "pull")
    assert rules(report) == {"validity/space-shrank"}
    assert report.verdict is Verdict.FAIL
    assert rules(run(head, base, tmp_path / "again")) == {"validity/space-shrank"}
    assert not rules(run(head, head, tmp_path / "merged"))


def test_only_a_pinned_version_changed_and_the_verdict_with_it(tmp_path: Path) -> None:
    base, head = tree(tmp_path / "base", "2.4.0"), tree(tmp_path / "head", "1.8.1")
    assert rules(run(head, base, tmp_path / "out")) == {"validity/space-empty", "validity/upgrade-changes-verdict"}
