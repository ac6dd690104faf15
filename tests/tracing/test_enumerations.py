"""Enumerations: which names of a body become members, and what these are."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

NUMBERED = """
import enum
class A(enum.Enum):
    first = 5
    second = other = enum.auto()
    third, fourth = enum.auto(), "x"
    _ignore_ = ["i"]
    for i in range(2):
        vars()[f"n{i}"] = i
    @classmethod
    def names(cls): return [m.name for m in cls]
    shown = property(lambda self: self.name)
class Flags(enum.Flag):
    R, W = 4, 2
    X = enum.auto()
class Low(str, enum.Enum):
    @staticmethod
    def _generate_next_value_(name, start, count, last): return name.lower()
class Text(Low):
    RED = enum.auto()
    SEVEN = 7
class Plain(enum.IntEnum):
    one = 3
    two = enum.auto()
    three: int = 7
"""
MADE = """
import enum
class Numbered(enum.Enum):
    def __new__(cls):
        made = object.__new__(cls)
        made._value_ = len(cls.__members__) + 1
        return made
class Colour(Numbered):
    red = ()
    green = ()
class Planet(enum.Enum):
    EARTH = (3, 4)
    MARS = (5, 6)
    def __init__(self, mass, radius):
        self.mass = mass
        self.product = mass * radius
class Own(enum.IntEnum):
    A = 1
    def __str__(self): return self.name
"""
KNOWN = [
    (NUMBERED, "A.second.value == 6 and A.other is A.second and A.third.value == 7"),
    (NUMBERED, "A.names() == ['first', 'second', 'third', 'fourth', 'n0', 'n1'] and A.n1.shown == 'n1'"),
    (NUMBERED, "isinstance(Flags.R, Flags) and Flags.X.value == 8 and len(Flags) == 3"),
    (NUMBERED, "Text.RED.value == 'red' and Text.SEVEN == '7' and Text('red') is Text.RED"),
    (NUMBERED, "Plain.two == 4 and Plain.three + Plain.one == 10"),
    (MADE, "list(Colour) == [Colour.red, Colour.green] and Colour.green.value == 2"),
    (MADE, "Planet.MARS.product == 30 and Planet.EARTH.value == (3, 4) and Planet((5, 6)) is Planet.MARS"),
]
UNKNOWN = [
    (NUMBERED, "type(Flags.R | Flags.W) is Flags and Flags(2) is Flags.W and Flags(6) is not Flags.W"),
    (NUMBERED, "Plain.one._member_type_ is int and Plain(3) is Plain.one"),
    (MADE, "str(Own.A) == 'A' and f'{Own.A}' == 'A'"),
]


def _proved(folder: Path, program: str, guard: str) -> bool:
    text = f"import torch\n{program}\nif {guard}:\n    torch.zeros(2, 3) @ torch.zeros(4, 5)\n"
    told = explore(folder, "program.py", ast.parse(text), Versions()).problems.values()
    return any(p.level == "error" and p.proved for p in told)


@pytest.mark.parametrize(("program", "told"), [*KNOWN, *UNKNOWN])
def test_what_members_are_guards_no_failure(tmp_path: Path, program: str, told: str) -> None:
    exec(f"{program}\nassert {told}", {"__name__": "program"})
    assert not _proved(tmp_path, program, f"not ({told})")


@pytest.mark.parametrize(("program", "told"), KNOWN)
def test_what_members_are_is_known(tmp_path: Path, program: str, told: str) -> None:
    assert _proved(tmp_path, program, told)
