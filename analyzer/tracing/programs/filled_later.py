"""Lists and dictionaries of an object that methods which nobody has called yet would fill."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from typing import TypeGuard

from analyzer.tracing.language.all_parts import all_parts
from analyzer.tracing.language.values import Class, DictV, Function, Instance, ListV
from analyzer.tracing.paths.tracer import Tracer

_FILL = frozenset(("append", "appendleft", "extend", "extendleft", "insert", "add", "update", "setdefault"))


def open_what_others_fill(tr: Tracer, instance: Instance, followed: Function) -> None:
    """Call before one method of a new object is followed alone.

    Programs call the methods that fill its containers first, and nobody has seen how often. What its constructor
    calls has run; what the followed method calls itself will.
    """
    methods = _methods(instance.cls)
    own = _reached(methods, {"__init__", "__post_init__", "build", followed.name})
    filled = {name for method, node in methods.items() if method not in own for name in _filled(node)}
    for name in filled:
        value = instance.attrs.get(name)
        if type(value) is ListV and not value.open:
            value.firm, value.open = len(value.items), True
            value.items += [tr.unknown("an item of a list")] if value.items else []
        elif type(value) is DictV:
            value.open = True


def _methods(cls: Class) -> dict[str, ast.AST]:
    found: dict[str, ast.AST] = {}
    for base in cls.mro:
        for name, value in base.scope.names.items() if isinstance(base, Class) else ():
            if isinstance(value, Function):
                found.setdefault(name, value.node)
    return found


def _reached(methods: dict[str, ast.AST], first: set[str]) -> set[str]:
    """Methods that are called from these, or named there."""
    found, waiting = set(first), list(first)
    while waiting:
        node = methods.get(waiting.pop())
        named = (_named(node) & methods.keys()) - found if node is not None else set[str]()
        found |= named
        waiting += named
    return found


@functools.lru_cache(maxsize=1024)
def _named(method: ast.AST) -> frozenset[str]:
    return frozenset(part.attr for part in all_parts(method) if _of_self(part))


@functools.lru_cache(maxsize=1024)
def _filled(method: ast.AST) -> frozenset[str]:
    """The attributes whose containers a method puts something in."""
    return frozenset(_fillings(method))


def _fillings(method: ast.AST) -> Iterator[str]:
    for node in all_parts(method):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _FILL:
            if _of_self(node.func.value):
                yield node.func.value.attr
        elif isinstance(node, ast.AugAssign) and _of_self(node.target):
            yield node.target.attr
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and _of_self(node.value):
            yield node.value.attr


def _of_self(node: ast.AST) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
