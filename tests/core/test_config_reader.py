"""`.assay.yml`: what is read, and how each kind of mistake is refused."""

from __future__ import annotations

import contextlib
import math
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.configuration.config import Config
from analyzer.configuration.reader import parse_config, read_config
from analyzer.findings import FailOn, Level
from analyzer.problem import UsageProblem
from scripts.configuration_page import EXAMPLE, configuration_page

FULL = """\
version: 1
targets:
  - id: vae-loss
    entry: models/vae.py:build
    inputs:
      x: {shape: [batch, 784], dtype: float32, range: [0, 1]}
    parameters:
      "decoder.*weight": [-2, null]
    symbols: {batch: [2, 512]}
    backends: [onnxruntime, torch]
    environment: {requirements: requirements.txt}
  - path: exports/vae.onnx
rules: {numerical/gradient-of-sqrt-at-zero: warning, python/*: off}
suppressions:
  - reason: accepted until the rewrite
    rule: numerical/exp-overflow
    until: 2027-01-31
fail-on: possible
thresholds: {class: 4, mad: 0.1, percent: 5}
timeout: 60
"""


def test_everything_that_can_be_said_is_read() -> None:
    config = parse_config(FULL)
    first, second = config.targets
    assert (first.id, first.entry, first.path, first.line) == ("vae-loss", "models/vae.py:build", None, 3)
    assert first.inputs["x"].shape == ("batch", 784)
    assert first.inputs["x"].range is not None
    assert (first.inputs["x"].range.lo, first.inputs["x"].range.hi) == (0, 1)
    assert ".assay.yml:3" in first.inputs["x"].range.reason
    assert first.parameters["decoder.*weight"].hi == math.inf
    assert first.symbols == {"batch": (2, 512)}
    assert first.backends == ("onnxruntime", "torch")
    assert first.environment is not None
    assert first.environment.requirements == "requirements.txt"
    assert second.id == "exports/vae.onnx"
    assert second.backends is None
    assert config.rules == {"numerical/gradient-of-sqrt-at-zero": Level.WARNING, "python/*": None}
    assert config.suppressions[0].until == date(2027, 1, 31)
    assert config.fail_on is FailOn.POSSIBLE
    assert (config.thresholds.t_class, config.thresholds.t_mad, config.thresholds.p) == (4, 0.1, 5)
    assert config.timeout == 60


def test_the_least_configuration() -> None:
    assert parse_config("version: 1") == Config(path=".assay.yml")


