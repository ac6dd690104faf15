"""A slice of a sequence or list of modules is of the class of the whole."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import torch
from torch import nn
class Row(nn.Sequential):
    def forward(self, x, twice=False):
        for module in self:
            x = module(x)
        return torch.cat([x, x], 1) if twice else x
class Sum(nn.ModuleList):
    def forward(self, x):
        return sum(module(x) for module in self)
row = Row(nn.Linear(3, 4), nn.Linear(4, 5))
parts = Sum([nn.Linear(3, 2), nn.Linear(3, 2)])
"""
TRUE = [
    "isinstance(row[:1], Row) and len(row[1:]) == 1",
    "row[:1](torch.ones(2, 3), twice=True).shape == (2, 8)",
    "type(parts[1:]) is Sum and parts[1:](torch.ones(7, 3)).shape == (7, 2)",
]


def told(tmp_path: Path, text: str) -> list[str]:
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    return [p.rule for p in problems if p.level == "error"]


@pytest.mark.parametrize("statement", TRUE)
def test_slices(statement: str, tmp_path: Path) -> None:
    text = f"{HEAD}assert {statement}\n"
    exec(text, {})
    assert told(tmp_path, text) == []
    assert len(told(tmp_path, f"{HEAD}assert not ({statement})\n")) == 1
