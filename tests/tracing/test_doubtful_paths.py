"""An error behind a branch that is not understood is told unless its operator is seen to accept operands elsewhere."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.findings import Confidence
from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.problems import SAMPLED_RUN
from analyzer.tracing.tracing import explore, trace

ASKED = """
import torch
from somewhere import load
def select(indices):
    return "many" if len(indices.shape) == 1 else "pairs"
indices = LOST
select(indices)
moved = indices - indices.min()
print(moved.size(1), OTHER)
"""


@pytest.mark.parametrize(
    ("lost", "other", "told"),
    [
        ("torch.zeros(3, 4, 5)[load('x')]", "0", False),  # which side the program takes is not known
        ("torch.zeros(3, 4, 5)[load('x')]", "torch.zeros(3) + torch.zeros(4)", True),
        ("torch.zeros(3, 4)", "0", False),
        ("torch.zeros(3)", "0", True),
    ],
)
def test_a_rank_that_a_branch_asked_for_is_no_error(lost: str, other: str, told: bool, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(ASKED.replace("LOST", lost).replace("OTHER", other))
    found = [f for f in trace(file, tmp_path, target="t").findings if f.rule == "tracing/incompatible-shape"]
    assert bool(found) is told, found


EMPTY = """
import torch
import somewhere
def parts(lengths, size):
    return () if size <= 0 or not lengths else tuple(lengths)
print(torch.cat([torch.ones(n, 2) for n in parts(LENGTHS, SIZE)]))
"""


@pytest.mark.parametrize(
    ("lengths", "size", "told"),
    [
        ("somewhere.lengths()", "3", False),
        ("(1, 2)", "somewhere.size()", False),
        ("(1, 2)", "0", True),
        ("()", 3, True),
    ],
)
def test_a_list_is_not_empty_for_a_branch_that_was_guessed(lengths: str, size: str, told: bool, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(EMPTY.replace("LENGTHS", lengths).replace("SIZE", str(size)))
    found = [f for f in trace(file, tmp_path, target="t").findings if f.rule == "tracing/incompatible-shape"]
    assert bool(found) is told, found


CONTAINER = """
import torch
from torch import nn
class Concurrent(nn.Sequential):
    def __init__(self, axis=1):
        super().__init__()
        self.axis = axis
    def forward(self, x):
        return torch.cat([module(x) for module in self._modules.values()], dim=self.axis)
THEN
"""


@pytest.mark.parametrize(
    ("then", "told"),
    [
        ("", False),  # whoever makes it adds its modules
        ("net = Concurrent()\nnet.add_module('a', nn.Linear(2, 3))\nprint(net(torch.ones(1, 2)))", False),
        ("net = Concurrent()\nprint(net(torch.ones(1, 2)))", True),
    ],
)
def test_a_container_that_callers_fill_is_not_empty(then: str, told: bool, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(CONTAINER.replace("THEN", then))
    found = [f for f in trace(file, tmp_path, target="t").findings if f.rule == "tracing/incompatible-shape"]
    assert [f.confidence is Confidence.PROVED for f in found] == [True] * told, found


PROGRAM = """
import somewhere
import torch

factor = torch.ones(3, 3)
if somewhere.is_wide(factor):
    factor = OTHER
