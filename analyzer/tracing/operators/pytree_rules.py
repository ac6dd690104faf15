"""torch.utils._pytree, optree, jax.tree and dm-tree: nested containers taken into leaves, and put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.nested import Differs, Leaves, Open, leaves_beside, leaves_of, rebuilt
from analyzer.tracing.language.values import ListV, Object, Value
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.paths.tracer import Tracer

_TORCH = "torch.utils._pytree torch.utils._cxx_pytree torch.utils.pytree"
_JAX = "jax.tree_util optree"  # `tree_map`, `tree_leaves` …
_JAX_SHORT = "jax.tree optree.pytree"  # `map`, `leaves` …
_SORTED = "tree tf.nest keras.tree"  # `map_structure`, `flatten`: the values of a dictionary in the order of its keys


def _of(homes: str, short: str) -> str:
    return " ".join(f"{home}.{short}" for home in homes.split())


def _all(short: str) -> str:
    """`tree_leaves` of torch, optree and jax, and `leaves` of `jax.tree`."""
    return f"{_of(_TORCH, short)} {_of(_JAX, short)} {_of(_JAX_SHORT, short.removeprefix('tree_'))}"


def _kind(op: Op, rest: Sequence[Value] = (), is_leaf: Value = None) -> Leaves:
    """What the library of a name takes for a leaf; what the caller says of leaves counts first."""
    is_leaf = op.extra.get("is_leaf", is_leaf if is_leaf is not None else next(iter(rest), None))
    says = op.extra.get("none_is_leaf")
    plain = not op.name.startswith(("jax.", "optree."))
    given = None if is_leaf is None else _asking(op, is_leaf)
    kind = Leaves(not op.name.startswith("torch."), plain, op.name.startswith("jax."), given)
    return replace(kind, none_is_leaf=says) if isinstance(says, bool) else kind


def _asking(op: Op, is_leaf: Value) -> Callable[[Value], bool]:
    def ask(value: Value) -> bool:
        answer = call(op.tr, is_leaf, (value,), {})
        if not isinstance(answer, bool):
            raise Open
        return answer

    return ask


def _spec(tree: Value, kind: Leaves) -> Object:
    """A tree's structure: what it was made of stands for it."""
    return Object("tree", {"num_leaves": len(leaves_of(tree, kind))}, {"tree": tree, "kind": kind})


@operator(_all("tree_flatten"), "tree *rest")
def tree_flatten(op: Op, tree: Value, rest: tuple[Value, ...]) -> Value:
    try:
        kind = _kind(op, rest)
        return ListV(leaves_of(tree, kind)), _spec(tree, kind)
    except Open:
        return op.tr.unknown("leaves"), op.tr.unknown("a tree")


@operator(f"{_all('tree_leaves')} {_of(_SORTED, 'flatten')}", "tree|structure *rest")
def tree_leaves(op: Op, tree: Value, rest: tuple[Value, ...]) -> Value:
    try:
        return ListV(leaves_of(tree, _kind(op, rest)))
    except Open:
        return op.tr.unknown("leaves", pytype="list")


@operator(_all("tree_structure"), "tree *rest")
def tree_structure(op: Op, tree: Value, rest: tuple[Value, ...]) -> Value:
    try:
        return _spec(tree, _kind(op, rest))
    except Open:
        return op.tr.unknown("a tree")


@operator(_of(_TORCH, "tree_unflatten"), "leaves treespec")
def tree_unflatten(op: Op, leaves: Value, treespec: Value) -> Value:
    return unflattened(op.tr, treespec, leaves)


@operator(f"{_of(_JAX, 'tree_unflatten')} {_of(_JAX_SHORT, 'unflatten')}", "treespec|treedef leaves")
def jax_unflatten(op: Op, treespec: Value, leaves: Value) -> Value:
    return unflattened(op.tr, treespec, leaves)


def unflattened(tr: Tracer, treespec: Value, leaves: Value) -> Value:
    items = leaves.items if isinstance(leaves, ListV) and not leaves.open else leaves
    if not isinstance(items, (list, tuple)) or not isinstance(treespec, Object) or "tree" not in treespec.data:
        return tr.unknown("a tree")
    rest = iter(items)
    try:
        return rebuilt(treespec.data["tree"], treespec.data["kind"], lambda _: next(rest))
    except (StopIteration, Open):
        return tr.unknown("a tree")


def spec_method(tr: Tracer, spec: Object, name: str, args: Sequence[Value]) -> Value:
    """The methods of a tree's structure."""
    if name == "unflatten" and len(args) == 1:
        return unflattened(tr, spec, args[0])
    if name == "flatten_up_to" and len(args) == 1:
        try:
            return ListV([beside for _, beside in leaves_beside(spec.data["tree"], args, spec.data["kind"])])
        except (Open, Differs):
            return tr.unknown("leaves", pytype="list")
    return tr.unknown_call(f"treespec.{name}")


@operator(f"{_all('tree_map')} {_of(_SORTED, 'map_structure')}", "func|f|map_fn tree *rest")
def tree_map(op: Op, func: Value, tree: Value, rest: tuple[Value, ...]) -> Value:
    """Beside a second tree whose structure is not the first's nothing is known."""
    try:
        made = iter(_mapped(op, func, tree, rest))
        return rebuilt(tree, _kind(op), lambda _: next(made))
    except (Open, Differs):
        return op.tr.unknown("a tree")


@operator(f"{_of(_JAX, 'tree_map_')} {_of(_TORCH, 'tree_map_')}", "func tree *rest")
def tree_map_(op: Op, func: Value, tree: Value, rest: tuple[Value, ...]) -> Value:
    """For what the function does; the tree itself is the result."""
    try:
        _mapped(op, func, tree, rest)
    except (Open, Differs):
        op.tr.forget((tree, *rest))
    return tree


def _mapped(op: Op, func: Value, tree: Value, rest: tuple[Value, ...]) -> list[Value]:
    return [call(op.tr, func, leaves, {}) for leaves in leaves_beside(tree, rest, _kind(op))]


@operator(_all("tree_reduce"), "func tree *rest")
def tree_reduce(op: Op, func: Value, tree: Value, rest: tuple[Value, ...]) -> Value:
    try:
        leaves = leaves_of(tree, _kind(op, rest[1:]))
    except Open:
        return op.tr.unknown("a reduced tree")
    found = [op.extra["initializer"]] if "initializer" in op.extra else list(rest[:1])
    for leaf in leaves:
        found = [call(op.tr, func, (found[0], leaf), {})] if found else [leaf]
    return found[0] if found else op.tr.unknown("a reduced tree")
