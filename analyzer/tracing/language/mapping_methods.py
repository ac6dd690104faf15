"""What `collections.abc.Mapping` gives a class that defines `__getitem__`, `__iter__` and `__len__`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from analyzer.tracing.language.changing_methods import changed_somehow, own
from analyzer.tracing.language.evaluation import call, get_attribute, iterate
from analyzer.tracing.language.values import DictV, Instance, Iterator_, ListV, Native, Value
from analyzer.tracing.paths.problems import PyRaise
from analyzer.tracing.paths.tracer import Tracer

ABSTRACT = frozenset(
    f"{home}.{kind}" for home in ("collections.abc", "typing", "collections") for kind in ("Mapping", "MutableMapping")
)


def is_mapping(value: Value) -> bool:
    """Whether an object has the methods that the abstract class gives, and nothing of another library's class."""
    return isinstance(value, Instance) and bool(value.cls.library_bases) and set(value.cls.library_bases) <= ABSTRACT


def method_of(value: Instance, name: str) -> Native | None:
    """A method of the abstract class."""
    run = _METHODS.get(name) if is_mapping(value) else None
    if run is None and is_mapping(value) and any(b.endswith(".MutableMapping") for b in value.cls.library_bases):
        run = _CHANGING.get(name)
    return Native(name, lambda c: run(c, value)) if run is not None else None


def holds(tr: Tracer, value: Instance, key: Value) -> bool:
    """`key in mapping`: whether `__getitem__` finds it."""
    try:
        with tr.guarded(True):
            call(tr, get_attribute(tr, value, "__getitem__"), (key,), {})
    except PyRaise as error:
        if error.name != "KeyError":
            raise
        return False
    return True


def _get(c: Any, value: Instance) -> Value:
    try:
        with c.tr.guarded(True):
            return call(c.tr, get_attribute(c.tr, value, "__getitem__"), (c.get(0, "key"),), {})
    except PyRaise as error:
        if error.name != "KeyError":
            raise
        return c.get(1, "default")


def _each(c: Any, value: Instance, keys: bool, values: bool) -> Iterator_:
    """Keys, values, or both; the object is asked when it is gone through."""
    endless = iterate(c.tr, value, None)[1]

    def items() -> Iterator[Value]:
        for key in iterate(c.tr, value, None)[0]:
            found = call(c.tr, get_attribute(c.tr, value, "__getitem__"), (key,), {}) if values else None
            yield (key, found) if keys and values else key if keys else found

    return Iterator_(items, endless)


_METHODS: dict[str, Callable[[Any, Instance], Value]] = {
    "get": _get,
    "keys": lambda c, value: _each(c, value, True, False),
    "values": lambda c, value: _each(c, value, False, True),
    "items": lambda c, value: _each(c, value, True, True),
}


def _held(c: Any, value: Instance, key: Value) -> tuple[Value] | None:
    """What stands under a key; None where `__getitem__` says that nothing does."""
    try:
        with c.tr.guarded(True):
            return (own(c, value, "__getitem__", key),)
    except PyRaise as error:
        if error.name != "KeyError":
            raise
        return None


def _set_default(c: Any, value: Instance) -> Value:
    key, default = c.get(0, "key"), c.get(1, "default")
    if (found := _held(c, value, key)) is not None:
        return found[0]
    own(c, value, "__setitem__", key, default)
    return default


def _pop(c: Any, value: Instance) -> Value:
    key, default = c.get(0, "key"), c.get(1, "default")
    if (found := _held(c, value, key)) is not None:
        own(c, value, "__delitem__", key)
        return found[0]
    if len(c.args) < 2 and "default" not in c.kwargs:
        raise PyRaise("KeyError", repr(key) if isinstance(key, str) else "")
    return default


def _pairs(c: Any, other: Value) -> list[tuple[Value, Value]] | None:
    """What `update` is given; None where not all of it is known."""
    if isinstance(other, DictV):
        return None if other.open or other.given else list(other.items.items())
    if isinstance(other, ListV) and not other.open and not other.given:
        pairs = [p.items if isinstance(p, ListV) and not p.open else p for p in other.items]
        if all(isinstance(p, (tuple, list)) and len(p) == 2 for p in pairs):
            return [(p[0], p[1]) for p in pairs]
    return None


def _update(c: Any, value: Instance) -> Value:
    given = [_pairs(c, c.get(0)) if c.args else [], list(c.kwargs.items())]
    if c.open_args or any(pairs is None for pairs in given):
        return changed_somehow(c, value)
    for key, found in [pair for pairs in given for pair in pairs or ()]:
        own(c, value, "__setitem__", key, found)
    return None


def _keys(c: Any, value: Instance) -> list[Value] | None:
    """All keys; None where more may come."""
    found, endless = iterate(c.tr, value, None)
    return None if endless else list(found)


def _pop_item(c: Any, value: Instance) -> Value:
    """The first key that the object gives."""
    keys = _keys(c, value)
    if keys is None:
        changed_somehow(c, value)
        return c.tr.unknown("an item of a mapping", "data")
    if not keys:
        raise PyRaise("KeyError", "")
    found = own(c, value, "__getitem__", keys[0])
    own(c, value, "__delitem__", keys[0])
    return keys[0], found


def _clear(c: Any, value: Instance) -> Value:
    keys = _keys(c, value)
    if keys is None:
        return changed_somehow(c, value)
    for key in keys:
        own(c, value, "__delitem__", key)
    return None


_CHANGING: dict[str, Callable[[Any, Instance], Value]] = {
    "setdefault": _set_default,
    "pop": _pop,
    "popitem": _pop_item,
    "update": _update,
    "clear": _clear,
}
