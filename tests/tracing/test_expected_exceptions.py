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
