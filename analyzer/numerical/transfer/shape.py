"""Operators that change shapes and order, not values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dims, dtypes
from analyzer.numerical.domain.dims import Dim, Shape
from analyzer.numerical.domain.tensor import AbstractTensor, bounds_on, from_data, smashed
from analyzer.numerical.transfer.attained import kept_by_reshape, unregrouped
from analyzer.numerical.transfer.attained import moved as attained_moved
from analyzer.numerical.transfer.facts import over_everything
from analyzer.numerical.transfer.peaks import transposed
from analyzer.numerical.transfer.rankings import permutation_fact
from analyzer.numerical.transfer.registry import transfer

LARGEST_TILED = 1 << 16  # elements of a constant: the window of a similarity, once for each channel


def reshaped(ctx: Context, x: AbstractTensor, new: Shape | None, key: Any = None) -> AbstractTensor:
    """The same elements in row-major order under another shape; blocks survive along axes that do."""
    result = AbstractTensor(x.dtype, new, x.lo, x.hi, None, x.nan, tight=x.tight)
    if x.data is not None and new is not None and all(isinstance(d, int) for d in new):
        try:
            result.data = np.asarray(x.data).reshape(new)
        except ValueError:
            result.data = None
    if x.starts is not None:
        starts = None if new is None or x.shape is None else _reshaped_blocks(x, new)
        if starts is None:
            result.lo, result.hi = bounds_on(x, None)
        else:
            result.lo, result.hi, result.starts = starts
    if x.dims is not None and new is not None and len(new) <= 1:
        result.dims = x.dims
    return result


def _reshaped_blocks(x: AbstractTensor, new: Shape) -> Any:
    old = x.shape
    assert old is not None
    assert x.starts is not None
    if all(isinstance(d, int) for d in (*old, *new)) and all(len(s) == d for s, d in zip(x.starts, old, strict=True)):
        if dims.product(new) == x.lo.size:  # one block an element  # type: ignore[arg-type]
            return x.lo.reshape(new), x.hi.reshape(new), tuple(tuple(range(int(d))) for d in new)  # type: ignore[arg-type]
        return None
    head, tail = unregrouped(old, new)
    middle = tuple(range(head, len(old) - tail))
    lo, hi = x.lo, x.hi
    if middle:
        lo, hi = lo.min(axis=middle, keepdims=True), hi.max(axis=middle, keepdims=True)
    starts = (*x.starts[:head], *((0,),) * (len(new) - head - tail), *x.starts[len(old) - tail :])
    form = tuple(len(s) for s in starts)
    if math.prod(form) == 1:
        return None
    return lo.reshape(form), hi.reshape(form), starts


def _target_shape(x: AbstractTensor, sizes: tuple[Dim, ...] | None, allow_zero: bool) -> Shape | None:
    """The shape that a reshape asks for: -1 is what remains, 0 (ONNX) keeps the old size."""
    if sizes is None:
        return None
    result: list[Dim] = []
    hole = -1
    for i, wanted in enumerate(sizes):
        if wanted == -1:
            hole = i
            result.append(1)
        elif wanted == 0 and not allow_zero and x.shape is not None and i < len(x.shape):
            result.append(x.shape[i])
        elif isinstance(wanted, dims.SymbolicDim) and (wanted.lo < 0 or (wanted.lo == 0 and not allow_zero)):
            result.append(dims.unknown(0))  # may stand for -1 or 0
        else:
            result.append(wanted)
    if hole >= 0:
        if x.shape is None:
            result[hole] = dims.unknown(0)
        else:
            rest = list(x.shape)
            others: list[Dim] = []
            for i, d in enumerate(result):
                if i == hole:
                    continue
                if d in rest:
                    rest.remove(d)
                else:
                    others.append(d)
            result[hole] = dims.divide(dims.product(tuple(rest)), dims.product(tuple(others)))
    return tuple(result)


@transfer("Reshape")
def reshape(ctx: Context, x: AbstractTensor, wanted: Any = None) -> AbstractTensor:
    stated = ctx.attr("shape") if wanted is None else None
    sizes = tuple(stated) if stated is not None else (wanted.sizes() if wanted is not None else None)
    if sizes is None and wanted is not None and wanted.shape and isinstance(wanted.shape[0], int):
        sizes = tuple(dims.unknown(0) for _ in range(wanted.shape[0]))
    new = _target_shape(x, sizes, ctx.is_tf or bool(ctx.attr("allowzero", 0)))
    if new is None:
        new = ctx.declared_shape()
    if new == x.shape and new is not None:
        return x
    result = reshaped(ctx, x, new)
    result.facts = {**_kept_again(x, new), **kept_by_reshape(x, new)}
    return result


def _kept_again(x: AbstractTensor, new: Shape | None) -> dict[str, Any]:
    """The fact of a reduction whose reduced axes a reshape puts back with size 1."""
    kind, source, axes, kept = x.facts.get("reduced", ("", x, None, True))
    if over_everything(source, axes):
        return {"reduced": (kind, source, axes, True)}
    if kept or axes is None or source.shape is None:
        return {}
    back = tuple(1 if i in axes else d for i, d in enumerate(source.shape))
    return {"reduced": (kind, source, axes, True)} if new == back else {}


@transfer("Flatten")
def flatten(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    if x.shape is None:
        return reshaped(ctx, x, (dims.unknown(0), dims.unknown(0)))
    axis = int(ctx.attr("axis", 1))
    axis = axis + len(x.shape) if axis < 0 else axis
    return reshaped(ctx, x, (dims.product(x.shape[:axis]), dims.product(x.shape[axis:])))


@transfer("Transpose")
def transpose(ctx: Context, x: AbstractTensor, permutation: Any = None) -> AbstractTensor:
    perm = ctx.attr("perm") if permutation is None else permutation.integers()
    if perm is None and (permutation is not None or x.shape is None):
        return reshaped(ctx, smashed(x), None if x.shape is None else tuple(dims.unknown(0) for _ in x.shape))
    if x.shape is None:
        return reshaped(ctx, x, tuple(dims.unknown(0) for _ in perm))
    order = [int(p) for p in perm] if perm is not None else list(range(len(x.shape)))[::-1]
    if order == list(range(len(order))):
        return x
    result = AbstractTensor(x.dtype, tuple(x.shape[p] for p in order), x.lo, x.hi, None, x.nan, tight=x.tight)
    if x.starts is not None:
        result.lo, result.hi = x.lo.transpose(order), x.hi.transpose(order)
        result.starts = tuple(x.starts[p] for p in order)
    if x.data is not None:
        result.data = np.asarray(x.data).transpose(order)
    result.facts = {
        **window(x, (0,) * len(order), tuple(order)),
        **transposed(x, order),
        **attained_moved(x, {o: i for i, o in enumerate(order)}),
    }
    return result


@transfer("ConjugateTranspose", "InvertPermutation", "Roll", "RandomShuffle")
def permuted(ctx: Context, x: AbstractTensor | None = None, *_: Any) -> AbstractTensor:
    """The same elements in another order; of a number alone, those before it."""
    if x is None:
        size = int(ctx.attr("n", 0))
        order = AbstractTensor(ctx.element_type(0, dtypes.INT64), (size,), np.float64(0), np.float64(max(size - 1, 0)))
        order.facts = permutation_fact(size, 0)
        return order
    result = smashed(x)
    shape_ = x.shape if ctx.op != "ConjugateTranspose" else ctx.declared_shape()
    if ctx.op == "InvertPermutation":
        known = x.integers()
        if known is not None and sorted(known) == list(range(len(known))):
            return from_data(np.argsort(known), x.dtype)
    return AbstractTensor(x.dtype, shape_, result.lo, result.hi, None, x.nan)


def window(x: AbstractTensor, offsets: tuple[Any, ...], kept: tuple[int | None, ...]) -> dict[str, Any]:
    """The fact that a result shows part of `x`: see `analyzer.numerical.regions`."""
    return {"window": (x, offsets, kept)}


def with_axes(ctx: Context, x: AbstractTensor, axes: Any) -> AbstractTensor:
    """Axes of size 1 inserted at positions of the result."""
    if x.shape is None or axes is None:
        return reshaped(ctx, smashed(x) if x.starts else x, None)
    n = len(x.shape) + len(axes)
    where = {int(a) % n for a in axes}
    old = iter(range(len(x.shape)))
    order: list[int | None] = [None if i in where else next(old) for i in range(n)]
    result = AbstractTensor(
        x.dtype,
        tuple(1 if o is None else x.shape[o] for o in order),
        x.lo,
        x.hi,
        None,
        x.nan,
        tight=x.tight,
        dims=x.dims if n <= 1 else None,
    )
    if x.starts is not None:
        form = tuple(1 if o is None else x.lo.shape[o] for o in order)
        result.lo, result.hi = x.lo.reshape(form), x.hi.reshape(form)
        result.starts = tuple((0,) if o is None else x.starts[o] for o in order)
    if x.data is not None:
        result.data = np.asarray(x.data).reshape(tuple(1 if o is None else np.shape(x.data)[o] for o in order))
    reduced = x.facts.get("reduced")
    if reduced is not None:
        kind, source, over, kept = reduced
        if over_everything(source, over) or (not kept and over is not None and tuple(sorted(where)) == tuple(over)):
            result.facts = {"reduced": (kind, source, over, True)}
    result.facts = {**result.facts, **attained_moved(x, {o: i for i, o in enumerate(order) if o is not None})}
    result.facts = {**result.facts, **window(x, (0,) * len(x.shape), tuple(order))}
    return result


@transfer("Unsqueeze")
def unsqueeze(ctx: Context, x: AbstractTensor, axes: Any = None) -> AbstractTensor:
    return with_axes(ctx, x, axes.integers() if axes is not None else ctx.attr("axes"))


def without_axes(ctx: Context, x: AbstractTensor, axes: Any) -> AbstractTensor:
    """Axes of size 1 removed; all known ones if `axes` is None."""
    if x.shape is None:
        return reshaped(ctx, x, None)
    if axes is None:
        if any(not isinstance(d, int) for d in x.shape):
            return reshaped(ctx, smashed(x), None)
        where = {i for i, d in enumerate(x.shape) if d == 1}
    else:
        where = {int(a) % len(x.shape) for a in axes}
    keep = [i for i in range(len(x.shape)) if i not in where]
    new = tuple(x.shape[i] for i in keep)
    result = AbstractTensor(
        x.dtype, new, x.lo, x.hi, None, x.nan, tight=x.tight, dims=x.dims if len(new) <= 1 else None
    )
    if x.starts is not None:
        gone = tuple(where)
        lo, hi = (x.lo.min(axis=gone), x.hi.max(axis=gone)) if gone else (x.lo, x.hi)
        if lo.size == 1:
            lo, hi = lo.reshape(())[()], hi.reshape(())[()]
        else:
            result.starts = tuple(x.starts[i] for i in keep)
        result.lo, result.hi = lo, hi
    if x.data is not None and all(np.shape(x.data)[i] == 1 for i in where):
        result.data = np.asarray(x.data).reshape(tuple(np.shape(x.data)[i] for i in keep))
    result.facts = window(x, (0,) * len(x.shape), tuple(keep))
    return result


@transfer("Squeeze", framework="onnx")
def squeeze(ctx: Context, x: AbstractTensor, axes: Any = None) -> AbstractTensor:
    return without_axes(ctx, x, axes.integers() if axes is not None else ctx.attr("axes"))


@transfer("Squeeze", framework="tf")
def tf_squeeze(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    return without_axes(ctx, x, list(ctx.attr("squeeze_dims") or ctx.attr("axis") or []) or None)


@transfer("Expand")
def expand(ctx: Context, x: AbstractTensor, wanted: AbstractTensor) -> AbstractTensor:
    sizes = wanted.sizes()
    new: Shape | None = None
    if sizes is not None and x.shape is not None:
        clean = tuple(
            dims.unknown(0, d.hi) if isinstance(d, dims.SymbolicDim) and d.lo < 0 else (1 if d == -1 else d)
            for d in sizes
        )
        new = dims.broadcast_shapes([x.shape, clean])
    if new is not None and new == x.shape:
        return x
    result = AbstractTensor(x.dtype, new, x.lo, x.hi, None, x.nan, tight=None if x.tight is None else x.tight | {0})
    if x.starts is not None:
        if new is None:
            result.lo, result.hi = bounds_on(x, None)
        else:
            result.starts = ((0,),) * (len(new) - len(x.starts)) + x.starts
            form = tuple(len(s) for s in result.starts)
            result.lo, result.hi = x.lo.reshape(form), x.hi.reshape(form)
    if "reduced" in x.facts:
        result.facts = {"reduced": x.facts["reduced"]}
    if new is not None and x.shape is not None:
        lead = len(new) - len(x.shape)
        result.facts = {
            **result.facts,
            **window(x, (0,) * len(x.shape), (None,) * lead + tuple(range(len(x.shape)))),
        }
    if (x.low == 0 and x.high == 0) or x.low == x.high:
        result.tight = None
    known = tuple(d for d in new or () if isinstance(d, int))
    if x.data is not None and new is not None and len(known) == len(new) and math.prod(known) <= LARGEST_TILED:
        result.data = np.broadcast_to(x.data, known)
    return result


@transfer("Tile")
def tile(ctx: Context, x: AbstractTensor, repeats: AbstractTensor) -> AbstractTensor:
    times = repeats.sizes()
    new: Shape | None = None
    if times is not None and x.shape is not None and len(times) == len(x.shape):
        new = tuple(
            dims.multiply(d, t) if not isinstance(t, int) or t >= 0 else d for d, t in zip(x.shape, times, strict=True)
        )
    whole = smashed(x)
    result = AbstractTensor(x.dtype, new, whole.lo, whole.hi, None, x.nan)
    if times is not None and x.shape is not None and _of_single_places(x.shape, times):
        result.facts = {k: v for k, v in x.facts.items() if k == "reduced"}  # as `Expand`
    if x.starts is not None and times is not None and new is not None:
        keep = [t == 1 for t in times]
        gone = tuple(i for i, k in enumerate(keep) if not k)
        lo, hi = (x.lo.min(axis=gone, keepdims=True), x.hi.max(axis=gone, keepdims=True)) if gone else (x.lo, x.hi)
        if lo.size > 1:
            result.lo, result.hi = lo, hi
            result.starts = tuple(s if k else (0,) for s, k in zip(x.starts, keep, strict=True))
    if x.data is not None and times is not None and all(isinstance(t, int) for t in times):
        repeated = [dims.low(t) for t in times]
        if np.size(x.data) * float(np.prod(repeated)) <= LARGEST_TILED:
            result.data = np.tile(x.data, repeated)
    return result


def _of_single_places(shape: Shape, times: Sequence[Any]) -> bool:
    """Whether only axes of size 1 are repeated, some times."""
    return len(shape) == len(times) and all(
        t == 1 or (d == 1 and isinstance(t, int) and t >= 1) for d, t in zip(shape, times, strict=True)
    )


@transfer("DepthToSpace", "SpaceToDepth")
def depth_space(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    block = int(ctx.attr("blocksize", ctx.attr("block_size", 1)))
    whole = smashed(x)
    new = ctx.declared_shape()
    if x.shape is not None and len(x.shape) == 4:
        last = ctx.is_tf and not str(ctx.attr("data_format", "NHWC")).startswith("NC")
        n, a, b, c = x.shape
        (channels, h, w) = (c, a, b) if last else (a, b, c)
        if ctx.op == "DepthToSpace":
            channels, h, w = dims.affine(channels, 0, block * block), dims.multiply(h, block), dims.multiply(w, block)
        else:
            channels, h, w = dims.multiply(channels, block * block), dims.affine(h, 0, block), dims.affine(w, 0, block)
        new = (n, h, w, channels) if last else (n, channels, h, w)
    return AbstractTensor(x.dtype, new, whole.lo, whole.hi, None, x.nan, tight=x.tight)


@transfer("BatchToSpace", "SpaceToBatch")
def batch_space(ctx: Context, x: AbstractTensor, *_: Any) -> AbstractTensor:
    """Moved elements; space-to-batch pads with zeros."""
    lo, hi = (x.low, x.high) if ctx.op.startswith("Batch") else (min(x.low, 0.0), max(x.high, 0.0))
    return AbstractTensor(x.dtype, ctx.declared_shape(), np.float64(lo), np.float64(hi), None, x.nan)


@transfer("CenterCropPad")
def center_crop_pad(ctx: Context, x: AbstractTensor, wanted: AbstractTensor) -> AbstractTensor:
    sizes, axes = wanted.sizes(), ctx.attr("axes")
    new: Shape | None = None
    if x.shape is not None and sizes is not None:
        full = list(x.shape)
        for a, d in zip([int(a) % len(full) for a in axes] if axes else range(len(full)), sizes, strict=False):
            full[a] = d
        new = tuple(full)
    return AbstractTensor(x.dtype, new, np.float64(min(x.low, 0.0)), np.float64(max(x.high, 0.0)), None, x.nan)
