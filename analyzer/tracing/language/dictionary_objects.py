"""Objects of classes that inherit from a dictionary or a list: what is in them, and its methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from analyzer.tracing.language.evaluation import call, get_item, iterate
from analyzer.tracing.language.plain_data import hashable
from analyzer.tracing.language.values import STORE, Api, Bound, DictV, Instance, Iterator_, ListV, Native, Value
from analyzer.tracing.paths.tracer import Tracer

DICTIONARIES = frozenset(("collections.OrderedDict", "typing.OrderedDict", "typing.Dict", "builtins.dict"))
LISTS = frozenset(("builtins.list", "typing.List"))
CONTAINERS = DICTIONARIES | LISTS
_PLAIN = ("get", "pop", "items", "keys", "values", "update", "setdefault", "copy", "clear", "popitem")
_OF_LISTS = ("append", "extend", "insert", "pop", "remove", "clear", "index", "count", "sort", "reverse", "copy")
_KEPT = frozenset(  # among the attributes of an object: what this analysis keeps there, and what Python keeps elsewhere
    f"__{name}__"
    for name in (
        *("buffers", "cause", "class", "context", "distribution", "hooks", "layer", "loss", "other_class"),
        *("parallel", "query_features", "sizes", "slices", "stored", "suppress_context", "tensor"),
    )
)


class _Shown(dict[Any, Value]):
    """The attributes of an object that its program knows of; what is set or taken out here is so there."""

    def __init__(self, attrs: dict[str, Value]) -> None:
        super().__init__((k, v) for k, v in attrs.items() if k not in _KEPT)
        self.attrs = attrs

    def __setitem__(self, name: Any, value: Value) -> None:
        super().__setitem__(name, value)
        self.attrs[name] = value

    def __delitem__(self, name: Any) -> None:
        super().__delitem__(name)
        self.attrs.pop(name, None)

    def pop(self, name: Any, *default: Value) -> Value:
        self.attrs.pop(name, None)
        return super().pop(name, *default)

    def popitem(self) -> tuple[Any, Value]:
        name, value = super().popitem()
        self.attrs.pop(name, None)
        return name, value

    def update(self, *given: Any, **named: Value) -> None:
        for name, value in dict(*given, **named).items():
            self[name] = value

    def clear(self) -> None:
        for name in tuple(self):
            del self[name]


class Attributes(DictV):
    """`vars(object)`: what is changed in it is changed in the object."""

    __slots__ = ("owner",)

    def __init__(self, owner: Instance) -> None:
        self.owner, self.choices, self.inside = owner, (), ()
        self.exact = self.given = self.doubtful = False

    @property
    def items(self) -> dict[Any, Value]:
        """Without what this analysis keeps there."""
        attrs = self.owner.attrs
        return attrs if _KEPT.isdisjoint(attrs) else _Shown(attrs)

    @items.setter
    def items(self, items: dict[Any, Value]) -> None:
        attrs = self.owner.attrs
        self.owner.attrs = {**{k: v for k, v in attrs.items() if k in _KEPT and k not in items}, **items}

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


def names_held(tr: Tracer, value: Instance) -> Value:
    """The `__dict__` of an object; not known where a class names slots, which are no part of it."""
    if value.cls.find("__slots__") is None:
        return Attributes(value)
    tr.touch(value)
    value.open = True  # what is put there is not followed
    return tr.unknown("the names of an object", "imprecise")


def inherits_dictionary(value: Value) -> bool:
    return isinstance(value, Instance) and not DICTIONARIES.isdisjoint(value.cls.library_bases)


def inherits_list(value: Value) -> bool:
    return isinstance(value, Instance) and not LISTS.isdisjoint(value.cls.library_bases)


def store_of(tr: Tracer, value: Value) -> DictV | ListV | None:
    """What the dictionary or list holds that the object inherits from; None for other objects."""
    if not inherits_dictionary(value) and not inherits_list(value):
        return None
    if STORE not in value.attrs:
        tr.touch(value)
        whole = value.cls.closed
        value.attrs[STORE] = ListV((), not whole) if inherits_list(value) else DictV({}, not whole)
    held = value.attrs[STORE]
    return held if isinstance(held, (DictV, ListV)) else None


def share_attributes(tr: Tracer, value: Instance, stored: DictV | ListV) -> None:
    """`self.__dict__ = self` in a class of dictionaries: what is set on the object is in it, and the reverse."""
    shared = Attributes(value)
    if isinstance(stored, DictV) and not isinstance(stored, Attributes):
        tr.touch(value)
        kept = stored.items
        value.attrs = {k: v for k, v in value.attrs.items() if k in _KEPT}
        value.attrs.update(kept)
        value.attrs[STORE], value.open = shared, value.open or stored.open


def plain_store(tr: Tracer, value: Value) -> DictV | None:
    """What `dict(value)` takes over from the object, where its class changes neither its keys nor its items."""
    if not inherits_dictionary(value) or any(value.cls.find(name) for name in ("__getitem__", "__iter__", "keys")):
        return None
    held = store_of(tr, value)
    return held if isinstance(held, DictV) else None


def plain_list(tr: Tracer, value: Value) -> Value:
    """The list that an object is where its class changes nothing of how it is gone through; else the value itself."""
    if not inherits_list(value) or any(value.cls.find(name) for name in ("__iter__", "__getitem__", "__len__")):
        return value
    return store_of(tr, value)


def container_method(tr: Tracer, value: Value, name: str) -> Value:
    """A method that the dictionary or the list brings, or None."""
    of_lists = inherits_list(value)
    plain, rules = (_OF_LISTS, _LIST_RULES) if of_lists else (_PLAIN, _RULES)
    held: Any = store_of(tr, value) if name in plain or name in rules else None
    if held is None:
        return None
    if name in plain:
        return Bound(held, name)
    return Native(name, lambda c: rules[name](c, held))


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


_RULES: dict[str, Callable[[Any, Any], Value]] = {
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


def _fill_list(c: Any, held: ListV) -> None:
    c.tr.touch(held)
    items, endless = iterate(c.tr, c.get(0), c.node) if c.args else (iter(()), c.open_args)
    held.items, held.open = ([], True) if endless else (list(items), False)


def _put(c: Any, held: ListV) -> None:
    if isinstance(c.get(0), int) and not held.open and -len(held.items) <= c.get(0) < len(held.items):
        c.tr.touch(held)
        held.items[c.get(0)] = c.get(1)
    else:
        c.tr.forget([held])


def _take_out(c: Any, held: ListV) -> None:
    if isinstance(c.get(0), int):
        call(c.tr, Bound(held, "pop"), (c.get(0),), {})
    else:
        c.tr.forget([held])


def _grown(c: Any, held: ListV) -> Value:
    made = held.twin()
    call(c.tr, Bound(made, "extend"), (c.get(0),), {})
    return made


_LIST_RULES: dict[str, Callable[[Any, Any], Value]] = {
    "__init__": _fill_list,
    "__getitem__": lambda c, held: get_item(c.tr, held, c.get(0), c.node),
    "__setitem__": _put,
    "__delitem__": _take_out,
    "__contains__": lambda c, held: (
        True if any(c.get(0) is item for item in held.items) else c.tr.unknown("a membership test", pytype="bool")
    ),
    "__iter__": lambda c, held: Iterator_(lambda: iterate(c.tr, held, None)[0], held.open, once=True),
    "__len__": lambda c, held: len(held.items) if not held.open else c.tr.unknown("a length", pytype="int"),
    "__add__": _grown,
}
