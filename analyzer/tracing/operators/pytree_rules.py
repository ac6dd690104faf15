"""torch.utils._pytree: nested tuples, lists and dictionaries taken apart into their leaves, and put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from analyzer.tracing.evaluation import call, seen
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.values import DictV, ListV, Object, Value

_HOME = "torch.utils._pytree"


class _Open(Exception):
    """A part whose length is not known."""


@operator(f"{_HOME}.tree_flatten", "tree *rest")
def tree_flatten(op: Op, tree: Value, rest: tuple[Value, ...]) -> Value:
    try:
        return ListV(list(_leaves(tree))), Object("tree", data={"tree": tree})
    except _Open:
        return op.tr.unknown("leaves"), op.tr.unknown("a tree")


@operator(f"{_HOME}.tree_leaves", "tree *rest")
def tree_leaves(op: Op, tree: Value, rest: tuple[Value, ...]) -> Value:
    try:
        return ListV(list(_leaves(tree)))
    except _Open:
        return op.tr.unknown("leaves")


@operator(f"{_HOME}.tree_unflatten", "leaves treespec")
def tree_unflatten(op: Op, leaves: Value, treespec: Value) -> Value:
    items = leaves.items if isinstance(leaves, ListV) and not leaves.open else leaves
    if not isinstance(items, (list, tuple)) or not isinstance(treespec, Object) or "tree" not in treespec.data:
        return op.tr.unknown("a tree")
    rest = iter(items)
    try:
        return _rebuilt(treespec.data["tree"], lambda _: next(rest))
    except StopIteration:
        return op.tr.unknown("a tree")


@operator(f"{_HOME}.tree_map", "func tree *rest")
def tree_map(op: Op, func: Value, tree: Value, rest: tuple[Value, ...]) -> Value:
    try:
        list(_leaves(tree))
    except _Open:
        return op.tr.unknown("a tree")
    if rest:
        return op.tr.unknown("a tree")
    return _rebuilt(tree, lambda leaf: call(op.tr, func, (leaf,), {}))


def _leaves(tree: Value) -> Iterator[Value]:
    tree = seen(tree)
    if isinstance(tree, (ListV, DictV)) and tree.open:
        raise _Open
    if type(tree) is tuple or isinstance(tree, ListV):
        for part in tree.items if isinstance(tree, ListV) else tree:
            yield from _leaves(part)
    elif isinstance(tree, DictV):
        for part in tree.items.values():
            yield from _leaves(part)
    else:
        yield tree


def _rebuilt(tree: Value, of_leaf: Callable[[Value], Value]) -> Value:
    tree = seen(tree)
    if type(tree) is tuple:
        return tuple(_rebuilt(part, of_leaf) for part in tree)
    if isinstance(tree, ListV):
        return ListV([_rebuilt(part, of_leaf) for part in tree.items])
    if isinstance(tree, DictV):
        return DictV({name: _rebuilt(part, of_leaf) for name, part in tree.items.items()})
    return of_leaf(tree)
