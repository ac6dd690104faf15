"""What `collections.abc.Mapping` gives a class that defines `__getitem__`, `__iter__` and `__len__`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from analyzer.tracing.language.evaluation import call, get_attribute, iterate
from analyzer.tracing.language.values import Instance, Iterator_, Native, Value
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
