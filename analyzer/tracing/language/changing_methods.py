"""What the abstract containers that can be changed give a class: methods that change an object by its own."""

from __future__ import annotations

import collections.abc
from collections.abc import Callable
from typing import Any

from analyzer.tracing.language.evaluation import call, get_attribute, iterate
from analyzer.tracing.language.values import DictV, Instance, Native, Value
from analyzer.tracing.paths.problems import PyRaise

_HOMES = ("collections.abc.", "typing.", "collections.")
_KINDS = ("MutableSequence", "MutableMapping", "MutableSet")


def changing_method(value: Instance, name: str) -> Native | None:
    """A method that one of them gives; which object it changes is known, and of some how."""
    bases = {base.rpartition(".")[2] for base in value.cls.library_bases if base.startswith(_HOMES)}
    kinds = [getattr(collections.abc, kind) for kind in _KINDS if kind in bases]
    if not any(name in vars(kind) and not name.startswith("_") for kind in kinds):
        return None
    run = _METHODS.get((kinds[0].__name__, name), _changed)
    return Native(name, lambda c: run(c, value))


def _own(c: Any, value: Instance, name: str, *args: Value) -> Value:
    return call(c.tr, get_attribute(c.tr, value, name), args, {})


def _changed(c: Any, value: Instance) -> Value:
    """What the object holds afterwards is not known."""
    c.tr.forget([value, *value.attrs.values()])
    c.tr.touch(value)
    value.attrs = {name: c.tr.unknown(f"attribute {name}", "imprecise", name) for name in value.attrs}
    return c.tr.unknown("a call")


def _append(c: Any, value: Instance) -> Value:
    _own(c, value, "insert", _own(c, value, "__len__"), c.get(0))
    return None


def _extend(c: Any, value: Instance) -> Value:
    items, endless = iterate(c.tr, c.get(0), c.node)
    if endless:
        return _changed(c, value)
    for item in list(items):
        _own(c, value, "append", item)
    return None


def _update(c: Any, value: Instance) -> Value:
    given = c.get(0) if c.args else DictV({})
    if not isinstance(given, DictV) or given.open:
        return _changed(c, value)
    for key, item in {**given.items, **c.kwargs}.items():
        _own(c, value, "__setitem__", key, item)
    return None


def _setdefault(c: Any, value: Instance) -> Value:
    try:
        with c.tr.guarded(True):
            return _own(c, value, "__getitem__", c.get(0))
    except PyRaise as error:
        if error.name != "KeyError":
            raise
    _own(c, value, "__setitem__", c.get(0), c.get(1))
    return c.get(1)


_METHODS: dict[tuple[str, str], Callable[[Any, Instance], Value]] = {
    ("MutableSequence", "append"): _append,
    ("MutableSequence", "extend"): _extend,
    ("MutableMapping", "update"): _update,
    ("MutableMapping", "setdefault"): _setdefault,
}
