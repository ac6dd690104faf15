"""torch: sums into rows, scatter, distances between rows."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import Term, at_least_zero, equal, floor_div


def _axis(op: Op, dim: Value, rank: int) -> int | None:
    found = plain(op.tr, dim)
    return found % rank if isinstance(found, int) and not isinstance(found, bool) and -rank <= found < rank else None


def _kept(op: Op, target: Tensor | None) -> Value:
    if target is None or target.dims is None:
        return unknown_tensor(op, "torch")
    return Tensor(target.dims, target.dtype, "torch", site=op.where, sources=(target,), tags=target.tags)


@operator(
    "torch.index_add Tensor.index_add Tensor.index_add_ torch.index_copy Tensor.index_copy Tensor.index_copy_",
    "input dim index source alpha=1",
)
def index_add(op: Op, input: Value, dim: Value, index: Value, source: Value, alpha: Value) -> Value:
    """Row i of the source goes to the row of the target that the index names."""
    target, rows, parts = (tensor_of(op.tr, v, "torch") for v in (input, index, source))
    if target is None or parts is None or not target.dims or not parts.dims:
        return _kept(op, target)
    axis = _axis(op, dim, len(target.dims))
    if axis is None:
        return _kept(op, target)
    sentence = (
        f"the source {show_shape(parts.dims)} does not fit the target {show_shape(target.dims)} along axis {axis}"
    )
    if len(parts.dims) != len(target.dims):
        fail(op, "source-shape", sentence, (target, parts))
    for place, (have, wanted) in enumerate(zip(parts.dims, target.dims, strict=True)):
        if place != axis:
            require(op, equal(have, wanted), "source-shape", sentence, (target, parts))
    if rows is not None and rows.dims is not None and len(rows.dims) == 1:
        sentence = f"the index names {rows.dims[0]} rows but the source has {parts.dims[axis]} along axis {axis}"
        require(op, equal(rows.dims[0], parts.dims[axis]), "index-size", sentence, (rows, parts))
    return _kept(op, target)


@operator(
    "torch.scatter Tensor.scatter Tensor.scatter_ torch.scatter_add Tensor.scatter_add Tensor.scatter_add_ "
    "torch.scatter_reduce Tensor.scatter_reduce Tensor.scatter_reduce_",
    "input dim index src=None *rest",
)
def scatter(op: Op, input: Value, dim: Value, index: Value, src: Value, rest: tuple[Value, ...]) -> Value:
    """`target[index[i][j]][j] = src[i][j]`: the index lies inside both, but for one axis."""
    target, places = tensor_of(op.tr, input, "torch"), tensor_of(op.tr, index, "torch")
    source = src if isinstance(src, Tensor) and src.dims else None
    if target is None or places is None or not target.dims or not places.dims:
        return _kept(op, target)
    axis = _axis(op, dim, len(target.dims))
    if axis is None or 0 in places.dims:
        return _kept(op, target)
    operands: list[tuple[str, Tensor, int | None]] = [("target", target, axis)]
    if source is not None:
        operands.append(("source", source, None))
    for what, other, free in operands:
        dims: Any = other.dims
        sentence = f"the index {show_shape(places.dims)} does not lie inside the {what} {show_shape(dims)}"
        if len(dims) != len(places.dims):
            fail(op, "index-rank", sentence, (places, other))
        for place, (have, most) in enumerate(zip(places.dims, dims, strict=True)):
            if place != free:
                require(op, at_least_zero(most - have), "index-size", sentence, (places, other))
    return _kept(op, target)


@operator("torch.pdist torch.nn.functional.pdist", "input p=2.0")
def pdist(op: Op, input: Value, p: Value) -> Value:
    """Distances of the rows, each pair once."""
    rows = tensor_of(op.tr, input, "torch")
    if rows is None or rows.dims is None:
        return unknown_tensor(op, "torch")
    if len(rows.dims) != 2:
        fail(op, "rank", f"two dimensions are needed, but the shape is {show_shape(rows.dims)}", (rows,))
    count = rows.dims[0]
    return Tensor((floor_div(count * (count - 1), 2),), rows.dtype, "torch", site=op.where, sources=(rows,))


@operator("torch.combinations", "input r=2 with_replacement=False")
def combinations(op: Op, input: Value, r: Value, with_replacement: Value) -> Value:
    source = tensor_of(op.tr, input, "torch")
    if source is None or source.dims is None or len(source.dims) != 1 or not isinstance(r, int) or r < 1:
        return unknown_tensor(op, "torch")
    size = source.dims[0]
    if isinstance(size, int) and isinstance(with_replacement, bool):
        count: Value = comb(size + r - 1 if with_replacement else size, r)
    else:
        count = op.tr.fresh("combinations", "derived", 0)
    return Tensor((count, r) if r > 1 else (count, 1), source.dtype, "torch", site=op.where, sources=(source,))


@operator("torch._euclidean_dist torch.cdist", "x1 x2 p=2.0 *rest")
def cdist(op: Op, x1: Value, x2: Value, p: Value, rest: tuple[Value, ...]) -> Value:
    """Distances of every row of one to every row of the other."""
    a, b = tensor_of(op.tr, x1, "torch"), tensor_of(op.tr, x2, "torch")
    if a is None or b is None or a.dims is None or b.dims is None:
        return unknown_tensor(op, "torch")
    sentence = f"the rows of {show_shape(a.dims)} and {show_shape(b.dims)} have different lengths"
    if min(len(a.dims), len(b.dims)) < 2:
        fail(op, "rank", f"{show_shape(a.dims)} and {show_shape(b.dims)} must have two dimensions or more", (a, b))
    require(op, equal(a.dims[-1], b.dims[-1]), "size", sentence, (a, b))
    batch: Sequence[Term] | None = a.dims[:-2]
    if a.dims[:-2] != b.dims[:-2]:
        first, second = (Tensor(t.dims[:-2], t.dtype, "torch", site=t.site, sources=(t,)) for t in (a, b) if t.dims)
        both = broadcast(op, op.short, first, second, "torch")
        batch = both.dims if isinstance(both, Tensor) else None
    if batch is None:
        return unknown_tensor(op, "torch", (a, b))
    return Tensor(
        (*batch, a.dims[-2], b.dims[-2]),
        a.dtype if a.dtype == b.dtype else None,
        "torch",
        site=op.where,
        sources=(a, b),
    )
