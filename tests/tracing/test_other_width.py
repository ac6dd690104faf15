"""An argument that says how wide the input of a model is, and a first layer that takes another width."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

NET = """import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, width, {0}):
        super().__init__()
        self.first = nn.Linear({1}, width)
    def forward(self, x, y):
        {2}
"""
RUNS = ["return self.first(x)", "b, n, c = x.shape; return self.first(x[:, 0]) + 1"]


def told(tmp_path: Path, text: str) -> list[tuple[str, str, int, bool]]:
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    return [(p.level, p.rule, p.site.line, p.proved) for p in problems if p.level != "note"]


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("name", ["input_size", "in_dim", "in_features", "n_in_channels"])
@pytest.mark.parametrize("size", ["{} * 2", "{} + 1"])
def test_a_first_layer_of_another_width_is_told(tmp_path: Path, run: str, name: str, size: str) -> None:
    assert told(tmp_path, NET.format(name, size.format(name), run)) == [
        ("warning", "tracing/forced-dimension", 8, False)
    ]
    assert not told(tmp_path, NET.format(name, name, run))


@pytest.mark.parametrize(
    ("name", "size", "run"),
    [
        ("hidden", "hidden * 2", RUNS[0]),  # of what comes from elsewhere
        ("in_dim", "in_dim * 2", "return self.first(torch.cat([x, y], dim=-1))"),
        ("in_dim", "in_dim + 1", "return self.first(torch.cat([x, y[..., :1]], dim=-1))"),
        ("in_dim", "in_dim // 2", RUNS[0]),
        ("in_dim=8", "in_dim * 2", RUNS[0]),  # a number for all that is seen
    ],
)
def test_what_is_joined_or_named_otherwise_is_not(tmp_path: Path, name: str, size: str, run: str) -> None:
    assert not told(tmp_path, NET.format(name, size, run))
