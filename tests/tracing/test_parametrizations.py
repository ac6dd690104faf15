"""`register_parametrization` computes the tensor once, and takes only one of the shape that it had."""

from __future__ import annotations

import ast
import contextlib
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAM = """
import torch
from torch import nn
import torch.nn.utils.parametrize as parametrize

class Added(nn.Module):
    def __init__(self, rows, columns):
        super().__init__()
        self.a = nn.Parameter(torch.randn(rows, columns))
    def forward(self, w):
        return w + self.a

class Flat(nn.Module):
    def forward(self, w):
        return w.reshape(-1)

class Inverse(nn.Module):
    def forward(self, v):
        return v.reshape(6, 4)
    def right_inverse(self, w):
        return w.reshape(24)

class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(6, 4))
    def forward(self, x):
        return x @ self.weight.t()

layer = {layer}
parametrize.register_parametrization(layer, "weight", {parametrization})
y = layer(torch.randn(2, {width}))
layer.parametrizations.weight.original + layer.weight
parametrize.remove_parametrizations(layer, "weight")
"""


def errors(tmp_path: Path, text: str) -> list[int]:
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    return [p.site.line for p in shared.problems.values() if p.level == "error"]


@pytest.mark.parametrize("layer", ["nn.Linear(4, 6)", "Own()"])
@pytest.mark.parametrize(
    ("parametrization", "line"), [("Added(6, 4)", 0), ("Added(6, 5)", 11), ("Added(1, 4)", 0), ("Flat()", 31)]
)
def test_a_parametrization(tmp_path: Path, layer: str, parametrization: str, line: int) -> None:
    text = PROGRAM.format(layer=layer, parametrization=parametrization, width=4)
    with pytest.raises((RuntimeError, ValueError)) if line else contextlib.nullcontext():
        exec(text, {})
    assert errors(tmp_path, text) == ([line] if line else [])


def test_an_inverse_comes_first(tmp_path: Path) -> None:
    text = PROGRAM.format(layer="nn.Linear(4, 6)", parametrization="Inverse()", width=4)
    text = text.replace("layer.parametrizations.weight.original + layer.weight\n", "")
    exec(text, {})
    assert errors(tmp_path, text) == []


def test_the_layer_stays_one(tmp_path: Path) -> None:
    text = PROGRAM.format(layer="nn.Linear(4, 6)", parametrization="Added(6, 4)", width=5)
    assert errors(tmp_path, text) == [32]


def test_other_shapes_that_are_asked_for(tmp_path: Path) -> None:
    """Which the layer then has."""
    text = PROGRAM.format(layer="Own()", parametrization="Flat(), unsafe=True", width=4)
    text = text.replace("self.weight.t()", "self.weight[:4]")
    text = text.replace("layer.parametrizations.weight.original + layer.weight\n", "")
    assert errors(tmp_path, text) == []


@pytest.mark.parametrize(("taken", "line"), [("0", 0), ("0, :3", 11)])
def test_several_originals(tmp_path: Path, taken: str, line: int) -> None:
    """An inverse may give as many tensors as `forward` takes arguments."""
    text = f"""
import torch
from torch import nn
import torch.nn.utils.parametrize as parametrize

class Outer(nn.Module):
    def forward(self, rows, columns):
        return rows.unsqueeze(-1) @ columns.unsqueeze(-2)
    def right_inverse(self, w):
        return w[:, 0], w[{taken}]
parametrize.register_parametrization(nn.Linear(4, 6), "weight", Outer())
"""
    with pytest.raises(ValueError, match="shape") if line else contextlib.nullcontext():
        exec(text, {})
    assert errors(tmp_path, text) == ([line] if line else [])
