"""What a function changes of the containers that stand around it, should somebody call it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from analyzer.tracing.language.values import DictV, Function, ListV, Scope, Value

CHANGING = frozenset((
    "append", "appendleft", "extend", "extendleft", "insert", "pop", "popleft", "popitem", "remove", "clear", "sort",
    "reverse", "update", "setdefault", "add", "discard",
))  # fmt: skip


def changed_by(function: Function) -> list[Value]:
    """Lists and dictionaries that its body changes by a name of a scope around it."""
    found: list[Value] = []
    for name in {*_changed_names(function.node)}:
        scope: Scope | None = function.scope
        while scope is not None and name not in scope.names:
            scope = scope.parent
        value = (scope or function.scope.globals).names.get(name)
        if isinstance(value, (ListV, DictV)):
            found.append(value)
    return found


def _changed_names(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        target = None
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in CHANGING:
            target = part.func.value
        elif isinstance(part, ast.Subscript) and not isinstance(part.ctx, ast.Load):
            target = part.value
        if isinstance(target, ast.Name):
            yield target.id
