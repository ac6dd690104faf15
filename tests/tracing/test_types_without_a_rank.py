"""Element types of tensors whose rank is not known, beside a number."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

NET = """
import torch
from torch import nn
class Net(nn.Module):
    def forward(self, x: torch.Tensor, k: int):
        return torch.ones(3, 4) @ ({})
"""


@pytest.mark.parametrize(
    ("value", "refused"),
    [
        ("(x > 0) * 1.0", False),
        ("1.0 - (x > 0) * 1.0", False),
        ("(x > 0) / 2", False),
        ("(x > 0) + 0.0", False),
        ("(x > 0) * torch.tensor(1.0)", False),
        ("x.long() * 1.5", False),
        ("x.long() / 2", False),
        ("x.float() * 2", False),
        ("x > 0", True),
        ("(x > 0) & (x < 1)", True),
    ],
)
def test_a_number_with_a_point_makes_integers_and_truths_floating(value: str, refused: bool, tmp_path: Path) -> None:
    shared = explore(tmp_path, "net.py", ast.parse(NET.format(value)), Versions())
    told = [(p.rule, p.site.line) for p in shared.problems.values() if p.level != "note"]
    assert told == ([("tracing/incompatible-element-type", 6)] if refused else [])
