"""What abstract sequences and sets that can be changed give a class: methods that change an object by its own."""

from __future__ import annotations

import collections.abc
from collections.abc import Callable
from typing import Any

from analyzer.tracing.language.evaluation import call, get_attribute, iterate
from analyzer.tracing.language.values import Instance, Native, Value

_HOMES = ("collections.abc.", "typing.", "collections.")
_KINDS = ("MutableSequence", "MutableSet")  # of mappings see `mapping_methods`


def changing_method(value: Instance, name: str) -> Native | None:
    """A method that one of them gives; which object it changes is known, and of some how."""
    bases = {base.rpartition(".")[2] for base in value.cls.library_bases if base.startswith(_HOMES)}
    kinds = [getattr(collections.abc, kind) for kind in _KINDS if kind in bases]
    if not any(name in vars(kind) and not name.startswith("_") for kind in kinds):
        return None
    run = _METHODS.get((kinds[0].__name__, name), changed_somehow)
    return Native(name, lambda c: run(c, value))


def own(c: Any, value: Instance, name: str, *args: Value) -> Value:
    """What the class's own method gives."""
    return call(c.tr, get_attribute(c.tr, value, name), args, {})


def changed_somehow(c: Any, value: Instance) -> Value:
    """What the object holds afterwards is not known."""
    c.tr.forget([value, *value.attrs.values()])
    c.tr.touch(value)
    value.attrs = {name: c.tr.unknown(f"attribute {name}", "imprecise", name) for name in value.attrs}
    return c.tr.unknown("a call")


def _append(c: Any, value: Instance) -> Value:
    own(c, value, "insert", own(c, value, "__len__"), c.get(0))
    return None


def _extend(c: Any, value: Instance) -> Value:
    items, endless = iterate(c.tr, c.get(0), c.node)
    if endless:
        return changed_somehow(c, value)
    for item in list(items):
        own(c, value, "append", item)
    return None


_METHODS: dict[tuple[str, str], Callable[[Any, Instance], Value]] = {
    ("MutableSequence", "append"): _append,
    ("MutableSequence", "extend"): _extend,
}
