"""What the handlers of a `try` statement catch."""

from __future__ import annotations

import ast
import builtins

from analyzer.tracing.language.evaluation import evaluate
from analyzer.tracing.language.refusal_kinds import ANYTHING, ON_SHAPES
from analyzer.tracing.language.values import Api, Class, Instance, ListV, Native, Unknown, Value
from analyzer.tracing.paths.problems import PyRaise, ShapeFailure
from analyzer.tracing.paths.tracer import Tracer

_NO_ERRORS = ("GeneratorExit", "KeyboardInterrupt", "SystemExit")  # that `except Exception` lets through


def caught_names(handler: ast.ExceptHandler) -> list[str]:
    return ["BaseException"] if handler.type is None else [_last_name(n) for n in _parts(handler.type)]


def _parts(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else "Exception"


def caught(tr: Tracer, handler: ast.ExceptHandler) -> list[str]:
    """The names of the kinds that it catches; a variable is looked up, and one that is not known catches all."""
    if handler.type is None:
        return ["BaseException"]
    found: list[str] = []
    for node in _parts(handler.type):
        name = _last_name(node)
        is_class = name[:1].isupper() and not name.isupper()
        if is_class or not isinstance(node, (ast.Name, ast.Attribute)):
            found.append(name)
            continue
        try:
            found += _kinds_in(evaluate(tr, node), name)
        except PyRaise:
            found.append(name)
    return found


def _kinds_in(value: Value, name: str) -> list[str]:
    if isinstance(value, tuple):
        return [kind for item in value for kind in _kinds_in(item, name)]
    if isinstance(value, (Api, Class, Native)):
        return [value.name.rpartition(".")[2]]
    return ["Exception"] if isinstance(value, (Unknown, ListV)) else [name]


def catches(names: list[str], problem: PyRaise) -> bool:
    """Whether one of these kinds of exceptions is its own, or one that its own is derived from."""
    if set(names) & (ANYTHING if problem.name not in _NO_ERRORS else {"BaseException"}):
        return True
    if isinstance(problem, ShapeFailure):
        own = problem.raised is not None and catches(names, problem.raised)
        return own or bool(set(names) & ON_SHAPES)
    family = [problem.name]
    cls = problem.value.cls if isinstance(problem.value, Instance) else problem.value
    if isinstance(cls, Class):
        family += [getattr(c, "name", "").rpartition(".")[2] for c in cls.mro]
    kinds = [kind for name in family if isinstance(kind := getattr(builtins, name, None), type)]
    return bool({*family, *(base.__name__ for kind in kinds for base in kind.__mro__)} & set(names))
