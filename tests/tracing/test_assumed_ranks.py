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


ENCODER = """class Encoder(nn.Module):
    def __init__(self, words, width, channels):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.net = nn.Sequential(nn.Conv1d({}, channels, 1), nn.ReLU(), nn.Conv1d(channels, {}, 1))
    def forward(self, text):
        return self.net(self.embed(text).transpose(1, 2))
"""


@pytest.mark.parametrize(("first", "last", "lines"), [("width * 2", "width", [8]), ("width", "width", [])])
def test_layers_on_one_line_are_told_from_each_other(first: str, last: str, lines: list[int], tmp_path: Path) -> None:
    assert [line for _, line, _ in told(tmp_path, ENCODER.format(first, last))] == lines


PRIVATE = """def _heads(x, count):
    x = x.unsqueeze(-1).permute(0, 2, 1)
    return x.unflatten({}, (count, -1))
def _sum(x, y):
    return x.permute(0, 1, 2) + y
"""


def test_functions_for_the_file_alone_are_followed_too(tmp_path: Path) -> None:
    assert told(tmp_path, PRIVATE.format(3)) == [("incompatible-shape", 6, False)]
    assert told(tmp_path, PRIVATE.format(2)) == []


DROPPED = """class Highway(nn.Module):
    def __init__(self, width, kernel=3):
        super().__init__()
        self.conv = nn.Conv1d(width, {}, {}, padding=(kernel - 1) // 2)
    def forward(self, x):
        residual = x
        x = self.conv(F.dropout(x))
        a, b = x.split(x.size(1) // 2, dim=1)
        return torch.sigmoid(b) * a + residual
"""


@pytest.mark.parametrize(
    ("channels", "kernel", "lines"),
    [("2 * width", "kernel", []), ("2 * width", "kernel * 2", [12]), ("2 * width + 1", "kernel", [11])],
)
def test_what_keeps_a_shape_keeps_it_at_any_rank(channels: str, kernel: str, lines: list[int], tmp_path: Path) -> None:
    assert [line for _, line, _ in told(tmp_path, DROPPED.format(channels, kernel))] == lines


ATTENTION = """class Attention(nn.Module):
    def __init__(self, width, heads, feedforward=None):
        super().__init__()
        self.norm, self.attention = nn.LayerNorm(width), nn.MultiheadAttention(width, heads, batch_first=True)
        self.linear = nn.Linear(width, width{})
    def forward(self, x):
        y, _ = self.attention(self.norm(x), x, x)
        return y + self.linear(y)
class Scaled(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = width ** -0.5
        self.to_q = nn.Linear(width, width)
    def forward(self, x):
        _, n, _ = x.shape
        dots = self.to_q(x) @ x.transpose(1, 2) * self.scale
        return dots.masked_fill(torch.ones(n, n{}).bool(), 0.0)
"""


def test_attention_is_followed_where_its_input_has_no_rank(tmp_path: Path) -> None:
    assert told(tmp_path, ATTENTION.format("", "")) == []
    assert {line for _, line, _ in told(tmp_path, ATTENTION.format(" + 1", ""))} in ({10}, {11})
    assert [line for _, line, _ in told(tmp_path, ATTENTION.format("", " + 1"))] == [20]


GATED = """class Gated(nn.Module):
    def forward(self, x):
        x, gates = x.chunk({}, dim=-1)
        return F.gelu(gates) * x
class First(nn.Module):
    def forward(self, x):
        return x.chunk(3, dim=-1)[0], len(x.chunk(4))
"""


def test_as_many_parts_as_were_asked_for(tmp_path: Path) -> None:
    assert told(tmp_path, GATED.format(3)) == [("incompatible-shape", 6, False)]
    assert told(tmp_path, GATED.format(2)) == []


SQUEEZED = """class Squeeze(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.conv = nn.Conv2d(width, 1, kernel_size=1)
    def forward(self, x):
        y = x
        x = x.view(*x.shape[:-2], -1).mean(-1)
        x = self.linear(x).unsqueeze(-1).unsqueeze(-1)
        return y * x + y * self.conv(y)
"""


def test_a_name_that_stands_for_two_tensors_is_no_one_of_them(tmp_path: Path) -> None:
    assert told(tmp_path, SQUEEZED) == []


BATCHED = """def _as_batch(x, rows, columns):
    if x.ndim == 2 and x.shape == (rows, columns):
        return x.unsqueeze(0)
    return x
def projected(x: torch.Tensor):
    x = _as_batch(x, 4, 4)
    return x[:, :3, :3]
"""


def test_a_rank_that_a_branch_asks_for_is_not_what_callers_give(tmp_path: Path) -> None:
    assert told(tmp_path, BATCHED) == []


def test_what_was_taken_away_from_another_is_no_number(tmp_path: Path) -> None:
    """A layer that gives another width than it takes, times a scale of one number a row."""
    source = """class Forecast(nn.Module):
    def __init__(self, steps=24, horizon=6):
        super().__init__()
        self.linear = nn.Linear(steps, horizon)
    def forward(self, series):
        mean = series.mean(dim=1, keepdim=True)
        scale = torch.sqrt((series - mean).square().mean(dim=1, keepdim=True) + 1e-5)
        return self.linear((series - mean) / scale) * scale + mean
"""
    assert told(tmp_path, source) == []


PLANES = """import einops
def planes(grid: torch.Tensor):
    grid = grid + 1
    first, second = einops.rearrange(grid, "b c t d h w -> t b c d h w")
    return first[{}]
"""


def test_a_pattern_may_name_six_axes(tmp_path: Path) -> None:
    assert told(tmp_path, PLANES.format("0, 0, 0, 0, 0")) == []
    assert told(tmp_path, PLANES.format("0, 0, 0, 0, 0, 0")) == [("incompatible-shape", 8, False)]
