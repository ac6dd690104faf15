"""Whose configuration decides: loosening is said first, does not help a fork, and blocks where the base is locked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analyzer.configuration.config import Config
from analyzer.configuration.loosening import at_least, loosenings
from analyzer.configuration.policy import apply_policy
from analyzer.configuration.reader import parse_config
from analyzer.findings import Report
from tests.action.harness import CONFIG, Workbench
from tests.action.reports import BROKEN, EXP, KERNEL, LOG, report

STRICT = """version: 1
targets:
  - {id: vae-loss, path: models/vae.onnx, inputs: {x: {range: [-1, 1]}}, symbols: {n: [1, 64]}, backends: [torch, jax]}
  - {id: big, path: models/big.onnx}
rules: {numerical/exp-overflow: error}
fail-on: possible
"""
LOOSER = {
    "fail-on": (STRICT.replace("possible", "confirmed"), "`fail-on: confirmed` instead of `possible`", 6),
    "rule lowered": (STRICT.replace(": error", ": note"), "`numerical/exp-overflow` is only a note", 5),
    "another rule off": (
        STRICT.replace("{numerical/exp-overflow: error}", '{numerical/exp-overflow: error, "validity/*": off}'),
        "The rule `validity/*` is off",
        5,
    ),
    "rule not raised": (STRICT.replace("rules: {numerical/exp-overflow: error}\n", ""), "no longer raised", 1),
    "target": (STRICT.replace("  - {id: big, path: models/big.onnx}\n", ""), "target `big` is no longer named", 1),
    "range": (STRICT.replace("[-1, 1]", "[0, 1]"), "range of `x` is narrower: [0, 1] instead of [-1, 1]", 3),
    "range under another name": (
        STRICT.replace("[-1, 1]", "[0, 1]").replace("id: vae-loss", "id: vae"),
        "range of `x` is narrower",
        3,
    ),
    "sizes": (STRICT.replace("[1, 64]", "[2, 64]"), "sizes of `n` are narrower", 3),
    "backends": (STRICT.replace("[torch, jax]", "[torch]"), "no comparison with jax", 3),
    "only": (STRICT + "only: [tracing]\n", "The analysis `numerical` does not run", 7),
    "suppression": (STRICT + "suppressions:\n  - {rule: 'numerical/*', reason: later}\n", "suppression is new", 8),
    "exclude": (STRICT + "exclude: ['models/*']\n", "Paths like `models/*` are excluded", 7),
    "discover": (STRICT + "discover: off\n", "`discover: off`", 7),
    "timeout": (STRICT + "timeout: 0.001\n", "0.001 s instead of 600 s", 7),
    "thresholds": (STRICT + "thresholds: {mad: 0.9}\n", "threshold t_mad", 7),
}
SAME = [
    STRICT,
    STRICT.replace("[-1, 1]", "[-2, 2]"),
    STRICT.replace("id: big", "id: large"),
    STRICT.replace("[1, 64]", "[1, null]"),
    "# moved\n\n" + STRICT,
    STRICT + "timeout: 900\n",
    STRICT + "policy: locked\n",
    STRICT + "  # more\n",
    STRICT.replace("fail-on: possible\n", "fail-on: possible\nexclude: []\n"),
]


@pytest.mark.parametrize("kind", list(LOOSER))
def test_each_loosening_is_told_with_its_line(kind: str) -> None:
    text, sentence, line = LOOSER[kind]
    found = loosenings(parse_config(STRICT), parse_config(text))
    assert any(sentence in f.sentence and f.line == line for f in found), [(f.sentence, f.line) for f in found]
    assert loosenings(parse_config(STRICT), at_least(parse_config(STRICT), parse_config(text))) == ()


@pytest.mark.parametrize("text", SAME)
def test_what_asks_as_much_or_more_is_no_loosening(text: str) -> None:
    assert loosenings(parse_config(STRICT), parse_config(text)) == ()


class Analysed:
    """The pipeline with given findings: the policy of the configuration it gets is applied, as the real one does."""

    def __init__(self, *findings: Any) -> None:
        self.findings = findings
        self.configs: list[Config] = []

    def __call__(self, head: Path, base: Path, config: Config, targets: Any, **_: Any) -> Report:
        from datetime import date

        self.configs.append(config)
        ids = {t.id for t in targets}
        kept = [f for f in apply_policy(self.findings, config, date(2026, 11, 21)) if f.target in ids]
        only = [f for f in kept if f.rule.partition("/")[0] in config.only]
        return replace(report(*only), fail_on=config.fail_on)


def summary(bench: Workbench) -> str:
    (comment,) = bench.simulator.state.issue_comments.values()
    return comment.body


@pytest.mark.parametrize(
    "more",
    ["fail-on: never\n", "rules: {'numerical/*': off, 'validity/*': off}\n", "only: [tracing]\n"],
)
def test_loosening_is_the_first_thing_in_the_comment_with_what_it_hides(bench: Workbench, more: str) -> None:
    bench.open_pull({".assay.yml": CONFIG + more, "models/vae.onnx": "2"})
    bench.analyse = Analysed(LOG, KERNEL, EXP)
    ran = bench.run()
    assert ran.code == 0, "one's own repository decides for itself"
    body = summary(bench)
    assert "asks less than the base" in body.split("\n")[1]
    first = body.split("\n")[3]
    assert first == "**This change asks less of the review:**", body[:900]
    assert "would block under the configuration of main" in body
    if "fail-on" in more:
        assert "2 findings would block under the configuration of main" in body
    assert body.index("asks less of the review") < body.index("What was checked")
    comments = [(c.path, c.line) for c in bench.simulator.state.review_comments.values()]
    assert (".assay.yml", 5) in comments


def test_a_time_out_that_lets_nothing_be_analysed_blocks(bench: Workbench) -> None:
    """Both revisions are analysed under the head's time-out: only the base's configuration shows what is lost."""
    bench.open_pull({".assay.yml": CONFIG + "timeout: 0.001\n", "models/vae.onnx": "2"})

    def analyse(_head: Any, _base: Any, config: Config, *_: Any, **__: Any) -> Report:
        return report() if config.timeout >= 1 else report(target=BROKEN)

    bench.analyse = analyse
    ran = bench.run()
    assert (ran.code, ran.outputs["verdict"]) == (1, "fail"), ran.log
    body = summary(bench)
    assert "could be analysed before this change and cannot be any more: models/vae.onnx is truncated" in body
    assert "0.001 s instead of 600 s" in body
    assert [c.conclusion for c in bench.simulator.state.check_runs.values()] == ["failure"]
    silent = "rules: {analysis/no-longer-analysed: warning}\n"
    bench.push({".assay.yml": CONFIG + "timeout: 0.001\n" + silent})
    assert bench.run().code == 0, "one's own repository decides for itself"
    assert "`analysis/no-longer-analysed` is only a warning" in summary(bench)
    bench.push({".assay.yml": CONFIG + "timeout: 0.001\n"})
    bench.analyse = lambda *_, **__: report(target=BROKEN)
    assert bench.run().code == 0, "what the base's configuration does not let be analysed either is neutral"


def test_a_locked_policy_blocks_and_keeps_deciding(bench: Workbench) -> None:
    bench.base = bench.commit({".assay.yml": CONFIG + "policy: locked\n"})
    bench.open_pull({".assay.yml": CONFIG + "policy: locked\nfail-on: never\n", "models/vae.onnx": "2"})
    bench.analyse = Analysed(KERNEL)
    ran = bench.run()
    assert (ran.code, ran.outputs["blocking"]) == (1, "2")
    assert "`fail-on: never` instead of `confirmed`" in summary(bench)
    bench.push({".assay.yml": CONFIG, "models/vae.onnx": "2"})
    assert bench.run().code == 1, "the lock itself cannot be taken away"


@pytest.mark.parametrize("more", ["fail-on: never\n", "only: [tracing]\n", "rules: {'validity/*': off}\n"])
def test_a_fork_is_judged_under_the_bases_policy(bench: Workbench, more: str) -> None:
    bench.open_pull({".assay.yml": CONFIG + more, "models/vae.onnx": "2"}, head_repository="mallory/models")
    bench.analyse = Analysed(KERNEL)
    ran = bench.run(payload=bench.payload(head_repository="mallory/models"), inputs={"output": "out"})
    assert (ran.code, ran.outputs["verdict"]) == (1, "fail")


def test_a_fork_cannot_remove_a_target(bench: Workbench) -> None:
    text = CONFIG.replace("  - {id: vae-loss, path: models/vae.onnx}\n", "") + "discover: off\n"
    bench.open_pull({".assay.yml": text, "models/vae.onnx": "2"}, head_repository="mallory/models")
    bench.analyse = Analysed(KERNEL)
    assert bench.run(payload=bench.payload(head_repository="mallory/models")).code == 1


def test_a_deleted_model_is_said_and_is_no_loosening(bench: Workbench) -> None:
    text = CONFIG.replace("  - {id: big, path: models/big.onnx}\n", "")
    bench.open_pull({".assay.yml": text, "models/big.onnx": None, "models/vae.onnx": "2"})
    seen: list[Any] = []

    def analyse(*_: Any, notes: Any, **__: Any) -> Report:
        seen.extend(notes)
        return report()

    bench.analyse = analyse
    assert bench.run().code == 0
    assert "models/big.onnx was removed." in seen
    assert "asks less" not in summary(bench)


def test_a_target_under_another_name_is_judged_as_the_base_described_it() -> None:
    head = parse_config(STRICT.replace("id: vae-loss", "id: vae").replace("[-1, 1]", "[0, 1]"))
    judged = {target.id: target for target in at_least(parse_config(STRICT), head).targets}
    assert list(judged) == ["vae", "big"], "once, under its new name"
    assert judged["vae"].inputs == parse_config(STRICT).targets[0].inputs
