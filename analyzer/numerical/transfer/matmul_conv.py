"""Matrix products and convolutions.

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
from analyzer.numerical.transfer.kinds import independent
from analyzer.numerical.transfer.reductions import rounding_terms
from analyzer.numerical.transfer.registry import transfer


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
        lo, hi, starts = _blocks(a, b, ctx.block_limit)
    else:
        first, second = smashed(a), smashed(b)
        low, high = _term(first, second)
        lo = low * least if low >= 0 else low * most
        hi = high * most if high >= 0 else high * least
        lo, hi = (
            np.float64(np.nan_to_num(lo, nan=0.0, neginf=-np.inf)),
            np.float64(np.nan_to_num(hi, nan=0.0, posinf=np.inf)),
        )
    lo, hi = _accumulated(lo, hi, a, b, most, dtype)
    low_, high_ = (lo, hi) if np.ndim(lo) == 0 else (lo.min(initial=np.inf), hi.max(initial=-np.inf))
    tight = _tight_sum(a, b)
    if low_ < dtype.lo or high_ > dtype.hi:
        lo, hi = ctx.finite(lo, hi, dtype, not infinite, tight is not None and math.isfinite(most))
    result = AbstractTensor(dtype, shape, lo, hi, starts, bool(nan))
    result.tight = tight
    return result


def _tight_sum(a: AbstractTensor, b: AbstractTensor) -> frozenset[int] | None:
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


def _term(a: AbstractTensor, b: AbstractTensor) -> tuple[Any, Any]:
    corners = [np.nan_to_num(x * y, nan=0.0, posinf=np.inf, neginf=-np.inf) for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
    return min(corners), max(corners)


def _accumulated(
    lo: Array, hi: Array, a: AbstractTensor, b: AbstractTensor, n: float, dtype: ElementType
) -> tuple[Array, Array]:
    """Bounds widened by what accumulating n products can round."""
    if not dtype.is_float:
        return lo, hi
    unit = dtype.eps if dtype.name == "float64" else 2.0**-23
    magnitude = np.maximum(np.abs(lo), np.abs(hi))
    if not (a.low >= 0 and b.low >= 0):  # cancellation: the error is relative to the sum of absolute values
        if a.data is None and b.data is None:
            pass  # already bounded by the number of terms times the largest product
        else:
            largest = max(abs(a.low), abs(a.high)) if a.data is None else max(abs(b.low), abs(b.high))
            known = b if a.data is None else a
            other = np.float64(max(abs(known.low), abs(known.high)))
            magnitude = np.maximum(magnitude, largest * other)
    slack = np.nan_to_num(magnitude * rounding_terms(n) * unit, posinf=0.0) + dtype.tiny * 2.0**-7
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


def _blocks(a: AbstractTensor, b: AbstractTensor, limit: int) -> tuple[Array, Array, Any]:
    """Two partitioned matrices: block products weighted by block sizes along the contracted axis."""
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
    if lo.size > limit or lo.size == 1:
        return np.float64(lo.min()), np.float64(hi.max()), None
    return lo, hi, (a.starts[0], b.starts[1])


@transfer("MatMul")
def matmul(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    return matmul_bounds(ctx, a, b)


@transfer(tf=("MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "SparseMatMul"))
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
        if beta != 1.0:
            c = product(ctx, c, interval_tensor(a.dtype, (), beta, beta))
        tight = result.tight
        result = linear(ctx, result, c, 1.0)
        result.form = None
        if result.tight is None and c.low == c.high:
            result.tight = tight
    return result


@transfer("Einsum", tf=("Einsum",))
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
        total = product(ctx, _anonymous(total), _anonymous(smashed(tensor)))
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
        slack = np.nan_to_num(max(abs(lo), abs(hi)) * rounding_terms(most) * 2.0**-22, posinf=0.0)
        lo, hi = total.dtype.nearest(np.float64(lo - slack)), total.dtype.nearest(np.float64(hi + slack))
    finite = all(t.low > -np.inf and t.high < np.inf for t in tensors)
    low, high = ctx.finite(np.float64(lo), np.float64(hi), total.dtype, finite)
    return AbstractTensor(total.dtype, shape, low, high, None, total.nan)


def _anonymous(x: AbstractTensor) -> AbstractTensor:
    """Without identity: elements of the same tensor at different positions are different values."""
    return AbstractTensor(x.dtype, None, x.lo, x.hi, None, x.nan)


# -- convolutions ----------------------------------------------------------------------------------------------------


def spatial_sizes(
    sizes: Shape,
    kernel: list[int],
    strides: list[int],
    dilations: list[int],
    pads: list[int],
    auto: str,
    ceil: bool = False,
) -> Shape:
    """Output sizes of a convolution or pooling; `pads` begins first, then ends."""
    result: list[Dim] = []
    n = len(kernel)
    for i, size in enumerate(sizes):
        extent = (kernel[i] - 1) * dilations[i] + 1
        if auto in ("SAME_UPPER", "SAME_LOWER", "SAME"):
            result.append(dims.affine(size, 0, strides[i], ceil=True))
        else:
            padding = 0 if auto == "VALID" else pads[i] + pads[n + i]
            plus = padding - extent
            out = dims.affine(size, plus, strides[i], ceil=ceil)
            if isinstance(out, int) and isinstance(size, int):
                starts_beyond = ceil and out * strides[i] >= size + (0 if auto == "VALID" else pads[i])
                result.append(out if starts_beyond else out + 1)  # a window must not start in the padding behind
            else:
                result.append(dims.unknown(max(dims.low(out), 0), None) if ceil else dims.add(out, 1))
    return tuple(result)


def convolution(
    ctx: Context,
    x: AbstractTensor,
    channel_axis: int,
    w: AbstractTensor,
    weights: Any,
    terms: Dim,
    group: int,
    padded: bool,
    shape: Shape | None,
    out_channels: Dim | None,
    dtype: ElementType,
    key: Any,
) -> AbstractTensor:
    """Sums of products over a window; `weights`: the known kernel as (out channels, in channels of a group, …)."""
    least, most = dims.low(terms), dims.high(terms)
    infinite = not (x.low > -np.inf and x.high < np.inf and w.low > -np.inf and w.high < np.inf)
    starts: Any = None
    lo: Array
    hi: Array
    if weights is not None and not infinite:
        positive, negative = ctx.run.cached(
            ("convolution", w.key, key), lambda: signed_sums(weights.reshape(*weights.shape[:2], -1), (0,), 2)
        )
        positive, negative = positive[..., 0], negative[..., 0]  # (out, in of a group)
        out, inside = positive.shape
        if x.starts is not None and len(x.starts[channel_axis]) > 1 and inside * group > 0:
            others = tuple(i for i in range(x.lo.ndim) if i != channel_axis)
            index = np.searchsorted(x.starts[channel_axis], np.arange(inside * group), side="right") - 1
            xl, xh = x.lo.min(axis=others)[index], x.hi.max(axis=others)[index]
            if padded:
                xl, xh = np.minimum(xl, 0.0), np.maximum(xh, 0.0)
            rows = np.arange(out) // max(out // group, 1)
            columns = rows[:, None] * inside + np.arange(inside)[None, :]
            xl, xh = xl[columns], xh[columns]
            lo, hi = (positive * xl + negative * xh).sum(1), (positive * xh + negative * xl).sum(1)
        else:
            low, high = x.low, x.high
            if padded:
                low, high = min(low, 0.0), max(high, 0.0)
            p, n = positive.sum(1), negative.sum(1)
            lo, hi = p * low + n * high, p * high + n * low
        if out <= ctx.block_limit and shape is not None and out > 1:
            starts = tuple(tuple(range(out)) if i == channel_axis else (0,) for i in range(len(shape)))
            form = tuple(out if i == channel_axis else 1 for i in range(len(shape)))
            lo, hi = lo.reshape(form), hi.reshape(form)
        else:
            lo, hi = np.float64(lo.min(initial=np.inf)), np.float64(hi.max(initial=-np.inf))
        magnitude = np.maximum(np.abs(lo), np.abs(hi))
        weight = float((positive - negative).sum(1).max(initial=0.0))
        magnitude = np.maximum(magnitude, weight * max(abs(x.low), abs(x.high)))
    else:
        low, high = _term(smashed(x), smashed(w))
        if padded:
            low, high = min(low, 0.0), max(high, 0.0)
        lo = np.float64(np.nan_to_num(low * (least if low >= 0 else most), neginf=-np.inf))
        hi = np.float64(np.nan_to_num(high * (most if high >= 0 else least), posinf=np.inf))
        magnitude = np.maximum(np.abs(lo), np.abs(hi))
    if dtype.is_float:
        unit = dtype.eps if dtype.name == "float64" else 2.0**-23
        # Winograd and FFT algorithms lose a few more bits than direct sums
        slack = np.nan_to_num(magnitude * (rounding_terms(most) + 32) * unit, posinf=0.0) + dtype.tiny * 2.0**-7
        lo, hi = dtype.nearest(lo - slack), dtype.nearest(hi + slack)
    low_, high_ = (lo, hi) if np.ndim(lo) == 0 else (lo.min(), hi.max())
    tight = _tight_sum(x, w)
    if low_ < dtype.lo or high_ > dtype.hi:
        lo, hi = ctx.finite(lo, hi, dtype, not infinite, tight is not None and not padded and weights is not None)
    result = AbstractTensor(dtype, shape, lo, hi, starts, bool(x.nan or w.nan or infinite))
    result.tight = tight if not padded else None
    return result


@transfer("Conv")
def conv(ctx: Context, x: AbstractTensor, w: AbstractTensor, bias: Any = None) -> AbstractTensor:
    result = onnx_convolution(ctx, x, w, x.dtype)
    return _with_bias(ctx, result, bias, 1)


def onnx_convolution(ctx: Context, x: AbstractTensor, w: AbstractTensor, dtype: ElementType) -> AbstractTensor:
    """A convolution in ONNX's layout without bias."""
    group = int(ctx.attr("group", 1))
    if w.shape is None:
        return convolution(ctx, x, 1, w, None, dims.unknown(1), group, True, None, None, dtype, None)
    kernel = [d if isinstance(d, int) else 1 for d in w.shape[2:]]
    n = len(kernel)
    pads = list(ctx.attr("pads") or [0] * 2 * n)
    auto = str(ctx.attr("auto_pad", "NOTSET"))
    shape: Shape | None = None
    if x.shape is not None:
        spatial = spatial_sizes(
            x.shape[2:],
            kernel,
            list(ctx.attr("strides") or [1] * n),
            list(ctx.attr("dilations") or [1] * n),
            pads,
            auto,
        )
        shape = (x.shape[0], w.shape[0], *spatial)
    padded = any(pads) or auto.startswith("SAME")
    weights = None if w.data is None else np.asarray(w.data)
    return convolution(
        ctx, x, 1, w, weights, dims.product(w.shape[1:]), group, padded, shape, w.shape[0], dtype, "onnx"
    )


