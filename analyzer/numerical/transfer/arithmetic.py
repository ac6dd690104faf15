"""Sums, differences and products, element by element, with broadcasting."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import affine, dims, dtypes
from analyzer.numerical.domain.dtypes import Array
from analyzer.numerical.domain.tensor import AbstractTensor, bounds_on
from analyzer.numerical.transfer.attained import peaked
from analyzer.numerical.transfer.bins import least_above_edge
from analyzer.numerical.transfer.bisection import greatest_beside
from analyzer.numerical.transfer.cancellation import cancelled_bound
from analyzer.numerical.transfer.counted import counted
from analyzer.numerical.transfer.distances import distance_bounds
from analyzer.numerical.transfer.elementwise import squared
from analyzer.numerical.transfer.facts import are_axes, difference_sign, over_leading
from analyzer.numerical.transfer.few_values import difference_of_few
from analyzer.numerical.transfer.finite_rows import keeps_finite
from analyzer.numerical.transfer.kinds import build, independent, operands_on_common_blocks, rounded
from analyzer.numerical.transfer.known_numbers import bounds_of_known, with_known
from analyzer.numerical.transfer.masks import masked_already
from analyzer.numerical.transfer.mixture import mixture_bounds
from analyzer.numerical.transfer.neighbours import step_between
from analyzer.numerical.transfer.order import at_least
from analyzer.numerical.transfer.peaks import of_product
from analyzer.numerical.transfer.ramps import difference_of_ramps
from analyzer.numerical.transfer.rearranged import most_of_three
from analyzer.numerical.transfer.registry import transfer
from analyzer.numerical.transfer.roots import least_beside_root
from analyzer.numerical.transfer.running_totals import least_total
from analyzer.numerical.transfer.shared_maximum import least_beside_maximum
from analyzer.numerical.transfer.signs import of_like_signs
from analyzer.numerical.transfer.solving import of_one_sign
from analyzer.numerical.transfer.straight_through import given_back
from analyzer.numerical.transfer.unit_rows import scaled_unit, unit_product, within_norm
from analyzer.numerical.transfer.variance import least_variance

SMALLEST_PRODUCT = 1e-290  # of coefficients of affine forms: below it float64 loses digits, then all of them


@transfer("Add")
def add(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    return linear(ctx, a, b, 1.0)


@transfer("Sub")
def sub(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    return linear(ctx, a, b, -1.0)


def linear(ctx: Context, a: AbstractTensor, b: AbstractTensor, scale: float) -> AbstractTensor:
    """``a + scale * b`` for scale 1 or -1, cancelling what both share."""
    exact = counted(a, b, scale)
    if exact is not None:
        return exact
    dtype = a.dtype
    shape, starts, ((al, ah), (bl, bh)) = operands_on_common_blocks(ctx, a, b)
    lo, hi = (al + bl, ah + bh) if scale > 0 else (al - bh, ah - bl)
    infinite = not (a.low > -np.inf and a.high < np.inf and b.low > -np.inf and b.high < np.inf)
    form = None
    if infinite:
        against = (a.high == np.inf and (b.low if scale > 0 else -b.high) == -np.inf) or (
            a.low == -np.inf and (b.high if scale > 0 else -b.low) == np.inf
        )
        lo, hi = np.where(np.isnan(lo), -np.inf, lo)[()], np.where(np.isnan(hi), np.inf, hi)[()]
        nan = a.nan or b.nan or against
    else:
        nan = a.nan or b.nan
        if dtype.is_float and ctx.options.affine:
            form, cancels = _combined(a, b, scale)
            if form is not None and cancels:
                low, high = form.bounds(starts)
                lo, hi = np.fmax(lo, low), np.fmin(hi, high)
    if dtype.is_float:
        lo, hi = dtype.nearest(lo), dtype.nearest(hi)
    facts = {}
    if scale < 0 and "reduced" in b.facts:
        kind, source, axes, kept = b.facts["reduced"]
        kept = kept or over_leading(source, axes, b)
        if kind == "max" and kept and source.key == a.key and are_axes(axes):
            facts = {"max": (0.0, axes)}
    if scale < 0 and dtype.is_float and (a.facts or b.facts) and ctx.options.affine:
        lo, hi = _ordered(a, b, lo, hi)
    if scale > 0 and dtype.is_float and ctx.options.affine and not infinite:
        for first, second in ((a, b), (b, a)):
            taken = _negative_of(second)
            if taken is not None and (first.facts or taken.facts):
                lo, hi = _ordered(first, taken, lo, hi)
        hi = np.minimum(hi, most_of_three(a, b, _negative_of))
    if dtype.is_float and ctx.options.affine and not infinite:
        lo, hi = _related(ctx, a, b, scale, lo, hi)
        least, greatest = bounds_of_known(np.add if scale > 0 else np.subtract, a, b, shape)
        lo, hi = np.maximum(lo, least), np.minimum(hi, greatest)
    low_, high_ = (lo, hi) if starts is None else (lo.min(initial=np.inf), hi.max(initial=-np.inf))
    tight = independent(a, b) if a.tight is not None or b.tight is not None else None
    if low_ < dtype.lo or high_ > dtype.hi:
        lo, hi = ctx.finite(lo, hi, dtype, not infinite, tight is not None)
    result = build(dtype, shape, starts, lo, hi, nan=nan)
    if form is not None:
        largest = max(abs(float(low_)), abs(float(high_)))
        error = form.error + largest * dtype.eps / 2
        result.form = affine.Form(form.terms, form.constant, error)
    if infinite:
        finite = keeps_finite(a, b)
        if finite is not None:
            facts = {**facts, "finite": finite}
    if scale < 0 and dtype.is_float and ctx.options.affine and not (infinite or facts):
        facts = peaked(greatest_beside(a, b, result), result)
    if facts:
        result.facts = facts
    result.tight = tight
    with_known(np.add if scale > 0 else np.subtract, result, a, b)
    sizes_a, sizes_b = (a.dims, b.dims) if dtype.kind == dtypes.INTEGER else (None, None)
    if sizes_a is not None or sizes_b is not None:
        result.dims = _size_arithmetic(a, b, scale)
    return result


def _negative_of(x: AbstractTensor) -> AbstractTensor | None:
    """The value of which `x` is the negative, an axis of size 1 more or less; None where it is not written so."""
    origin = x.origin
    if origin is None or not origin.inputs or not isinstance(origin.inputs[0], AbstractTensor):
        return None
    if origin.rule.name == "Neg":
        return origin.inputs[0]
    inner = _negative_of(origin.inputs[0]) if origin.rule.name in ("Unsqueeze", "ExpandDims") else None
    if inner is None:
        return None
    result = origin.rule.function(origin.context, inner, *origin.inputs[1:])
    return result if isinstance(result, AbstractTensor) else None


def _ordered(a: AbstractTensor, b: AbstractTensor, lo: Array, hi: Array) -> tuple[Array, Array]:
    """Bounds of a - b where one is known to be at least the other."""
    # the two sides of the relation are results themselves, each rounded: room for a few operators
    slack = 32 * a.dtype.eps * max(abs(a.low), abs(a.high), abs(b.low), abs(b.high)) + a.dtype.tiny
    above, exact = difference_sign(a, b)
    if above:
        lo = np.maximum(lo, 0.0 if exact else -slack)
    below, exact = difference_sign(b, a)
    if below:
        hi = np.minimum(hi, 0.0 if exact else slack)
    return lo, hi


def _related(
    ctx: Context, a: AbstractTensor, b: AbstractTensor, scale: float, lo: Array, hi: Array
) -> tuple[Array, Array]:
    """Bounds of a sum or a difference from how both operands were computed."""
    if np.min(lo, initial=np.inf) < 0:
        least = cancelled_bound(a, b, scale)
        lo = lo if least is None else np.maximum(lo, least)
        lo = np.maximum(lo, least_beside_root(a, b, scale))
    low, high = float(np.min(lo, initial=np.inf)), float(np.max(hi, initial=-np.inf))
    if low < 0 or high > 0:
        distance = distance_bounds(a, b, scale)
        lo, hi = np.maximum(lo, distance[0]), np.minimum(hi, distance[1])
    if scale > 0:
        back = given_back(a, b)
        lo = np.maximum(lo, max(least_total(a, b), least_beside_maximum(a, b), back[0]))
        hi = np.minimum(hi, back[1])
        mixed = mixture_bounds(a, b)
        return (lo, hi) if mixed is None else (np.maximum(lo, mixed[0]), np.minimum(hi, mixed[1]))
    if np.min(lo, initial=np.inf) < 0:
        least = 0.0 if at_least(ctx.run, a, b) else least_variance(a, b)
        step = step_between(a, b)
        few = difference_of_few(a, b)
        ramps = difference_of_ramps(a, b)
        least = max(least, step[0], few[0], ramps[0], least_above_edge(a, b))
        lo, hi = np.maximum(lo, least), np.minimum(hi, min(step[1], few[1], ramps[1]))
    if np.max(hi, initial=-np.inf) > 0:
        most = 0.0 if at_least(ctx.run, b, a) else -least_variance(b, a)
        hi = np.minimum(hi, most)
    return lo, hi


def _combined(a: AbstractTensor, b: AbstractTensor, scale: float) -> tuple[affine.Form | None, bool]:
    """The form of ``a + scale * b``, and whether something may cancel in it."""
    if a.key == b.key and scale < 0:
        return affine.Form({}), True
    if scale < 0:
        rectified = _beside_extremum(a, b)
        if rectified is not None:
            return rectified, True
    first, second = affine.form_of(a), affine.form_of(b)
    if a.key in second.terms and a.form is not None:  # the one operand as a variable of the other
        first = affine.variable(a)
    elif b.key in first.terms and b.form is not None:
        second = affine.variable(b)
    return affine.combine(first, second, 1.0, scale), affine.related(first, second)


def _beside_extremum(a: AbstractTensor, b: AbstractTensor) -> affine.Form | None:
    """The form of a - b where one is the larger or smaller of two values, the other one of these two.

    With d = p - q: p - max(p, q) = d - relu(d), q - max(p, q) = -relu(d), p - min(p, q) = relu(d), q - min(p, q) =
    relu(d) - d.
    """
    for value, extreme, sign in ((a, b, 1.0), (b, a, -1.0)):
        p, q, d, largest = extreme.facts.get("extremum", (None, None, None, True))
        if d is None or value.key not in (p.key, q.key):
            continue
        first = value.key == p.key
        plain, relu = ((1.0 if first else 0.0), -1.0) if largest else ((0.0 if first else -1.0), 1.0)
        error = max(abs(d.low), abs(d.high)) * d.dtype.eps / 2 + d.dtype.tiny
        return affine.Form({d.key: (d, sign * plain, sign * relu)}, 0.0, error)
    return None


def _size_arithmetic(a: AbstractTensor, b: AbstractTensor, scale: float) -> tuple[dims.Dim, ...] | None:
    first, second = a.sizes(), b.sizes()
    if first is None or second is None:
        return None
    length = max(len(first), len(second))
    first, second = first * (length if len(first) == 1 else 1), second * (length if len(second) == 1 else 1)
    result: list[dims.Dim] = []
    for x, y in zip(first, second, strict=False):
        if scale > 0:
            result.append(dims.add(x, y))
        elif isinstance(y, int):
            result.append(x - y if isinstance(x, int) else dims.affine(x, -y, 1))
        elif x == y:
            result.append(0)
        else:
            return None
    return tuple(result)


@transfer("BiasAdd")
def bias_add(ctx: Context, x: AbstractTensor, bias: AbstractTensor) -> AbstractTensor:
    """Adds a vector along the channel axis; with channels first, as one block."""
    if ctx.attr("data_format", "NHWC") in ("NCHW", b"NCHW") and x.shape is not None and len(x.shape) > 2:
        bias = AbstractTensor(bias.dtype, (), np.float64(bias.low), np.float64(bias.high), None, bias.nan)
    return linear(ctx, x, bias, 1.0)


@transfer("Sum")
def variadic_sum(ctx: Context, *tensors: AbstractTensor) -> AbstractTensor:
    return reduce(lambda a, b: linear(ctx, a, b, 1.0), tensors)


@transfer("Mean")
def variadic_mean(ctx: Context, *tensors: AbstractTensor) -> AbstractTensor:
    total = reduce(lambda a, b: linear(ctx, a, b, 1.0), tensors)
    result = rounded(ctx, total, total.lo / len(tensors), total.hi / len(tensors), ulps=2)
    # a mean lies between its operands; a hundredth is room for the rounded sum and quotient, in float16 too
    low, high = min(t.low for t in tensors), max(t.high for t in tensors)
    result.lo, result.hi = np.maximum(result.lo, low - abs(low) * 1e-2), np.minimum(result.hi, high + abs(high) * 1e-2)
    return result


@transfer("Mul")
def mul(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    ctx.finite_factor(0, a, 1)
    ctx.finite_factor(1, b, 0)
    return product(ctx, a, b)


def product(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    """Bounds from the four corners; the square of a value is never negative; p (1 - p) is a parabola."""
    if a.key == b.key and a.starts == b.starts:
        return squared(ctx, a)
    masked = masked_already(a, b) if a.dtype.is_float else None
    if masked is not None:
        return masked
    dtype = a.dtype
    shape, starts, ((al, ah), (bl, bh)) = operands_on_common_blocks(ctx, a, b)
    lo, hi, infinite, nan = corners(a, b, al, ah, bl, bh)
    form = None
    if ctx.options.affine and dtype.is_float and not infinite:
        form, low, high = _product_form(a, b, starts)
        if low is not None:
            lo, hi = np.fmax(lo, low), np.fmin(hi, high)
    if dtype.is_float:
        lo, hi = dtype.flush(*dtype.nearest_both(lo, hi))
        if of_one_sign(a, b) or (a.low < 0 and b.low < 0 and of_like_signs(a, b)):
            lo = np.maximum(lo, 0.0)
    low_, high_ = (lo, hi) if np.ndim(lo) == 0 else (lo.min(initial=np.inf), hi.max(initial=-np.inf))
    tight = independent(a, b) if a.tight is not None or b.tight is not None else None
    if low_ < dtype.lo or high_ > dtype.hi:
        lo, hi = ctx.finite(lo, hi, dtype, not infinite, tight is not None)
    result = build(dtype, shape, starts, lo, hi, nan=nan)
    if form is not None:
        error = form.error + max(abs(float(low_)), abs(float(high_))) * dtype.eps / 2 + dtype.tiny
        result.form = affine.Form(form.terms, form.constant, error)
    if "peaks" in a.facts or "peaks" in b.facts:
        result.facts = of_product(a, b, result)
    if dtype.is_float:
        result.facts = {**result.facts, **(unit_product(a, b) or scaled_unit(a, b, result))}
    result.tight = tight
    result = within_norm(result)
    with_known(np.multiply, result, a, b)
    if dtype.kind == dtypes.INTEGER and (a.dims is not None or b.dims is not None):
        first, second = a.sizes(), b.sizes()
        if first is not None and second is not None and (len(first) == len(second) or 1 in (len(first), len(second))):
            length = max(len(first), len(second))
            first, second = first * (length // len(first)), second * (length // len(second))
            if all(not isinstance(d, int) or d >= 0 for d in (*first, *second)):
                result.dims = tuple(dims.multiply(x, y) for x, y in zip(first, second, strict=True))
    return result


def corners(
    a: AbstractTensor, b: AbstractTensor, al: Array, ah: Array, bl: Array, bh: Array
) -> tuple[Array, Array, bool, bool]:
    """Bounds of products of two intervals; whether an operand may be infinite; whether the product may be NaN."""
    if a.low >= 0 and b.low >= 0:
        lo, hi = al * bl, ah * bh
    else:
        p, q, r, s = al * bl, al * bh, ah * bl, ah * bh
        lo, hi = np.fmin(np.fmin(p, q), np.fmin(r, s)), np.fmax(np.fmax(p, q), np.fmax(r, s))
    a_infinite, b_infinite = a.low == -np.inf or a.high == np.inf, b.low == -np.inf or b.high == np.inf
    nan = a.nan or b.nan
    if a_infinite or b_infinite:
        if (a_infinite and b.low <= 0 <= b.high) or (b_infinite and a.low <= 0 <= a.high):
            nan = True
        lo, hi = np.where(np.isnan(lo), 0.0, lo)[()], np.where(np.isnan(hi), 0.0, hi)[()]
        lo = np.where(np.isnan(al * bl) & (np.abs(bh) > 0), np.minimum(lo, 0.0), lo)[()]
    return lo, hi, a_infinite or b_infinite, nan


def _product_form(a: AbstractTensor, b: AbstractTensor, starts: Any) -> tuple[affine.Form | None, Any, Any]:
    """The form of a product with a scalar; bounds of a product of two affine functions of one variable."""
    first, second = affine.form_of(a), affine.form_of(b)
    if not second.terms:
        return affine.combine(first, affine.Form({}), second.constant, 1.0), None, None
    if not first.terms:
        return affine.combine(second, affine.Form({}), first.constant, 1.0), None, None
    if a.key in second.terms:
        first = affine.variable(a)
    elif b.key in first.terms:
        second = affine.variable(b)
    if len(first.terms) != 1 or first.terms.keys() != second.terms.keys():
        return None, None, None
    ((tensor, p, relu_a),) = first.terms.values()
    ((_, q, relu_b),) = second.terms.values()
    if relu_a or relu_b or abs(p * q) < SMALLEST_PRODUCT:
        return None, None, None
    low, high = bounds_on(tensor, starts)
    c, d = first.constant, second.constant
    slack = first.error * (b_max := max(abs(b.low), abs(b.high))) + second.error * (
        max(abs(a.low), abs(a.high)) + first.error
    )
    # four roundings in float64 (2**-53 each) of the products below
    slack += (1e-15 * b_max * max(abs(a.low), abs(a.high))) if slack or c or d else 0.0
    at_low, at_high = (p * low + c) * (q * low + d), (p * high + c) * (q * high + d)
    lo, hi = np.minimum(at_low, at_high), np.maximum(at_low, at_high)
    vertex = -(p * d + q * c) / (2 * p * q)
    inside = (low < vertex) & (vertex < high)
    value = (p * vertex + c) * (q * vertex + d)
    lo = np.where(inside, np.minimum(lo, value), lo)
    hi = np.where(inside, np.maximum(hi, value), hi)
    return None, (lo - slack)[()], (hi + slack)[()]


@transfer("MulNoNan")
def mul_no_nan(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    return product(ctx, a, b)


@transfer("SquaredDifference")
def squared_difference(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    return squared(ctx, linear(ctx, a, b, -1.0))


@transfer("Xlogy", "Xlog1py")
def xlogy(ctx: Context, x: AbstractTensor, y: AbstractTensor) -> AbstractTensor:
    """x ln y, and 0 where x is 0 whatever y."""
    shift = 1.0 if ctx.op == "Xlog1py" else 0.0
    tiny = y.dtype.smallest

    def safe(a: AbstractTensor, b: AbstractTensor) -> bool:
        if a.key == b.key and not shift and not b.nan and b.low >= 0:
            return True  # x ln x is 0 at 0; denormal numbers are safe or taken for 0
        return (a.low == 0 == a.high) or (b.low + shift >= tiny and not b.nan)

    danger = f"y <= {-1 if shift else 0} where x is not 0"
    ctx.check("numerical/log-of-nonpositive", danger, {0: x, 1: y}, safe, report=1)
    kept = ctx.restrict(y, y.dtype.smallest - shift, y.dtype.hi, remember=False)
    logs = rounded(
        ctx,
        kept,
        np.log(np.maximum(kept.lo + shift, y.dtype.smallest)),
        np.log(np.maximum(kept.hi + shift, y.dtype.smallest)),
        ulps=4,
    )
    return product(ctx, x, logs)
