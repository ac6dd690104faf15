"""Operators that change shapes, types and order, not values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import affine, dims, dtypes
from analyzer.numerical.domain.dims import Dim, Shape
from analyzer.numerical.domain.tensor import AbstractTensor, bounds_on, common_starts, count, from_data, smashed
from analyzer.numerical.transfer.registry import transfer


def size_tensor(dtype: Any, sizes: tuple[Dim, ...], scalar: bool = False) -> AbstractTensor:
    """A vector (or scalar) of sizes, each known as well as its dimension is."""
    lo = np.array([dims.low(d) for d in sizes], dtype=np.float64)
    hi = np.array([min(dims.high(d), 2.0**31 - 1 if dtype.hi < 2.0**40 else 2.0**40) for d in sizes], dtype=np.float64)
    data = np.array(sizes, dtype=dtype.numpy) if all(isinstance(d, int) for d in sizes) else None
    if scalar:
        return AbstractTensor(dtype, (), lo[0], hi[0], dims=sizes, data=None if data is None else data.reshape(()))
    if len(sizes) <= 1:
        one = np.float64(lo[0] if len(sizes) else 0), np.float64(hi[0] if len(sizes) else 0)
        return AbstractTensor(dtype, (len(sizes),), *one, dims=sizes, data=data)
    return AbstractTensor(dtype, (len(sizes),), lo, hi, (tuple(range(len(sizes))),), dims=sizes, data=data)


@transfer("Shape")
def shape(ctx: Context, x: Any) -> AbstractTensor:
    if not isinstance(x, AbstractTensor) or x.shape is None:
        return AbstractTensor(dtypes.INT64, (dims.unknown(0),), np.float64(0), np.float64(2.0**40))
    start, end = ctx.attr("start", 0), ctx.attr("end")
    return size_tensor(dtypes.INT64, x.shape[slice(start, end)])


@transfer(tf=("Shape", "ShapeN"))
def tf_shape(ctx: Context, *tensors: Any) -> Any:
    dtype = ctx.type_attr("out_type") or dtypes.INT32
    results = tuple(
        size_tensor(dtype, x.shape)
        if isinstance(x, AbstractTensor) and x.shape is not None
        else AbstractTensor(dtype, (dims.unknown(0),), np.float64(0), np.float64(2.0**31 - 1))
        for x in tensors
    )
    return results if ctx.op == "ShapeN" else results[0]


@transfer("Size", tf=("Size",))
def size(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    dtype = (ctx.type_attr("out_type") or dtypes.INT32) if ctx.is_tf else dtypes.INT64
    total = dims.product(x.shape) if x.shape is not None else dims.unknown(0)
    return size_tensor(dtype, (total,), scalar=True)


@transfer(tf=("Rank",))
def rank(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    if x.shape is None:
        return AbstractTensor(dtypes.INT32, (), np.float64(0), np.float64(254))
    return size_tensor(dtypes.INT32, (len(x.shape),), scalar=True)


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
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
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
        elif isinstance(wanted, dims.Symbol) and (wanted.lo < 0 or (wanted.lo == 0 and not allow_zero)):
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


@transfer("Reshape", tf=("Reshape",), selects=True)
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
    return reshaped(ctx, x, new)


@transfer("Flatten", selects=True)
def flatten(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    if x.shape is None:
        return reshaped(ctx, x, (dims.unknown(0), dims.unknown(0)))
    axis = int(ctx.attr("axis", 1))
    axis = axis + len(x.shape) if axis < 0 else axis
    return reshaped(ctx, x, (dims.product(x.shape[:axis]), dims.product(x.shape[axis:])))


@transfer("Transpose", tf=("Transpose",), selects=True)
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
    result.facts = window(x, (0,) * len(order), tuple(order))
    return result


@transfer(tf=("ConjugateTranspose", "InvertPermutation", "Roll", "RandomShuffle"))
def permuted(ctx: Context, x: AbstractTensor, *_: Any) -> AbstractTensor:
    """The same elements in another order."""
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
        if not kept and over is not None and tuple(sorted(where)) == tuple(over):
            result.facts = {"reduced": (kind, source, over, True)}
    result.facts = {**result.facts, **window(x, (0,) * len(x.shape), tuple(order))}
    return result


@transfer("Unsqueeze", tf=("ExpandDims",), selects=True)
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


@transfer("Squeeze", selects=True)
def squeeze(ctx: Context, x: AbstractTensor, axes: Any = None) -> AbstractTensor:
    return without_axes(ctx, x, axes.integers() if axes is not None else ctx.attr("axes"))


@transfer(tf=("Squeeze",), selects=True)
def tf_squeeze(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    return without_axes(ctx, x, list(ctx.attr("squeeze_dims") or ctx.attr("axis") or []) or None)


@transfer("Expand", tf=("BroadcastTo",), selects=True)
def expand(ctx: Context, x: AbstractTensor, wanted: AbstractTensor) -> AbstractTensor:
    sizes = wanted.sizes()
    new: Shape | None = None
    if sizes is not None and x.shape is not None:
        clean = tuple(
            dims.unknown(0, d.hi) if isinstance(d, dims.Symbol) and d.lo < 0 else (1 if d == -1 else d) for d in sizes
        )
        new = dims.broadcast_shapes([x.shape, clean])
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
    return result


@transfer("Tile", tf=("Tile",), selects=True)
def tile(ctx: Context, x: AbstractTensor, repeats: AbstractTensor) -> AbstractTensor:
    times = repeats.sizes()
    new: Shape | None = None
    if times is not None and x.shape is not None and len(times) == len(x.shape):
        new = tuple(
            dims.multiply(d, t) if not isinstance(t, int) or t >= 0 else d for d, t in zip(x.shape, times, strict=True)
        )
    whole = smashed(x)
    result = AbstractTensor(x.dtype, new, whole.lo, whole.hi, None, x.nan)
    if x.starts is not None and times is not None and new is not None:
        keep = [t == 1 for t in times]
        gone = tuple(i for i, k in enumerate(keep) if not k)
        lo, hi = (x.lo.min(axis=gone, keepdims=True), x.hi.max(axis=gone, keepdims=True)) if gone else (x.lo, x.hi)
        if lo.size > 1:
            result.lo, result.hi = lo, hi
            result.starts = tuple(s if k else (0,) for s, k in zip(x.starts, keep, strict=True))
    if x.data is not None and times is not None and all(isinstance(t, int) for t in times):
        repeated = [dims.low(t) for t in times]
        if np.size(x.data) * float(np.prod(repeated)) <= 4096:
            result.data = np.tile(x.data, repeated)
    return result


@transfer("Concat")
def concat(ctx: Context, *tensors: Any) -> AbstractTensor:
    return concatenated(ctx, [t for t in tensors if t is not None], int(ctx.attr("axis", 0)))


@transfer(tf=("ConcatV2",))
def tf_concat(ctx: Context, *tensors: AbstractTensor) -> AbstractTensor:
    axis = tensors[-1].integers()
    return concatenated(ctx, list(tensors[:-1]), None if axis is None else axis[0])


@transfer(tf=("Concat",))
def tf_concat_first(ctx: Context, axis: AbstractTensor, *tensors: AbstractTensor) -> AbstractTensor:
    where = axis.integers()
    return concatenated(ctx, list(tensors), None if where is None else where[0])


def hull(tensors: list[AbstractTensor], shape_: Shape | None) -> AbstractTensor:
    lo, hi = min(t.low for t in tensors), max(t.high for t in tensors)
    return AbstractTensor(tensors[0].dtype, shape_, np.float64(lo), np.float64(hi), None, any(t.nan for t in tensors))


def concatenated(ctx: Context, tensors: list[AbstractTensor], axis: int | None) -> AbstractTensor:
    """Each operand keeps its blocks along the axis; the others are aligned (DEBAR, section 4.1)."""
    if len(tensors) == 1:
        return tensors[0]
    shapes = [t.shape for t in tensors]
    if axis is None or any(s is None for s in shapes):
        return hull(tensors, None)
    known = [s for s in shapes if s is not None]
    n = len(known[0])
    if n == 0 or any(len(s) != n for s in known):
        return hull(tensors, None)
    axis %= n
    sizes: list[Dim] = list(known[0])
    for s in known[1:]:
        for i in range(n):
            if i == axis:
                sizes[i] = dims.add(sizes[i], s[i])
            elif not isinstance(sizes[i], int):
                sizes[i] = s[i] if isinstance(s[i], int) else sizes[i]
    shape_ = tuple(sizes)
    result = hull(tensors, shape_)
    if n == 1 and tensors[0].dtype.kind == dtypes.INTEGER:
        parts = [t.sizes() for t in tensors]
        if all(p is not None for p in parts):
            flat: tuple[Dim, ...] = sum((p for p in parts if p is not None), ())
            if len(flat) <= 64:
                result.dims = flat
    cut_limit = ctx.block_limit if tensors[0].dtype.kind != dtypes.INTEGER else max(ctx.block_limit, 64)
    if all(isinstance(s[axis], int) for s in known[:-1]) and result.low < result.high and cut_limit > 1:
        edges: list[int] = []
        offset = 0
        across = common_starts([_without_cuts(t, axis) for t in tensors], n, cut_limit)
        base = list(across) if across is not None else [(0,)] * n
        los, his = [], []
        for tensor, s in zip(tensors, known, strict=True):
            if s[axis] == 0:
                continue
            own = (0,) if tensor.starts is None else tensor.starts[axis]
            edges.extend(c + offset for c in own)
            layout = tuple(own if i == axis else base[i] for i in range(n))
            full = tuple(len(c) for c in layout)
            low, high = bounds_on(tensor, layout)
            los.append(np.broadcast_to(low, full))
            his.append(np.broadcast_to(high, full))
            offset += dims.low(s[axis])
        if los:
            lo, hi = np.concatenate(los, axis), np.concatenate(his, axis)
            if 1 < lo.size <= cut_limit * 4:
                result.lo, result.hi = lo, hi
                result.starts = tuple(tuple(edges) if i == axis else base[i] for i in range(n))
    if all(t.data is not None for t in tensors) and sum(np.size(t.data) for t in tensors) <= 4096:
        result.data = np.concatenate([np.asarray(t.data) for t in tensors], axis)
    if all(isinstance(s[axis], int) for s in known):
        result.facts = {"parts": (axis, tuple(int(s[axis]) for s in known), tuple(tensors))}  # type: ignore[arg-type]
    return result


def _without_cuts(x: AbstractTensor, axis: int) -> AbstractTensor:
    if x.starts is None or len(x.starts[axis]) == 1:
        return x
    result = AbstractTensor(x.dtype, x.shape, x.lo.min(axis=axis, keepdims=True), x.hi.max(axis=axis, keepdims=True))
    result.starts = tuple((0,) if i == axis else s for i, s in enumerate(x.starts))
    return result


@transfer(tf=("Pack",))
def pack(ctx: Context, *tensors: AbstractTensor) -> AbstractTensor:
    """Operands stacked along a new axis."""
    axis = int(ctx.attr("axis", 0))
    if any(t.shape is None for t in tensors):
        return hull(list(tensors), None)
    stacked = [with_axes(ctx, t, [axis]) for t in tensors]
    if len(stacked) == 1:
        return stacked[0]
    for item, tensor in zip(stacked, tensors, strict=True):
        item.key, item.final = ctx.run.number(("stacked", axis, tensor.key)), True
    return concatenated(ctx, stacked, axis)


@transfer("Cast", tf=("Cast",), unsafe=("numerical/cast-overflow",))
def cast(ctx: Context, x: Any) -> Any:
    dtype = ctx.type_attr("to", "DstT") or ctx.element_type()
    if not isinstance(x, AbstractTensor):
        return x
    return converted(ctx, x, dtype)


@transfer("CastLike", unsafe=("numerical/cast-overflow",))
def cast_like(ctx: Context, x: AbstractTensor, y: AbstractTensor) -> AbstractTensor:
    return converted(ctx, x, y.dtype)


def converted(ctx: Context, x: AbstractTensor, dtype: Any) -> AbstractTensor:
    """To another type: floats round to nearest, integers take floats rounded towards zero."""
    if dtype is x.dtype:
        return x
    lo, hi = x.lo, x.hi
    nan = x.nan and dtype.is_float
    result = AbstractTensor(dtype, x.shape, lo, hi, x.starts, nan, tight=x.tight, dims=x.dims)
    if x.dtype.kind == dtypes.OTHER or dtype.kind == dtypes.OTHER:
        limit = (-np.inf, np.inf) if dtype.kind in (dtypes.FLOAT, dtypes.OTHER) else (dtype.lo, dtype.hi)
        return AbstractTensor(dtype, x.shape, np.float64(limit[0]), np.float64(limit[1]), None, dtype.is_float)
    if dtype.kind == dtypes.BOOLEAN:
        result.lo = (
            np.where((lo > 0) | (hi < 0) | x.nan, 1.0, 0.0)[()]
            if not x.nan
            else np.where((lo > 0) | (hi < 0), 1.0, 0.0)[()]
        )
        result.hi = np.where((lo == 0) & (hi == 0) & (not x.nan), 0.0, 1.0)[()]
        result.dims = None
        return result
    if x.dtype.kind == dtypes.BOOLEAN and "max" in x.facts:
        result.facts = {"max": x.facts["max"]}
    if dtype.kind == dtypes.INTEGER:
        lo, hi = np.trunc(lo), np.trunc(hi)
        result.lo, result.hi = lo, hi
        if result.low < dtype.lo or result.high > dtype.hi or x.nan:
            if x.dtype.is_float:
                reached = x.tight is not None and not x.nan
                overflow_of_cast(ctx, x, dtype, reached)
            else:
                ctx.overflow(result.interval(), dtype, False)
            result.lo, result.hi = np.full_like(lo, dtype.lo)[()], np.full_like(hi, dtype.hi)[()]
            result.dims = None
        return result
    lo, hi = dtype.nearest(lo), dtype.nearest(hi)
    result.lo, result.hi = lo, hi
    if x.dtype.is_float and dtype.hi < x.dtype.hi:
        result.lo, result.hi = dtype.flush(lo, hi)
    if (result.low < dtype.lo or result.high > dtype.hi) and x.low > -np.inf and x.high < np.inf:
        overflow_of_cast(ctx, x, dtype, x.tight is not None)
        result.lo, result.hi = np.clip(lo, dtype.lo, dtype.hi), np.clip(hi, dtype.lo, dtype.hi)
    elif not dtype.has_inf:
        result.lo, result.hi = np.clip(result.lo, dtype.lo, dtype.hi), np.clip(result.hi, dtype.lo, dtype.hi)
    saturates = x.low < dtype.lo or x.high > dtype.hi
    if ctx.options.affine and x.dtype.is_float and x.form is not None and x.starts is None and not saturates:
        largest = max(abs(result.low), abs(result.high))
        error = x.form.error + (largest * dtype.eps / 2 + dtype.tiny if dtype.eps > x.dtype.eps else 0.0)
        result.form = affine.Form(x.form.terms, x.form.constant, error)
    if x.data is not None and np.size(x.data) <= 4096 and x.dtype.kind != dtypes.FLOAT:
        result.data = np.asarray(x.data).astype(np.float64)
    return result


def overflow_of_cast(ctx: Context, x: AbstractTensor, dtype: Any, reached: bool) -> None:
    """Values outside the new type: a warning where some run certainly has them."""
    if ctx.run.quiet:
        return
    if reached or ctx.options.strict:
        ctx.check("numerical/cast-overflow", f"|x| > {dtype.hi:.5g}, the largest {dtype.name}", {0: x}, lambda _: False)
    else:
        ctx.overflow(x.interval(), dtype, False)


@transfer("DepthToSpace", "SpaceToDepth", tf=("DepthToSpace", "SpaceToDepth"), selects=True)
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


@transfer(tf=("BatchToSpaceND", "SpaceToBatchND", "BatchToSpace", "SpaceToBatch"))
def batch_space(ctx: Context, x: AbstractTensor, *_: Any) -> AbstractTensor:
    """Moved elements; space-to-batch pads with zeros."""
    lo, hi = (x.low, x.high) if ctx.op.startswith("Batch") else (min(x.low, 0.0), max(x.high, 0.0))
    return AbstractTensor(x.dtype, ctx.declared_shape(), np.float64(lo), np.float64(hi), None, x.nan)


@transfer(tf=("BroadcastGradientArgs", "BroadcastArgs", "ConcatOffset"))
def shape_arguments(ctx: Context, a: AbstractTensor, b: AbstractTensor, *rest: AbstractTensor) -> Any:
    """Which axes to reduce so that a gradient has its operand's shape; the shape that shapes broadcast to."""
    dtype = a.dtype
    if ctx.op == "ConcatOffset":
        return tuple(AbstractTensor(dtype, r.shape, np.float64(0), np.float64(2.0**31 - 1)) for r in (b, *rest))
    first, second = a.sizes(), b.sizes()
    if ctx.op == "BroadcastArgs":
        if first is None or second is None:
            return AbstractTensor(dtype, (dims.unknown(0),), np.float64(0), np.float64(2.0**31 - 1))
        both = dims.broadcast_shapes([first, second])
        return size_tensor(dtype, both or ())
    if first is None or second is None:
        unknown = [AbstractTensor(dtype, (dims.unknown(0),), np.float64(0), np.float64(253)) for _ in range(2)]
        return tuple(unknown)
    n = max(len(first), len(second))
    padded = [(1,) * (n - len(s)) + s for s in (first, second)]
    results = []
    for own, other in (padded, padded[::-1]):
        axes: list[int] = []
        certain = True
        for i, (x, y) in enumerate(zip(own, other, strict=True)):
            if x == 1:
                axes.append(i)
            elif not isinstance(x, int) and x != y:
                certain = False
        results.append(
            AbstractTensor(dtype, (dims.unknown(0),), np.float64(0), np.float64(253))
            if not certain
            else from_data(np.array(axes, dtype=np.int32), dtype)
        )
    return tuple(results)


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


def sizes_or_declared(ctx: Context, x: AbstractTensor) -> Shape | None:
    known = x.sizes()
    return known if known is not None else ctx.declared_shape()


__all__ = ["concatenated", "count", "hull", "reshaped", "size_tensor", "with_axes", "without_axes"]