def _with_bias(ctx: Context, result: AbstractTensor, bias: Any, axis: int) -> AbstractTensor:
    if bias is None:
        return result
    tight = result.tight
    total = linear(ctx, result, channelwise(bias, result.rank, axis), 1.0)
    total.form = None
    if total.tight is None and bias.low == bias.high:
        total.tight = tight
    return total


def channelwise(vector: AbstractTensor, rank: int | None, axis: int) -> AbstractTensor:
    """A vector over channels, shaped so that it broadcasts along `axis` of a tensor of that rank."""
    if rank is None or vector.shape is None or len(vector.shape) != 1:
        flat = smashed(vector)
        return AbstractTensor(vector.dtype, (), flat.lo, flat.hi, None, vector.nan)
    trailing = rank - 1 - (axis % rank)
    result = AbstractTensor(
        vector.dtype, (*vector.shape, *(1,) * trailing), vector.lo, vector.hi, None, vector.nan, tight=vector.tight
    )
    if vector.starts is not None:
        form = (len(vector.starts[0]),) + (1,) * trailing
        result.lo, result.hi = vector.lo.reshape(form), vector.hi.reshape(form)
        result.starts = (vector.starts[0], *((0,),) * trailing)
    return result


@transfer("ConvTranspose")
def conv_transpose(ctx: Context, x: AbstractTensor, w: AbstractTensor, bias: Any = None) -> AbstractTensor:
    """Each output adds up some of the kernel's entries: between the sums of its negative and positive terms."""
    group = int(ctx.attr("group", 1))
    shape: Shape | None = None
    terms: Dim = dims.unknown(1)
    weights = None
    if w.shape is not None:
        kernel = [d if isinstance(d, int) else 1 for d in w.shape[2:]]
        n = len(kernel)
        terms = dims.product((*(dims.affine(w.shape[0], 0, group),), *w.shape[2:]))
        if x.shape is not None:
            shape = (x.shape[0], dims.multiply(w.shape[1], group), *_transposed_sizes(ctx, x.shape[2:], kernel, n))
        if w.data is not None and group == 1:
            weights = np.swapaxes(np.asarray(w.data), 0, 1)
    declared = ctx.declared_shape()
    result = convolution(ctx, x, 1, w, weights, terms, group, True, shape or declared, None, x.dtype, "transposed")
    return _with_bias(ctx, result, bias, 1)


