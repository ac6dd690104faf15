"""What is left of a dictionary or an object when items are set whose names nobody knows."""

from __future__ import annotations

from collections.abc import Iterable

from analyzer.tracing.language.alternatives import plain_type, set_one
from analyzer.tracing.language.dictionary_objects import Attributes
from analyzer.tracing.language.namespaces import ScopeNames
from analyzer.tracing.language.values import Api, Bound, Class, DictV, Function, Instance, Layer, Module, Unknown, Value
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Poly

_CODE = (Api, Bound, Class, Function, Instance, Layer, Module)  # what a file of settings cannot hold


def fill(tr: Tracer, held: DictV, more: Value, open: bool = False) -> None:
    """`held.update(more)`; `open`: further keywords are given with it, whose names nobody knows.

    What is not known of `more` may stand in the place of any item that it does not name.
    """
    tr.touch(held)
    known = more.items if isinstance(more, DictV) else {}
    unknown = open or not isinstance(more, DictV) or more.open
    items = dict(held.items)
    if unknown:
        origin = more.origin if isinstance(more, Unknown) else "imprecise"
        items = {k: _overwritten(tr, held, k, v, origin) for k, v in items.items()}
    held.items = {**items, **known}
    held.open = held.open or unknown


def set_somewhere(tr: Tracer, held: DictV, value: Value, keys: Iterable[Value] | None = None) -> None:
    """One of the items is set, nobody knows which; `keys`: of those that may be meant, where not all are."""
    tr.touch(held)
    wanted = set(held.items if keys is None else keys)
    held.items = {
        k: set_one([v], value, _overwritten(tr, held, k, v, getattr(value, "origin", "imprecise")))[0]
        if k in wanted
        else v
        for k, v in held.items.items()
    }
    held.open = True


def integers(held: DictV) -> list[Value]:
    """The keys that a whole number may be equal to."""
    return [key for key in held.items if isinstance(key, (int, float, Poly))]


def _overwritten(tr: Tracer, held: DictV, key: Value, old: Value, origin: str) -> Value:
    if isinstance(held, (Attributes, ScopeNames)) and (isinstance(old, _CODE) or str(key).startswith("__")):
        return old
    if isinstance(old, Unknown) and old.origin == origin:
        return old
    found = tr.unknown("an item that may be set anew", origin, str(key), plain_type(old))
    found.default = old if isinstance(old, (int, float, str)) else None
    return found
