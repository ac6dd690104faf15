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
class WrongShape(ValueError):
    pass
class Narrow(WrongShape):
    pass
class Stop(Exception):
    pass
"""


@pytest.mark.parametrize(
    ("raised", "size", "told"),
    [
        ("WrongShape(f'{d}')", 5, True), ("Narrow", 5, True), ("Narrow('no')", 4, False), ("Stop()", 5, False),
    ],
)  # fmt: skip
def test_an_exception_that_inherits_from_pythons_for_wrong_values(
    tmp_path: Path, raised: str, size: int, told: bool
) -> None:
    text = NET.replace("CONDITION", "d != self.dim").replace("RAISED", raised)
    assert errors(tmp_path, f"{text}{OWN}Net(4)(torch.zeros(2, 3, {size}))\n") == ([10] if told else [])
    caught = f"try:\n    Net(4)(torch.zeros(2, 3, {size}))\nexcept WrongShape:\n    print('none')\n"
    assert errors(tmp_path, f"{text}{OWN}{caught}") == []


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
