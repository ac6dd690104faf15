"""What a function changes of what stands around it, should somebody call it: containers, names and attributes."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from dataclasses import dataclass

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
    for name, attribute in _told(function.node).changed:
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
    told = _told(function.node)
    for name in told.names:
        if (scope := _scope_of(function, name)) is not None:
            yield scope, name
    for name, attribute in told.attributes:
        first = name == _first_parameter(function) and owner is not None
        value = owner if first else _of_scopes(function, name)
        if isinstance(value, Instance):
            yield value, attribute


def called_by(function: Function, owner: Value = None) -> Iterator[Value]:
    """Functions of the source that its body calls by a name around it, and methods of the object that it is of."""
    for called in _told(function.node).called:
        if isinstance(called, ast.Name):
            found = _of_scopes(function, called.id)
            if isinstance(found, (Bound, Function)) and found is not function:
                yield found
        elif isinstance(owner, Instance) and (name := _method_of(called, _first_parameter(function))):
            method = owner.cls.find(name)
            if isinstance(held := owner.attrs.get(name), Bound):
                yield held
            elif method is not None and isinstance(method[0], Function) and method[0] is not function:
                yield Bound(owner, method[0], method[1])


@dataclass(frozen=True, slots=True)
class _Told:
    """What the text of a function changes, sets and calls, each once."""

    changed: tuple[tuple[str, str], ...]
    names: tuple[str, ...]  # of scopes around it
    attributes: tuple[tuple[str, str], ...]  # of what a name stands for
    called: tuple[ast.expr, ...]


@functools.lru_cache(maxsize=4096)
def _told(node: ast.AST) -> _Told:
    """Read once: an object that is given to what nobody looked into asks it of all its methods, each time."""
    parts = list(ast.walk(node))
    outer = {name for part in parts if isinstance(part, (ast.Nonlocal, ast.Global)) for name in part.names}
    stored = [part for part in parts if isinstance(getattr(part, "ctx", None), ast.Store)]
    names = (part.id for part in stored if isinstance(part, ast.Name) and part.id in outer)
    attributes = (
        (part.value.id, part.attr)
        for part in stored
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name)
    )
    called = {ast.dump(part.func): part.func for part in parts if isinstance(part, ast.Call)}
    each = dict.fromkeys
    return _Told(tuple(each(_changed_names(node))), tuple(each(names)), tuple(each(attributes)), tuple(called.values()))


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
