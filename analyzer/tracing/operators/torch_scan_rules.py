"""torch's scans: a function of two elements, or of a state and an element, followed along one axis."""

from __future__ import annotations

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.nested import Leaves, Open, leaves_of, rebuilt
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import Term

_HOMES = ("torch._higher_order_ops", "torch._higher_order_ops.associative_scan", "torch._higher_order_ops.scan")


def _named(short: str) -> str:
    return " ".join(f"{home}.{short}" for home in _HOMES)


@operator(_named("associative_scan"), "combine_fn xs dim reverse=False combine_mode='pointwise'")
def associative_scan(op: Op, combine_fn: Value, xs: Value, dim: Value, reverse: Value, combine_mode: Value) -> Value:
    """The function sees elements without the axis; the result has the shapes of what is scanned."""
    parts = _along(op, xs, dim)
    if parts is None:
        return op.tr.unknown("a scan")
    if parts[1] == 1:
        return xs  # nothing meets
    one, other = (rebuilt(xs, Leaves(), lambda leaf: _element(op, leaf, parts[0])) for _ in range(2))
    with op.tr.doubtful(not isinstance(parts[1], int)):
        call(op.tr, combine_fn, (one, other), {})
    return rebuilt(xs, Leaves(), lambda leaf: _of(op, leaf, leaf.dims))


@operator(_named("scan"), "combine_fn init xs dim=0 reverse=False *rest")
def scan(
    op: Op, combine_fn: Value, init: Value, xs: Value, dim: Value, reverse: Value, rest: tuple[Value, ...]
) -> Value:
    """A last state, and what each step gives, stacked along a first axis."""
    parts = _along(op, xs, dim)
    if parts is None or rest:
        return op.tr.unknown("a scan")
    with op.tr.doubtful(not isinstance(parts[1], int)):
        element = rebuilt(xs, Leaves(), lambda leaf: _element(op, leaf, parts[0]))
        made = call(op.tr, combine_fn, (init, element), {})
    if type(made) is not tuple or len(made) != 2:
        return op.tr.unknown("a scan")
    try:
        stacked = rebuilt(made[1], Leaves(), lambda leaf: _of(op, leaf, (parts[1], *leaf.dims)))
    except (Open, TypeError, AttributeError):
        stacked = op.tr.unknown("what a scan gives")
    return made[0], stacked


def _along(op: Op, xs: Value, dim: Value) -> tuple[int, Term] | None:
    """The axis that is scanned, and its size; None where it is not known."""
    try:
        leaves = leaves_of(xs, Leaves())
    except Open:
        return None
    tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor) and leaf.dims is not None]
    if not leaves or len(tensors) < len(leaves) or not isinstance(dim, int):
        return None
    first = tensors[0]
    rank = len(first.dims or ())
    if not -rank <= dim < rank or any(len(t.dims or ()) <= dim % rank for t in tensors):
        fail(op, "axis", f"axis {dim} is outside {show_shape(first.dims or ())}", tuple(tensors))
    return dim % rank, (first.dims or ())[dim % rank]


def _element(op: Op, leaf: Tensor, axis: int) -> Tensor:
    dims = leaf.dims or ()
    return _of(op, leaf, (*dims[:axis], *dims[axis + 1 :]))


def _of(op: Op, leaf: Tensor, dims: tuple[Term, ...] | None) -> Tensor:
    return Tensor(dims, leaf.dtype, "torch", site=op.where, sources=(leaf,))
