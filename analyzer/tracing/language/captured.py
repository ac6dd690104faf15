"""What a function changes of what stands around it, should somebody call it: containers, names and attributes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from analyzer.tracing.language.values import Bound, Class, DictV, Function, Instance, ListV, Scope, Value

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


def set_by(function: Function, owner: Value = None) -> Iterator[tuple[Scope | Instance, str]]:
    """Names of scopes around it that its body sets anew, and attributes of the objects that it can reach so."""
    outer = {n for part in ast.walk(function.node) if isinstance(part, (ast.Nonlocal, ast.Global)) for n in part.names}
    for part in ast.walk(function.node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and part.id in outer:
            if (scope := _scope_of(function, part.id)) is not None:
                yield scope, part.id
        elif isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store) and isinstance(part.value, ast.Name):
            first = part.value.id == _first_parameter(function) and owner is not None
            value = owner if first else _of_scopes(function, part.value.id)
            if isinstance(value, Instance):
                yield value, part.attr


def called_by(function: Function, owner: Value = None) -> Iterator[Value]:
    """Functions of the source that its body calls by a name around it, and methods of the object that it is of."""
    for part in ast.walk(function.node):
        if not isinstance(part, ast.Call):
            continue
        if isinstance(part.func, ast.Name):
            found = _of_scopes(function, part.func.id)
            if isinstance(found, (Bound, Function)) and found is not function:
                yield found
        elif isinstance(owner, Instance) and (name := _method_of(part.func, _first_parameter(function))):
            method = owner.cls.find(name)
            if isinstance(held := owner.attrs.get(name), Bound):
                yield held
            elif method is not None and isinstance(method[0], Function) and method[0] is not function:
                yield Bound(owner, method[0], method[1])


def _method_of(called: ast.expr, owner: str) -> str:
    """The name of the method where a call is of one of the object with this name."""
    own = isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == owner
    return called.attr if own and isinstance(called, ast.Attribute) else ""


def _scope_of(function: Function, name: str) -> Scope | None:
    scope: Scope | None = function.scope
    while scope is not None and name not in scope.names:
        scope = scope.parent
    found = scope or function.scope.globals
    return found if name in found.names else None


def _of_scopes(function: Function, name: str) -> Value:
    """What the name stands for in the body: a parameter for its default, where it has one."""
    arguments = function.node.args
    positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    if name in positional:
        place = positional.index(name) - len(positional)
        return function.defaults[place] if -place <= len(function.defaults) else None
    if name in (a.arg for a in arguments.kwonlyargs):
        return function.kw_defaults.get(name)
    found = _scope_of(function, name)
    return found.names[name] if found is not None else None


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
