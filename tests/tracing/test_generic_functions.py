"""`functools.singledispatch`: each program is run, and its width is right in one layer and wrong in another."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import functools
from functools import singledispatch, singledispatchmethod
from typing import Union
import numpy as np
import torch
from torch import nn

class Base: pass
class Derived(Base): pass

@singledispatch
def width(value):
    return 11

@width.register
def _(value: torch.Tensor):
    return value.shape[-1]

@width.register(np.ndarray)
def _(value):
    return value.shape[0]

@width.register(list)
@width.register(tuple)
def of_sequence(value):
    return sum(width(v) for v in value)

@width.register
def _(value: "int | float"):
    return int(value)

@width.register
def _(value: Union[str, bytes]):
    return len(value)

@width.register(Base)
def _(value):
    return 3

width.register(dict, lambda value: len(value))

class Sized:
    @singledispatchmethod
    def size(self, value):
        return 7 + self.more
    @size.register
    def _(self, value: int):
        return value + self.more
    @size.register(list)
    def _(self, value):
        return sum(self.size(v) for v in value)
    def __init__(self, more):
        self.more = more

class Wider(Sized):
    pass

class Nearer:
    pass

@functools.singledispatch
def nearest(value):
    return 2

@nearest.register(Base)
def _(value):
    return 4

@nearest.register(Derived)
def _(value):
    return 5
"""
WIDTHS = """
    width(torch.zeros(2, 6))
    width(np.zeros((6, 2)))
    width([torch.zeros(2, 6), 3])
    width((2, 3))
    width(4)
    width(4.5)
    width("text")
    width(b"bytes")
    width({"a": 1})
    width(None)
    width(Base())
    width(Derived())
    width(Nearer())
    of_sequence([1, 2])
    Sized(1).size(3)
    Sized(1).size([3, 4])
    Sized(1).size("text")
    Wider(2).size(3)
    nearest(Base())
    nearest(Derived())
    nearest(Nearer())
"""


@pytest.mark.parametrize("width", [line.strip() for line in WIDTHS.strip().splitlines()])
def test_the_type_of_the_argument_decides_what_is_called(width: str, tmp_path: Path) -> None:
    scope: dict[str, int] = {}
    exec(f"{HEAD}\nn = {width}\n", scope)
    for more in (0, 1):
        text = f"{HEAD}\nn = {width}\nx = nn.Linear(n, 2)(torch.zeros(3, {scope['n'] + more}))\n"
        problems = explore(tmp_path, "program.py", ast.parse(text), Versions()).problems.values()
        assert [p.site.line for p in problems if p.level == "error"] == [text.count("\n")] * more


def test_what_is_called_for_an_unknown_argument_is_not_known(tmp_path: Path) -> None:
    text = f"{HEAD}\nimport elsewhere\nx = nn.Linear(width(elsewhere.value()), 2)(torch.zeros(3, 5))\n"
    problems = explore(tmp_path, "program.py", ast.parse(text), Versions()).problems.values()
    assert not [p for p in problems if p.level == "error"]
