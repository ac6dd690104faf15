"""Reductions over axes, weighted by the sizes of blocks."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dims, dtypes
from analyzer.numerical.domain.dtypes import Array
from analyzer.numerical.domain.tensor import AbstractTensor, count
from analyzer.numerical.excuses import guarded
from analyzer.numerical.reduced_axes import UNKNOWN, reduction_axes
from analyzer.numerical.transfer.attained import attained_by
from analyzer.numerical.transfer.counted import total
from analyzer.numerical.transfer.directions import square_sum_bounds
from analyzer.numerical.transfer.distributions import sum_of_products
from analyzer.numerical.transfer.elementwise import log
from analyzer.numerical.transfer.facts import are_axes, reduction_fact
from analyzer.numerical.transfer.finite_rows import finite_along, least_shown
from analyzer.numerical.transfer.kinds import like
from analyzer.numerical.transfer.masked_assignment import holds_everything, selects_something
from analyzer.numerical.transfer.peaks import least_sum, of_sum
from analyzer.numerical.transfer.reduced_blocks import (
    all_axes,
    block_counts,
    over_blocks,
    reduced_shape,
    reduced_starts,
    times,
)
from analyzer.numerical.transfer.registry import transfer
from analyzer.numerical.transfer.replaced_rows import sums_are_not_zero
from analyzer.numerical.transfer.rounding import accumulation_unit, rounding_terms
from analyzer.numerical.transfer.solving import least_form
from analyzer.numerical.transfer.unit_rows import bound_of_products, factors
from analyzer.numerical.transfer.whole import holds_whole


def summed(ctx: Context, x: AbstractTensor, axes: Any, kept: bool, *, mean: bool = False) -> AbstractTensor:
    """The sum (or mean) over axes."""
    if axes == ():
        return like(x, x.lo, x.hi)
    exact = None if mean else total(x, all_axes(x, axes), kept)
    if exact is not None:
        exact.facts = reduction_fact("sum", x, all_axes(x, axes), kept)
        return exact
    dtype = x.dtype
    shape, starts = reduced_shape(x.shape, axes, kept), reduced_starts(x, axes, kept)
    least, most = block_counts(x, axes)
    nan = x.nan or (x.low == -np.inf and x.high == np.inf)
    total_most = float(over_blocks(x, most, axes, kept, np.sum).max()) if x.starts is not None else float(most)
    if mean:
        if x.starts is None:
            lo, hi = x.lo, x.hi
        else:
            lo, hi = _mean_of_blocks(x, axes, kept, least, most)
    else:
        low_terms = np.where(x.lo >= 0, times(x.lo, least), times(x.lo, most))
        high_terms = np.where(x.hi >= 0, times(x.hi, most), times(x.hi, least))
        lo, hi = over_blocks(x, low_terms, axes, kept, np.sum), over_blocks(x, high_terms, axes, kept, np.sum)
        if x.starts is not None and dtype.is_float:
            lo, hi, nan = _with_partial_sums(x, lo, hi, most, axes, kept, nan)
    if dtype.is_float:
        slack = 0.0 if not mean and _adds_exactly(x, total_most) else rounding_terms(total_most)
        slack *= accumulation_unit(dtype) / 2
        if total_most > 1:
            if mean or x.low >= 0 or x.high <= 0:
                magnitude_lo, magnitude_hi = np.abs(lo), np.abs(hi)
                if mean and x.low < 0 < x.high:
                    magnitude_lo = magnitude_hi = np.maximum(np.abs(lo), np.abs(hi))
                    if x.starts is not None:
                        magnitude_lo = magnitude_hi = np.full_like(lo, max(abs(x.low), abs(x.high)))[()]
            else:
                both = over_blocks(x, times(np.maximum(np.abs(x.lo), np.abs(x.hi)), most), axes, kept, np.sum)
                magnitude_lo = magnitude_hi = both
            with np.errstate(all="ignore"):
                lo, hi = (
                    lo - np.nan_to_num(magnitude_lo * slack, nan=0.0, posinf=np.inf),
                    hi + np.nan_to_num(magnitude_hi * slack, nan=0.0, posinf=np.inf),
                )
        lo, hi = dtype.nearest(lo), dtype.nearest(hi)
        if x.low >= 0:
            lo = np.maximum(lo, 0.0)
        if x.high <= 0:
            hi = np.minimum(hi, 0.0)
        largest = max(abs(x.low), abs(x.high))
        if (
            mean and largest * total_most > dtype.hi and math.isfinite(largest)
        ):  # the sum overflows before it is divided
            ctx.overflow(x.interval(), dtype, False)
    bound = np.inf if mean else bound_of_products(x, axes)
    lo, hi = np.maximum(lo, -bound), np.minimum(hi, bound)
    if not mean:
        entropy = sum_of_products(ctx.run, x, axes)
        lo, hi = np.maximum(lo, max(entropy[0], least_form(x, axes))), np.minimum(hi, entropy[1])
    infinite = x.low == -np.inf or x.high == np.inf
    known = x.facts.get("max")
    facts: dict[str, Any] = {}
    if not mean and known is not None and x.low >= 0 and all_axes(x, axes) == tuple(known[1]):
        lo = np.maximum(lo, known[0])
    if "peaks" in x.facts:
        lo = np.maximum(lo, least_sum(x, all_axes(x, axes), mean))
    if not mean:
        absolutes = x.origin is not None and x.origin.rule.name == "Abs"
        kind, source = ("sum of absolutes", x.origin.inputs[0]) if absolutes else ("sum", x)
        first, second = factors(x)
        if first is not None and second is not None and first.key == second.key:
            kind, source = "sum of squares", first
            squares = square_sum_bounds(first, all_axes(x, axes))
            lo, hi = np.maximum(lo, squares[0]), np.minimum(hi, squares[1])
        facts = reduction_fact(kind, source, all_axes(x, axes), kept)
    elif axes is not UNKNOWN:
        facts = reduction_fact("mean", x, all_axes(x, axes), kept)
    low_, high_ = (lo, hi) if np.ndim(lo) == 0 else (lo.min(initial=np.inf), hi.max(initial=-np.inf))
    if low_ < dtype.lo or high_ > dtype.hi:
        tight = x.tight is not None and 0 not in x.tight and math.isfinite(total_most)
        lo, hi = ctx.finite(lo, hi, dtype, not infinite, tight)
    if "peaks" in x.facts:
        facts = {**facts, **of_sum(x, all_axes(x, axes), kept, mean)}
    result = AbstractTensor(dtype, shape, lo, hi, starts, nan, facts=facts)
    if x.tight is not None and 0 not in x.tight and axes is not UNKNOWN:
        result.tight = x.tight | {0}
    return result


def _adds_exactly(x: AbstractTensor, most: float) -> bool:
    """Whether sums of `most` elements are whole numbers that the type holds, in whatever order they are added up."""
    return max(abs(x.low), abs(x.high)) * most <= 1 / float(x.dtype.eps) and holds_whole(x)


def _with_partial_sums(
    x: AbstractTensor, lo: Array, hi: Array, most: Array, axes: Any, kept: bool, nan: bool
) -> tuple[Array, Array, bool]:
    """Bounds that hold where kernels add numbers of one sign first and pass the largest number on the way."""
    above = over_blocks(x, times(np.maximum(x.hi, 0.0), most), axes, kept, np.sum)
    below = over_blocks(x, times(np.minimum(x.lo, 0.0), most), axes, kept, np.sum)
    largest = max(float(x.dtype.hi), float(dtypes.FLOAT32.hi))  # narrower types are added in float32
    over: Any = above > largest
    under: Any = below < -largest
    least: Array = np.where(under, np.minimum(lo, below), lo)
    greatest: Array = np.where(over, np.maximum(hi, above), hi)
    return least[()], greatest[()], nan or bool((over & under).any())


def _mean_of_blocks(x: AbstractTensor, axes: Any, kept: bool, least: Array, most: Array) -> tuple[Array, Array]:
    """Means weighted by block sizes where they are known, else the hull."""
    if np.array_equal(least, most) and np.all(np.isfinite(most)):
        total = over_blocks(x, least, axes, kept, np.sum)
        if np.all(total > 0):
            weight_lo = over_blocks(x, x.lo * least, axes, kept, np.sum) / total
            weight_hi = over_blocks(x, x.hi * least, axes, kept, np.sum) / total
            if np.all(np.isfinite(weight_lo)) and np.all(np.isfinite(weight_hi)):
                return weight_lo, weight_hi
    return over_blocks(x, x.lo, axes, kept, np.min), over_blocks(x, x.hi, axes, kept, np.max)


@transfer("ReduceSum")
def reduce_sum(ctx: Context, x: AbstractTensor, axes: Any = None) -> AbstractTensor:
    which, kept = reduction_axes(ctx, x, axes)
    result = summed(ctx, x, which, kept)
    if result.low == 0 and sums_are_not_zero(ctx.run, x, all_axes(x, which)):
        result.facts = {**result.facts, "nonzero": True}
    return result


@transfer("ReduceMean")
def reduce_mean(ctx: Context, x: AbstractTensor, axes: Any = None) -> AbstractTensor:
    """The mean; of no elements it is 0 / 0."""
    which, kept = reduction_axes(ctx, x, axes)
    if which == ():
        return like(x, x.lo, x.hi)
    if _selects_nothing(ctx, x, which):
        ctx.check("numerical/empty-mean", "no elements", {0: x}, lambda _: holds_everything(x) or selects_something(x))
    return summed(ctx, x, which, kept, mean=True)


def _may_be_empty(ctx: Context, size: dims.Dim) -> bool:
    """Whether a size is 0 in some run: by what a tensor holds, or because a declared symbol may be 0."""
    if size == 0 or dims.depends_on_data(size):
        return True
    declared = [name for name, (least, _) in ctx.options.symbols.items() if least == 0]
    return dims.low(size) == 0 and any(re.search(rf"(?<!\w){re.escape(n)}(?!\w)", dims.name(size)) for n in declared)


def _selects_nothing(ctx: Context, x: AbstractTensor, axes: Any) -> bool:
    """Whether some run reduces no elements: by what was selected, or because a declared symbol may be 0."""
    if x.shape is None or axes is UNKNOWN:
        return False
    sizes = x.shape if axes is None else tuple(x.shape[a] for a in axes)
    return any(_may_be_empty(ctx, d) for d in sizes)


def _extreme(ctx: Context, x: AbstractTensor, axes: Any, kept: bool, kind: str) -> AbstractTensor:
    shape, starts = reduced_shape(x.shape, axes, kept), reduced_starts(x, axes, kept)
    nan = x.nan
    # an axis of unknown size is taken to hold something, unless what it holds was selected by the data
    least, most = block_counts(x, axes)
    if x.starts is None:
        lo, hi = x.lo, x.hi
    elif nan:  # kernels pass over what is NaN, or give NaN
        lo, hi = over_blocks(x, x.lo, axes, kept, np.min), over_blocks(x, x.hi, axes, kept, np.max)
    elif kind == "max":
        lo = over_blocks(x, np.where(least >= 1, x.lo, -np.inf), axes, kept, np.max)
        hi = over_blocks(x, x.hi, axes, kept, np.max)
        lo = np.maximum(lo, over_blocks(x, x.lo, axes, kept, np.min))
    else:
        lo = over_blocks(x, x.lo, axes, kept, np.min)
        hi = over_blocks(x, np.where(least >= 1, x.hi, np.inf), axes, kept, np.min)
        hi = np.minimum(hi, over_blocks(x, x.hi, axes, kept, np.max))
    if np.max(most) == 0:
        extreme = -np.inf if kind == "max" else np.inf
        if x.dtype.kind != dtypes.FLOAT:
            extreme = x.dtype.lo if kind == "max" else x.dtype.hi
        lo = hi = np.full_like(lo, extreme)[()]
    if np.max(most) > 0 and _selects_nothing(ctx, x, axes):
        if kind == "max":
            lo = np.full_like(lo, -np.inf if x.dtype.is_float else x.dtype.lo)[()]
        else:
            hi = np.full_like(hi, np.inf if x.dtype.is_float else x.dtype.hi)[()]
    one_axis = kind == "max" and axes not in (None, UNKNOWN) and len(axes) == 1 and x.rank is not None
    if one_axis and not nan and x.low == -np.inf and finite_along(x, axes[0] - (x.rank or 0)):
        lo = np.maximum(lo, max(x.dtype.lo, least_shown(x, axes[0] - (x.rank or 0))))
    known = _element_among(x, all_axes(x, axes)) if not nan else None
    if known is not None:
        lo, hi = (np.maximum(lo, known[0]), hi) if kind == "max" else (lo, np.minimum(hi, known[1]))
    result = AbstractTensor(x.dtype, shape, lo, hi, starts, nan)
    source, name = x, kind
    if x.origin is not None and x.origin.rule.name == "Abs":
        source, name = x.origin.inputs[0], f"{kind} of absolutes"
    result.facts = reduction_fact(name, source, all_axes(x, axes), kept)
    result.tight = x.tight
    return result


def _element_among(x: AbstractTensor, axes: Any) -> tuple[float, float] | None:
    """The least that the greatest element along `axes` is, and the most that the smallest is, by one that is there."""
    if not are_axes(axes) or count(x.shape, axes)[0] < 1:
        return None
    found = [(least, most) for least, most, own in attained_by(x) if set(own) <= set(axes)]
    return (max(least for least, _ in found), min(most for _, most in found)) if found else None


def _check_shown(ctx: Context, x: AbstractTensor, axes: Any, kind: str) -> None:
    """Flags a maximum of -inf alone, a minimum of +inf alone: of what a mask has hidden whole."""
    one = axes not in (None, UNKNOWN) and len(axes) == 1 and x.rank is not None
    if kind == "min":
        known = _element_among(x, all_axes(x, axes))
        hidden, sign = x.high == np.inf and (known is None or known[1] == np.inf), "+"
    else:
        hidden, sign = x.low == -np.inf and not (one and finite_along(x, axes[0] - (x.rank or 0))), "-"
    if not hidden or x.nan or not x.dtype.is_float:
        return

    def shown(tensor: AbstractTensor) -> bool:
        return tensor.high < np.inf if kind == "min" else tensor.low > -np.inf

    ctx.check(
        "numerical/extremum-of-infinity",
        f"every element of a row is {sign}inf",
        {0: x},
        shown,
        guard=guarded(ctx.run, (x,), shown),
        leaks=False,
    )


@transfer("ReduceMax")
def reduce_max(ctx: Context, x: AbstractTensor, axes: Any = None) -> AbstractTensor:
    which, kept = reduction_axes(ctx, x, axes)
    if which == ():
        return like(x, x.lo, x.hi)
    _check_shown(ctx, x, which, "max")
    return _extreme(ctx, x, which, kept, "max")


@transfer("ReduceMin")
def reduce_min(ctx: Context, x: AbstractTensor, axes: Any = None) -> AbstractTensor:
    which, kept = reduction_axes(ctx, x, axes)
    if which == ():
        return like(x, x.lo, x.hi)
    _check_shown(ctx, x, which, "min")
    return _extreme(ctx, x, which, kept, "min")


@transfer("Median", "Mode", "KthValue")
def chosen(ctx: Context, x: AbstractTensor) -> Any:
    """One of the elements along an axis, or of all, and its place: PyTorch's median is the lower of the two middle."""
    whole = ctx.attr("dim") is None and ctx.rule.name == "Median"  # the others take the last axis then
    axis = None if whole else int(ctx.attr("dim", -1)) % max(x.rank or 1, 1)
    axes = UNKNOWN if x.rank is None else None if axis is None else (axis,)
    kept = bool(ctx.attr("keepdim", 0))
    lo = over_blocks(x, x.lo, axes, kept, np.min)
    hi = over_blocks(x, x.hi, axes, kept, np.max)
    shape = ctx.declared_shape() if axes is UNKNOWN else reduced_shape(x.shape, axes, kept)
    nan = x.nan or _selects_nothing(ctx, x, axes)
    result = AbstractTensor(x.dtype, shape, lo, hi, reduced_starts(x, axes, kept), nan)
    result.facts = reduction_fact("chosen", x, all_axes(x, axes), kept)
    return result if len(ctx.node.outputs) == 1 else (result, places(ctx, x, axis, shape))


