"""Matrix products.

A known factor is used entry by entry: with p and n the sums of its positive and negative entries, the result lies in
``[p lo + n hi, p hi + n lo]``, exact in both bounds. Two intervals give the number of terms times the product interval.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dims
from analyzer.numerical.domain.dims import Dim, Shape
from analyzer.numerical.domain.dtypes import Array, ElementType
from analyzer.numerical.domain.tensor import AbstractTensor, block_sizes, bounds_on, count, interval_tensor, smashed
from analyzer.numerical.transfer.arithmetic import linear, product
from analyzer.numerical.transfer.distances import product_distance_bounds
from analyzer.numerical.transfer.kinds import independent
from analyzer.numerical.transfer.quadratic_forms import least_inner_product
from analyzer.numerical.transfer.registry import transfer
from analyzer.numerical.transfer.rounding import ACCUMULATED, accumulation_unit, rounding_terms
from analyzer.numerical.transfer.unit_rows import has_unit, product_bound


def transposed(x: AbstractTensor) -> AbstractTensor:
    """The last two axes swapped."""
    if x.shape is None or len(x.shape) < 2:
        return x
    shape = (*x.shape[:-2], x.shape[-1], x.shape[-2])
    result = AbstractTensor(x.dtype, shape, x.lo, x.hi, None, x.nan, tight=x.tight)
    if x.starts is not None:
        result.lo, result.hi = np.swapaxes(x.lo, -1, -2), np.swapaxes(x.hi, -1, -2)
        result.starts = (*x.starts[:-2], x.starts[-1], x.starts[-2])
    if x.data is not None:
        result.data = np.swapaxes(x.data, -1, -2)
    if "unit" in x.facts:
        axis, most = x.facts["unit"]
        result.facts = {"unit": ({-1: -2, -2: -1}.get(axis, axis), most)}
    return result


def signed_sums(data: Any, starts: tuple[int, ...], axis: int) -> tuple[Array, Array]:
    """Sums of the positive and of the negative entries over each block of an axis, in float64."""
    matrix = np.asarray(data)
    if matrix.dtype.kind not in "iuf" or matrix.dtype.itemsize < 4:
        matrix = matrix.astype(np.float32 if matrix.dtype.kind != "f" or matrix.dtype.itemsize < 8 else np.float64)
    plain, absolute = [], []
    ends = (*starts[1:], matrix.shape[axis])
    for start, end in zip(starts, ends, strict=True):
        part = np.take(matrix, range(start, end), axis=axis) if len(starts) > 1 else matrix
        plain.append(part.sum(axis=axis, dtype=np.float64))
        absolute.append(np.abs(part).sum(axis=axis, dtype=np.float64))
    total, size = np.stack(plain, axis), np.stack(absolute, axis)
    return (size + total) / 2, (total - size) / 2


def matmul_bounds(
    ctx: Context, a: AbstractTensor, b: AbstractTensor, dtype: ElementType | None = None
) -> AbstractTensor:
    """``a @ b`` with NumPy's rules for vectors and batch dimensions."""
    dtype = dtype or a.dtype
    shape, inner = _matmul_shape(a.shape, b.shape)
    least, most = dims.low(inner), dims.high(inner)
    nan = a.nan or b.nan
    infinite = not (a.low > -np.inf and a.high < np.inf and b.low > -np.inf and b.high < np.inf)
    if infinite:
        nan = nan or (a.low < 0 or a.low <= 0 <= a.high or b.low <= 0 <= b.high or b.low < 0)
    starts: Any = None
    absolute: Array | None = None
    lo: Array
    hi: Array
    if not infinite and b.data is not None and b.rank == 2 and a.rank is not None and a.rank >= 1:
        lo, hi, starts = _known_right(ctx, a, b, len(shape or ()))
    elif not infinite and a.data is not None and a.rank == 2 and b.rank is not None and b.rank >= 2:
        flipped_lo, flipped_hi, flipped = _known_right(ctx, transposed(b), transposed(a), len(shape or ()))
        lo, hi = flipped_lo, flipped_hi
        if flipped is not None:
            starts = (*flipped[:-2], flipped[-1], flipped[-2])
            lo, hi = np.swapaxes(lo, -1, -2), np.swapaxes(hi, -1, -2)
    elif a.starts is not None and b.starts is not None and a.rank == b.rank == 2 and not infinite:
        lo, hi, absolute, starts = _blocks(a, b, ctx.block_limit)
    else:
        first, second = smashed(a), smashed(b)
        low, high = term_bounds(first, second)
        lo = low * least if low >= 0 else low * most
        hi = high * most if high >= 0 else high * least
        lo, hi = (
            np.float64(np.nan_to_num(lo, nan=0.0, neginf=-np.inf)),
            np.float64(np.nan_to_num(hi, nan=0.0, posinf=np.inf)),
        )
    lo, hi = of_one_sign(*_accumulated(lo, hi, a, b, most, dtype, absolute), a, b)
    if not infinite and (least_form := least_inner_product(a, b)) > -math.inf:
        lo = np.maximum(lo, least_form)
    if not infinite and has_unit(a, b):
        bound = product_bound(a, b, -1, -2 if b.rank is not None and b.rank > 1 else -1)
        lo, hi = np.maximum(lo, -bound), np.minimum(hi, bound)
    low_, high_ = (lo, hi) if np.ndim(lo) == 0 else (lo.min(initial=np.inf), hi.max(initial=-np.inf))
    tight = tight_sum(a, b)
    if low_ < dtype.lo or high_ > dtype.hi:
        lo, hi = ctx.finite(lo, hi, dtype, not infinite, tight is not None and math.isfinite(most))
    result = AbstractTensor(dtype, shape, lo, hi, starts, bool(nan))
    result.tight = tight
    return result


