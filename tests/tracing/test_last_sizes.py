"""Tensors of unknown rank whose last sizes are known: they have to fit each other all the same."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

NET = """import torch
from torch import nn
from torch.distributions import Normal
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.mean, self.scale = nn.Linear(8, {}), nn.Linear(8, {})
    def forward(self, x, y):
        return {}
"""
TAKES = (
    "self.mean(x) + self.scale(x).exp()",
    "Normal(self.mean(x), self.scale(y).exp())",
    "self.mean(x) * self.scale(y)",
)


def told(tmp_path: Path, text: str) -> list[tuple[str, str, int]]:
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    return [(p.level, p.rule.removeprefix("tracing/"), p.site.line) for p in problems if p.level != "note"]


@pytest.mark.parametrize("result", TAKES)
def test_last_sizes_of_tensors_of_unknown_rank(tmp_path: Path, result: str) -> None:
    assert told(tmp_path, NET.format(5, 6, result)) == [("error", "incompatible-shape", 9)]
    assert told(tmp_path, NET.format("width", "width * 2", result)) == [("warning", "forced-dimension", 9)]
    for sizes in (("width", "width"), (5, 5), (5, 1), (1, "width")):
        assert not told(tmp_path, NET.format(*sizes, result))


def test_a_sample_has_the_last_size_of_its_parameters(tmp_path: Path) -> None:
    result = "nn.Linear({}, 3)(Normal(self.mean(x), self.scale(x).exp()).rsample())"
    for size, wrong in (("width", False), ("width + 1", True), ("2 * width", True)):
        text = NET.format("width", "width", result.format(size)).replace(
            "self.mean, ", "self.width = width; self.mean, "
        )
        assert (
            bool(
                told(tmp_path, text.replace(f"Linear({size}, 3)", f"Linear({size.replace('width', 'self.width')}, 3)"))
            )
            == wrong
        )
