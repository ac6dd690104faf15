"""Metaclasses: what their classes have of them, and how their own `__call__` makes objects."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HELD = """
import torch
class Kind(type):
    count = 2
    def width(cls):
        return 3
    @staticmethod
    def depth():
        return 5
    @property
    def size(cls):
        return 4 + cls.more
class Deeper(Kind):
    def height(cls):
        return super().width() + 6
class A(metaclass=Deeper):
    more = 0
class B(A):
    more = 1
torch.zeros({}) + torch.zeros({})
"""


@pytest.mark.parametrize(
    ("asked", "told"),
    [("A.width()", 3), ("B.width()", 3), ("B.size", 5), ("A.depth()", 5), ("B.height()", 9), ("B.count", 2)],
)
def test_a_class_has_what_its_metaclass_defines(tmp_path: Path, asked: str, told: int) -> None:
    exec(HELD.format(asked, told), {})
    assert _errors(tmp_path, HELD.format(asked, told)) == []
    assert _errors(tmp_path, HELD.format(asked, told + 1)) == [20]


ONE = """
import torch
class Single(type):
    made = {{}}
    def __call__(cls, *args, **kwargs):
        if cls not in cls.made:
            cls.made[cls] = {}
        return cls.made[cls]
class Net(torch.nn.Module, metaclass=Single):
    def __init__(self, width):
        super().__init__()
        self.layer = torch.nn.Linear(width, 2)
first, second = Net(3), Net(4)
second.layer(torch.zeros(1, {}))
"""


@pytest.mark.parametrize("made", ["super().__call__(*args, **kwargs)", "type.__call__(cls, *args, **kwargs)"])
def test_a_metaclass_makes_the_objects_of_its_classes(tmp_path: Path, made: str) -> None:
    exec(ONE.format(made, 3), {})
    assert _errors(tmp_path, ONE.format(made, 3)) == []
    assert _errors(tmp_path, ONE.format(made, 4)) == [14]


SIGNED = """
import inspect
import torch
def f(a, b, c=3, *, d, e=5):
    pass
told = inspect.signature(f)
given = told.bind_partial(1, d=2).arguments
left = told.replace(parameters=[p for n, p in told.parameters.items() if n not in given])
other = inspect.Parameter("x", inspect.Parameter.KEYWORD_ONLY, default=7)
own = inspect.Signature([told.parameters["b"].replace(name="y", default=6), other])
torch.zeros({}) + torch.zeros({})
"""


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("len(left.parameters)", 3),
        ("own.parameters['x'].default", 7),
        ("own.parameters['y'].default", 6),
        ("sum(p.default is inspect.Parameter.empty for p in left.parameters.values()) + 1", 2),
        ("own.bind(2, x=4).arguments['x']", 4),
    ],
)
def test_signatures_are_made_of_others(tmp_path: Path, asked: str, told: int) -> None:
    exec(SIGNED.format(asked, told), {})
    assert _errors(tmp_path, SIGNED.format(asked, told)) == []
    assert _errors(tmp_path, SIGNED.format(asked, told + 1)) == [11]


def _errors(tmp_path: Path, text: str) -> list[int]:
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    return [p.site.line for p in shared.problems.values() if p.level == "error"]


REGISTRY = """
TABLE = {}
class Meta(type):
    registry = {}
    def __new__(mcs, name, bases, namespace, **kwargs):
        made = super().__new__(mcs, name, bases, namespace)
        mcs.registry[kwargs.get("key", name)] = TABLE[name] = made
        return made
class First(metaclass=Meta, key="first"):
    size = 3
class Second(First):
    size = 4
"""


@pytest.mark.parametrize("statement", ["set(Meta.registry) == {'first', 'Second'}", "len(TABLE) == 2", "TABLE"])
def test_what_a_metaclass_writes_down(statement: str, tmp_path: Path) -> None:
    text = f"{REGISTRY}assert {statement}\n"
    exec(text, {})
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert not [p for p in problems if p.level == "error"]


def test_what_no_metaclass_writes_down(tmp_path: Path) -> None:
    text = f"OTHER = {{}}\n{REGISTRY}assert OTHER\n"
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.rule for p in problems if p.level == "error"] == ["tracing/uncaught-exception"]
