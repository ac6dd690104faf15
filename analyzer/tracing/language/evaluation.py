"""The interpreter as one interface: what each construct and each kind of value does is looked up in a table.

Expressions call functions, calls run statements, statements evaluate expressions. The modules that know how fill these
tables with their rules and reach each other through the functions below alone, so that none imports another for it.
`exploring` sees to it that all of them are imported.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from analyzer.tracing.imports.libraries import MARK
from analyzer.tracing.language.values import Unknown, Value
from analyzer.tracing.language.yields import suspends
from analyzer.tracing.paths.problems import PyRaise
from analyzer.tracing.paths.tracer import Tracer

BREAK, CONTINUE = "break", "continue"


@dataclass(frozen=True, slots=True)
class Returned:
    value: Value


Signal = Any  # None, or why a block was left: `BREAK`, `CONTINUE` or a `Returned`
Steps = Generator[Value, Value, Any]  # of a generator's body: gives what it yields and is sent what it is sent
Rule = Callable[..., Any]
AnyRule = TypeVar("AnyRule", bound=Rule)
EXPRESSIONS: dict[type[ast.expr], Callable[[Tracer, Any], Value]] = {}
STATEMENTS: dict[type[ast.stmt], Callable[[Tracer, Any], Signal]] = {}
STEPS: dict[type[ast.AST], Callable[[Tracer, Any], Steps]] = {}  # of what may hold a yield: see `suspended_bodies`


class Dispatch:
    """Rules by the type of a value; a type without one has that of its nearest base, `object` in the end."""

    def __init__(self) -> None:
        self._rules: dict[type, Rule] = {}
        self._nearest: dict[type, Rule] = {}  # what was found, until another rule comes

    def of(self, *kinds: type) -> Callable[[AnyRule], AnyRule]:
        """Registers a rule: called with the tracer, the value and what the function of the interface was given."""

        def register(rule: AnyRule) -> AnyRule:
            self._rules.update(dict.fromkeys(kinds, rule))
            self._nearest.clear()
            return rule

        return register

    def find(self, value: Value) -> Rule:
        rule = self._nearest.get(type(value))
        if rule is None:
            rule = next(self._rules[kind] for kind in type(value).__mro__ if kind in self._rules)
            self._nearest[type(value)] = rule
        return rule


CALLS, ATTRIBUTES, ITEMS, ELEMENTS = Dispatch(), Dispatch(), Dispatch(), Dispatch()


def seen(value: Value) -> Value:
    """What an unknown value stands for, where a value was supposed for it."""
    return value.value[0] if isinstance(value, Unknown) and value.value is not None else value


def evaluate(tr: Tracer, node: ast.expr) -> Value:
    rule = EXPRESSIONS.get(type(node))
    if rule is None:
        return tr.unknown(type(node).__name__)
    tr.step()
    return rule(tr, node)


def run_block(tr: Tracer, body: Sequence[ast.stmt]) -> Signal:
    for node in body:
        tr.step()
        tr.frames[-1].line = node.lineno
        rule = STATEMENTS.get(type(node))
        if rule is None:
            tr.note(f"line {node.lineno}: {type(node).__name__} is not followed")
            continue
        try:
            signal = rule(tr, node)
        except PyRaise as error:
            _passed(tr, error, node)
            raise
        if signal is not None:
            return signal
    return None


def _passed(tr: Tracer, error: PyRaise, node: ast.stmt) -> None:
    if error.site is None and not tr.frames[-1].path.startswith(MARK):
        error.site = tr.site(node)


def block_steps(tr: Tracer, body: Sequence[ast.stmt]) -> Steps:
    """`run_block` of a generator's body: statements that hold no yield are run as anywhere else."""
    for node in body:
        if not suspends(node):
            signal = run_block(tr, (node,))
        else:
            tr.step()
            tr.frames[-1].line = node.lineno
            try:
                signal = yield from STEPS[type(node)](tr, node)
            except PyRaise as error:
                _passed(tr, error, node)
                raise
        if signal is not None:
            return signal
    return None


def holds_yield(body: Sequence[ast.AST]) -> bool:
    return any(map(suspends, body))


def finished(steps: Steps) -> Any:
    """What steps give at their end that hold no yield."""
    try:
        next(steps)
    except StopIteration as end:
        return end.value
    raise AssertionError("a yield outside of a generator")


def call(
    tr: Tracer,
    function: Value,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
    node: ast.Call | None = None,
    open_args: bool = False,
) -> Value:
    """The value of a call. `open_args`: star arguments of unknown content were given too."""
    tr.step()
    function = seen(function)
    return CALLS.find(function)(tr, function, args, kwargs, node, open_args)


def get_attribute(tr: Tracer, value: Value, name: str, node: ast.AST | None = None) -> Value:
    value = seen(value)
    return ATTRIBUTES.find(value)(tr, value, name, node)


def get_item(tr: Tracer, value: Value, index: Value, node: ast.AST | None = None) -> Value:
    value, index = seen(value), seen(index)
    tr.read(value)
    return ITEMS.find(value)(tr, value, index, node)


def iterate(tr: Tracer, value: Value, node: ast.AST | None) -> tuple[Iterator[Value], bool]:
    """The elements, and whether their number is unknown (then the iterator gives representatives without end)."""
    value = seen(value)
    tr.read(value)
    found: tuple[Iterator[Value], bool] = ELEMENTS.find(value)(tr, value, node)
    return found
