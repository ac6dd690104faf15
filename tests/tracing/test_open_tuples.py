"""Tuples of an unknown length: what `*args` holds where nobody here calls the function, and `tuple(...)` of it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAM = """
import torch
def asked(*inputs):
    given = VALUE
    if TEST:
        return torch.zeros(2) + torch.zeros(2)
    return torch.zeros(2) + torch.zeros(3)
"""


@pytest.mark.parametrize(
    "value", ["inputs", "tuple(inputs)", "inputs[1:]", "tuple(x for x in inputs)", "inputs + (1,)"]
)
@pytest.mark.parametrize(
    ("test", "always"),
    [
        ("isinstance(given, tuple)", True), ("isinstance(given, (list, tuple))", True),
        ("not isinstance(given, list)", True), ("isinstance(given, list)", False), ("type(given) is tuple", True),
        ("isinstance(list(given), list)", True),
    ],
)  # fmt: skip
def test_what_holds_the_arguments_is_a_tuple(tmp_path: Path, value: str, test: str, always: bool) -> None:
    text = PROGRAM.replace("VALUE", value).replace("TEST", test)
    told = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.site.line for p in told if p.level == "error"] == ([] if always else [7])


TWO = """
import torch
from torch import nn
class Two(nn.Module):
    def forward(self, x, y):
        return x + y
class Spread(nn.Sequential):
    def forward(self, *inputs):
        for module in self:
            inputs = module(*inputs) if isinstance(inputs, tuple) else module(inputs)
        return inputs
def build(width: int):
    return Spread(Two(), nn.Linear(width, width))
build(3)(ARGUMENTS)
"""


@pytest.mark.parametrize(("arguments", "lines"), [("torch.ones(3), torch.ones(3)", []), ("torch.ones(3)", [10])])
def test_a_sequence_that_spreads_its_inputs(tmp_path: Path, arguments: str, lines: list[int]) -> None:
    text = TWO.replace("ARGUMENTS", arguments)
    told = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.site.line for p in told if p.level == "error"] == lines
