"""What can go wrong in a traced program: an exception of Python's, and a verdict about a shape or a name."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from analyzer.tracing.language.values import Api, Class, Instance, Object, Value
from analyzer.tracing.paths.symbols import Site

DEFAULT_RUN = "The default run fails: flags, configuration and environment at their defaults."
EVERY_RUN = "Every run fails, whatever the flags."
SOME_RUN = "A declared run fails: the one with the flags named here."
EVERY_CALL = "Every call that gets here fails."
SOME_CALL = "A call with the arguments named here fails."
DEFAULT_CONFIGURATION = "A call with the default configuration fails: {}."
NO_RANK = "It fails whatever rank its input has: this analysis has tried those from 1 to 7."
DOCUMENTED_CALL = "A call with the shapes that the docstring names fails."
DOCUMENTED_PROGRAM = "The example of a docstring"
SAMPLED_RUN = "A run on numbers that this analysis made up fails; other numbers may lead elsewhere."
GUESSED_RUN = "A run on numbers and answers that this analysis made up fails; others may lead elsewhere."
UNREACHED = "No program in the repository reaches it: this analysis made the arguments up, which nobody may give."


GUESS_FREE = frozenset(("tracing/uncaught-exception",))  # rules that say nothing behind a branch that was guessed


class PyRaise(Exception):
    """The traced program raises. `name` is the exception's class."""

    def __init__(self, name: str, message: str = "", value: Value = None) -> None:
        super().__init__(f"{name}: {message}")
        self.name, self.message, self.value = name, message, value
        self.path = ""  # of the file whose function raised it
        self.site: Site | None = None  # the innermost statement of the repository's own that it passed
        self.bound: Value = None  # what `except … as name` calls it
        self.context: PyRaise | None = None  # the one whose handler raises it by a statement of its own


def exception_name(value: Value) -> str:
    """The class of an exception, or the class itself, by name."""
    if isinstance(value, Instance):
        return value.cls.name
    if isinstance(value, Class):
        return value.name
    if isinstance(value, Api):
        return value.name.rpartition(".")[2]
    if isinstance(value, Object) and value.kind == "exception":
        return str(value.data["name"])
    return getattr(value, "label", "") or "Exception"


class ShapeFailure(PyRaise):
    """An operator refuses its operands on this path, whatever the input."""

    def __init__(self, problem: Diagnostic) -> None:
        super().__init__("RuntimeError", problem.message)
        self.problem = problem
        self.raised: PyRaise | None = None  # the exception with which the program itself refuses


Place = tuple[Any, ...]  # (path, line, operator), and the lines that have led there where they are known


@dataclass(frozen=True)
class Diagnostic:
    """A verdict before it becomes a finding."""

    rule: str
    level: str  # error, warning, note
    message: str
    site: Site
    operator: str = ""
    sentences: tuple[str, ...] = ()
    certain: bool = True  # no guess of this analysis lies between the program's start and here
    fix: tuple[ast.expr, str, str] | None = None  # (source expression, path, replacement)
    operand: str = ""
    layer: str = ""
    from_core: bool = False  # conditions that cannot hold together, found when the path ended
    assumed: bool = False  # that the first layer's input is a batch; another path takes one example
    places: tuple[Site, ...] = ()  # other lines that had a part in it, the nearest first
    joint: bool = False  # several choices of data or of callers lead here, which may exclude each other
    joint_in_data: bool = False  # several of them are of data
    tier: str = ""  # which runs fail: see the constants above
    before: int = 0  # how often the operator went well on this path before it failed
    nth: int = -1  # how often any call of that line did; -1: until now
    unreached: bool = False  # only a call whose arguments this analysis made up leads here, no program
    sized: bool = False  # a question about a size or rank that nobody gives was answered on the way
    own_sizes: bool = False  # a layer refuses what its class's own sizes make, without a branch: no argument avoids it

    callers: tuple[tuple[str, int], ...] | None = None  # lines that have led there; None: not one call of it

    @property
    def place(self) -> Place:
        """By which it is known whether the operator goes well elsewhere: in the same call, where it is one."""
        place = (self.site.path, self.site.line, self.operator)
        return place if self.callers is None else (*place, self.callers)

    @property
    def proved(self) -> bool:
        """Whether a run of a program fails here, or every call that can be made."""
        return self.certain and not self.unreached


MADE_UP_RUNS = (SAMPLED_RUN, GUESSED_RUN)


def key_of(problem: Diagnostic) -> tuple[Any, ...]:
    """By which verdicts on one place are known. What is told of a program may turn out to be none; what a run on
    made-up numbers shows is kept beside it until then."""
    key = (problem.rule, problem.site.path, problem.site.line, problem.operand)
    return (*key, problem.tier) if problem.tier in MADE_UP_RUNS else key


def told_before(key: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """Keys of verdicts on the same place that stand for one of a run on made-up numbers."""
    return [key[:4], *([(*key[:4], SAMPLED_RUN)] if key[4] == GUESSED_RUN else [])]


def weight(problem: Diagnostic) -> tuple[bool, bool, bool]:
    """How certain a verdict is, for an order."""
    return problem.proved, problem.certain, not problem.joint
