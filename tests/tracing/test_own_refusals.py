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


def test_a_class_is_no_object_of_a_class_of_layers(tmp_path: Path) -> None:
    text = (
        "import torch\nfrom torch import nn\nclass Gate(nn.Module):\n    pass\n"
        "def width(kind):\n    if isinstance(kind, Gate):\n        return 3\n    return 4\n"
        "torch.zeros(2, 4) @ torch.zeros(width(Gate), 2)\ntorch.zeros(2, 4) @ torch.zeros(width(nn.SiLU), 2)\n"
        "torch.zeros(2, 3) @ torch.zeros(width(Gate()), 2)\n"
    )
    assert errors(tmp_path, text) == []
    assert errors(tmp_path, f"{text}torch.zeros(2, 3) @ torch.zeros(width(Gate), 2)\n") == [12]


def test_a_class_may_be_an_object_of_a_class_of_classes(tmp_path: Path) -> None:
    text = (
        "import torch\nclass Kind(type):\n    pass\nclass Of(metaclass=Kind):\n    pass\n"
        "if not isinstance(Of, Kind):\n    torch.zeros(2, 3) @ torch.zeros(4, 2)\n"
    )
    assert errors(tmp_path, text) == []


@pytest.mark.parametrize(("sizes", "told"), [((3, 4), False), ((3, 3, 3), False), ((3,), True), ((3, 4, 4), True)])
def test_a_diagonal_is_filled_in_place(tmp_path: Path, sizes: tuple[int, ...], told: bool) -> None:
    text = f"import torch\nx = torch.zeros{sizes}\nx.fill_diagonal_(0.0)\nx.view({sizes})\n"
    assert errors(tmp_path, text) == ([3] if told else [])
    assert told or errors(tmp_path, f"{text}x.fill_diagonal_(1, wrap=True).view(7)\n") == [5]


NESTED = """
import torch
from somewhere import unknown
def added(x, held, lenient=False):
    if any(h.shape != x.shape for h in held):
        if not lenient:
            raise RuntimeError("sizes differ")
        held = [x]
    return x + held[0]
added(torch.randn(2, 3), [torch.randn(2, SIZE)]GIVEN)
"""


@pytest.mark.parametrize(
    ("size", "given", "wrong"),
    [
        (3, "", False),
        (4, "", True),
        (4, ", False", True),
        (4, ", lenient=True", False),
        (4, ", lenient=unknown", False),
        (3, ", lenient=unknown", False),
    ],
)
def test_a_raise_behind_a_switch_under_a_condition_on_sizes(tmp_path: Path, size: int, given: str, wrong: bool) -> None:
    text = NESTED.replace("SIZE", str(size)).replace("GIVEN", given)
    assert errors(tmp_path, text) == ([7] if wrong else [])
