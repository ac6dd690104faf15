"""Methods of classes that no framework calls: each is followed on an object that is made with unknown arguments."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = "import numpy as np\nimport torch\nfrom torch import nn\n"
PLAIN = """class Ranked:
    def __init__(self, groups, names):
        self.groups, self.names = groups, names
    @torch.no_grad()
    def __call__(self, layers):
        scores = []
        for layer, chosen in layers:
            kept = layer.weight.data[chosen].{}
            scores.append(kept.abs().sum(1))
        return scores
    def ordered(self, values):
        made = np.full((3, {}), 0.0)
        made[0] = np.zeros(7)
        return made
"""
MODEL = """class Coder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first, self.second = nn.Linear(width, 4 * width), nn.Linear({} * width, width)
    def forward(self, x):
        return self.first(x)
    def encode(self, x):
        return self.second(self.forward(x))
    @staticmethod
    def joined(x):
        return torch.zeros(3, 4) + torch.zeros({})
"""


def told(tmp_path: Path, text: str) -> list[tuple[int, bool]]:
    problems = explore(tmp_path, "program.py", ast.parse(HEAD + text), Versions()).problems.values()
    return [(p.site.line, p.proved) for p in problems if p.level in ("error", "warning")]


@pytest.mark.parametrize(("flat", "size", "lines"), [("flatten(0)", 7, [12]), ("flatten(1)", 8, [16])])
def test_methods_of_a_plain_class(flat: str, size: int, lines: list[int], tmp_path: Path) -> None:
    assert told(tmp_path, PLAIN.format(flat, size)) == [(line, False) for line in lines]
    assert told(tmp_path, PLAIN.format("flatten(1)", 7)) == []


@pytest.mark.parametrize(("factor", "size", "lines"), [(2, 4, [11]), (4, 5, [14])])
def test_methods_of_a_model_beside_what_it_computes(factor: int, size: int, lines: list[int], tmp_path: Path) -> None:
    assert [line for line, _ in told(tmp_path, MODEL.format(factor, size))] == lines
    assert told(tmp_path, MODEL.format(4, 4)) == []


EMPTY = """class Grid:
    def __init__(self):
        self.names = []
    def columns(self, rows, device):
        if device.type == "cuda":
            rows = rows + 1
        chunk = torch.zeros(2, len(self.names))
        return chunk[:, 0]
"""


def test_what_is_empty_behind_a_branch_is_what_callers_fill(tmp_path: Path) -> None:
    assert told(tmp_path, EMPTY) == []


LONG = "class Trainer:\n    def fit(self, rows):\n" + 120 * "        for i in range(99): rows = rows * i + 1\n"
LAST = """    def first(self, rows):
        return torch.zeros(3, 4).view({})
    def last(self, rows):
        return torch.zeros(3, 4).view({})
"""


def test_a_long_method_leaves_something_for_those_that_follow(tmp_path: Path) -> None:
    assert [line for line, _ in told(tmp_path, LONG + LAST.format(7, 5))] == [127, 129]
    assert told(tmp_path, LONG + LAST.format(12, "2, 6")) == []
