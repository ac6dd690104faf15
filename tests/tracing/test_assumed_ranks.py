"""Definitions whose input has a rank that no line tells: what fails for each of them is told as possible."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
BLOCK = """class Block(nn.Module):
    def __init__(self, channels, groups):
        super().__init__()
        self.conv = nn.Sequential(nn.GroupNorm(groups, channels), nn.Conv2d(channels, {}, 3, padding={}))
    def forward(self, x):
        return x + self.conv(x)
"""
RECURRENT = """class Tagger(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.rnn = nn.LSTM(width, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear({}, width)
    def forward(self, x):
        states, _ = self.rnn(x)
        return self.out(states)
"""
PARTS = """class Parts(nn.Module):
    def forward(self, batch):
        {} = batch
        return image * mask
class Nested(nn.Module):
    def forward(self, batch):
        return batch[0] + batch["mask"].view(-1)
"""
STRIDED = """class Residual(nn.Module):
    def __init__(self, width, planes):
        super().__init__()
        self.conv = nn.Conv2d(width, planes, 3, stride={}, padding=1)
    def forward(self, x):
        return self.conv(x) + x
"""


def told(tmp_path: Path, text: str) -> list[tuple[str, int, bool]]:
    problems = explore(tmp_path, "program.py", ast.parse(HEAD + text), Versions()).problems.values()
    return [(p.rule.removeprefix("tracing/"), p.site.line, p.proved) for p in problems if p.level != "note"]


@pytest.mark.parametrize(("channels", "padding"), [("channels", 2), ("channels", 0), ("2 * channels", 1)])
def test_a_residual_of_another_size_is_told(channels: str, padding: int, tmp_path: Path) -> None:
    assert told(tmp_path, BLOCK.format(channels, padding)) == [("forced-dimension", 9, False)]


@pytest.mark.parametrize(("channels", "padding"), [("channels", 1), ("groups", 1)])
def test_one_that_fits_is_not(channels: str, padding: int, tmp_path: Path) -> None:
    assert told(tmp_path, BLOCK.format(channels, padding)) == []


def test_layers_that_need_the_rank_are_followed(tmp_path: Path) -> None:
    assert told(tmp_path, RECURRENT.format("hidden")) == [("incompatible-shape", 11, False)]
    assert told(tmp_path, RECURRENT.format("2 * hidden")) == []


@pytest.mark.parametrize("parts", ["image, mask", "(image, mask)"])
def test_what_is_hardly_a_tensor_is_left(parts: str, tmp_path: Path) -> None:
    assert told(tmp_path, PARTS.format(parts)) == []


def test_a_stride_that_only_small_images_bear(tmp_path: Path) -> None:
    assert told(tmp_path, STRIDED.format(2)) == [("forced-dimension", 9, False)]
    assert told(tmp_path, STRIDED.format(1)) == []


MASKED = """class Drop(nn.Module):
    def forward(self, x):
        mask = (torch.rand(x.shape[0], *x.shape[2:]) < 0.1).float()
        return x * F.max_pool2d(mask.unsqueeze({}), 3, stride=1, padding=1)
"""
SQUARE = """class Mix(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.lin = nn.Linear(width, width)
    def forward(self, x):
        b, n, d = x.shape
        return {}
"""


def test_a_batch_that_must_be_as_large_as_another_axis(tmp_path: Path) -> None:
    assert told(tmp_path, MASKED.format(0)) == [("forced-dimension", 7, False)]
    assert told(tmp_path, MASKED.format(1)) == []


@pytest.mark.parametrize(
    ("result", "fails"),
    [
        ("self.lin(x).transpose(0, 1) + x", True),
        ("torch.bmm(x.transpose(0, 1), x.transpose(1, 2))", True),
        ("self.lin(x) + x", False),
        ("torch.bmm(x, self.lin(x).transpose(1, 2)).softmax(-1) @ x", False),
        ("self.lin(x).transpose(1, 2) + x", True),
        ("(x + x.transpose(1, 2)).sum(1)", False),  # of n nodes with n edges each, perhaps
        ("self.lin(x).transpose(0, 1) + x if b == n else x", False),
    ],
)
def test_whose_sizes_are_free(result: str, fails: bool, tmp_path: Path) -> None:
    assert bool(told(tmp_path, SQUARE.format(result))) is fails


def test_a_square_matrix_is_no_batch(tmp_path: Path) -> None:
    text = "class Graph(nn.Module):\n    def forward(self, adjacency):\n        n, m = adjacency.shape\n"
    assert told(tmp_path, text + "        return adjacency + adjacency.t()\n") == []


FACTORY = """class Block(nn.Module):
    expansion = 1
    def __init__(self, width, planes):
        super().__init__()
        self.conv = nn.Conv2d(width, planes, 3, padding=1)
    def forward(self, x):
        return self.conv(x)
class Net(nn.Module):
    def __init__(self, block, widths):
        super().__init__()
        self.stem = nn.Conv2d(3, widths[0], 1)
        self.stages = nn.Sequential(*[block(a, b) for a, b in zip(widths, widths[1:])])
        self.head = nn.Linear(widths[-1] * block.expansion, 10)
    def forward(self, x):
        x = self.stages(self.stem(x))
        return self.head(x.mean((2, 3)))
def small(pretrained=False):
    return Net({}, [16, 32, {}])
"""


def test_what_a_function_makes_is_called(tmp_path: Path) -> None:
    """A class that takes other classes has no meaning alone; the file's own functions say which."""
    wider = "lambda a, b: Block(a + 1, b)"
    assert told(tmp_path, FACTORY.format("Block", 64)) == []
    text = FACTORY.replace("widths[-1] * block", "widths[-2] * block")
    assert told(tmp_path, text.format("Block", 64)) == [("incompatible-shape", 19, False)]
    assert told(tmp_path, text.format("Block", 32)) == []
    assert told(tmp_path, FACTORY.replace("block.expansion", "1").format(wider, 64)) == [
        ("incompatible-shape", 10, False)
    ]


SHARED = """import somewhere
class Unit(nn.Module):
    def __init__(self, width, planes):
        super().__init__()
        self.conv = nn.Conv2d(width, planes, 3, padding=1)
    def forward(self, x):
        return self.conv(x)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two, self.three = Unit(3, 16), Unit({}, 32), Unit({}, 8)
        if somewhere.wide():
            self.width = 1
    def forward(self, x):
        x = self.one(x)
        x = self.two(x)
        return self.three(x)
"""


@pytest.mark.parametrize(("second", "third", "line"), [(16, 32, None), (15, 32, 10), (16, 16, 10)])
def test_a_line_that_many_share_is_judged_by_each_call(
    second: int, third: int, line: int | None, tmp_path: Path
) -> None:
    """Behind a branch that nobody knows, what fails is told where the same call never goes well."""
    found = told(tmp_path, SHARED.format(second, third))
    assert found == ([("incompatible-shape", line, False)] if line else [])


def test_a_call_that_goes_well_on_another_path_is_not_told(tmp_path: Path) -> None:
    text = SHARED.format("16 if somewhere.wide() else 15", 32)
    assert told(tmp_path, text) == []


MADE = """class Part(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.one, self.two = nn.Linear(width, 8), nn.Linear({}, 4)
    def forward(self, x):
        return self.two(self.one(x))
class Whole(nn.Module):
    def __init__(self, names):
        super().__init__()
        self.part = Part(16)
    def forward(self, x, routes):
        return routes.through(self.part, x)
"""


def test_a_class_of_which_others_make_objects_is_followed(tmp_path: Path) -> None:
    assert [line for _, line, _ in told(tmp_path, MADE.format(9))] == [9]
    assert told(tmp_path, MADE.format(8)) == []
