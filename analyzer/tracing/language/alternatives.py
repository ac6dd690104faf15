"""One of several values, no one knows which: what is read at a place that is not known."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from analyzer.tracing.language.values import DictV, Instance, ListV, Unknown, Value
from analyzer.tracing.paths.agreement import alike
from analyzer.validity.terms import Poly


def one_of(values: Collection[Value], otherwise: Value) -> Value:
    """What stands for any of the values, where they are alike.

    A list or a dictionary is none of them itself: what changes it may change each of them.
    """
    choices = list(values)
    if not choices or not all(alike(choices[0], other) for other in choices):
        return otherwise
    return choices[0] if len(choices) == 1 else _standing_for(choices)


def _standing_for(choices: list[Value]) -> Value:
    first = choices[0]
    if isinstance(first, DictV):
        found = first.twin()
        if _nested(first.items.values()):
            found.items = {key: _standing_for([c.items[key] for c in choices]) for key in first.items}
        found.choices = tuple(choices)
        return found
    if isinstance(first, ListV):
        copy = first.twin()
        if _nested(first.items):
            copy.items = [_standing_for(list(places)) for places in zip(*(c.items for c in choices), strict=True)]
        copy.choices = tuple(choices)
        return copy
    return first


def _nested(items: Iterable[Value]) -> bool:
    return any(isinstance(v, (ListV, DictV)) for v in items)


def common_type(values: Iterable[Value]) -> str:
    """The type of numbers, truths or texts, if it is the same of all; empty otherwise."""
    kinds = {plain_type(value) for value in values}
    return kinds.pop() if len(kinds) == 1 else ""


def plain_type(value: Value) -> str:
    """The type of a number, of true or false, or of a text; empty for any other value."""
    kind = value.pytype if isinstance(value, Unknown) else "int" if isinstance(value, Poly) else type(value).__name__
    return kind if kind in ("int", "float", "bool", "str") else ""


def set_one(items: list[Value], value: Value, unknown: Value) -> list[Value]:
    """The items after one of them has been set, no one knows which."""
    return [item if _same(item, value) else unknown for item in items]


def _same(item: Value, value: Value) -> bool:
    return alike(item, value) and not isinstance(item, (ListV, DictV, Instance, Unknown))
