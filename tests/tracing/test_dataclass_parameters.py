"""What the constructor of a dataclass takes: not every annotated name is a field, nor every field a parameter."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import dataclasses
import inspect
from dataclasses import KW_ONLY, InitVar, dataclass, field
import torch

UNSET = object()


@dataclass
class Sized:
    size: int = 3
    start: InitVar = UNSET
    file: InitVar[str] = None
    rest: list = field(default_factory=list)

    def __post_init__(self, start, file):
        if file is not None:
            self.size = 9
        elif start is not UNSET:
            self.size = start


@dataclass
class Marked:
    first: int
    made: int = field(init=False, default=7)
    second: int = 2
    _: KW_ONLY
    third: int = 5


def accepted(cls, **given):
    return {k: v for k, v in given.items() if k in inspect.signature(cls).parameters}
"""
SIZES = """
    Sized().size
    Sized(4).size
    Sized(start=6).size
    Sized(1, 6).size
    Sized(1, 6, "file").size
    len(dataclasses.fields(Sized))
    Marked(1).second
    Marked(1, 4).second
    Marked(1, 4).made
    Marked(1, 4, third=8).third
    Marked(1).third
    len(dataclasses.fields(Marked))
    len(inspect.signature(Sized).parameters)
    len(inspect.signature(Marked).parameters)
    inspect.signature(Marked).parameters["third"].default
    Marked(**accepted(Marked, first=1, third=6, made=2, other=3)).third
    len([p for p in inspect.signature(Marked).parameters.values() if p.default is inspect.Parameter.empty])
    len([p for p in inspect.signature(Marked).parameters.values() if p.kind is inspect.Parameter.KEYWORD_ONLY])
    1 + list(inspect.signature(Marked).parameters).index("third")
    2 + (inspect.signature(Sized).parameters["rest"].default is None)
""".strip().splitlines()


@pytest.mark.parametrize("size", [line.strip() for line in SIZES])
def test_fields_have_the_values_that_python_gives_them(tmp_path: Path, size: str) -> None:
    names: dict[str, object] = {}
    exec(compile(f"{HEAD}\nn = {size}\n", "net.py", "exec", dont_inherit=True), names)
    for other, found in ((names["n"], []), (int(str(names["n"])) + 1, [True])):
        text = f"{HEAD}\ntorch.zeros(2, {size}) @ torch.zeros({other}, 2)\n"
        problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
        assert [p.certain for p in problems if p.level == "error"] == found
