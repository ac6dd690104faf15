"""torch.utils._pytree and dm-tree: nested tuples, lists and dictionaries taken into leaves, and put together."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from analyzer.tracing.evaluation import call, seen
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.values import DictV, Instance, ListV, Object, Unknown, Value

_HOME = "torch.utils._pytree"


class Open(Exception):
    """A part whose length is not known."""


@operator(f"{_HOME}.tree_flatten", "tree *rest")
def tree_flatten(op: Op, tree: Value, rest: tuple[Value, ...]) -> Value:
    try:
        return ListV(list(leaves_of(tree))), Object("tree", data={"tree": tree})
    except Open:
        return op.tr.unknown("leaves"), op.tr.unknown("a tree")


@operator(f"{_HOME}.tree_leaves", "tree *rest")
def treeleaves_of(op: Op, tree: Value, rest: tuple[Value, ...]) -> Value:
    try:
        return ListV(list(leaves_of(tree)))
    except Open:
        return op.tr.unknown("leaves")


@operator("tree.flatten tf.nest.flatten keras.tree.flatten", "structure *rest")
def sorted_leaves(op: Op, structure: Value, rest: tuple[Value, ...]) -> Value:
    """The values of a dictionary come in the order of its keys."""
    try:
        return ListV(list(leaves_of(structure, ordered=True)))
    except Open:
        return op.tr.unknown("leaves", pytype="list")


@operator(f"{_HOME}.tree_unflatten", "leaves treespec")
def tree_unflatten(op: Op, leaves: Value, treespec: Value) -> Value:
    items = leaves.items if isinstance(leaves, ListV) and not leaves.open else leaves
    if not isinstance(items, (list, tuple)) or not isinstance(treespec, Object) or "tree" not in treespec.data:
        return op.tr.unknown("a tree")
    rest = iter(items)
    try:
        return rebuilt(treespec.data["tree"], lambda _: next(rest))
    except StopIteration:
        return op.tr.unknown("a tree")


@operator(f"{_HOME}.tree_map tree.map_structure tf.nest.map_structure keras.tree.map_structure", "func tree *rest")
def tree_map(op: Op, func: Value, tree: Value, rest: tuple[Value, ...]) -> Value:
    try:
        list(leaves_of(tree))
    except Open:
        return op.tr.unknown("a tree")
    if rest:
        return op.tr.unknown("a tree")
    return rebuilt(tree, lambda leaf: call(op.tr, func, (leaf,), {}))


_ATOMS = frozenset(("int", "float", "number", "bool", "str"))


def leaves_of(tree: Value, ordered: bool = False) -> Iterator[Value]:
    tree = seen(tree)
    if isinstance(tree, (ListV, DictV)) and tree.open:
        raise Open
    if isinstance(tree, Instance) or (isinstance(tree, Unknown) and tree.pytype not in _ATOMS):
        raise Open  # it may have parts itself
    if type(tree) is tuple or isinstance(tree, ListV):
        for part in tree.items if isinstance(tree, ListV) else tree:
            yield from leaves_of(part, ordered)
    elif isinstance(tree, DictV):
        keys = list(tree.items)
        if ordered and not all(isinstance(key, str) for key in keys):
            raise Open
        for key in sorted(keys) if ordered else keys:
            yield from leaves_of(tree.items[key], ordered)
    else:
        yield tree


def rebuilt(tree: Value, of_leaf: Callable[[Value], Value]) -> Value:
    tree = seen(tree)
    if type(tree) is tuple:
        return tuple(rebuilt(part, of_leaf) for part in tree)
    if isinstance(tree, ListV):
        return ListV([rebuilt(part, of_leaf) for part in tree.items])
    if isinstance(tree, DictV):
        return DictV({name: rebuilt(part, of_leaf) for name, part in tree.items.items()})
    return of_leaf(tree)
