"""Gathering, scattering, one-hot vectors, order."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dims, dtypes
from analyzer.numerical.domain.dims import Dim, Shape
from analyzer.numerical.domain.tensor import AbstractTensor, count, from_data, smashed
from analyzer.numerical.refinement import refine_by
from analyzer.numerical.transfer.attained import peaked
from analyzer.numerical.transfer.diagonal_masks import picked_count
from analyzer.numerical.transfer.diagonals import diagonal_bounds, shows_diagonal
from analyzer.numerical.transfer.facts import gather_place, gathered_segments, segment_axes
from analyzer.numerical.transfer.joining import hull
from analyzer.numerical.transfer.masked_assignment import assigned, at_own_places, mask_of, nonzero_where
from analyzer.numerical.transfer.neighbours import steps_along
from analyzer.numerical.transfer.peaks import peaks_of
from analyzer.numerical.transfer.rankings import (
    at_extreme,
    attained_anywhere,
    attained_by_writing,
    largest_first,
    one_of_ranked,
    ranked_facts,
    reordered,
    with_greatest,
)
from analyzer.numerical.transfer.registry import transfer
from analyzer.numerical.transfer.scattering import scattered
from analyzer.numerical.transfer.shape import window
from analyzer.numerical.transfer.written_rows import rows_written, slice_written


def taken(x: AbstractTensor, indices: AbstractTensor, axis: int) -> AbstractTensor:
    """Slices of x at indices along an axis."""
    whole = smashed(x)
    if x.shape is None or indices.shape is None:
        return AbstractTensor(x.dtype, None, whole.lo, whole.hi, None, x.nan)
    n = len(x.shape)
    axis %= max(n, 1)
    shape = (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :])
    known = indices.integers()
    result = AbstractTensor(x.dtype, shape, whole.lo, whole.hi, None, x.nan, tight=x.tight)
    size = x.shape[axis] if n else 1
    if known and x.starts is not None and (isinstance(size, int) or all(k >= 0 for k in known)):
        positions = [k + size if k < 0 and isinstance(size, int) else k for k in known]
        blocks = np.searchsorted(x.starts[axis], positions, side="right") - 1
        lo, hi = x.lo.take(blocks, axis), x.hi.take(blocks, axis)
        if indices.shape == () or len(positions) == 1:
            starts: Any = (*x.starts[:axis], *((0,),) * len(indices.shape), *x.starts[axis + 1 :])
            form = tuple(len(s) for s in starts)
            result.lo, result.hi = lo.reshape(form), hi.reshape(form)
        elif len(indices.shape) == 1:
            starts = (*x.starts[:axis], tuple(range(len(positions))), *x.starts[axis + 1 :])
            result.lo, result.hi = lo, hi
        else:
            starts = None
            result.lo, result.hi = lo.min(initial=np.inf), hi.max(initial=-np.inf)
        if starts is not None and np.size(result.lo) > 1:
            result.starts = starts
        else:
            result.lo, result.hi = np.float64(np.min(result.lo)), np.float64(np.max(result.hi))
    if known and n and len(indices.shape) <= 1 and len(known) <= 64:
        result.facts = _gathered_window(x, axis, known, size, len(indices.shape))
    if len(indices.shape) == 0 and n:
        result.facts = {**result.facts, **one_of_ranked(x, [axis], shape, False)}
    if (
        known is not None
        and x.dims is not None
        and n == 1
        and len(shape) <= 1
        and all(-len(x.dims) <= k < len(x.dims) for k in known)
    ):
        result.dims = tuple(x.dims[k] for k in known)
    if known is not None and x.data is not None and np.size(x.data) <= 4096 and np.ndim(x.data) == n and n:
        exact = indices.exact()
        try:
            result.data = np.take(np.asarray(x.data), np.asarray(exact, dtype=np.int64), axis=axis)
        except IndexError:
            result.data = None
    return result


def _gathered_window(x: AbstractTensor, axis: int, known: list[int], size: Dim, index_rank: int) -> dict[str, Any]:
    """Which part of `x` each gathered element shows."""
    assert x.shape is not None
    if not isinstance(size, int) and min(known) < 0:
        return {}
    positions = tuple(k + size if k < 0 and isinstance(size, int) else k for k in known)
    n = len(x.shape)
    offsets: list[Any] = [0] * n
    offsets[axis] = positions if index_rank else positions[0]
    kept = tuple(a for a in range(n) if a != axis or index_rank)
    return window(x, tuple(offsets), kept)


@transfer("Gather", framework="onnx")
def gather(ctx: Context, x: AbstractTensor, indices: AbstractTensor) -> AbstractTensor:
    result = _met(ctx, x, indices, taken(x, indices, int(ctx.attr("axis", 0))))
    matrix = shows_diagonal(x, indices) if x.rank and int(ctx.attr("axis", 0)) % x.rank == x.rank - 1 else None
    if matrix is not None:
        low, high = diagonal_bounds(matrix)
        result.lo, result.hi = np.maximum(result.lo, low), np.minimum(result.hi, high)
    return result


@transfer("Gather", framework="tf")
def tf_gather(ctx: Context, x: AbstractTensor, indices: AbstractTensor, axis: Any = None) -> AbstractTensor:
    where = axis.integers() if axis is not None else [0]
    if where is None or ctx.attr("batch_dims", 0):
        whole = smashed(x)
        return AbstractTensor(x.dtype, ctx.declared_shape(), whole.lo, whole.hi, None, x.nan)
    return _met(ctx, x, indices, taken(x, indices, where[0]), axis)


@transfer("GatherElements")
def gather_elements(ctx: Context, x: AbstractTensor, indices: AbstractTensor) -> AbstractTensor:
    whole = smashed(x)
    result = AbstractTensor(x.dtype, indices.shape, whole.lo, whole.hi, None, x.nan)
    if x.rank and not x.nan:
        axis = int(ctx.attr("axis", 0)) % x.rank
        rises = steps_along(x, axis)
        if rises is not None and rises.least >= 0:  # none lies outside the first and the last
            result.lo, result.hi = np.maximum(result.lo, rises.first[0]), np.minimum(result.hi, rises.last[1])
        result.facts = {**peaked(reordered(x, indices, axis), result), **with_greatest(x, indices, axis)}
        result.facts = {**result.facts, **at_extreme(x, indices, axis)}
    return _met(ctx, x, indices, result)


def _met(
    ctx: Context, x: AbstractTensor, indices: AbstractTensor, result: AbstractTensor, axis: Any = None
) -> AbstractTensor:
    """With what is known of segments where each of the elements that made them gathers its own: it is one of them."""
    place = gather_place(ctx, (x, indices, axis))
    found = gathered_segments(x, *place) if place is not None else None
    if place is None or found is None:
        return result
    kind, updates = found
    if kind in ("max", "sum"):
        result.lo = np.maximum(result.lo, updates.low)
    else:
        result.hi = np.minimum(result.hi, updates.high)
    result.facts = {**result.facts, "reduced": (kind, updates, segment_axes(*place), True)}
    return result


@transfer("SearchSorted")
def search_sorted(ctx: Context, sequence: AbstractTensor, *_: Any) -> AbstractTensor:
    """Where a value belongs in a sorted sequence: from 0, before all, to its length."""
    size = dims.high(sequence.shape[-1]) if sequence.shape else np.inf
    dtype = ctx.element_type(0, dtypes.INT64)
    return AbstractTensor(dtype, ctx.declared_shape(), np.float64(0), np.float64(min(size, dtype.hi)))


@transfer("GatherND")
def gather_nd(ctx: Context, x: AbstractTensor, indices: AbstractTensor) -> AbstractTensor:
    mask, known = mask_of(indices), {}
    if mask is not None and mask.shape == x.shape and not ctx.attr("batch_dims", 0):
        known = {"nonzero": True} if nonzero_where(ctx, mask, x, True) else {}
        x = refine_by(ctx.run, mask, True, x) or x
    elif at_own_places(x, indices) and not ctx.attr("batch_dims", 0):
        known = {"nonzero": True}
    rows = _rows(ctx, x, indices)
    if rows is not None:
        rows.facts = {**rows.facts, **known}
        return rows
    whole = smashed(x)
    shape: Shape | None = None
    if x.shape is not None and indices.shape and isinstance(indices.shape[-1], int):
        batch = int(ctx.attr("batch_dims", 0))
        shape = (*indices.shape[:-1], *x.shape[batch + indices.shape[-1] :])
    return AbstractTensor(x.dtype, shape, whole.lo, whole.hi, None, x.nan, facts=known)


def _rows(ctx: Context, x: AbstractTensor, indices: AbstractTensor) -> AbstractTensor | None:
    """What constant indices of single places along the first axis pick, as `Gather` does; None for any others."""
    exact = indices.exact()
    if exact is None or not x.rank or ctx.attr("batch_dims", 0) or not np.ndim(exact) or np.shape(exact)[-1] != 1:
        return None
    return taken(x, from_data(np.asarray(exact, np.int64)[..., 0], dtypes.INT64), 0)


@transfer("ScatterElements", "Scatter")
def scatter_elements(ctx: Context, x: AbstractTensor, indices: Any, updates: AbstractTensor) -> AbstractTensor:
    how = str(ctx.attr("reduction", "none"))
    single = isinstance(indices, AbstractTensor) and x.rank and how == "none"
    written = slice_written(ctx, x, indices, updates, int(ctx.attr("axis", 0)) % (x.rank or 1)) if single else None
    result = scattered(ctx, x, updates, how) if written is None else written
    kind = how if how in ("max", "min") else "sum" if how == "add" and x.low >= 0 and updates.low >= 0 else ""
    if kind and x.rank and isinstance(indices, AbstractTensor) and not (x.nan or updates.nan):
        result.facts = {"segments": (kind, updates, indices, int(ctx.attr("axis", 0)) % x.rank)}
    if x.rank:
        found = attained_by_writing(x, indices, updates, int(ctx.attr("axis", 0)) % x.rank, how)
        result.facts = {**result.facts, **peaked(found, result)}
    return result


@transfer("ScatterND")
def scatter_nd(ctx: Context, x: AbstractTensor, indices: Any, updates: AbstractTensor) -> AbstractTensor:
    how = str(ctx.attr("reduction", "none"))
    chosen = assigned(ctx, x, indices, updates) if how == "none" else None
    if chosen is not None:
        return chosen
    written = rows_written(ctx, x, indices, updates) if how == "none" else None
    result = scattered(ctx, x, updates, how) if written is None else written
    if how == "none":
        result.facts = {**result.facts, **peaked(attained_anywhere(x, indices, updates), result)}
    return result


@transfer("TensorScatter")
def tensor_scatter(ctx: Context, past: AbstractTensor, update: AbstractTensor, *_: Any) -> AbstractTensor:
    return hull([past, update], past.shape)


@transfer("ScatterNdOfShape")
def tf_scatter_nd(ctx: Context, indices: Any, updates: AbstractTensor, shape: AbstractTensor) -> AbstractTensor:
    """Updates added up on zeros."""
    zero = AbstractTensor(updates.dtype, shape.sizes(), np.float64(0), np.float64(0))
    return scattered(ctx, zero, updates, "add")


@transfer("TensorScatterAdd")
def tf_tensor_scatter(ctx: Context, x: AbstractTensor, indices: Any, updates: AbstractTensor) -> AbstractTensor:
    return scattered(ctx, x, updates, ctx.op.removeprefix("TensorScatter").removeprefix("Scatter").lower())


@transfer("OneHot", framework="onnx")
def one_hot(ctx: Context, indices: AbstractTensor, depth: AbstractTensor, values: AbstractTensor) -> AbstractTensor:
    pair = values.exact()
    off, on = (None, None) if pair is None else map(float, np.ravel(pair))
    result = hull([values], None)
    return _one_hot(ctx, indices, depth, result, on, off)


@transfer("OneHot", framework="tf")
def tf_one_hot(
    ctx: Context, indices: AbstractTensor, depth: AbstractTensor, on: AbstractTensor, off: AbstractTensor
) -> AbstractTensor:
    known = [float(v.low) if v.low == v.high else None for v in (on, off)]
    return _one_hot(ctx, indices, depth, hull([on, off], None), *known)


def _one_hot(
    ctx: Context,
    indices: AbstractTensor,
    depth: AbstractTensor,
    result: AbstractTensor,
    on: float | None,
    off: float | None,
) -> AbstractTensor:
    """`result` with its shape, and that every row has its `on` where no index lies outside."""
    if indices.shape is None:
        return result
    axis = int(ctx.attr("axis", -1)) % (len(indices.shape) + 1)
    sizes = depth.sizes()
    size = sizes[0] if sizes else dims.unknown(1)
    result.shape = (*indices.shape[:axis], size, *indices.shape[axis:])
    if off is not None and dims.low(size) >= 2:
        result.facts = peaked([(off, off, (axis,))], result)
    inside = indices.low >= 0 and indices.high < dims.low(size) and not indices.nan
    if inside and on is not None and off is not None and 0 <= off < on:
        both = peaked([(on, on, (axis,)), *((off, off, (axis,)) for _ in range(dims.low(size) >= 2))], result)
        result.facts = {**both, "max": (on, (axis,)), "peaks": {(axis,): on}}
    return result


@transfer("TopK")
def top_k(ctx: Context, x: AbstractTensor, k: Any = None) -> tuple[AbstractTensor, AbstractTensor]:
    whole = smashed(x)
    shape: Shape | None = None
    hi = 2.0**31 - 1
    if x.shape is not None:
        axis = (int(ctx.attr("axis", -1)) if not ctx.is_tf else -1) % max(len(x.shape), 1)
        sizes = k.sizes() if k is not None else (int(ctx.attr("k", 1)),)
        shape = tuple((sizes[0] if sizes else dims.unknown(0)) if i == axis else d for i, d in enumerate(x.shape))
        hi = min(hi, max(dims.high(x.shape[axis]) - 1, 0)) if x.shape else 0.0
    kind = dtypes.INT32 if ctx.is_tf else dtypes.INT64
    values = AbstractTensor(x.dtype, shape, whole.lo, whole.hi, None, x.nan)
    peaks = {axes: v for axes, v in peaks_of(x).items() if shape is not None and axes == (axis,)}
    if peaks and shape is not None and dims.low(shape[axis]) >= 1 and int(ctx.attr("largest", 1)):
        values.facts = {"peaks": peaks}  # the largest is among them
    if shape is not None and int(ctx.attr("largest", 1)) and int(ctx.attr("sorted", 1)) and x.dtype.is_float:
        largest_first(x, axis, values)
    places = AbstractTensor(kind, shape, np.float64(0), np.float64(hi))
    if shape:
        facts, places.facts = ranked_facts(x, values, axis)
        values.facts = {**values.facts, **facts}
    return values, places


@transfer("NonZero")
def non_zero(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """Indices of elements that are not zero: any number of them, none included, but for a mask that is known."""
    number = picked_count(x)
    hi = max((dims.high(d) - 1 for d in x.shape), default=0) if x.shape is not None else 2.0**40
    found: Dim = number if number is not None else ctx.run.cached(("nonzero", x.key), dims.found)  # as many each time
    rank: Dim = len(x.shape) if x.shape is not None else dims.found()
    shape = (found, rank) if ctx.is_tf else (rank, found)
    return AbstractTensor(dtypes.INT64, shape, np.float64(0), np.float64(min(max(hi, 0), 2.0**40)))


@transfer("Compress", "BooleanMask", "DynamicPartition")
def compress(ctx: Context, x: AbstractTensor, condition: Any) -> Any:
    whole = smashed(x)
    shape: Shape | None = None
    if x.shape is not None:
        axis = ctx.attr("axis")
        if ctx.is_tf:
            shape = (dims.found(), *x.shape[1:])
        elif axis is None:
            shape = (dims.found(),)
        else:
            shape = tuple(dims.found() if i == int(axis) % len(x.shape) else d for i, d in enumerate(x.shape))
    results = [AbstractTensor(x.dtype, shape, whole.lo, whole.hi, None, x.nan) for _ in ctx.node.outputs]
    return tuple(results)


@transfer("MaskedSelect")
def masked_select(ctx: Context, x: AbstractTensor, mask: AbstractTensor) -> AbstractTensor:
    """The elements that a mask picks, in one row; of as many as are known where the mask is a constant.

    Those of a mask of the same shape are as the mask says of its own places: ``p[p != 0]`` holds no 0.
    """
    number, alike = picked_count(mask), x.shape is not None and x.shape == mask.shape
    known = {}
    if alike:
        known = {"nonzero": True} if nonzero_where(ctx, mask, x, True) else {}
        x = refine_by(ctx.run, mask, True, x) or x
    whole = smashed(x)
    found = number if number is not None else ctx.run.cached(("selected", mask.key), dims.found)
    shape: Shape = (found if alike else dims.found(),)
    return AbstractTensor(x.dtype, shape, whole.lo, whole.hi, None, x.nan, facts=known)


@transfer("Unique")
def unique(ctx: Context, x: AbstractTensor, *_: Any) -> tuple[AbstractTensor, ...]:
    whole = smashed(x)
    n = dims.unknown(0)
    shape: Shape = (n,)
    axis = ctx.attr("axis")
    if axis is not None and x.shape is not None and not ctx.is_tf:
        shape = tuple(n if i == int(axis) % len(x.shape) else d for i, d in enumerate(x.shape))
    limit = min(count(x.shape)[1], 2.0**31)
    index = AbstractTensor(ctx.element_type(1, dtypes.INT64), None, np.float64(0), np.float64(limit))
    return (
        AbstractTensor(x.dtype, shape, whole.lo, whole.hi, None, x.nan),
        index,
        AbstractTensor(index.dtype, None, np.float64(0), np.float64(limit)),
        AbstractTensor(index.dtype, None, np.float64(0), np.float64(limit)),
    )


@transfer("DynamicStitch")
def dynamic_stitch(ctx: Context, *tensors: AbstractTensor) -> AbstractTensor:
    """Rows of the data operands placed at given indices."""
    data = list(tensors[len(tensors) // 2 :])
    indices = [t.integers() for t in tensors[: len(tensors) // 2]]
    values = [d.sizes() for d in data]
    if all(i is not None for i in indices) and all(v is not None for v in values) and data[0].rank in (0, 1):
        slots: dict[int, Dim] = {}
        for where, what in zip(indices, values, strict=True):
            assert where is not None
            assert what is not None
            slots.update(zip(where, what, strict=False))
        if slots and sorted(slots) == list(range(len(slots))):
            sizes = tuple(slots[i] for i in range(len(slots)))
            result = hull(data, (len(slots),))
            result.dims = sizes
            return result
    return hull(data, ctx.declared_shape())


@transfer("EyeLike", "Eye")
def eye_like(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    dtype = ctx.type_attr("dtype") or x.dtype
    return AbstractTensor(dtype, x.shape, np.float64(0), np.float64(1))


@transfer("SparseToDense")
def sparse_to_dense(
    ctx: Context, indices: Any, shape: AbstractTensor, values: AbstractTensor, default: AbstractTensor
) -> AbstractTensor:
    return hull([values, default], shape.sizes())


@transfer("TfIdfVectorizer")
def tf_idf(ctx: Context, x: Any) -> AbstractTensor:
    """Counts, weighted: at most the number of tokens times the greatest weight."""
    weights = ctx.attr("weights") or [1.0]
    n = min(count(x.shape)[1] if isinstance(x, AbstractTensor) else np.inf, 2.0**31)
    mode = str(ctx.attr("mode", "TF"))
    counts = 1.0 if mode == "IDF" else n
    scale = [1.0] if mode == "TF" else [float(w) for w in weights]
    lo, hi = min(0.0, min(scale) * counts), max(0.0, max(scale) * counts)
    return AbstractTensor(dtypes.FLOAT32, ctx.declared_shape(), np.float64(lo), np.float64(hi))
