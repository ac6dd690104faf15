"""A tool that says nothing is told, never taken for a clean file."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.checkers import python_tools, tool_runs
from analyzer.tracing.checkers.python_bugs import check_python
from analyzer.tracing.checkers.tool_runs import ToolFailed

TEXT = "def area(width):\n    return width * hight\n"


def check(folder: Path, notes: list[str]) -> list[str]:
    path = folder / "area.py"
    path.write_text(TEXT)
    return [p.rule for p in check_python(path, folder, TEXT, ast.parse(TEXT), Versions(), (), notes.append)]


def test_tools_that_answer_leave_no_note(tmp_path: Path) -> None:
    notes: list[str] = []
    assert check(tmp_path, notes) == ["python/undefined-name"]
    assert notes == []


def test_a_tool_that_is_not_installed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python_tools, "beside", lambda name: None)
    notes: list[str] = []
    check(tmp_path, notes)
    assert notes == ["ruff is not installed: undefined names were not looked for."]


def test_a_tool_that_takes_too_long_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tool_runs, "SECONDS", 0.1)
    with pytest.raises(ToolFailed, match=r"gave no answer within 0\.1 s, so it says nothing of this file"):
        tool_runs.run("tool", "/bin/sh", ["-c", "sleep 600"], str(tmp_path))


@pytest.mark.parametrize(
    ("command", "why"), [("/bin/sh", "exit code 3"), ("/none", "exit code 127|could not be started")]
)
def test_a_tool_that_breaks_is_said(tmp_path: Path, command: str, why: str) -> None:
    with pytest.raises(ToolFailed, match=why):
        tool_runs.run("tool", command, ["-c", "exit 3"], str(tmp_path))
