"""Functions that a program sets as attributes of a library's modules and classes answer to those names."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

SETTING = """
import torch
import torch.nn as nn

def pairs(x):
    return x.view(-1, 2)

setattr(torch, "pairs", pairs)
torch.nn.functional.pairs_of = pairs
torch.Tensor.as_pairs = pairs
nn.Module.pairs_in = lambda self, x: pairs(x)

class Net(nn.Module):
    pass
"""
CALLS = (
    "torch.pairs(torch.zeros({n}))",
    "nn.functional.pairs_of(torch.zeros({n}))",
    "torch.zeros({n}).as_pairs()",
    "Net().pairs_in(torch.zeros({n}))",
    "from torch import pairs as own\nown(torch.zeros({n}))",
)


def errors(tmp_path: Path, text: str) -> list[int]:
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    return [p.site.line for p in shared.problems.values() if p.level == "error"]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(("size", "wrong"), [(4, False), (5, True)])
def test_what_is_set_is_called(tmp_path: Path, call: str, size: int, wrong: bool) -> None:
    assert errors(tmp_path, SETTING + call.format(n=size) + "\n") == ([6] if wrong else [])


def test_a_module_of_the_repository_may_set_it(tmp_path: Path) -> None:
    (tmp_path / "extras.py").write_text(SETTING)
    uses = (
        "import sys, torch, extras\nsize = 4\nif len(sys.argv) > 1:\n    size = 6\n"
        "torch.pairs(torch.zeros(size + {}))\n"
    )
    assert errors(tmp_path, uses.format(0)) == []
    assert errors(tmp_path, uses.format(1)) == [6]


def test_what_replaces_a_rule_of_the_library_is_used_instead(tmp_path: Path) -> None:
    text = "import torch\n{}x = torch.flatten(torch.zeros(2, 3))\nx + torch.zeros(2, 3)\n"
    assert errors(tmp_path, text.format("")) == [3]
    assert errors(tmp_path, text.format("torch.flatten = lambda x: x\n")) == []


def test_it_is_set_only_on_the_path_that_sets_it(tmp_path: Path) -> None:
    text = (
        "import sys, torch\nif len(sys.argv) > 1:\n    torch.flatten = lambda x: x\n"
        "else:\n    x = torch.flatten(torch.zeros(2, 3))\n    x + torch.zeros(6)\n"
    )
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    assert not [p for p in shared.problems.values() if p.level == "error"]


PUT_BACK = """import torch
def stretched(x, n):
    kept = torch.Tensor.expand
    def expand(input, *sizes):
        return kept(input, 2, *sizes)
    torch.Tensor.expand = expand
    try:
        return x.expand(n, 3)
    finally:
        torch.Tensor.expand = kept
first = stretched(torch.zeros(1, 3), 4)
first + torch.zeros(2, 4, 3)
torch.zeros(1, 3).expand(5, 3) + torch.zeros({})
"""


def test_what_is_put_back_answers_again(tmp_path: Path) -> None:
    assert errors(tmp_path, PUT_BACK.format("5, 3")) == []
    assert errors(tmp_path, PUT_BACK.format("3, 5, 3")) == []
    assert errors(tmp_path, PUT_BACK.format("2, 3")) == [13]


REPLACED = """import torch
import somewhere
{}
torch.matmul(torch.zeros(2, 3), torch.zeros(4, 5))
torch.zeros(2, 3).mm(torch.zeros(4, 5))
"""


@pytest.mark.parametrize(
    ("setting", "lines"),
    [
        ("torch.matmul = somewhere.product(torch.matmul)\ntorch.Tensor.mm = somewhere.product(torch.Tensor.mm)", []),
        ("torch.matmul = torch.matmul", [4]),
        ("torch.backends.cudnn.benchmark = somewhere.wanted()", [4]),
    ],
)
def test_what_is_not_understood_may_do_anything(tmp_path: Path, setting: str, lines: list[int]) -> None:
    assert errors(tmp_path, REPLACED.format(setting)) == lines


OPERATORS = """
import torch
torch.Tensor.__matmul__ = lambda self, other: torch.einsum("...ab,...bc->...ac", self, other)
torch.Tensor.__rsub__ = lambda self, other: self.reshape(-1, other)
torch.Tensor.__iadd__ = lambda self, other: torch.cat([self, other])
x = torch.ones(2, 3, 4)
"""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("(x @ torch.ones(2, 4, 5)).view(2, 3, 5)", 0),
        ("x @ torch.ones(2, 5, 5)", 3),
        ("6 - x", 0),
        ("7 - x", 4),
        ("x += torch.ones(9, 3, 4)\nx.view(11, 12)", 0),
        ("x += torch.ones(9, 3, 5)", 5),
        ("x + torch.ones(9, 3, 4)", 7),
    ],
)
def test_operators_that_are_set(tmp_path: Path, text: str, line: int) -> None:
    assert errors(tmp_path, OPERATORS + text + "\n") == ([line] if line else [])


MODULES = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 4)
    def forward(self, x):
        return self.inner(x)
class Own(Net):
    def __call__(self, x):
        return x
before = nn.Module.__call__
def logged(self, *args, **kwargs):
    return before(self, *args, **kwargs)
nn.Module.__call__ = {replaced}
y = {made}(torch.zeros(2, {width}))
torch.zeros(1, {rows}) @ y
"""


@pytest.mark.parametrize(
    ("replaced", "made", "width", "rows", "told"),
    [
        ("logged", "Net()", 3, 2, []),
        ("logged", "Net()", 5, 2, [True]),
        ("logged", "nn.Linear(3, 4)", 3, 2, []),
        ("logged", "nn.Linear(3, 4)", 5, 2, [True]),
        ("lambda self, *args: args[0]", "Net()", 5, 2, []),
        ("lambda self, *args: args[0]", "nn.Linear(3, 4)", 5, 3, [True]),
        ("lambda self, x: x.mean(0)", "Own()", 5, 2, []),
        ("before", "Net()", 5, 2, [True]),
        ("__import__('profiler').watch(before)", "Net()", 5, 2, []),
    ],
)
def test_the_call_of_every_module(
    tmp_path: Path, replaced: str, made: str, width: int, rows: int, told: list[bool]
) -> None:
    text = MODULES.format(replaced=replaced, made=made, width=width, rows=rows)
    shared = explore(tmp_path, "main.py", ast.parse(text), Versions())
    assert [p.proved for p in shared.problems.values() if p.level == "error"] == told
