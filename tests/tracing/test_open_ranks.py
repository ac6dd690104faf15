"""Operands of unknown rank beside tensors whose sizes are known: what has an axis keeps it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
NEURONS = """class Neurons(nn.Module):
    def __init__(self, size, device=None):
        super().__init__()
        self.tau = nn.Parameter(torch.rand(size).to(device))
        self.leak = nn.Parameter(torch.rand({}).to(device))
        self.rest = nn.Parameter(torch.zeros(size).to(device))
    def forward(self, x, state):
        return state + self.tau * (-self.leak * (state - self.rest) + x)
"""
SYNAPSES = """class Synapses(nn.Module):
    def __init__(self, before, after):
        super().__init__()
        self.conductance = nn.Parameter(torch.rand([{}, before]))
        self.reversal = nn.Parameter(torch.rand([after, {}]))
    def forward(self, state):
        return (self.conductance * state) * self.reversal
"""


def told(tmp_path: Path, text: str) -> list[tuple[str, str, int, bool]]:
    problems = explore(tmp_path, "program.py", ast.parse(HEAD + text), Versions()).problems.values()
    return [(p.rule.removeprefix("tracing/"), p.level, p.site.line, p.proved) for p in problems if p.level != "note"]


@pytest.mark.parametrize("leak", ["size + 1", "2 * size"])
def test_sizes_behind_an_operand_of_unknown_rank_hardly_ever_fit(leak: str, tmp_path: Path) -> None:
    assert told(tmp_path, NEURONS.format(leak)) == [("forced-dimension", "warning", 11, False)]
    assert told(tmp_path, NEURONS.format("size")) == []
    assert told(tmp_path, NEURONS.format("1")) == []


@pytest.mark.parametrize(("after", "before"), [("2 * after", "before"), ("after", "before + 1")])
def test_so_do_those_before_the_last(after: str, before: str, tmp_path: Path) -> None:
    assert told(tmp_path, SYNAPSES.format(after, before)) == [("forced-dimension", "warning", 10, False)]
    assert told(tmp_path, SYNAPSES.format("after", "before")) == []


def test_numbers_that_cannot_stretch_fail(tmp_path: Path) -> None:
    fails = "def scaled(state):\n    return (torch.zeros(3) * state) + torch.zeros({})\n"
    assert told(tmp_path, fails.format(4)) != []
    assert told(tmp_path, fails.format(3)) == []
    assert told(tmp_path, fails.format("2, 3")) == []


EQUATION = """def decoded(x):
    n = x.shape[-1]
    twiddle = torch.exp(-1j * torch.pi / (2 * n) * torch.arange(n))
    return torch.einsum("{}", x, twiddle)
"""


def test_an_equation_is_held_against_each_operand_whose_rank_is_known(tmp_path: Path) -> None:
    (found,) = told(tmp_path, EQUATION.format("...jk,j x->...jk"))
    assert found[:3] == ("incompatible-shape", "error", 7)
    assert told(tmp_path, EQUATION.format("...jk,k->...jk")) == []


ATTENTION = """class Mixed(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.out = nn.Linear(width, width)
    def forward(self, q, k):
        dots = torch.einsum("bid,bjd->bij", q, k)
        return dots + dots.softmax(-1)[{}]
"""


def test_an_equation_tells_the_ranks_of_its_operands(tmp_path: Path) -> None:
    assert told(tmp_path, ATTENTION.format(":, :, :, 0")) != []
    assert told(tmp_path, ATTENTION.format(":, :, :1")) == []


HEADS = """class Heads(nn.Module):
    def __init__(self, width, heads, size):
        super().__init__()
        self.heads, self.size = heads, size
        self.turned = nn.Parameter(torch.randn(heads, {}, 64))
        self.key = nn.Linear(width, {})
    def forward(self, x):
        b, n, _ = x.shape
        keys = self.key(x).view(b, n, self.heads, self.size).transpose(1, 2)
        return torch.einsum("bhpd,hdg->bhpg", keys, self.turned)
"""


@pytest.mark.parametrize(("size", "features"), [("size + 1", "heads * size"), ("size", "2 * heads * size")])
def test_a_constructors_argument_that_a_view_takes_is_a_size(size: str, features: str, tmp_path: Path) -> None:
    (found,) = told(tmp_path, HEADS.format(size, features))
    assert found[2:] == (13 if size != "size" else 12, False)
    assert told(tmp_path, HEADS.format("size", "heads * size")) == []


OPEN = """class Rows(nn.Module):
    def __init__(self, width, rows):
        super().__init__()
        self.width, self.rows = width, rows
    def forward(self, x):
        if self.rows == -1:
            return torch.zeros(2, 8).view(2, self.rows) + torch.zeros(8)
        return x.view(x.shape[0], self.rows)
"""


def test_one_that_may_be_whatever_is_left_is_not(tmp_path: Path) -> None:
    assert told(tmp_path, OPEN) == []


MIXED = """class Mixed(nn.Module):
    def __init__(self, width, heads=8):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.weight = nn.Parameter(torch.ones({}, 1, 1))
    def forward(self, x):
        b, n, d = x.shape
        return x.mean(-1).view(b, n, 1) * self.weight
"""


def test_a_batch_that_only_a_number_fits_is_told(tmp_path: Path) -> None:
    assert told(tmp_path, MIXED.format("heads")) == [("forced-dimension", "warning", 11, False)]
    assert told(tmp_path, MIXED.format("1")) == []
    channels = MIXED.replace("{}, 1, 1", "1, heads, 1").replace("x.shape", "x.shape[0], self.heads, 3")
    assert told(tmp_path, channels) == []
