"""Kinds of exceptions that a program keeps in variables, and catches."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

KEPT = """
import torch

errors = {kinds}

class Trial:
    kinds = errors
    def run(self, f, g):
        try:
            return f()
        except {caught}:
            return g()

made = Trial().run(lambda: torch.zeros(2, 3) @ torch.zeros(5, 3), lambda: torch.zeros(2, 3) @ torch.zeros({n}, 5))
"""


def told(tmp_path: Path, text: str) -> list[int]:
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    return [p.site.line for p in shared.problems.values() if p.level in ("error", "warning")]


@pytest.mark.parametrize("caught", ["self.kinds", "errors", "(OSError, errors)", "Trial.kinds"])
@pytest.mark.parametrize("kinds", ["RuntimeError", "(KeyError, RuntimeError)", "(KeyError, (ValueError,))"])
def test_kinds_that_are_caught(caught: str, kinds: str, tmp_path: Path) -> None:
    assert told(tmp_path, KEPT.format(kinds=kinds, caught=caught, n=3)) == []
    assert told(tmp_path, KEPT.format(kinds=kinds, caught=caught, n=4)) == [14]


@pytest.mark.parametrize("caught", ["self.kinds", "errors"])
def test_kinds_that_are_others(caught: str, tmp_path: Path) -> None:
    assert told(tmp_path, KEPT.format(kinds="(KeyError, OSError)", caught=caught, n=3)) == [14]
