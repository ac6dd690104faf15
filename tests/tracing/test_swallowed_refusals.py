"""Context managers of the program's own that look at what was raised before they swallow it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

IGNORING = """
import torch

class Ignore:
    def __init__(self, *kinds):
        self.kinds = kinds
    def __enter__(self):
        return self
    def __exit__(self, kind, value, trace):
        {exit}

y = torch.zeros(2, 3)
with Ignore({kinds}):
    y = torch.zeros(2, 3) @ torch.zeros(4, 5)
print(y @ torch.zeros({rows}, 2))
"""
RETURNED = "return kind is not None and issubclass(kind, self.kinds)"
BRANCHED = "if kind is not None and issubclass(kind, self.kinds):\n            return True\n        return False"
VALUE = "return isinstance(value, self.kinds)"
NUMBERS = """
import torch

class Ignore:
    def __enter__(self):
        return self
    def __exit__(self, kind, value, trace):
        return kind is not None and issubclass(kind, ({kinds}))

n = 3
with Ignore():
    n = [4][1]
print(torch.zeros(2, n) @ torch.zeros(4, 2))
"""


def told(tmp_path: Path, text: str) -> list[str]:
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    lines = [p.site.line for p in shared.problems.values() if p.level in ("error", "warning")]
    return [text.splitlines()[line - 1].strip().partition(" ")[0].partition("(")[0] for line in lines]


@pytest.mark.parametrize("way", [RETURNED, BRANCHED, VALUE])
def test_a_refusal_that_is_swallowed(way: str, tmp_path: Path) -> None:
    assert told(tmp_path, IGNORING.format(exit=way, kinds="RuntimeError, KeyError", rows=3)) == []
    assert told(tmp_path, IGNORING.format(exit=way, kinds="RuntimeError, KeyError", rows=4)) == ["print"]
    assert told(tmp_path, IGNORING.format(exit=way, kinds="KeyError", rows=3)) == ["y"]


def test_an_exception_of_python(tmp_path: Path) -> None:
    assert told(tmp_path, NUMBERS.format(kinds="ValueError, LookupError")) == ["print"]
    assert told(tmp_path, NUMBERS.format(kinds="ValueError, OSError")) == ["n"]
