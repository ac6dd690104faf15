"""What a function changes of the containers that stand around it, should somebody call it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from analyzer.tracing.language.values import Class, DictV, Function, Instance, ListV, Scope, Value

CHANGING = frozenset((
    "append", "appendleft", "extend", "extendleft", "insert", "pop", "popleft", "popitem", "remove", "clear", "sort",
    "reverse", "update", "setdefault", "add", "discard",
))  # fmt: skip


def changed_by(function: Function, owner: Value = None) -> list[Value]:
    """Lists and dictionaries that its body changes by a name of a scope around it, or as attributes of what is there.

    `owner` is the object whose method it is.
    """
    found: list[Value] = []
    for name, attribute in {*_changed_names(function.node)}:
        value = owner if name == _first_parameter(function) and owner is not None else _of_scopes(function, name)
        if attribute and isinstance(value, Instance):
            value = value.attrs.get(attribute)
        elif attribute and isinstance(value, Class):
            value = (value.find(attribute) or (None,))[0]
        if isinstance(value, (ListV, DictV)):
            found.append(value)
    return found


def rebound_by(function: Function) -> list[tuple[Scope, str]]:
    """Names of scopes around it that its body declares `nonlocal` or `global`, each with the scope that holds it."""
    found: list[tuple[Scope, str]] = []
    for part in ast.walk(function.node):
        for name in part.names if isinstance(part, (ast.Global, ast.Nonlocal)) else ():
            home = _home(function, name) if isinstance(part, ast.Nonlocal) else function.scope.globals
            if name in home.names:
                found.append((home, name))
    return found


def _of_scopes(function: Function, name: str) -> Value:
    return _home(function, name).names.get(name)


def assigned_by(function: Function) -> set[str]:
    """Attributes of its first parameter that its body assigns."""
    own = _first_parameter(function)
    return {
        part.attr
        for part in ast.walk(function.node)
        if isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Load)
        if isinstance(part.value, ast.Name) and part.value.id == own
    }


def _home(function: Function, name: str) -> Scope:
    scope: Scope | None = function.scope
    while scope is not None and name not in scope.names:
        scope = scope.parent
    return scope or function.scope.globals


def _first_parameter(function: Function) -> str:
    arguments = function.node.args
    return next((a.arg for a in (*arguments.posonlyargs, *arguments.args)), "")


def _changed_names(node: ast.AST) -> Iterator[tuple[str, str]]:
    """A name, and its attribute where that is what is changed."""
    for part in ast.walk(node):
        target = None
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in CHANGING:
            target = part.func.value
        elif isinstance(part, ast.Subscript) and not isinstance(part.ctx, ast.Load):
            target = part.value
        if isinstance(target, ast.Name):
            yield target.id, ""
        elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            yield target.value.id, target.attr
