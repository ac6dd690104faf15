"""Running sums and products, places of extremes, sums by segment."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dims, dtypes
from analyzer.numerical.domain.tensor import AbstractTensor, count, rebuilt_axis, smashed
from analyzer.numerical.reduced_axes import UNKNOWN
from analyzer.numerical.transfer.reduced_blocks import block_counts, reduced_shape, times
from analyzer.numerical.transfer.reductions import places
from analyzer.numerical.transfer.registry import transfer
from analyzer.numerical.transfer.rounding import rounding_terms


@transfer("CumSum")
def cumsum(ctx: Context, x: AbstractTensor, axis: Any = None) -> AbstractTensor:
    """Between the least and the greatest partial sum: of 0 or 1 up to n elements."""
    where = axis.integers() if axis is not None else None
    _, most = block_counts(_flat(x), (where[0] % x.rank,) if where and x.rank else UNKNOWN)
    n = float(most)
    first_lo, first_hi = x.low, x.high
    if ctx.attr("exclusive", 0):
        first_lo, first_hi = min(first_lo, 0.0), max(first_hi, 0.0)
    lo = min(first_lo, float(times(np.float64(x.low), np.float64(n))))
    hi = max(first_hi, float(times(np.float64(x.high), np.float64(n))))
    slack = rounding_terms(n) * x.dtype.eps
    if x.dtype.is_float:
        magnitude = max(abs(lo), abs(hi)) if math.isfinite(max(abs(lo), abs(hi))) else 0.0
        lo, hi = (lo - magnitude * slack if x.low < 0 else lo), (hi + magnitude * slack if x.high > 0 else hi)
    a, b = ctx.finite(
        np.float64(x.dtype.nearest(np.float64(lo))),
        np.float64(x.dtype.nearest(np.float64(hi))),
        x.dtype,
        x.low > -np.inf and x.high < np.inf,
    )
    result = AbstractTensor(x.dtype, x.shape, a, b, None, x.nan or (x.low == -np.inf and x.high == np.inf))
    if where and x.rank and not ctx.attr("exclusive", 0) and not ctx.attr("reverse", 0):
        _first_alone(x, where[0] % x.rank, result)
    return result


def _first_alone(x: AbstractTensor, axis: int, result: AbstractTensor) -> None:
    """The first running sum is the first element: a part of its own, where that element is known more narrowly."""
    if x.starts is None or x.starts[axis][:2] != (0, 1):
        return
    first = rebuilt_axis(x, axis, 0, 1)
    low, high = float(np.min(first[1])), float(np.max(first[2]))
    form = tuple(2 if i == axis else 1 for i in range(len(x.starts)))
    lows, highs = np.array([low, float(result.lo)]), np.array([high, float(result.hi)])
    result.starts = tuple((0, 1) if i == axis else (0,) for i in range(len(x.starts)))
    result.lo, result.hi = lows.reshape(form), highs.reshape(form)


@transfer("LogCumSumExp")
def log_cumulative_sum_exp(ctx: Context, x: AbstractTensor, axis: Any = None) -> AbstractTensor:
    """At least the element itself, at most the largest and the logarithm of their number."""
    where = axis.integers() if axis is not None else [int(ctx.attr("dim", 0))]
    _, most = block_counts(_flat(x), (where[0] % x.rank,) if where and x.rank else UNKNOWN)
    lo = -math.inf if ctx.attr("exclusive", 0) else x.low  # of no elements: TensorFlow gives its lowest number
    hi = x.high + math.log(max(float(most), 1.0))
    slack = rounding_terms(float(most)) * x.dtype.eps * (1.0 + max(abs(lo), abs(hi)))
    if math.isfinite(slack):
        lo, hi = lo - slack, hi + slack
    a, b = ctx.finite(
        np.float64(x.dtype.nearest(np.float64(lo))),
        np.float64(x.dtype.nearest(np.float64(hi))),
        x.dtype,
        x.low > -np.inf and x.high < np.inf,
    )
    return AbstractTensor(x.dtype, x.shape, a, b, None, x.nan or x.high == np.inf)


def _flat(x: AbstractTensor) -> AbstractTensor:
    return smashed(x)


@transfer("CumProd")
def cumprod(ctx: Context, x: AbstractTensor, axis: Any = None) -> AbstractTensor:
    where = axis.integers() if axis is not None else None
    if where and x.rank and (products := _running_products(ctx, x, where[0] % x.rank)) is not None:
        return products
    _, most = block_counts(_flat(x), (where[0] % x.rank,) if where and x.rank else UNKNOWN)
    magnitude = max(abs(x.low), abs(x.high), 1.0)
    try:
        big = magnitude ** float(most) if math.isfinite(float(most)) or magnitude == 1 else math.inf
    except OverflowError:
        big = math.inf
    small = 0.0 if x.low >= 0 else -big
    if not x.dtype.is_float:
        pad = 0.0
    else:
        pad = big * x.dtype.eps * min(float(most), 1e4) if math.isfinite(big) else 0.0
    lo, hi = ctx.finite(
        np.float64(small - (pad if small < 0 else 0)),
        np.float64(big + pad),
        x.dtype,
        x.low > -np.inf and x.high < np.inf,
    )
    return AbstractTensor(x.dtype, x.shape, lo, hi, None, x.nan or x.may_be_infinite)  # inf * 0


def _running_products(ctx: Context, x: AbstractTensor, axis: int) -> AbstractTensor | None:
    """Of elements along the axis that are known one by one, none below 0: what is kept of a signal step by step."""
    plain = x.dtype.is_float and x.low >= 0 and not x.nan and x.high < np.inf
    if not plain or x.starts is None or x.shape is None or ctx.attr("exclusive", 0) or ctx.attr("reverse", 0):
        return None
    size = x.shape[axis]
    if not isinstance(size, int) or x.starts[axis] != tuple(range(size)):
        return None
    slack, tiny = 2 * size * float(x.dtype.eps), float(x.dtype.tiny)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        least, most = np.cumprod(x.lo, axis) * (1 - slack), np.cumprod(x.hi, axis) * (1 + slack)
    if not bool((most <= x.dtype.hi).all()) or bool(((most > 0) & (most < 2 * tiny)).any()):
        return None
    lost = np.minimum.accumulate(least, axis) < 2 * tiny  # too small to be normal: 0, and so is all that comes after
    return AbstractTensor(x.dtype, x.shape, np.where(lost, 0.0, least), most, x.starts)


@transfer("CumMax", "CumMin")
def running_extreme(ctx: Context, x: AbstractTensor) -> tuple[AbstractTensor, AbstractTensor]:
    """The extreme of the elements so far, and its place."""
    whole = smashed(x)
    result = AbstractTensor(x.dtype, x.shape, whole.lo, whole.hi, None, x.nan)
    result.facts = {"above": (x,)} if ctx.rule.name == "CumMax" else {"below": (x,)}
    return result, places(ctx, x, int(ctx.attr("dim", 0)), x.shape)


@transfer("ArgMax", "ArgMin")
def arg_extreme(ctx: Context, x: AbstractTensor, axis: Any = None) -> AbstractTensor:
    """Indices below the size of the axis."""
    if ctx.is_tf:
        where, kept = (axis.integers() if axis is not None else [0]), False
    else:
        where, kept = [int(ctx.attr("axis", 0))], bool(ctx.attr("keepdims", 1))
    dtype = ctx.type_attr("output_type") or dtypes.INT64
    if x.shape is None or where is None:
        return AbstractTensor(dtype, None, np.float64(0), np.float64(dtype.hi))
    which = (where[0] % max(len(x.shape), 1),)
    hi = max(dims.high(x.shape[which[0]]) - 1, 0) if x.shape else 0
    return AbstractTensor(dtype, reduced_shape(x.shape, which, kept), np.float64(0), np.float64(min(hi, dtype.hi)))


@transfer("SegmentSum", "SegmentExtreme")
def segment_reduction(ctx: Context, x: AbstractTensor, segments: Any = None, *_: Any) -> AbstractTensor:
    """Any number of rows may fall into a segment; empty ones hold 0 (or the dtype's extremes)."""
    n = count(x.shape, [0])[1] if x.shape else np.inf
    if ctx.op in ("SegmentMean", "SegmentMax"):
        lo, hi = min(x.low, 0.0), max(x.high, 0.0)
    elif "Max" in ctx.op:
        lo, hi = x.dtype.lo, max(x.high, x.dtype.lo)
    elif "Min" in ctx.op:
        lo, hi = min(x.low, x.dtype.hi), x.dtype.hi
    else:
        lo, hi = (
            float(times(np.float64(min(x.low, 0.0)), np.float64(n))),
            float(times(np.float64(max(x.high, 0.0)), np.float64(n))),
        )
    a, b = ctx.finite(np.float64(lo), np.float64(hi), x.dtype, x.low > -np.inf and x.high < np.inf)
    result = AbstractTensor(x.dtype, ctx.declared_shape(), a, b, None, x.nan)
    kind = "max" if "Max" in ctx.op else "min" if "Min" in ctx.op else "sum" if "Sum" in ctx.op and x.low >= 0 else ""
    by_row = isinstance(segments, AbstractTensor) and segments.rank == 1 and not ctx.op.startswith("Sparse")
    if kind and by_row and x.rank and not x.nan:
        result.facts = {"segments": (kind, x, segments, 0)}
    return result
