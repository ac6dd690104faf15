"""What a program refuses itself, by an exception under a condition on sizes."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

NET = """
import torch, torch.nn as nn
class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
    def forward(self, x):
        b, n, d = x.shape
        if CONDITION:
            raise RAISED
        return x
"""


def errors(tmp_path: Path, text: str) -> list[int]:
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    return [p.site.line for p in shared.problems.values() if p.level == "error" and p.proved]


@pytest.mark.parametrize(("size", "wrong"), [(4, False), (5, True)])
@pytest.mark.parametrize("condition", ["d != self.dim", "x.shape[-1] != self.dim", "x.size(2) % self.dim"])
@pytest.mark.parametrize("raised", ["ValueError(f'{d}')", "RuntimeError", "TypeError('wrong')"])
def test_a_raise_under_a_condition_on_sizes(
    tmp_path: Path, condition: str, raised: str, size: int, wrong: bool
) -> None:
    text = NET.replace("CONDITION", condition).replace("RAISED", raised)
    assert errors(tmp_path, f"{text}Net(4)(torch.zeros(2, 3, {size}))\n") == ([10] if wrong else [])


@pytest.mark.parametrize(
    "used",
    [
        "try:\n    Net(4)(torch.zeros(2, 3, 5))\nexcept ValueError:\n    pass",
        "import pytest\nwith pytest.raises(ValueError):\n    Net(4)(torch.zeros(2, 3, 5))",
        "import somelib\nif somelib.is_wide():\n    Net(4)(torch.zeros(2, 3, 5))",
    ],
)
def test_what_is_expected_or_hangs_on_the_unknown_is_not_proved(tmp_path: Path, used: str) -> None:
    text = NET.replace("CONDITION", "d != self.dim").replace("RAISED", "ValueError('wrong')")
    assert errors(tmp_path, f"{text}{used}\n") == []


def test_an_exception_of_the_programs_own_is_no_refusal_of_sizes(tmp_path: Path) -> None:
    text = NET.replace("CONDITION", "d != self.dim").replace("RAISED", "StopIteration")
    assert errors(tmp_path, f"{text}Net(4)(torch.zeros(2, 3, 5))\n") == []
    text = NET.replace("CONDITION", "self.dim == 4").replace("RAISED", "ValueError('four')")
    assert errors(tmp_path, f"{text}Net(4)(torch.zeros(2, 3, 5))\n") == []


OWN = """
class Refused(Exception):
    pass
class WrongShape(Refused, ValueError):
    pass
class Stopped(Exception):
    pass
"""


@pytest.mark.parametrize(
    ("raised", "used", "lines"),
    [
        ("WrongShape('wrong')", "{}", [17]),
        ("WrongShape(f'{d}')", "{}", [17]),
        ("WrongShape", "{}", [17]),
        ("Stopped('wrong')", "{}", []),
        ("WrongShape('wrong')", "try:\n    {}\nexcept WrongShape:\n    pass", []),
        ("WrongShape('wrong')", "try:\n    {}\nexcept Refused as error:\n    print(error)", []),
        ("WrongShape('wrong')", "try:\n    {}\nexcept (KeyError, ValueError):\n    pass", []),
        ("WrongShape('wrong')", "try:\n    {}\nexcept Stopped:\n    pass", [17]),
        ("WrongShape('wrong')", "import contextlib\nwith contextlib.suppress(Refused):\n    {}", []),
        ("WrongShape('wrong')", "import pytest\nwith pytest.raises(WrongShape):\n    {}", []),
        ("WrongShape('wrong')", "import unittest\nwith unittest.TestCase().assertRaises(Refused):\n    {}", []),
    ],
)
def test_an_exception_that_inherits_from_a_refusal(tmp_path: Path, raised: str, used: str, lines: list[int]) -> None:
    text = OWN + NET.replace("CONDITION", "d != self.dim").replace("RAISED", raised)
    for size in (4, 5):
        called = used.format(f"Net(4)(torch.zeros(2, 3, {size}))")
        assert errors(tmp_path, f"{text}{called}\n") == (lines if size == 5 else [])