def places(ctx: Context, x: AbstractTensor, axis: int | None, shape: Any) -> AbstractTensor:
    """Indices of elements along `axis`, or of any of them."""
    size = count(x.shape)[1] if axis is None or not x.shape else dims.high(x.shape[axis % len(x.shape)])
    most = min(max(float(size) - 1, 0.0), dtypes.INT64.hi)
    return AbstractTensor(ctx.element_type(1, dtypes.INT64), shape, np.float64(0), np.float64(most))


@transfer("Histogram")
def histogram(ctx: Context, x: AbstractTensor, *_: Any) -> AbstractTensor:
    """How many elements lie in each part of a range."""
    dtype = ctx.element_type(0, x.dtype)
    most = min(count(x.shape)[1], dtype.hi)
    return AbstractTensor(dtype, ctx.declared_shape(), np.float64(0), np.float64(most))


@transfer("Any", "All")
def reduce_boolean(ctx: Context, x: AbstractTensor, axes: Any = None) -> AbstractTensor:
    which, kept = reduction_axes(ctx, x, axes)
    shape = reduced_shape(x.shape, which, kept)
    fixed = x.low == x.high and x.shape is not None and count(x.shape)[0] > 0
    lo, hi = (x.low, x.high) if fixed else (0.0, 1.0)
    return AbstractTensor(dtypes.BOOL, shape, np.float64(lo), np.float64(hi))