MISTAKES = {
    "unknown key": ("version: 1\ntarget: []", 2, "unknown key `target`", "did you mean `targets`?"),
    "unknown nested key": (
        "version: 1\ntargets:\n  - path: a.onnx\n    backend: [torch]",
        4,
        "unknown key `backend` in targets[0]",
        "did you mean `backends`?",
    ),
    "wrong type": (
        "version: 1\ntargets:\n  - path: a.onnx\n    inputs: {x: {shape: 3}}",
        4,
        "must be a list",
        "[batch, 3, 224, 224]",
    ),
    "unknown dtype": (
        "version: 1\ntargets:\n  - path: a.onnx\n    inputs:\n      x: {dtype: flaot32}",
        5,
        "'flaot32'",
        "write `float32`",
    ),
    "empty range": (
        "version: 1\ntargets:\n  - path: a.onnx\n    parameters:\n      w: [2, -2]",
        5,
        "range [2, -2]",
        "write [-2, 2]",
    ),
    "half a range": (
        "version: 1\ntargets:\n  - path: a.onnx\n    parameters:\n      w: [2]",
        5,
        "needs at least 2",
        '{"decoder.*weight": [-2, 2]}',
    ),
    "empty symbol": ("version: 1\ntargets:\n  - path: a\n    symbols: {n: [8, 2]}", 4, "holds no size", "n: [2, 8]"),
    "no model": ("version: 1\ntargets:\n  - id: a", 3, "names no model", "path: "),
    "two models": (
        "version: 1\ntargets:\n  - path: a.onnx\n    entry: b.py:c",
        3,
        "both `path` and `entry`",
        "keep one",
    ),
    "bad entry": ("version: 1\ntargets:\n  - entry: models.vae.build", 3, "right form", "models/vae.py:build"),
    "same id": ("version: 1\ntargets:\n  - path: a\n  - path: a", 4, "is taken by the target on line 3", "own"),
    "escape": (
        "version: 1\ntargets:\n  - path: ../../etc/passwd",
        3,
        "leaves the repository",
        "give a path below its root",
    ),
    "absolute": (
        "version: 1\ntargets:\n  - path: /etc/passwd",
        3,
        "`path: /etc/passwd` leaves the repository",
        "give a path below its root",
    ),
    "level": ("version: 1\nrules: {numerical/x: fatal}", 2, "'fatal'", "choose one of error, warning, note, off"),
    "fail-on": ("version: 1\nfail-on: confirmd", 2, "'confirmd'", "write `confirmed`"),
    "no reason": ("version: 1\nsuppressions:\n  - rule: x/y", 3, "lacks `reason`", "add `reason:"),
    "silence all": ("version: 1\nsuppressions:\n  - reason: because", 3, "silence everything", "add `rule:`"),
    "no such day": (
        "version: 1\nsuppressions:\n  - {reason: ok then, rule: a, until: 2026-02-30}",
        3,
        "not a day",
        "as 2027",
    ),
    "timeout": ("version: 1\ntimeout: 0", 2, "more than 0", "`timeout`"),
    "two environments": ("version: 1\nenvironment: {image: a, requirements: b}", 2, "both `image`", "keep `image`"),
    "version": ("version: 2", 1, "version: 1", "reads"),
    "no version": ("targets: []", 1, "lacks `version`", "`version: 1`"),
    "twice": ("version: 1\nversion: 1", 2, "stands twice", "keep one"),
    "syntax": ("version: 1\ntargets: [", 2, "not valid YAML", ""),
    "empty": ("", 0, "is empty", "version: 1"),
    "a list": ("- 1", 1, "must be a mapping", ""),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_each_mistake_names_file_line_and_mend(name: str) -> None:
    text, line, what, mend = MISTAKES[name]
    with pytest.raises(UsageProblem) as caught:
        parse_config(text, name="conf/.assay.yml")
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    assert message.startswith(f"conf/.assay.yml:{line}: " if line else "conf/.assay.yml ")
    assert what in message
    assert mend in message


def refused(text: str) -> str:
    with pytest.raises(UsageProblem) as caught:
        parse_config("version: 1\n" + text)
    return str(caught.value).partition(": ")[2]


TARGET = "targets:\n  - path: a\n    "
NAME = "give a name of sensible length."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("targets: {}", "`targets` is a mapping; it must be a list: a list of `- path: model.onnx`."),
        ("timeout: [1]", "`timeout` is a list; it must be a number."),
        ("timeout:", "`timeout` is empty; it must be a number."),
        ("timeout: x", "`timeout` is text ('x'); it must be a number."),
        ("rules: 3", "`rules` is a whole number (3); it must be a mapping."),
        ("environment: true", "`environment` is true or false (True); it must be a mapping."),
        ("exclude: 0.5", "`exclude` is a number (0.5); it must be a list."),
        ("discover: maybe", "`discover` is 'maybe', which is not a choice; choose one of on, off."),
        ("rules: {a: x}", "`rules.a` is 'x', which is not a choice; choose one of error, warning, note, off."),
        ("exclude: ['']", f"`exclude[0]` is too short; {NAME}"),
        (f"{TARGET}id: {'x' * 201}", f"`targets[0].id` is too long; {NAME}"),
        (f"{TARGET}symbols: {{b: [1, 2, 3]}}",
         "`targets[0].symbols.b` has 3 items; it needs at most 2, as in `{batch: [2, 512]}`."),
        (f"{TARGET}parameters: {{w: [.inf, .inf]}}",
         "the range [inf, inf] of `w` holds no finite number; write null for an open side."),
        (f"{TARGET}parameters: {{w: [null, -.inf]}}",
         "the range [-inf, -inf] of `w` holds no finite number; write null for an open side."),
        (f"{TARGET}parameters: {{w: [1.5, 1]}}", "the range [1.5, 1] of `w` is empty; write [1, 1.5]."),
        (f"{TARGET}inputs: {{x: {{range: [1.5, 1]}}}}", "the range [1.5, 1] of `range` is empty; write [1, 1.5]."),
        (f"{TARGET}symbols: {{n: [3, 2]}}", "`n: [3, 2]` holds no size; write `n: [2, 3]`."),
        (f"{TARGET}checkpoint: a/../b", "`checkpoint: a/../b` leaves the repository; give a path below its root."),
        (r"environment: {requirements: '..\r'}",
         "`requirements: ..\\r` leaves the repository; give a path below its root."),
        ("timeout: 21601", "`timeout` is 21601; it must be at most 21600."),
        ("thresholds: {class: -1}", "`thresholds.class` is -1; it must be at least 0."),
        ("drift: {foo: 1}", "unknown key `foo` in drift; known keys are top1, mad, relative, class, d-mad."),
        ("drift: {top1: x}", "`drift.top1` is 'x', which does not have the right form."),
    ],
)  # fmt: skip
def test_mistakes_word_for_word(text: str, message: str) -> None:
    assert refused(text) == message


