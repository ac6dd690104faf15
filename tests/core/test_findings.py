"""What blocks, what is new, what a team silenced."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.configuration.config import Config, Suppression
from analyzer.configuration.policy import apply_policy, expired
from analyzer.findings import (
    Cause,
    Confidence,
    FailOn,
    Finding,
    LayerNode,
    Level,
    Location,
    MapNode,
    Report,
    Status,
    Suggestion,
    TargetReport,
    UnsafeOperators,
    Verdict,
    mark_new,
    ordered,
    slug,
)

ERROR = Finding("numerical/exp-overflow", Level.ERROR, Confidence.CONFIRMED, "m", "t", layer="decoder", node="Exp")
DAY = date(2026, 6, 1)


@pytest.mark.parametrize(
    ("change", "policy", "blocks"),
    [
        ({}, FailOn.CONFIRMED, True),
        ({}, FailOn.NEVER, False),
        ({"confidence": Confidence.PROVED}, FailOn.CONFIRMED, True),
        ({"confidence": Confidence.POSSIBLE}, FailOn.CONFIRMED, False),
        ({"confidence": Confidence.POSSIBLE}, FailOn.POSSIBLE, True),
        ({"level": Level.WARNING}, FailOn.POSSIBLE, False),
        ({"new": False}, FailOn.POSSIBLE, False),
        ({"suppressed": "known"}, FailOn.POSSIBLE, False),
    ],
)
def test_what_blocks(change: dict[str, object], policy: FailOn, blocks: bool) -> None:
    assert replace(ERROR, **change).blocks(policy) is blocks  # type: ignore[arg-type]


def test_the_verdict_prefers_a_block_to_an_incomplete_run() -> None:
    target = TargetReport("t", "onnx", "t.onnx")
    failed = replace(target, status=Status.FAILED)
    assert Report((target,), ()).verdict is Verdict.PASS
    assert Report((failed,), ()).verdict is Verdict.INCOMPLETE
    assert Report((failed,), (ERROR,)).verdict is Verdict.FAIL


def test_fingerprints_survive_edits_around_a_finding() -> None:
    moved = replace(ERROR, location=Location("a.py", 99), message="other words")
    assert moved.fingerprint == ERROR.fingerprint
    for change in ({"layer": "x"}, {"rule": "numerical/overflow"}, {"target": "u"}, {"operand": "1"}, {"node": "n"}):
        assert replace(ERROR, **change).fingerprint != ERROR.fingerprint  # type: ignore[arg-type]


def test_a_fingerprint_has_sixteen_hex_digits_whatever_the_name() -> None:
    assert re.fullmatch("[0-9a-f]{16}", replace(ERROR, node="\ud800").fingerprint)


def test_what_stands_behind_a_suggestion() -> None:
    guess = Suggestion("clamp it")
    assert ERROR.proof == ""
    assert replace(ERROR, suggestion=guess).proof == "not proved"
    assert replace(ERROR, suggestion=replace(guess, proved=True)).proof == "proved safe"
    assert (
        replace(ERROR, rule="validity/x", suggestion=replace(guess, proved=True)).proof
        == "no error when analysed again"
    )


@pytest.mark.parametrize(
    ("status", "cause", "spared"),
    [
        (Status.ANALYSED, None, False),
        (Status.ANALYSED, Cause.ENGINES, False),
        (Status.FAILED, None, False),
        (Status.FAILED, Cause.MODEL, False),
        (Status.FAILED, Cause.SURROUNDINGS, True),
        (Status.TRACED, Cause.POLICY, True),
    ],
)
def test_who_is_spared(status: Status, cause: Cause | None, spared: bool) -> None:
    assert TargetReport("t", "onnx", "t.onnx", status, cause=cause).spared is spared


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("models/vae.py:build", "models/vae.py"),
        ("models/vae.py:Net.build", "models/vae.py"),
        ("m.onnx", "m.onnx"),
        ("c:m.onnx", "c:m.onnx"),
        ("a.py:not a name", "a.py:not a name"),
        ("a:b", "a:b"),
    ],
)
def test_the_file_of_a_target(path: str, file: str) -> None:
    assert TargetReport("t", "entry", path).file == file


def test_nothing_is_claimed_unless_said() -> None:
    target = TargetReport("t", "onnx", "t.onnx")
    assert (target.nodes, target.unsafe_operators, target.cached) == (0, UnsafeOperators(checked=0, safe=0), False)
    assert target.changed
    assert Report((target,), ()).seconds == 0
    layer = MapNode("a", "A")
    assert LayerNode("a", "A").operators == 1
    assert not layer.responsible
    assert not layer.highlighted


names = st.sampled_from(["a", "b", "c", "d"])
some = st.lists(st.builds(lambda n: replace(ERROR, node=n), names), max_size=6)


@given(some, some)
def test_new_and_fixed_partition_by_fingerprint(head: list[Finding], base: list[Finding]) -> None:
    marked, gone = mark_new(head, base)
    before, after = {f.fingerprint for f in base}, {f.fingerprint for f in head}
    assert [f.new for f in marked] == [f.fingerprint not in before for f in head]
    assert {f.fingerprint for f in gone} == before - after


def test_what_becomes_certain_is_new() -> None:
    marked, gone = mark_new([ERROR], [replace(ERROR, confidence=Confidence.POSSIBLE)])
    assert marked[0].new
    assert gone == ()


def test_what_was_certain_once_is_known_though_a_twin_was_only_possible() -> None:
    possible = replace(ERROR, confidence=Confidence.POSSIBLE)
    for base in ([ERROR, possible], [possible, ERROR]):
        assert not mark_new([ERROR], base)[0][0].new
    assert not mark_new([possible], [possible])[0][0].new
    assert not mark_new([possible], [ERROR])[0][0].new


def test_the_most_specific_rule_pattern_wins() -> None:
    config = Config(rules={"numerical/*": None, "numerical/exp-overflow": Level.NOTE})
    assert apply_policy([ERROR], config, DAY)[0].level is Level.NOTE
    assert apply_policy([replace(ERROR, rule="numerical/overflow")], config, DAY) == ()


def test_suppressions_match_all_their_globs_and_end() -> None:
    accepted = Suppression("fine", rule="numerical/*", layer="dec*", until=date(2026, 6, 30))
    config = Config(suppressions=(accepted,))
    assert apply_policy([ERROR], config, DAY)[0].suppressed == "fine"
    assert apply_policy([replace(ERROR, layer="encoder")], config, DAY)[0].suppressed is None
    assert apply_policy([ERROR], config, date(2026, 6, 30))[0].suppressed == "fine"  # its last day counts
    assert apply_policy([ERROR], config, date(2026, 7, 1))[0].suppressed is None
    assert expired(config, DAY) == expired(config, date(2026, 6, 30)) == ()
    assert "2026-06-30" in expired(config, date(2026, 7, 1))[0]


def test_the_worst_comes_first() -> None:
    warning = replace(ERROR, level=Level.WARNING)
    known = replace(ERROR, new=False)
    possible = replace(ERROR, confidence=Confidence.POSSIBLE)
    quiet = replace(ERROR, suppressed="x")
    assert ordered([quiet, known, warning, possible, ERROR]) == (ERROR, possible, warning, known, quiet)


def test_among_equals_the_place_decides() -> None:
    first, second, nowhere = (
        replace(ERROR, location=where) for where in (Location("a.py", 9), Location("a.py", 10), None)
    )
    proved = replace(ERROR, confidence=Confidence.PROVED)
    other = replace(ERROR, target="u", location=Location("a.py", 1))
    assert ordered([other, proved, nowhere, second, first]) == (first, second, nowhere, other, proved)


def test_a_rule_pattern_without_a_match_changes_nothing_and_the_longer_glob_wins() -> None:
    assert apply_policy([ERROR], Config(rules={"validity/*": None}), DAY) == (ERROR,)
    config = Config(rules={"*": Level.NOTE, "numerical/*": Level.WARNING})
    assert apply_policy([ERROR], config, DAY)[0].level is Level.WARNING


@pytest.mark.parametrize("glob", ["rule", "target", "layer", "fingerprint"])
def test_a_suppression_needs_each_of_its_globs(glob: str) -> None:
    everything = Suppression("fine")
    assert apply_policy([ERROR], Config(suppressions=(everything,)), DAY)[0].suppressed == "fine"
    config = Config(suppressions=(replace(everything, **{glob: "other"}), replace(everything, reason="second")))
    assert apply_policy([ERROR], config, DAY)[0].suppressed == "second"


def test_a_target_has_a_readable_file_name_of_its_own() -> None:
    assert slug("models/net.onnx").rpartition("-")[0] == "models-net.onnx"
    assert slug("///").rpartition("-")[0] == slug("").rpartition("-")[0] == "target"
    long = slug("a" * 30 + "/" + "b" * 40)
    assert long.rpartition("-")[0] == "a" * 19 + "-" + "b" * 40
    assert slug("a/b") != slug("a-b")
