"""Statements that are true in Python: no error where the negation of one guards it, none at all where it is known."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

_FOLDER = Path(__file__).parent / "true_statements"
HEAD = (_FOLDER / "head.txt").read_text(encoding="utf-8")
KNOWN = (_FOLDER / "known.txt").read_text(encoding="utf-8").splitlines()
UNKNOWN = (_FOLDER / "unknown.txt").read_text(encoding="utf-8").splitlines()
TOGETHER = 20  # statements that one program holds
FAILURE = "    torch.zeros(2, 3) @ torch.zeros(4, 5)\n"


def _errors(tmp_path: Path, text: str) -> list[tuple[bool, str, int]]:
    problems = explore(tmp_path, "net.py", ast.parse(HEAD + text), Versions()).problems.values()
    return [(p.proved, p.message, p.site.line) for p in problems if p.level == "error"]


@pytest.mark.parametrize("first", range(0, len(KNOWN), TOGETHER))
def test_what_is_known_to_hold_guards_no_failure(tmp_path: Path, first: int) -> None:
    statements, scope = KNOWN[first : first + TOGETHER], dict[str, object]()
    exec(HEAD, scope)
    assert [s for s in statements if not eval(s, scope)] == []
    assert _errors(tmp_path, "".join(f"if not ({s}):\n{FAILURE}" for s in statements)) == []


@pytest.mark.parametrize("statement", KNOWN[::40])
def test_what_is_known_to_hold_lets_a_failure_be_proved(tmp_path: Path, statement: str) -> None:
    assert any(proved for proved, *_ in _errors(tmp_path, f"if {statement}:\n{FAILURE}"))


@pytest.mark.parametrize("statement", UNKNOWN)
def test_what_is_not_known_to_hold_proves_no_failure(tmp_path: Path, statement: str) -> None:
    scope: dict[str, object] = {}
    exec(HEAD, scope)
    assert eval(statement, scope)
    assert not [found for found in _errors(tmp_path, f"if not ({statement}):\n{FAILURE}") if found[0]]
