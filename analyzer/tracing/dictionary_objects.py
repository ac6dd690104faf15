"""Objects of classes that inherit from a dictionary: the dictionary that is in them, and its methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from analyzer.tracing.evaluation import call, get_item
from analyzer.tracing.plain_data import hashable
from analyzer.tracing.tracer import Tracer
from analyzer.tracing.values import STORE, Api, Bound, DictV, Instance, Native, Value

DICTIONARIES = frozenset(("collections.OrderedDict", "typing.OrderedDict", "builtins.dict"))
_PLAIN = ("get", "pop", "items", "keys", "values", "update", "setdefault", "copy", "clear", "popitem")


class Attributes(DictV):
    """`vars(object)`: what is changed in it is changed in the object."""

    __slots__ = ("owner",)

    def __init__(self, owner: Instance) -> None:
        self.owner, self.choices = owner, ()

    @property
    def items(self) -> dict[Any, Value]:
        return self.owner.attrs

    @items.setter
    def items(self, items: dict[Any, Value]) -> None:
        self.owner.attrs = items

    @property
    def open(self) -> bool:
        return self.owner.open

    @open.setter
    def open(self, open: bool) -> None:
        self.owner.open = open

    def state(self) -> Any:
        return self.owner.state()

    def restore(self, state: Any) -> None:
        self.owner.restore(state)


def names_held(value: Instance) -> DictV:
    """The `__dict__` of an object."""
    hidden = [name for name in value.attrs if name.startswith("__")]
    if hidden:  # what this analysis keeps there
        return DictV({k: v for k, v in value.attrs.items() if k not in hidden}, value.open)
    return Attributes(value)


def inherits_dictionary(value: Value) -> bool:
    return isinstance(value, Instance) and not DICTIONARIES.isdisjoint(value.cls.library_bases)


def store_of(tr: Tracer, value: Value) -> DictV | None:
    """What the dictionary holds that the object inherits from; None for other objects."""
    if not inherits_dictionary(value):
        return None
    if STORE not in value.attrs:
        tr.touch(value)
        value.attrs[STORE] = DictV({}, not value.cls.closed)
    held = value.attrs[STORE]
    return held if isinstance(held, DictV) else None


def plain_store(tr: Tracer, value: Value) -> DictV | None:
    """What `dict(value)` takes over from the object, where its class changes neither its keys nor its items."""
    if not inherits_dictionary(value) or any(value.cls.find(name) for name in ("__getitem__", "__iter__", "keys")):
        return None
    return store_of(tr, value)


def dictionary_method(tr: Tracer, value: Value, name: str) -> Value:
    """A method that the dictionary brings, or None."""
    held = store_of(tr, value) if name in _PLAIN or name in _RULES else None
    if held is None:
        return None
    if name in _PLAIN:
        return Bound(held, name)
    return Native(name, lambda c: _RULES[name](c, held))


def _fill(c: Any, held: DictV) -> None:
    given = c.get(0) if c.args else DictV()
    if not isinstance(given, DictV):
        given = call(c.tr, Api("collections.OrderedDict"), (given,), {})
    c.tr.touch(held)
    known = isinstance(given, DictV)
    held.items.update({**(given.items if known else {}), **c.kwargs})
    held.open = held.open or not known or given.open or c.open_args


def _has(c: Any, held: DictV) -> Value:
    key = c.get(0)
    if hashable(key) and key in held.items:
        return True
    if (isinstance(key, (str, int, float)) or key is None) and not held.open:
        return False
    return c.tr.unknown("a membership test", pytype="bool")


_RULES: dict[str, Callable[[Any, DictV], Value]] = {
    "__init__": _fill,
    "__getitem__": lambda c, held: get_item(c.tr, held, c.get(0), c.node),
    "__setitem__": lambda c, held: (
        call(c.tr, Bound(held, "update"), (DictV({c.get(0): c.get(1)}),), {})
        if hashable(c.get(0))
        else c.tr.forget([held])
    ),
    "__delitem__": lambda c, held: call(c.tr, Bound(held, "pop"), (c.get(0),), {}),
    "__contains__": _has,
    "__iter__": lambda c, held: call(c.tr, Bound(held, "keys"), (), {}),
}