def of_one_sign(lo: Array, hi: Array, a: AbstractTensor, b: AbstractTensor) -> tuple[Array, Array]:
    """Sums of products that all have one sign have it too, however they round."""
    if (a.low >= 0 and b.low >= 0) or (a.high <= 0 and b.high <= 0):
        return np.maximum(lo, 0.0), hi
    if (a.low >= 0 and b.high <= 0) or (a.high <= 0 and b.low >= 0):
        return lo, np.minimum(hi, 0.0)
    return lo, hi


def tight_sum(a: AbstractTensor, b: AbstractTensor) -> frozenset[int] | None:
    for one, other in ((a, b), (b, a)):
        if one.tight is not None and 0 in one.tight:
            return None
        del other
    exact = [t for t in (a, b) if t.data is not None or t.low == t.high]
    moving = [t for t in (a, b) if t.tight is not None]
    if len(exact) + len(moving) < 2 or not moving:
        return None
    sources = independent(*moving)
    return None if sources is None else sources | {0}


def _matmul_shape(a: Shape | None, b: Shape | None) -> tuple[Shape | None, Dim]:
    inner: Dim = dims.unknown(1)
    if a:
        inner = a[-1]
    if b and (not isinstance(inner, int) or a is None):
        other = b[-2] if len(b) > 1 else b[0]
        inner = other if isinstance(other, int) or a is None else inner
    if a is None or b is None:
        return None, inner
    left, right = (1, *a) if len(a) == 1 else a, (*b, 1) if len(b) == 1 else b
    batch = dims.broadcast_shapes([left[:-2], right[:-2]])
    assert batch is not None
    shape = (*batch, *(() if len(a) == 1 else (left[-2],)), *(() if len(b) == 1 else (right[-1],)))
    return shape, inner


