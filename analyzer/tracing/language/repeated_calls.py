"""Objects whose methods a library's loop calls any number of times, of which this analysis follows one call or none."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from analyzer.tracing.language.all_parts import all_parts
from analyzer.tracing.language.captured import CHANGING
from analyzer.tracing.language.values import Class, DictV, Instance, Layer, ListV, Value
from analyzer.tracing.paths.tracer import Tracer

_ONCE = frozenset((  # methods that are called once, before the loop
    "__init__", "__new__", "__post_init__", "build", "compile", "setup", "prepare_data", "configure_model",
    "configure_optimizers",
))  # fmt: skip
MOST_OBJECTS = 32


def called_again(tr: Tracer, values: list[Value]) -> None:
    """Of each object, what its methods assign, append or count is not known from here on."""
    for value in values[:MOST_OBJECTS]:
        if not isinstance(value, Instance):
            continue
        tr.touch(value)
        for name in set(_changed(value)) & value.attrs.keys():
            held = value.attrs[name]
            if isinstance(held, (ListV, DictV)):
                tr.forget([held])
            if not isinstance(held, (Instance, Layer)):
                value.attrs[name] = tr.unknown("what a loop of a library changes", label=name)


def callbacks_in(value: Value) -> list[Value]:
    """The callbacks that a loop is given, as one or as several."""
    return list(value.items if isinstance(value, ListV) else value if isinstance(value, tuple) else [value])


def _changed(owner: Instance) -> Iterator[str]:
    """Attributes of the object that its class's methods change by the name of their first parameter."""
    for cls in owner.cls.mro:
        for node in cls.node.body if isinstance(cls, Class) else ():
            if isinstance(node, ast.FunctionDef) and node.name not in _ONCE and node.args.args:
                yield from _changed_in(node, node.args.args[0].arg)


def _changed_in(function: ast.FunctionDef, own: str) -> Iterator[str]:
    for part in all_parts(function):
        target: ast.AST | None = None
        if isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Load):
            target = part
        elif isinstance(part, ast.Subscript) and not isinstance(part.ctx, ast.Load):
            target = part.value
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in CHANGING:
            target = part.func.value
        while isinstance(target, ast.Subscript):
            target = target.value
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == own:
            yield target.attr