print(torch.linalg.solve(factor, torch.ones(ROWS, 1)))
"""


@pytest.mark.parametrize(
    ("other", "rows", "told"),
    [
        ("somewhere.load('factor')", 4, True),  # of which no shape is known: that it goes well says nothing
        ("somewhere.load('factor')", 3, False),
        ("torch.ones(4, 4)", 4, False),  # the branch may always be taken
        ("torch.ones(5, 5)", 4, True),
    ],
)
def test_what_goes_well_with_unknown_operands_excuses_nothing(
    other: str, rows: int, told: bool, tmp_path: Path
) -> None:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM.replace("OTHER", other).replace("ROWS", str(rows)))
    found = [f for f in trace(file, tmp_path, target="t").findings if f.rule == "tracing/incompatible-shape"]
    assert bool(found) is told, found
    assert all(f.confidence is not Confidence.PROVED for f in found) or other == "torch.ones(5, 5)"


def told(tmp_path: Path, text: str) -> list[tuple[int, bool]]:
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    return [(p.site.line, p.proved) for p in shared.problems.values() if p.level == "error"]


UNDECIDED = "import somewhere\nimport torch\nwide = somewhere.is_wide()\nx = torch.zeros(2, 3)\nshape = x.shape\n"


@pytest.mark.parametrize(
    ("program", "lines"),
    [
        ("if wide:\n    other = 1\nx = torch.zeros(shape + 1)\n", [8]),
        ("if wide:\n    x = torch.zeros(shape + 1)\n", [7]),
        ("if wide:\n    x = torch.zeros(shape + (1,))\n", []),
        ("if wide:\n    shape = 3\ny = shape + 1\n", []),  # the branch may always be taken
    ],
)
def test_operands_that_python_refuses_on_an_undecided_path(tmp_path: Path, program: str, lines: list[int]) -> None:
    assert told(tmp_path, UNDECIDED + program) == [(line, False) for line in lines]


@pytest.mark.parametrize(
    ("program", "lines"),
    [
        ("if wide:\n    other = 1\nif x.ndim != 3:\n    raise ValueError('three axes')\n", [9]),
        ("if wide:\n    other = 1\nif x.ndim != 2:\n    raise ValueError('two axes')\n", []),
        ("if wide:\n    x = torch.zeros(1, 2, 3)\nif x.ndim != 3:\n    raise ValueError('three axes')\n", []),
        ("if wide:\n    print(1)\nif wide is None:\n    raise ValueError('three axes')\n", []),
    ],
)
def test_sizes_that_the_program_refuses_on_an_undecided_path(tmp_path: Path, program: str, lines: list[int]) -> None:
    assert told(tmp_path, UNDECIDED + program) == [(line, False) for line in lines]


def test_what_a_run_on_made_up_numbers_shows_outlives_what_is_excused(tmp_path: Path) -> None:
    text = (
        "import torch\nx = torch.randn(2, 3)\nif torch.any(x[0] != x[1]):\n    x = torch.cat([x, x[:1]])\n"
        "y = x + torch.zeros(2, 3)\n"
    )
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    assert [(p.site.line, p.tier) for p in shared.problems.values()] == [(5, SAMPLED_RUN)]


@pytest.mark.parametrize(
    "question",
    ["device is None", "not device", "device != device", "(device or None) is None", "isinstance(device, Net)"],
)
def test_a_device_is_there(tmp_path: Path, question: str) -> None:
    for made in ("torch.zeros(2).device", "torch.device('cuda' if torch.cuda.is_available() else 'cpu')"):
        text = (
            f"import torch\nclass Net(torch.nn.Module):\n    pass\ndevice = {made}\nif {question}:\n"
            "    torch.zeros(2) + torch.zeros(3)\ntorch.zeros(2) + torch.zeros(4)\n"
        )
        assert told(tmp_path, text) == [(7, True)]


WRITTEN = """import torch
def batch(x: torch.Tensor, rows: int):
    if x.ndim == 2 and x.shape == (rows, rows):
        return x.unsqueeze(0)
    return x
def filled(matrices: torch.Tensor):
    matrices = batch(matrices, 3)
    kept = torch.ones(matrices.shape[0]) > 0
    made = torch.zeros_like(matrices)
    made[kept] = matrices[kept] / torch.ones(matrices.shape[0])[kept][:, None, None]{}
    return made
"""


@pytest.mark.parametrize(("more", "lines"), [("", []), ("[None, None, None].repeat(1, 2, 2, 1, 1, 1)", [10])])
def test_a_value_that_fits_where_the_argument_is_as_asked(tmp_path: Path, more: str, lines: list[int]) -> None:
    shared = explore(tmp_path, "file.py", ast.parse(WRITTEN.format(more)), Versions())
    assert [p.site.line for p in shared.problems.values() if p.level == "error"] == lines