def _transposed_sizes(ctx: Context, sizes: Shape, kernel: list[int], n: int) -> Shape:
    stated = ctx.attr("output_shape")
    if stated:
        return tuple(int(d) for d in list(stated)[-n:])
    strides, dilations = list(ctx.attr("strides") or [1] * n), list(ctx.attr("dilations") or [1] * n)
    extra, pads = list(ctx.attr("output_padding") or [0] * n), list(ctx.attr("pads") or [0] * 2 * n)
    auto = str(ctx.attr("auto_pad", "NOTSET"))
    result: list[Dim] = []
    for i, size in enumerate(sizes):
        extent = (kernel[i] - 1) * dilations[i] + 1
        if auto.startswith("SAME"):
            result.append(dims.multiply(size, strides[i]))
            continue
        plus = extra[i] + extent - (0 if auto == "VALID" else pads[i] + pads[n + i]) - strides[i]
        if isinstance(size, int):
            result.append(size * strides[i] + plus)
        elif plus >= 0:
            result.append(dims.add(dims.multiply(size, strides[i]), plus))
        else:
            result.append(dims.affine(dims.multiply(size, strides[i]), plus, 1))
    return tuple(result)


def _tf_layout(ctx: Context, rank: int) -> tuple[int, list[int]]:
    """The channel axis and the spatial axes of a TensorFlow convolution."""
    text = str(ctx.attr("data_format", "NHWC"))
    if text.startswith("NC"):
        return 1, list(range(2, rank))
    return rank - 1, list(range(1, rank - 1))


