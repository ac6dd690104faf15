"""Types that are compared, and members of enumerations that are texts or numbers too."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
from enum import Enum
import torch
class Text(str, Enum):
    A = "x"
    B = "y"
class Plain(Enum):
    A = "x"
    B = "y"
class Own:
    pass
"""
TRUE = [
    "type('a') == str", "type(3) != str", "type(True) != int", "type(3) == int", "not type(2.0) == int",
    "type('a') != Own", "type(Own()) == Own", "type(Own()) != str", "type('a') in (int, str)",
    "type(3) not in (float, str)", "Text.B in ('y',)", "Text.A in ['x', 'z']", "'x' in (Text.A, Text.B)",
    "Text.A not in ('q',)", "Text.A in {'x': 1}", "Plain.B not in ('y',)", "Plain.A in (Plain.A, Plain.B)",
    "'a'.__class__.__name__ == 'str'", "None.__class__.__name__ != 'str'",
    "torch.nn.Linear(2, 3).__class__.__name__ == 'Linear'",
    "type(torch.nn.ReLU()).__name__ == 'ReLU'", "torch.nn.Conv2d(1, 2, 3).__class__.__name__.find('Conv') != -1",
    "type(torch.zeros(2)).__name__ == 'Tensor'",
    "Plain('x') in [Plain.A]", "Plain['B'] is Plain.B", "[e.value for e in Plain] == ['x', 'y']", "Text('y') == 'y'",
]  # fmt: skip


@pytest.mark.parametrize("test", TRUE)
def test_what_holds_is_no_failure(tmp_path: Path, test: str) -> None:
    scope: dict[str, object] = {}
    exec(HEAD, scope)
    assert eval(test, scope)
    text = f"{HEAD}assert {test}\nif not ({test}):\n    torch.zeros(2, 3) @ torch.zeros(4, 5)\n"
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    found = [p for p in problems if p.level == "error"]
    assert not [p for p in found if p.proved]
    assert not found or test.startswith(("Text", "'x'", "type(torch.zeros"))
    assert not [p for p in found if "AssertionError" in p.message]
