"""A block that expects an exception of one kind excuses no refusal of another kind."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

WRONG = "torch.zeros(2) + torch.zeros(3)"


@pytest.mark.parametrize(
    ("manager", "body", "told"),
    [
        ("self.assertRaises(KeyError)", WRONG, True),
        ("self.assertRaises(NotImplementedError)", WRONG, True),
        ("pytest.raises((KeyError, FileNotFoundError), match='wrong')", WRONG, True),
        ("self.assertRaisesRegex(LookupError, 'wrong')", WRONG, True),
        ("self.assertRaises((KeyError, RuntimeError))", WRONG, False),
        ("self.assertRaises(ValueError)", WRONG, False),  # which of both a framework raises is not known for sure
        ("self.assertRaises(errors.WrongShape)", WRONG, False),
        ("self.assertRaises(kinds)", WRONG, False),
        ("numpy.testing.assert_raises(ValueError)", WRONG, False),
        ("assert_raises_regex(kinds.AxisError, 'wrong')", WRONG, False),
        ("assert_raises(KeyError)", WRONG, True),
        ("contextlib.suppress(KeyError, RuntimeError)", WRONG, False),
        ("pytest.raises(NotImplementedError)", "F.pad(torch.zeros(2, 3), (9, 9), mode='reflect')", False),
    ],
)
def test_of_what_kind_it_is(tmp_path: Path, manager: str, body: str, told: bool) -> None:
    text = (
        "import contextlib, numpy, pytest, torch, unittest\nimport torch.nn.functional as F\nimport errors\n"
        "from numpy.testing import assert_raises, assert_raises_regex\nkinds = errors.KINDS\n"
        f"class Test(unittest.TestCase):\n    def test(self):\n        with {manager}:\n            {body}\n"
    )
    shared = explore(tmp_path, "test_it.py", ast.parse(text), Versions())
    assert [p.site.line for p in shared.problems.values() if p.level == "error"] == ([9] if told else [])


@pytest.mark.parametrize(
    ("expected", "body", "told"),
    [
        ("ValueError", "(2, 3) + 1", True),
        ("ValueError", "'width' + 1", True),
        ("(KeyError, ValueError)", "[2] + 1", True),
        ("TypeError", "(2, 3) + 1", False),
        ("Exception", "(2, 3) + 1", False),
    ],
)
def test_operands_that_python_refuses(tmp_path: Path, expected: str, body: str, told: bool) -> None:
    for manager in (f"pytest.raises({expected})", f"unittest.TestCase().assertRaises({expected})"):
        text = f"import pytest, unittest\nwith {manager}:\n    sizes = {body}\n"
        shared = explore(tmp_path, "test_it.py", ast.parse(text), Versions())
        assert [p.site.line for p in shared.problems.values() if p.level == "error"] == [3] * told
    text = f"try:\n    sizes = {body}\nexcept {expected}:\n    sizes = None\n"
    shared = explore(tmp_path, "main.py", ast.parse(text), Versions())
    assert [p.site.line for p in shared.problems.values() if p.level == "error"] == [2] * told


HANDLED = """
import torch
def joined(x):
    try:
        return x @ torch.zeros(4, 3)
    except RuntimeError as error:
        {handler}
{called}
"""


@pytest.mark.parametrize(
    ("handler", "called", "told"),
    [
        ("raise error", "joined(torch.zeros(2, 5))", True),
        ("raise", "joined(torch.zeros(2, 5))", True),
        ("raise ValueError('no such width') from error", "joined(torch.zeros(2, 5))", True),
        ("raise error", "joined(torch.zeros(2, 4))", False),
        ("return None", "joined(torch.zeros(2, 5))", False),
        ("raise KeyError('width')", "try:\n    joined(torch.zeros(2, 5))\nexcept KeyError:\n    pass", False),
        ("raise error", "try:\n    joined(torch.zeros(2, 5))\nexcept RuntimeError:\n    pass", False),
    ],
)
def test_what_a_handler_raises(tmp_path: Path, handler: str, called: str, told: bool) -> None:
    text = HANDLED.format(handler=handler, called=called)
    shared = explore(tmp_path, "main.py", ast.parse(text), Versions())
    assert [(p.site.line, p.proved) for p in shared.problems.values() if p.level == "error"] == [(5, True)] * told


def test_what_a_handler_calls_may_fail_on_its_own(tmp_path: Path) -> None:
    text = HANDLED.format(handler="return other(x)", called="def other(x): raise ValueError\njoined(torch.zeros(2, 5))")
    shared = explore(tmp_path, "main.py", ast.parse(text), Versions())
    assert not [p for p in shared.problems.values() if p.level == "error" and (p.proved or p.site.line == 5)]


def test_a_function_that_nothing_calls_may_turn_down_its_arguments(tmp_path: Path) -> None:
    text = (
        "def width(x):\n    try:\n        return x.shape[0] + len(5 + 'a')\n"
        "    except TypeError as error:\n        raise ValueError('no width') from error\n"
    )
    shared = explore(tmp_path, "main.py", ast.parse(text), Versions())
    assert not [p for p in shared.problems.values() if p.level == "error"]
