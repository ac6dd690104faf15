"""Nested containers as the libraries of trees see them: taken into leaves, walked side by side, put together again.

Which values are leaves differs: to torch and dm-tree `None` is one, to optree and jax it is a container of nothing;
optree, jax and dm-tree take dictionaries in the order of their keys, torch in their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from analyzer.tracing.language.evaluation import seen
from analyzer.tracing.language.rows import Rows
from analyzer.tracing.language.tensors import Size
from analyzer.tracing.language.values import DictV, Fields, Instance, ListV, Unknown, Value, field_names


class Open(Exception):
    """A part whose length is not known, or that may have parts itself."""


class Differs(Exception):
    """A second tree has another structure."""


@dataclass(frozen=True)
class Leaves:
    """What one library takes for a leaf. `is_leaf` is what the caller says of a value, if anything."""

    ordered: bool = False
    none_is_leaf: bool = True
    sorts: bool = False  # what is put together has the order of the keys too
    is_leaf: Callable[[Value], bool] | None = None


_ATOMS = frozenset(("int", "float", "number", "bool", "str"))


def parts_of(tree: Value, kind: Leaves) -> dict[Value, Value] | None:
    """The parts of a container by place or key; None of a leaf. Raises Open."""
    tree = seen(tree)
    if kind.is_leaf is not None and kind.is_leaf(tree):
        return None
    if isinstance(tree, (ListV, DictV)) and tree.open:
        raise Open
    if isinstance(tree, Rows) or (isinstance(tree, Unknown) and tree.pytype not in _ATOMS):
        raise Open
    if isinstance(tree, Fields) or (type(tree) is not tuple and isinstance(tree, tuple) and not isinstance(tree, Size)):
        raise Open
    if isinstance(tree, Instance):
        names = field_names(tree.cls)
        plain = tree.cls.tuple and tree.cls.find("__iter__") is None and not tree.open
        if not plain or not all(name in tree.attrs for name in names):
            raise Open
        return dict(enumerate(tree.attrs[name] for name in names))
    if tree is None:
        return None if kind.none_is_leaf else {}
    if type(tree) is tuple:
        return dict(enumerate(tree))
    if type(tree) is ListV:
        return dict(enumerate(tree.items))
    if type(tree) is DictV:
        if kind.ordered and not all(isinstance(key, str) for key in tree.items):
            raise Open
        return {key: tree.items[key] for key in (sorted(tree.items) if kind.ordered else tree.items)}
    if isinstance(tree, (ListV, DictV)):
        raise Open  # a deque, or a dictionary that makes what it lacks
    return None


def leaves_of(tree: Value, kind: Leaves) -> list[Value]:
    parts = parts_of(tree, kind)
    return [seen(tree)] if parts is None else [leaf for part in parts.values() for leaf in leaves_of(part, kind)]


def leaves_beside(tree: Value, others: Sequence[Value], kind: Leaves) -> list[tuple[Value, ...]]:
    """Each leaf with what stands at its place in other trees, whatever that is. Raises Differs, Open."""
    parts = parts_of(tree, kind)
    if parts is None:
        return [(seen(tree), *map(seen, others))]
    beside = [_alike(tree, parts, other) for other in others]
    return [found for key, part in parts.items() for found in leaves_beside(part, [b[key] for b in beside], kind)]


def _alike(tree: Value, parts: dict[Value, Value], other: Value) -> dict[Value, Value]:
    tree, other = seen(tree), seen(other)
    if isinstance(other, Unknown):
        raise Open
    known = parts_of(other, Leaves(none_is_leaf=tree is not None))
    if type(tree) is not type(other) or known is None or known.keys() != parts.keys():
        raise Differs
    if isinstance(tree, Instance) and tree.cls is not other.cls:
        raise Differs
    return known


def rebuilt(tree: Value, kind: Leaves, of_leaf: Callable[[Value], Value]) -> Value:
    """The same containers around other leaves."""
    parts = parts_of(tree, kind)
    if parts is None:
        return of_leaf(seen(tree))
    made = {key: rebuilt(part, kind, of_leaf) for key, part in parts.items()}
    tree = seen(tree)
    if isinstance(tree, DictV):
        return DictV(made if kind.sorts else {key: made[key] for key in tree.items})
    if isinstance(tree, ListV):
        return ListV(list(made.values()))
    if isinstance(tree, Instance):
        copy = Instance(tree.cls, tree.site)
        copy.attrs.update(zip(field_names(tree.cls), made.values(), strict=True))
        return copy
    return tree if tree is None else tuple(made.values())
