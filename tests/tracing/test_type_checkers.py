"""What type checkers say of many files at once is what they say of each alone."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from analyzer.commands.cli import main
from analyzer.configuration.config import Config, TargetConfig
from analyzer.frameworks.requested_versions import read_versions
from analyzer.running.type_checks import types_of
from analyzer.tracing.checkers import tool_runs, type_checkers
from analyzer.tracing.checkers.python_bugs import check_python
from analyzer.tracing.checkers.tool_runs import ToolFailed
from analyzer.tracing.checkers.type_checkers import check_types, digest, said_of

pytestmark = pytest.mark.type_checkers

MISSING = "class Net:\n    def f(self):\n        return self.wdth\n"
SAME_NAMES = "class Net:\n    width = 3\n\n    def f(self, a):\n        return self.width\n\n\nNet().f(1, 2)\n"
UNBOUND = "def f():\n    print(y)\n    y = 1\n    return y\n"
SOUND = "import torch\n\n\ndef f(x):\n    return torch.relu(x)\n"
OTHERS = "import checked\nfrom checked0 import Net\n\n\ndef f():\n    return Net().nothing + checked.Net().wdth\n"
TEXTS = (MISSING, SAME_NAMES, UNBOUND, SOUND, OTHERS)


def test_together_as_alone() -> None:
    together = check_types(TEXTS)
    assert set(together) == {digest(text) for text in TEXTS}
    for text in TEXTS:
        assert together[digest(text)] == check_types([text])[digest(text)], text
    told = {tool: [bool(together[digest(text)][tool]) for text in TEXTS] for tool in ("mypy", "pyright")}
    assert told["mypy"] == [True, True, True, False, False]
    assert told["pyright"] == [True, True, True, False, False]


def test_a_file_that_breaks_a_checker_costs_no_other_its_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = check_types([MISSING, UNBOUND])
    run = tool_runs.run

    def breaking(name: str, program: str | None, options: Sequence[str], folder: str, **more: Any) -> str:
        if name == "mypy" and any(path.read_text() == SAME_NAMES for path in Path(folder).glob("*.py")):
            raise ToolFailed("mypy ended with exit code 2")
        return run(name, program, options, folder, **more)

    monkeypatch.setattr(type_checkers, "run", breaking)
    together = check_types([MISSING, SAME_NAMES, UNBOUND])
    assert together[digest(SAME_NAMES)]["mypy"] == "mypy ended with exit code 2"
    assert {key: together[key] for key in expected} == expected


def test_what_is_known_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {digest(SOUND): {"mypy": [[3, 0, "as told", "call-arg"]]}}
    monkeypatch.setattr(type_checkers, "check_types", None)
    assert said_of(SOUND, known) == {"mypy": [[3, 0, "as told", "call-arg"]]}


def test_a_review_asks_once_for_both_sides(tmp_path: Path) -> None:
    for side, text in (("base", SOUND), ("head", MISSING)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "net.py").write_text(text)
        (tmp_path / side / "broken.py").write_text("def f(:\n")
    targets = [TargetConfig(id=name, path=name) for name in ("net.py", "broken.py", "net.onnx")]
    files = [(tmp_path / side, target) for side in ("base", "head") for target in targets]
    assert types_of(files, Config()) == {
        key: {tool: [list(c) for c in said] for tool, said in answers.items()}
        for key, answers in check_types([SOUND, MISSING]).items()
    }
    assert types_of(files[:1], Config()) == {}


def test_a_folder_is_traced_with_one_start_of_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for number, text in enumerate((MISSING, UNBOUND, SOUND)):
        (tmp_path / f"net{number}.py").write_text(text)
    run = tool_runs.run

    def together(name: str, *arguments: Any, files: int = 1) -> str:
        if files != 3:
            raise ToolFailed(f"{name} was started for {files}")
        return run(name, *arguments, files=files)

    monkeypatch.setattr(type_checkers, "run", together)
    monkeypatch.chdir(tmp_path)
    main(["trace", "."])
    said = "".join(capfd.readouterr())
    assert "net0.py:3" in said
    assert "net1.py:2" in said
    assert "was started for" not in said


@pytest.mark.study
def test_of_repaired_programs_nothing_is_told() -> None:
    programs = {path: path.read_text() for path in sorted((Path(__file__).parent / "corpus").glob("*/fixed.py"))}
    known = check_types(programs.values())
    assert all(isinstance(answer, list) for said in known.values() for answer in said.values())
    told = {}
    for path, text in programs.items():
        found = check_python(path, path.parent, text, ast.parse(text), read_versions(path.parent), (), print, known)
        told[path.parent.name] = [(p.rule, p.site.line, p.message) for p in found]
    assert {name: found for name, found in told.items() if found} == {}


CALLS = """
import argparse
import click
import torch
from tensorflow.keras import layers


def own(a, b):
    return a + b


@torch.no_grad()
def kept(a):
    return a


@click.command()
def wrapped(optim, lr):
    return optim + lr


own(1)  # told
own(1, 2, c=3)  # told
kept(1, 2)  # told
argparse.ArgumentParser(proc="x")  # told
own(layers.Dense(3, input_shape=(2,)), layers.Dense(3, no_such=1))
own("größe 😀", layers.Dense(3, no_such=1))
wrapped()
wrapped(standalone_mode=False)
"""


def test_only_calls_of_what_the_checkers_know_are_judged(tmp_path: Path) -> None:
    found = check_python(tmp_path / "net.py", tmp_path, CALLS, ast.parse(CALLS), read_versions(tmp_path), (), print)
    lines = CALLS.splitlines()
    told = {p.site.line for p in found if p.rule == "python/argument-mismatch" and p.operator in ("mypy", "pyright")}
    assert told == {number for number, line in enumerate(lines, 1) if line.endswith("# told")}