@transfer("ReduceProd")
def reduce_prod(ctx: Context, x: AbstractTensor, axes: Any = None) -> AbstractTensor:
    """Products by magnitude and sign of each block; of sizes, the size they make together."""
    which, kept = reduction_axes(ctx, x, axes)
    if which == ():
        return like(x, x.lo, x.hi)
    shape = reduced_shape(x.shape, which, kept)
    sizes = x.sizes() if x.dtype.kind == dtypes.INTEGER and x.rank is not None and x.rank <= 1 else None
    if sizes is not None and which is not UNKNOWN and all(not isinstance(d, int) or d >= 0 for d in sizes):
        size = dims.product(sizes)
        largest = min(float(dims.high(size)), x.dtype.hi)
        return AbstractTensor(x.dtype, shape, np.float64(dims.low(size)), np.float64(largest), dims=(size,))
    least, most = block_counts(x, which)
    magnitude = np.maximum(np.abs(x.lo), np.abs(x.hi))
    straddles = (x.lo <= 0) & (x.hi >= 0)
    smallest = np.where(straddles, 0.0, np.minimum(np.abs(x.lo), np.abs(x.hi)))
    with np.errstate(all="ignore"):
        big = np.where(magnitude >= 1, np.power(magnitude, most), np.power(magnitude, least))
        small = np.where(smallest >= 1, np.power(smallest, least), np.power(smallest, most))
        hi = over_blocks(x, np.nan_to_num(big, nan=1.0, posinf=np.inf), which, kept, np.prod)
        lo = over_blocks(x, np.nan_to_num(small, nan=0.0, posinf=np.inf), which, kept, np.prod)
    hi = np.where(np.isnan(hi), np.inf, hi)[()]
    lo = np.where(np.isnan(lo), 0.0, lo)[()]
    if x.low < 0:
        fixed_sign = x.high < 0 and bool(np.all(least == most))
        total = over_blocks(x, most, which, kept, np.sum) if fixed_sign else 0
        if fixed_sign and np.all(total % 2 == 1):
            lo, hi = -hi, -lo
        elif not (fixed_sign and np.all(total % 2 == 0)):
            lo = -hi
    n = float(np.max(over_blocks(x, most, which, kept, np.sum)))
    lo, hi = x.dtype.flush(*x.dtype.outward(lo, hi, min(n, 1e4))) if x.dtype.is_float else (lo, hi)
    if x.low >= 0:
        lo = np.maximum(lo, 0.0)
    lo, hi = ctx.finite(lo, hi, x.dtype, x.low > -np.inf and x.high < np.inf)
    starts = reduced_starts(x, which, kept)
    nan = x.nan or x.low == -np.inf or x.high == np.inf
    result = AbstractTensor(x.dtype, shape, lo, hi, starts, bool(nan))
    result.facts = reduction_fact("product", x, all_axes(x, which), kept)
    return result


