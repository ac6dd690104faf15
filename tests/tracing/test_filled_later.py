"""What other methods of a class put into its lists."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

LAYERS = """
import torch
from torch import nn

class Net:
    def __init__(self):
        self.image, self.label = torch.zeros(8, 3, 4, 4), torch.zeros(8).long()
        self.layers = [self.image]
        {built}
    def fill(self):
        {fill}
    def loss(self):
        return nn.functional.cross_entropy(self.layers[-1], self.label)
"""
FILLED = ["self.layers.append(self.image.mean((2, 3)))", "self.layers += [self.image.mean((2, 3))]"]
MODULE = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.sizes = {sizes}
    def {name}(self, n):
        self.sizes[n] = 5
    def forward(self, x):
        return torch.zeros(3, self.sizes["a"]) @ torch.zeros(4, 2)
"""


def told(tmp_path: Path, text: str) -> list[int]:
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    return [p.site.line for p in shared.problems.values() if p.level in ("error", "warning")]


@pytest.mark.parametrize("fill", FILLED)
def test_a_list_that_another_method_fills(fill: str, tmp_path: Path) -> None:
    assert told(tmp_path, LAYERS.format(fill=fill, built="")) == []


@pytest.mark.parametrize(("fill", "built"), [("pass", ""), (FILLED[0].replace("mean", "sum(0).mean"), "self.fill()")])
def test_a_list_that_no_other_method_fills(fill: str, built: str, tmp_path: Path) -> None:
    assert told(tmp_path, LAYERS.format(fill=fill, built=built)) != []


def test_a_dictionary_of_a_module(tmp_path: Path) -> None:
    assert told(tmp_path, MODULE.format(sizes="{}", name="fill")) == []
    assert told(tmp_path, MODULE.format(sizes="{'a': 5}", name="fill").replace("self.sizes[n]", "sizes")) == [12]