def tf_spatial(ctx: Context, shape: Shape, axes: list[int], kernel: list[int]) -> Shape:
    strides = [int(s) for s in ctx.attr("strides") or [1] * len(shape)]
    dilations = [int(s) for s in ctx.attr("dilations") or [1] * len(shape)]
    n = len(axes)
    explicit = list(ctx.attr("explicit_paddings") or [])
    pads = [0] * (2 * n)
    if explicit:
        for i, axis in enumerate(axes):
            pads[i], pads[n + i] = int(explicit[2 * axis]), int(explicit[2 * axis + 1])
    auto = {"SAME": "SAME", "VALID": "VALID"}.get(_text(ctx.attr("padding", "VALID")), "NOTSET")
    return spatial_sizes(
        tuple(shape[a] for a in axes), kernel, [strides[a] for a in axes], [dilations[a] for a in axes], pads, auto
    )


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


@transfer(tf=("Conv2D", "Conv3D", "DepthwiseConv2dNative"))
def tf_conv(ctx: Context, x: AbstractTensor, w: AbstractTensor) -> AbstractTensor:
    depthwise = ctx.op == "DepthwiseConv2dNative"
    rank = 5 if ctx.op == "Conv3D" else 4
    axis, spatial = _tf_layout(ctx, rank)
    padded = _text(ctx.attr("padding", "VALID")) != "VALID"
    if w.shape is None or len(w.shape) != rank:
        result = convolution(ctx, smashed(x), axis, w, None, dims.unknown(1), 1, True, None, None, x.dtype, None)
        result.shape = ctx.declared_shape()
        return result
    kernel = [d if isinstance(d, int) else 1 for d in w.shape[:-2]]
    group = 1
    if depthwise:
        out = dims.multiply(w.shape[-2], w.shape[-1])
        terms = dims.product(w.shape[:-2])
    else:
        out = w.shape[-1]
        terms = dims.product(w.shape[:-1])
        if x.shape is not None and isinstance(x.shape[axis], int) and isinstance(w.shape[-2], int) and w.shape[-2]:
            group = max(x.shape[axis] // w.shape[-2], 1)  # type: ignore[operator]
    weights = None
    if w.data is not None:
        data = np.asarray(w.data)
        if depthwise:
            weights = np.moveaxis(data.reshape(*data.shape[:-2], 1, -1), (-1, -2), (0, 1))
            group = data.shape[-2]
        else:
            weights = np.moveaxis(data, (-1, -2), (0, 1))
    shape: Shape | None = None
    if x.shape is not None and len(x.shape) == rank:
        sizes = list(x.shape)
        for a, size in zip(spatial, tf_spatial(ctx, x.shape, spatial, kernel), strict=True):
            sizes[a] = size
        sizes[axis] = out
        shape = tuple(sizes)
    else:
        full: list[Dim] = [dims.unknown(1) for _ in range(rank)]
        full[axis] = out
        shape = tuple(full)
        x = smashed(x)
    return convolution(ctx, x, axis, w, weights, terms, group, padded, shape, out, x.dtype, "tensorflow")


@transfer(tf=("Conv2DBackpropInput", "Conv3DBackpropInputV2", "DepthwiseConv2dNativeBackpropInput"))
def tf_conv_transpose(ctx: Context, sizes: AbstractTensor, w: AbstractTensor, grad: AbstractTensor) -> AbstractTensor:
    """The transposed convolution; also the gradient of a convolution with respect to its input."""
    terms: Dim = dims.unknown(1)
    if w.shape is not None and len(w.shape) >= 3:
        terms = dims.product((*w.shape[:-2], w.shape[-1]))
    known = sizes.sizes()
    shape = ctx.declared_shape()
    if known is not None:
        shape = tuple(d if not isinstance(d, int) or d >= 0 else dims.unknown(0) for d in known)
    weights = None
    if w.data is not None and ctx.op.startswith("Conv"):
        weights = np.moveaxis(np.asarray(w.data), (-2, -1), (0, 1))
    axis = _tf_layout(ctx, len(shape))[0] if shape else 3
    return convolution(ctx, smashed(grad), axis, w, weights, terms, 1, True, shape, None, grad.dtype, "backprop")


@transfer(tf=("Conv2DBackpropFilter", "DepthwiseConv2dNativeBackpropFilter", "Conv3DBackpropFilterV2"))
def tf_conv_filter_gradient(
    ctx: Context, x: AbstractTensor, sizes: AbstractTensor, grad: AbstractTensor
) -> AbstractTensor:
    """Sums over batch and positions."""
    known = sizes.sizes()
    n = count(grad.shape[:-1])[1] if grad.shape else np.inf
    terms = dims.bounded("positions", 1, n) if math.isfinite(n) else dims.unknown(1)
    shape = tuple(known) if known is not None else ctx.declared_shape()
    return convolution(ctx, smashed(x), 3, smashed(grad), None, terms, 1, True, shape, None, x.dtype, None)


@transfer("DeformConv")
def deform_conv(
    ctx: Context, x: AbstractTensor, w: AbstractTensor, offset: Any = None, bias: Any = None, mask: Any = None
) -> AbstractTensor:
    """Bilinear samples (0 outside) times weights, modulated by the mask."""
    low, high = min(x.low, 0.0), max(x.high, 0.0)
    sample = interval_tensor(x.dtype, x.shape, low, high)
    if mask is not None:
        sample = product(ctx, sample, _anonymous(smashed(mask)))
        sample.shape = x.shape
    result = onnx_convolution(ctx, sample, w, x.dtype)
    slack = 64 * x.dtype.eps * max(abs(result.low), abs(result.high))
    result.lo, result.hi = np.minimum(result.lo, 0.0) - slack, np.maximum(result.hi, 0.0) + slack
    return _with_bias(ctx, result, bias, 1)
