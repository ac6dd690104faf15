"""Modules of a repository whose own `__getattr__` asks PyTorch's first."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

LAYER = """
import torch
from torch import nn

class Layer(nn.Module):
    def __init__(self, size):
        super().__init__()
        if not hasattr(self, "made"):
            self.made = {}
        self.register_buffer("raw_scale", torch.ones(size))
        self.made["scale"] = torch.exp

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            if "made" in self.__dict__ and name in self.made:
                return self.made[name](super().__getattr__(f"raw_{name}"))
            raise

    def forward(self, x):
        return x * self.scale
"""
WRAPPED = """
import torch
from torch import nn

class Wrapped(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.module, name)

net = Wrapped(nn.Linear(4, 3))
"""


def errors(tmp_path: Path, text: str) -> list[int]:
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    return [p.site.line for p in shared.problems.values() if p.level == "error" and p.proved]


@pytest.mark.parametrize(("size", "lines"), [(4, []), (5, [22])])
def test_an_attribute_that_is_made_when_it_is_asked_for(tmp_path: Path, size: int, lines: list[int]) -> None:
    assert errors(tmp_path, f"{LAYER}\nLayer({size})(torch.zeros(2, 4))\n") == lines


@pytest.mark.parametrize(("size", "lines"), [(4, []), (5, [18])])
def test_an_attribute_of_what_is_wrapped(tmp_path: Path, size: int, lines: list[int]) -> None:
    assert errors(tmp_path, f"{WRAPPED}\nnet.weight @ torch.zeros({size})\n") == lines


def test_nothing_is_said_of_a_class_that_nothing_uses(tmp_path: Path) -> None:
    text = (
        WRAPPED.replace("net = Wrapped(nn.Linear(4, 3))\n", "")
        + "    def forward(self, x):\n        return self.size(x)\n"
    )
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    assert not shared.problems