@transfer("ReduceLogSum")
def reduce_log_sum(ctx: Context, x: AbstractTensor, axes: Any = None) -> AbstractTensor:
    which, kept = reduction_axes(ctx, x, axes)
    result: AbstractTensor = log(ctx, summed(ctx, x, which, kept))
    return result


@transfer("ReduceLogSumExp")
def reduce_log_sum_exp(ctx: Context, x: AbstractTensor, axes: Any = None) -> AbstractTensor:
    """log(sum(exp(x))) as kernels compute it, with the maximum subtracted: at most max + ln n, at least max."""
    which, kept = reduction_axes(ctx, x, axes)
    if which != ():
        _check_shown(ctx, x, which, "max")
    largest = _extreme(ctx, x, which, kept, "max") if which != () else like(x, x.lo, x.hi)
    _, most = block_counts(x, which)
    n = float(over_blocks(x, most, which, False, np.sum).max()) if x.starts is not None else float(most)
    growth = math.log(min(max(n, 1.0), 2.0**40)) if which != () else 0.0
    # eight units of the result, and eight of 1: the sum of exponentials, at least 1, and its logarithm are rounded
    lo, hi = x.dtype.outward(largest.lo, largest.hi + growth, 8)
    lo, hi = lo - 1e-6 * 8, hi + 1e-6 * 8 if x.dtype.eps < 1e-5 else hi + x.dtype.eps * 8
    if x.dtype.eps >= 1e-5:
        lo = lo - x.dtype.eps * 8
    row = which[0] - x.rank if which not in (None, UNKNOWN, ()) and len(which) == 1 and x.rank is not None else None
    shown = row is not None and finite_along(x, row)
    nan = x.nan or x.high == np.inf or (x.low == -np.inf and not shown)
    empty = which != () and _selects_nothing(ctx, x, which)
    finite = x.low > -np.inf and x.high < np.inf and not empty
    lo, hi = ctx.finite(x.dtype.nearest(lo), x.dtype.nearest(hi), x.dtype, finite)
    facts = reduction_fact("logsumexp", x, all_axes(x, which), kept)
    return AbstractTensor(x.dtype, largest.shape, lo, hi, largest.starts, bool(nan), facts=facts)
