"""A name of a function that is read where no line that binds it has run, and what looks like it and is none."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.problems import Diagnostic
from analyzer.tracing.tracing import explore

BY_NUMBER = """
import torch
from torch import nn

def make(d):
    if d == 2:
        layer = nn.Linear(2, 3)
    elif d == 3:
        layer = nn.Linear(3, 3)
    return nn.Sequential(layer)

make({d})
"""
SHADOWED = """
import torch

width = 3

def make():
    made = torch.zeros(width, 2)
    {binds}
    return made

make()
"""
SILENT = {
    "a handler expects it": """
def make(d):
    if d == 2:
        layer = 1
    try:
        return layer
    except NameError:
        return 0

make(4)
""",
    "a flag decides": """
import sys

def make(d):
    if d == "a":
        layer = 1
    elif d == "b":
        layer = 2
    return layer

make(sys.argv[1])
""",
    "of a function around it": """
def make():
    def inner():
        return width
    width = 3
    return inner()

make()
""",
    "in a class body": """
width = 3

def make():
    class Inner:
        width = width
    return Inner.width

make()
""",
    "of a comprehension": """
width = 3

def make():
    found = [width for _ in range(2)]
    also = [width for width in range(2)]
    return found, also

make()
""",
    "nobody calls it": """
def make(d):
    if d == 2:
        layer = 1
    elif d == 3:
        layer = 2
    return layer
""",
    "global": """
width = 3

def make():
    global width
    found = width
    width = 4
    return found

make()
""",
    "bound by an inner function": """
import torch

width = 3

def make():
    def inner():
        nonlocal width
        width = 4
    inner()
    made = torch.ones(2, width) @ torch.ones(4, 5)
    width = 5
    return made @ torch.ones(width, 6)

make()
""",
    "data that nobody knows": """
import somewhere

def make():
    for item in somewhere.items():
        last = item
    return last

make()
""",
}


def told(tmp_path: Path, program: str) -> list[Diagnostic]:
    (tmp_path / "run.py").write_text(program)
    return list(explore(tmp_path, "run.py", ast.parse(program), Versions()).problems.values())


def test_a_name_that_nothing_has_bound_ends_the_run(tmp_path: Path) -> None:
    (found,) = told(tmp_path, BY_NUMBER.format(d=4))
    assert found.level == "error"
    assert found.proved
    assert found.site.line == 10
    assert "layer" in found.message
    assert not told(tmp_path, BY_NUMBER.format(d=3))


def test_a_name_of_the_module_that_the_function_binds_later_is_its_own(tmp_path: Path) -> None:
    (found,) = told(tmp_path, SHADOWED.format(binds="width = 4"))
    assert found.site.line == 7
    assert "width" in found.message
    assert not told(tmp_path, SHADOWED.format(binds="height = 4"))


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT.keys())
def test_what_runs_or_is_not_known_is_silent(program: str, tmp_path: Path) -> None:
    assert not told(tmp_path, program)
