"""What holds in a real run of a library: no error is proved behind its opposite, and none at all where it is known."""

from __future__ import annotations

import ast
import functools
import importlib
from pathlib import Path
from typing import Any

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

FOLDER = Path(__file__).parent / "true_of_libraries"
NEEDED = {
    "training": "torch",
    "methods": "torch",
    "scripts": "torch",
    "programs": "torch",
    "einops": "einops",
    "keras": "keras",
    "models": "tensorflow",
    "tensorflow": "tensorflow",
}
FAILURE = "    torch.zeros(2, 3) @ torch.zeros(4, 5)\n"
TOGETHER = 20  # statements that one program holds
BY_TURNS = 8  # of those that nothing is known of, and were never held false, one of so many


def _statements(kind: str) -> list[tuple[str, str]]:
    return [(n, s) for n in NEEDED for s in (FOLDER / f"{n}_{kind}.txt").read_text(encoding="utf-8").splitlines()]


def _groups() -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for name in NEEDED:
        count = sum(n == name for n, _ in _statements("known"))
        found += [(name, first) for first in range(0, count, TOGETHER)]
    return found


def _head(name: str) -> str:
    return (FOLDER / f"{name}_head.txt").read_text(encoding="utf-8")


@functools.cache
def _scope(name: str) -> dict[str, Any]:
    """What the head defines in a real run."""
    importlib.import_module(NEEDED[name])
    scope: dict[str, Any] = {}
    exec(_head(name), scope)
    return scope


def _errors(tmp_path: Path, name: str, text: str) -> list[tuple[bool, str]]:
    program = ast.parse(f"{_head(name)}\nimport torch\n{text}")
    problems = explore(tmp_path, "net.py", program, Versions()).problems.values()
    return [(p.proved, f"{p.site.line} {p.message}") for p in problems if p.level == "error"]


@pytest.mark.parametrize(("name", "first"), _groups())
def test_what_is_known_to_hold_guards_no_failure(tmp_path: Path, name: str, first: int) -> None:
    pytest.importorskip(NEEDED[name])
    statements = [s for n, s in _statements("known") if n == name][first : first + TOGETHER]
    assert [s for s in statements if not eval(s, _scope(name))] == []
    assert _errors(tmp_path, name, "".join(f"if not ({s}):\n{FAILURE}" for s in statements)) == []


@pytest.mark.parametrize(("name", "statement"), _statements("known")[:: 2 * TOGETHER])
def test_what_is_known_to_hold_lets_a_failure_be_proved(tmp_path: Path, name: str, statement: str) -> None:
    assert any(proved for proved, _ in _errors(tmp_path, name, f"if {statement}:\n{FAILURE}"))


@pytest.mark.parametrize(("name", "statement"), _statements("mended") + _statements("unknown")[::BY_TURNS])
def test_what_is_not_known_to_hold_proves_no_failure(tmp_path: Path, name: str, statement: str) -> None:
    pytest.importorskip(NEEDED[name])
    assert eval(statement, _scope(name))
    assert not [e for e in _errors(tmp_path, name, f"if not ({statement}):\n{FAILURE}assert {statement}\n") if e[0]]