def test_a_range_and_a_symbol_may_be_one_number_or_open() -> None:
    config = parse_config(
        f"version: 1\n{TARGET}symbols: {{n: [3, 3], m: [1, null]}}\n    parameters: {{w: [2, 2], v: [null, 1]}}"
    )
    (target,) = config.targets
    assert target.symbols == {"n": (3, 3), "m": (1, None)}
    assert (target.parameters["w"].lo, target.parameters["w"].hi) == (2, 2)
    assert (target.parameters["v"].lo, target.parameters["v"].hi) == (-math.inf, 1)


def test_what_is_written_beyond_the_defaults_arrives() -> None:
    config = parse_config(
        "version: 1\ndiscover: off\npolicy: locked\nonly: [validity]\nexclude: [old/*]\n"
        "environment: {image: a}\ndrift: {top1: 5 %, class: 2, d-mad: 0.5}\n"
        f"{TARGET}weights: exact\n    unbounded: [inputs]\n"
        "    validation: v.npz\n    space: s.yml\n    checkpoint: c.pt\n"
        "suppressions: [{reason: known, target: t, layer: l, fingerprint: 0123456789abcdef}]\nrules: {a: off}\n"
    )
    assert (config.discover, config.locked, config.only, config.exclude) == (False, True, ("validity",), ("old/*",))
    assert (config.environment.image, config.environment.requirements) == ("a", None)
    assert (config.drift.top1, config.drift.d_class, config.drift.d_mad) == (5, 2, 0.5)
    (target,) = config.targets
    assert (target.weights, target.unbounded, target.environment) == ("exact", ("inputs",), None)
    assert (target.validation, target.space, target.checkpoint) == ("v.npz", "s.yml", "c.pt")
    (silent,) = config.suppressions
    assert (silent.rule, silent.target, silent.layer, silent.fingerprint) == ("*", "t", "l", "0123456789abcdef")
    assert config.rules == {"a": None}
    assert not parse_config("version: 1").locked
    assert parse_config("version: 1\ndiscover: on").discover


def test_a_file_is_read_under_its_name_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.yml"
    path.write_text("version: 1", encoding="utf-8")
    assert read_config(path).path == "c.yml"
    assert read_config(path, name="x/c.yml").path == "x/c.yml"
    path.write_bytes(b"\xff")
    for wrong, reason in (
        (path, "cannot be read: it is not UTF-8 text."),
        (tmp_path, "cannot be read: Is a directory."),
        (tmp_path / "no", "does not exist; create it or leave out --config."),
    ):
        with pytest.raises(UsageProblem) as caught:
            read_config(wrong)
        assert str(caught.value) == f"{wrong.name} {reason}"


def test_all_mistakes_are_listed_at_once() -> None:
    text = "version: 1\ntarget: []\nfail-on: x\ntimeout: -1\n"
    with pytest.raises(UsageProblem) as caught:
        parse_config(text)
    assert [line.split(":")[1] for line in str(caught.value).splitlines()] == ["2", "3", "4"]


@pytest.mark.parametrize("value", [".nan", "9" * 100, "1" + ":59" * 100_000, "-0x" + "f" * 5000])
def test_numbers_that_are_none_are_refused(value: str) -> None:
    with pytest.raises(UsageProblem, match=r"\.assay\.yml:2: .*(not a number|64 bits)"):
        parse_config(f"version: 1\ntimeout: {value}\n")


def test_alias_bombs_are_refused() -> None:
    bomb = "version: 1\n" + "\n".join(
        [f"a0: &a0 [{', '.join('x' * 10)}]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    )
    with pytest.raises(UsageProblem, match="without aliases"):
        parse_config(bomb)


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    with contextlib.suppress(UsageProblem):  # anything else that is raised fails the test
        parse_config("version: 1\n" + text)


def test_the_reference_page_is_current_and_its_example_is_read() -> None:
    page = Path(__file__).parents[2] / "docs" / "configuration.md"
    assert page.read_text(encoding="utf-8") == configuration_page()
    assert len(parse_config(EXAMPLE).targets) == 2
