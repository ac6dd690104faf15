"""A module that a program puts into `sys.modules`: what it holds is changed by whoever imports it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

LIBRARY = """class Logger:
    def __init__(self):
        import telling
        self.run = telling.run
    def log(self, value):
        self.run.log(value)
"""
PROGRAM = """import sys
import types
import torch
from logger import Logger
class Run:
    def __init__(self):
        self.seen, self.count, self.size = [], 0, 3
    def log(self, value):
        self.seen.append(value)
        self.count += 1
def test_it(monkeypatch):
    run = Run()
    {put}
    Logger().log(1)
    if {claim}:
        torch.zeros(2, 3) @ torch.zeros(4, 5)
"""
PUT = [
    "sys.modules['telling'] = types.SimpleNamespace(run=run)",
    "monkeypatch.setitem(sys.modules, 'telling', types.SimpleNamespace(run=run))",
]


@pytest.mark.parametrize("put", PUT)
@pytest.mark.parametrize("claim", ["len(run.seen) != 1", "run.count != 1"])
def test_what_is_called_by_who_imports_it(put: str, claim: str, tmp_path: Path) -> None:
    (tmp_path / "logger.py").write_text(LIBRARY)
    text = PROGRAM.format(put=put, claim=claim)
    call = "import operator\ntest_it(types.SimpleNamespace(setitem=operator.setitem))\n"
    (tmp_path / "main.py").write_text(text + call)
    subprocess.run([sys.executable, "main.py"], cwd=tmp_path, check=True)
    problems = explore(tmp_path, "main.py", ast.parse(text), Versions()).problems.values()
    assert all(any(s.startswith("The path is taken when") for s in p.sentences) for p in problems)


@pytest.mark.parametrize("put", ["pass", "sys.modules['other'] = types.SimpleNamespace(size=3)"])
def test_what_nobody_sets_stays(put: str, tmp_path: Path) -> None:
    (tmp_path / "logger.py").write_text(LIBRARY)
    text = PROGRAM.format(put=put, claim="run.size == 3").replace("Logger().log(1)", "pass")
    problems = explore(tmp_path, "main.py", ast.parse(text), Versions()).problems.values()
    assert [any(s.startswith("The path is taken when") for s in p.sentences) for p in problems] == [False]
