"""Functions, methods, dictionaries and sets beside a number that is written there: Python's operators take none."""

from __future__ import annotations

import ast
import contextlib
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

BEFORE = """
import functools, keras, math, numpy, torch
from torch import nn
import torch.nn.functional as F
class Net(nn.Module):
    def method(self):
        return 1
class Number:
    def __mul__(self, other):
        return 1
def function(x):
    return x
@functools.lru_cache
def cached(x):
    return x
net = Net()
"""
REFUSED = (
    "function * 2", "function + 1", "(lambda x: x) + 1", "cached * 2", "net.method * 2", "F.relu * 2", "nn.ReLU * 2",
    "keras.activations.gelu * 2", "keras.layers.Dense + 1", "{} * 2", "{'a': 1} + 1", "{1, 2} * 2",
    "dict(a=1) * 2", "numpy.zeros * 2", "math.sqrt + 1",
)  # fmt: skip
TAKEN = (
    "function(2) * 2", "net.method() * 2", "torch.pi * 2", "numpy.pi + 1", "math.inf * 2", "Number() * 2", "[1] * 2",
    "(1, 2) * 2", "'a' * 2", "torch.Size([1]) * 2", "torch.ones(2) * 2", "numpy.float32(1) * 2", "True * 2",
    "{1: 2}[1] * 2", "numpy.e * 2", "len({1, 2}) * 2", "F.relu(torch.ones(2)) * 2",
)  # fmt: skip


@pytest.mark.parametrize("expression", REFUSED + TAKEN)
def test_an_operand_and_a_number(tmp_path: Path, expression: str) -> None:
    text = f"{BEFORE}x = {expression}\n"
    refused = expression in REFUSED
    with pytest.raises(TypeError) if refused else contextlib.nullcontext():
        exec(text, {})
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert [p.site.line for p in shared.problems.values() if p.level == "error"] == ([17] if refused else [])