def term_bounds(a: AbstractTensor, b: AbstractTensor) -> tuple[Any, Any]:
    corners = [np.nan_to_num(x * y, nan=0.0, posinf=np.inf, neginf=-np.inf) for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
    return min(corners), max(corners)


def _accumulated(
    lo: Array, hi: Array, a: AbstractTensor, b: AbstractTensor, n: float, dtype: ElementType,
    absolute: Array | None,
) -> tuple[Array, Array]:  # fmt: skip
    """Bounds widened by what accumulating n products can round; `absolute` bounds the sums of their absolute values."""
    if not dtype.is_float:
        return lo, hi
    unit = accumulation_unit(dtype)
    if a.low >= 0 and b.low >= 0:  # nothing cancels: the error is a part of each sum itself
        part = rounding_terms(n) * unit
        below, above = (np.nan_to_num(x * part, posinf=0.0) + dtype.near_zero for x in (np.maximum(lo, 0.0), hi))
        return dtype.nearest(lo - below), dtype.nearest(hi + above)
    magnitude = np.maximum(np.abs(lo), np.abs(hi))
    if absolute is not None:  # cancellation: the error is relative to the sum of absolute values
        magnitude = np.maximum(magnitude, absolute)
    elif a.data is not None or b.data is not None:  # else already bounded by the number of terms times the largest one
        largest = max(abs(a.low), abs(a.high)) if a.data is None else max(abs(b.low), abs(b.high))
        known = b if a.data is None else a
        other = np.float64(max(abs(known.low), abs(known.high)))
        magnitude = np.maximum(magnitude, largest * other)
    slack = np.nan_to_num(magnitude * rounding_terms(n) * unit, posinf=0.0) + dtype.near_zero
    return dtype.nearest(lo - slack), dtype.nearest(hi + slack)


def _known_right(ctx: Context, a: AbstractTensor, b: AbstractTensor, rank: int) -> tuple[Array, Array, Any]:
    """``a @ b`` for a known matrix b: bounds for each column, or their hull where there are many."""
    cuts = (0,) if a.starts is None else a.starts[-1]
    positive, negative = ctx.run.cached(("signed", b.key, cuts), lambda: signed_sums(b.data, cuts, 0))
    if a.starts is None:
        lo, hi = positive[0] * a.lo + negative[0] * a.hi, positive[0] * a.hi + negative[0] * a.lo
        rows: Any = None
    else:  # (batch …, rows, blocks of k) @ (blocks of k, columns)
        al, ah = a.lo, a.hi
        lo, hi = al @ positive + ah @ negative, ah @ positive + al @ negative
        rows = a.starts[:-1]
    columns = lo.shape[-1]
    per_column = columns <= ctx.block_limit and columns > 0
    lead: Any = [(0,)] * (rank - 1) if rows is None else list(rows)
    if a.rank == 1:
        lead = []
    if rows is not None and (lo.size > ctx.block_limit):
        keep = tuple(range(lo.ndim - 1))
        lo, hi = lo.min(axis=keep), hi.max(axis=keep)
        lead = [(0,)] * len(lead)
        rows = None
    if not per_column:
        if rows is None or lo.ndim == 1:
            low, high = lo.min(initial=np.inf), hi.max(initial=-np.inf)
            return np.float64(low), np.float64(high), None
        lo, hi = lo.min(axis=-1, keepdims=True), hi.max(axis=-1, keepdims=True)
        starts = (*lead, (0,))
    else:
        starts = (*lead, tuple(range(columns)))
    lo, hi = np.asarray(lo), np.asarray(hi)
    full = tuple(len(s) for s in starts)
    if lo.ndim != len(full):
        lo, hi = (
            lo.reshape(full[:0] + (1,) * (len(full) - lo.ndim) + lo.shape),
            hi.reshape((1,) * (len(full) - hi.ndim) + hi.shape),
        )
    lo, hi = np.broadcast_to(lo, full), np.broadcast_to(hi, full)
    if lo.size == 1:
        return lo.reshape(())[()], hi.reshape(())[()], None
    return lo, hi, starts


def _blocks(a: AbstractTensor, b: AbstractTensor, limit: int) -> tuple[Array, Array, Array, Any]:
    """Two partitioned matrices: block products weighted by block sizes along the contracted axis.

    Bounds of the sums, bounds of the sums of absolute values, and the partition.
    """
    assert a.starts is not None
    assert b.starts is not None
    assert a.shape is not None
    cuts = tuple(sorted({*a.starts[1], *b.starts[0]}))
    if len(cuts) > limit:
        cuts = (0,)
    al, ah = bounds_on(a, (a.starts[0], cuts))
    bl, bh = bounds_on(b, (cuts, b.starts[1]))
    al, ah = (np.broadcast_to(v, (len(a.starts[0]), len(cuts)))[:, :, None] for v in (al, ah))
    bl, bh = (np.broadcast_to(v, (len(cuts), len(b.starts[1])))[None] for v in (bl, bh))
    products = np.stack([al * bl, al * bh, ah * bl, ah * bh])
    low, high = products.min(0), products.max(0)
    least, most = (v[None, :, None] for v in block_sizes(cuts, a.shape[1]))
    lo = np.nan_to_num(np.where(low >= 0, low * least, low * most), neginf=-np.inf).sum(1)
    hi = np.nan_to_num(np.where(high >= 0, high * most, high * least), posinf=np.inf).sum(1)
    absolute = np.nan_to_num(np.maximum(np.abs(low), np.abs(high)) * most, posinf=np.inf).sum(1)
    if lo.size > limit or lo.size == 1:
        return np.float64(lo.min()), np.float64(hi.max()), np.float64(absolute.max()), None
    return lo, hi, absolute, (a.starts[0], b.starts[1])


@transfer("MatMul", framework="onnx")
def matmul(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    return matmul_bounds(ctx, a, b)


@transfer("MatMul", framework="tf")
def tf_matmul(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    if ctx.attr("transpose_a", False) or ctx.attr("adj_x", False):
        a = transposed(a)
    if ctx.attr("transpose_b", False) or ctx.attr("adj_y", False):
        b = transposed(b)
    if a.shape is None or b.shape is None:
        a, b = _rank_two(ctx, a), _rank_two(ctx, b)
    return matmul_bounds(ctx, a, b)


def _rank_two(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    if x.shape is not None or ctx.op != "MatMul":
        return x
    result = smashed(x)
    return AbstractTensor(x.dtype, (dims.unknown(1), dims.unknown(1)), result.lo, result.hi, None, x.nan)


@transfer("Gemm")
def gemm(ctx: Context, a: AbstractTensor, b: AbstractTensor, c: Any = None) -> AbstractTensor:
    """alpha * A' @ B' + beta * C."""
    first, second = a, b
    if ctx.attr("transA", 0):
        a = transposed(a)
    if ctx.attr("transB", 0):
        flipped = transposed(b)
        flipped.key = ctx.run.number(("transposed", b.key))
        b = flipped
    result = matmul_bounds(ctx, a, b)
    alpha, beta = float(ctx.attr("alpha", 1.0)), float(ctx.attr("beta", 1.0))
    if alpha != 1.0:
        result = product(ctx, result, interval_tensor(a.dtype, (), alpha, alpha))
    if c is not None and beta != 0.0:
        rest = c
        if beta != 1.0:
            c = product(ctx, c, interval_tensor(a.dtype, (), beta, beta))
        tight = result.tight
        result = linear(ctx, result, c, 1.0)
        result.form = None
        _as_distance(ctx, result, first, second, rest)
        if result.tight is None and c.low == c.high:
            result.tight = tight
    return result


def _as_distance(ctx: Context, result: AbstractTensor, a: AbstractTensor, b: AbstractTensor, c: AbstractTensor) -> None:
    """Bounds of ``torch.addmm(|x|² + |y|², x, y.T, alpha=-2)``."""
    if ctx.attr("transA", 0) or ctx.attr("transB", 0) or not ctx.options.affine:
        return
    alpha, beta = float(ctx.attr("alpha", 1.0)), float(ctx.attr("beta", 1.0))
    low, high = product_distance_bounds(a, b, alpha, c, beta)
    result.lo, result.hi = np.maximum(result.lo, low), np.minimum(result.hi, high)


@transfer("Einsum")
def einsum(ctx: Context, *tensors: AbstractTensor) -> AbstractTensor:
    """Products of one element of each operand, summed over the labels that the result lacks."""
    text = str(ctx.attr("equation", "")).replace(" ", "")
    left, arrow, right = text.partition("->")
    sizes: dict[str, Dim] = {}
    ellipsis: Shape = ()
    known = True
    for labels, tensor in zip(left.split(","), tensors, strict=False):
        if tensor.shape is None:
            known = False
            continue
        explicit = labels.replace("...", "")
        extra = len(tensor.shape) - len(explicit)
        before = labels.index("...") if "..." in labels else len(labels)
        names = [*labels[:before], *[""] * (extra if "..." in labels else 0), *labels[before + 3 :]]
        if "..." in labels:
            part = tensor.shape[before : before + extra]
            ellipsis = dims.broadcast_shapes([ellipsis, part]) or ()
        for label, size in zip(names, tensor.shape, strict=False):
            if label:
                sizes[label] = size if label not in sizes or sizes[label] == 1 else sizes[label]
    if not arrow:
        flat = left.replace(",", "").replace("...", "")
        right = ("..." if "..." in left else "") + "".join(sorted(c for c in set(flat) if flat.count(c) == 1))
    total = smashed(tensors[0])
    for tensor in tensors[1:]:
        total = product(ctx, anonymous(total), anonymous(smashed(tensor)))
    contracted = [c for c in dict.fromkeys(left.replace(",", "").replace("...", "")) if c not in right]
    shape: Shape | None = None
    if known:
        shape = ()
        for position, label in enumerate(right.replace("...", ".")):
            del position
            shape = (*shape, *ellipsis) if label == "." else (*shape, sizes.get(label, dims.unknown(1)))
    least, most = count(tuple(sizes.get(c, dims.unknown(1)) for c in contracted))
    if "..." in left and "..." not in right:
        most *= count(ellipsis)[1]
    if (not contracted and "..." in right) or not contracted:
        return AbstractTensor(total.dtype, shape, total.lo, total.hi, None, total.nan)
    lo = total.low * (least if total.low >= 0 else most)
    hi = total.high * (most if total.high >= 0 else least)
    lo, hi = np.nan_to_num(lo, nan=0.0, neginf=-np.inf), np.nan_to_num(hi, nan=0.0, posinf=np.inf)
    if total.dtype.is_float:
        lost = rounding_terms(most) * 2 * ACCUMULATED  # a product and a sum each
        slack = np.nan_to_num(max(abs(lo), abs(hi)) * lost, posinf=0.0)
        positive = total.low >= 0 and len(tensors) <= 2  # the roundings are parts of the sum itself
        least_sum = lo * (1 - lost) if positive else lo - slack
        lo, hi = total.dtype.nearest(np.float64(least_sum)), total.dtype.nearest(np.float64(hi + slack))
        lo, hi = (max(lo, np.float64(0)) if total.low >= 0 else lo), (min(hi, np.float64(0)) if total.high <= 0 else hi)
    finite = all(t.low > -np.inf and t.high < np.inf for t in tensors)
    low, high = ctx.finite(np.float64(lo), np.float64(hi), total.dtype, finite)
    return AbstractTensor(total.dtype, shape, low, high, None, total.nan)


def anonymous(x: AbstractTensor) -> AbstractTensor:
    """Without identity: elements of the same tensor at different positions are different values."""
    return AbstractTensor(x.dtype, None, x.lo, x.hi, None, x.nan)
