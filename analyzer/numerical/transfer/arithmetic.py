"""Arithmetic of two or more operands, element by element, with broadcasting."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import affine, dims, dtypes
from analyzer.numerical.domain.dtypes import Array, select
from analyzer.numerical.domain.tensor import AbstractTensor, bounds_on
from analyzer.numerical.transfer.elementwise import sqrt, squared
from analyzer.numerical.transfer.facts import difference_sign, keeps_finite, quotient_bound
from analyzer.numerical.transfer.kinds import build, independent, like, operands_on_common_blocks, rounded
from analyzer.numerical.transfer.registry import transfer


@transfer("Add", tf=("Add", "AddV2"), elementwise=True)
def add(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    return linear(ctx, a, b, 1.0)


@transfer("Sub", tf=("Sub",), elementwise=True)
def sub(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    return linear(ctx, a, b, -1.0)


def linear(ctx: Context, a: AbstractTensor, b: AbstractTensor, scale: float) -> AbstractTensor:
    """``a + scale * b`` for scale 1 or -1, cancelling what both share."""
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
        if kind == "max" and kept and source.key == a.key and axes is not None:
            facts = {"max": (0.0, axes)}
    if scale < 0 and dtype.is_float and (a.facts or b.facts) and ctx.options.affine:
        lo, hi = _ordered(a, b, lo, hi)
    low_, high_ = (lo, hi) if starts is None else (lo.min(initial=np.inf), hi.max(initial=-np.inf))
    tight = independent(a, b) if a.tight is not None or b.tight is not None else None
    if low_ < dtype.lo or high_ > dtype.hi:
        lo, hi = ctx.finite(lo, hi, dtype, not infinite, tight is not None)
    result = build(ctx, dtype, shape, starts, lo, hi, nan=nan)
    if form is not None:
        largest = max(abs(float(low_)), abs(float(high_)))
        error = form.error + largest * dtype.eps / 2
        result.form = affine.Form(form.terms, form.constant, error)
    if infinite:
        finite = keeps_finite(a, b, shape)
        if finite is not None:
            facts = {**facts, "finite": finite}
    if facts:
        result.facts = facts
    result.tight = tight
    sizes_a, sizes_b = (a.dims, b.dims) if dtype.kind == dtypes.INTEGER else (None, None)
    if sizes_a is not None or sizes_b is not None:
        result.dims = _size_arithmetic(a, b, scale)
    return result


def _ordered(a: AbstractTensor, b: AbstractTensor, lo: Array, hi: Array) -> tuple[Array, Array]:
    """Bounds of a - b where one is known to be at least the other."""
    slack = 32 * a.dtype.eps * max(abs(a.low), abs(a.high), abs(b.low), abs(b.high)) + a.dtype.tiny
    above, exact = difference_sign(a, b)
    if above:
        lo = np.maximum(lo, 0.0 if exact else -slack)
    below, exact = difference_sign(b, a)
    if below:
        hi = np.minimum(hi, 0.0 if exact else slack)
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


@transfer(tf=("BiasAdd", "BiasAddV1"), elementwise=True)
def bias_add(ctx: Context, x: AbstractTensor, bias: AbstractTensor) -> AbstractTensor:
    """Adds a vector along the channel axis; with channels first, as one block."""
    if ctx.attr("data_format", "NHWC") in ("NCHW", b"NCHW") and x.shape is not None and len(x.shape) > 2:
        bias = AbstractTensor(bias.dtype, (), np.float64(bias.low), np.float64(bias.high), None, bias.nan)
    return linear(ctx, x, bias, 1.0)


@transfer("Sum", tf=("AddN", "AccumulateNV2"), elementwise=True)
def variadic_sum(ctx: Context, *tensors: AbstractTensor) -> AbstractTensor:
    return reduce(lambda a, b: linear(ctx, a, b, 1.0), tensors)


@transfer("Mean", elementwise=True)
def variadic_mean(ctx: Context, *tensors: AbstractTensor) -> AbstractTensor:
    total = reduce(lambda a, b: linear(ctx, a, b, 1.0), tensors)
    result = rounded(ctx, total, total.lo / len(tensors), total.hi / len(tensors), ulps=2)
    low, high = min(t.low for t in tensors), max(t.high for t in tensors)
    result.lo, result.hi = np.maximum(result.lo, low - abs(low) * 1e-2), np.minimum(result.hi, high + abs(high) * 1e-2)
    return result


@transfer("Mul", tf=("Mul",), elementwise=True)
def mul(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    return product(ctx, a, b)


def product(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    """Bounds from the four corners; the square of a value is never negative; p (1 - p) is a parabola."""
    if a.key == b.key and a.starts == b.starts:
        return squared(ctx, a)
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
    low_, high_ = (lo, hi) if np.ndim(lo) == 0 else (lo.min(initial=np.inf), hi.max(initial=-np.inf))
    tight = independent(a, b) if a.tight is not None or b.tight is not None else None
    if low_ < dtype.lo or high_ > dtype.hi:
        lo, hi = ctx.finite(lo, hi, dtype, not infinite, tight is not None)
    result = build(ctx, dtype, shape, starts, lo, hi, nan=nan)
    if form is not None:
        error = form.error + max(abs(float(low_)), abs(float(high_))) * dtype.eps / 2 + dtype.tiny
        result.form = affine.Form(form.terms, form.constant, error)
    result.tight = tight
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
    if relu_a or relu_b:
        return None, None, None
    low, high = bounds_on(tensor, starts)
    c, d = first.constant, second.constant
    slack = first.error * (b_max := max(abs(b.low), abs(b.high))) + second.error * (
        max(abs(a.low), abs(a.high)) + first.error
    )
    slack += (1e-15 * b_max * max(abs(a.low), abs(a.high))) if slack or c or d else 0.0
    at_low, at_high = (p * low + c) * (q * low + d), (p * high + c) * (q * high + d)
    lo, hi = np.minimum(at_low, at_high), np.maximum(at_low, at_high)
    vertex = -(p * d + q * c) / (2 * p * q)
    inside = (low < vertex) & (vertex < high)
    value = (p * vertex + c) * (q * vertex + d)
    lo = np.where(inside, np.minimum(lo, value), lo)
    hi = np.where(inside, np.maximum(hi, value), hi)
    return None, (lo - slack)[()], (hi + slack)[()]


@transfer(tf=("MulNoNan",), elementwise=True)
def mul_no_nan(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    return product(ctx, a, b)


@transfer(
    "Div",
    tf=("RealDiv", "Div"),
    elementwise=True,
    unsafe=("numerical/division-by-zero", "numerical/integer-division-by-zero"),
)
def div(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    return quotient(ctx, a, b)


def quotient(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    """a / b; integers are divided towards zero."""
    dtype = a.dtype
    whole = dtype.kind == dtypes.INTEGER
    rule = "numerical/integer-division-by-zero" if whole else "numerical/division-by-zero"
    b = ctx.nonzero(rule, "denominator = 0", 1, b)
    shape, starts, ((al, ah), (bl, bh)) = operands_on_common_blocks(ctx, a, b)
    lo, hi = ratio(al, ah, bl, bh, dtype.smallest if dtype.is_float else 1.0)
    infinite = not (a.low > -np.inf and a.high < np.inf)
    nan = a.nan or b.nan or (infinite and (b.low == -np.inf or b.high == np.inf))
    lo, hi = np.where(np.isnan(lo), -np.inf, lo)[()], np.where(np.isnan(hi), np.inf, hi)[()]
    if whole:
        lo, hi = np.trunc(lo), np.trunc(hi)
        lo, hi = ctx.finite(lo, hi, dtype, True)
        result = build(ctx, dtype, shape, starts, lo, hi)
        first, second = a.sizes() if a.dims else None, b.sizes()
        if first is not None and second is not None and len(first) == len(second):
            result.dims = tuple(
                dims.affine(x, 0, y) if isinstance(y, int) and y > 0 else dims.unknown()
                for x, y in zip(first, second, strict=True)
            )
        return result
    least, most = quotient_bound(a, b)
    if least is not None and most is not None:
        lo, hi = np.maximum(lo, least), np.minimum(hi, most)
    lo, hi = dtype.flush(*dtype.nearest_both(lo, hi))
    low_, high_ = (lo, hi) if np.ndim(lo) == 0 else (lo.min(initial=np.inf), hi.max(initial=-np.inf))
    tight = independent(a, b) if a.tight is not None or b.tight is not None else None
    if low_ < dtype.lo or high_ > dtype.hi:
        lo, hi = ctx.finite(lo, hi, dtype, not infinite, False)
    result = build(ctx, dtype, shape, starts, lo, hi, nan=nan)
    if ctx.options.affine and not infinite and b.low == b.high and b.starts is None:
        form = affine.combine(affine.form_of(a), affine.Form({}), 1.0 / b.low, 1.0)
        if form is not None:
            largest = max(abs(result.low), abs(result.high))
            result.form = affine.Form(form.terms, form.constant, form.error + largest * dtype.eps + dtype.tiny)
    result.tight = tight
    return result


def ratio(al: Array, ah: Array, bl: Array, bh: Array, least: float) -> tuple[Array, Array]:
    """Bounds of a quotient whose denominator is not zero but may straddle it (then at least `least` away)."""
    straddles = (bl < 0) & (bh > 0)
    if np.any(straddles):
        positive = np.where(bl > 0, bl, least), np.where(bh > 0, bh, least)
        negative = np.where(bl < 0, bl, -least), np.where(bh < 0, bh, -least)
        parts = []
        for use, (dl, dh) in ((bh > 0, positive), (bl < 0, negative)):
            p, q, r, s = al / dl, al / dh, ah / dl, ah / dh
            low = np.fmin(np.fmin(p, q), np.fmin(r, s))
            high = np.fmax(np.fmax(p, q), np.fmax(r, s))
            parts.append((np.where(use, low, np.inf), np.where(use, high, -np.inf)))
        return np.minimum(parts[0][0], parts[1][0])[()], np.maximum(parts[0][1], parts[1][1])[()]
    p, q, r, s = al / bl, al / bh, ah / bl, ah / bh
    return np.fmin(np.fmin(p, q), np.fmin(r, s)), np.fmax(np.fmax(p, q), np.fmax(r, s))


@transfer(tf=("DivNoNan",), elementwise=True)
def div_no_nan(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    """a / b, and 0 where b is 0."""
    shape, starts, ((al, ah), (bl, bh)) = operands_on_common_blocks(ctx, a, b)
    zero = (bl <= 0) & (bh >= 0)
    least = b.dtype.smallest
    bl2 = np.where(zero & (bl == 0), least, bl)
    bh2 = np.where(zero & (bh == 0), -least, bh)
    bl2, bh2 = np.where(bl2 > bh2, least, bl2)[()], np.where(bl2 > bh2, b.dtype.hi, bh2)[()]
    lo, hi = ratio(al, ah, bl2, bh2, least)
    lo, hi = select(zero, np.minimum(lo, 0.0), lo)[()], np.where(zero, np.maximum(hi, 0.0), hi)
    lo, hi = (
        np.clip(np.nan_to_num(lo, nan=a.dtype.lo), a.dtype.lo, a.dtype.hi),
        np.clip(np.nan_to_num(hi, nan=a.dtype.hi), a.dtype.lo, a.dtype.hi),
    )
    return build(ctx, a.dtype, shape, starts, a.dtype.nearest(lo), a.dtype.nearest(hi), nan=a.nan or b.nan)


@transfer(
    tf=("FloorDiv", "TruncateDiv"),
    elementwise=True,
    unsafe=("numerical/division-by-zero", "numerical/integer-division-by-zero"),
)
def floor_div(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    whole = a.dtype.kind == dtypes.INTEGER
    rule = "numerical/integer-division-by-zero" if whole else "numerical/division-by-zero"
    b = ctx.nonzero(rule, "denominator = 0", 1, b)
    shape, starts, ((al, ah), (bl, bh)) = operands_on_common_blocks(ctx, a, b)
    lo, hi = ratio(al, ah, bl, bh, b.dtype.smallest if b.dtype.is_float else 1.0)
    down = np.trunc if ctx.op == "TruncateDiv" else np.floor
    lo, hi = ctx.finite(down(np.nan_to_num(lo)), down(np.nan_to_num(hi)), a.dtype, True)
    if not whole:
        lo = lo - 1.0  # the rounded quotient may already be the next integer
    result = build(ctx, a.dtype, shape, starts, lo, hi, nan=a.nan or b.nan)
    first, second = (a.sizes(), b.sizes()) if a.dims else (None, None)
    if first is not None and second is not None and len(first) == len(second):
        result.dims = tuple(
            dims.affine(x, 0, y) if isinstance(y, int) and y > 0 else dims.unknown(0)
            for x, y in zip(first, second, strict=True)
        )
    return result


@transfer(
    "Mod",
    tf=("FloorMod", "Mod", "TruncateMod"),
    elementwise=True,
    unsafe=("numerical/division-by-zero", "numerical/integer-division-by-zero"),
)
def mod(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    """The remainder: of the divisor's sign, or of the dividend's for C's fmod (`fmod`, TensorFlow's Mod)."""
    whole = a.dtype.kind == dtypes.INTEGER
    rule = "numerical/integer-division-by-zero" if whole else "numerical/division-by-zero"
    b = ctx.nonzero(rule, "divisor = 0", 1, b)
    shape, starts, ((al, ah), (bl, bh)) = operands_on_common_blocks(ctx, a, b)
    most = np.maximum(np.abs(bl), np.abs(bh)) - (1.0 if whole else 0.0)
    truncates = ctx.op in ("TruncateMod", "Mod") if ctx.is_tf else bool(ctx.attr("fmod", 0))
    if truncates:
        lo, hi = np.where(al < 0, np.maximum(-most, al), 0.0), np.where(ah > 0, np.minimum(most, ah), 0.0)
    else:
        lo, hi = np.where(bl < 0, -most, 0.0), np.where(bh > 0, most, 0.0)
        inside = (al >= 0) & (ah < bl)  # already reduced
        lo, hi = np.where(inside, al, lo), np.where(inside, ah, hi)
    nan = a.nan or b.nan or a.low == -np.inf or a.high == np.inf
    return build(ctx, a.dtype, shape, starts, lo[()], hi[()], nan=bool(nan))


@transfer("Pow", tf=("Pow",), elementwise=True, unsafe=("numerical/pow-domain", "numerical/gradient-of-pow-at-zero"))
def power(ctx: Context, x: AbstractTensor, y: AbstractTensor) -> AbstractTensor:
    """x ** y: undefined for negative x and fractional y, infinite for x = 0 and negative y."""
    constant = y.low if y.low == y.high else None
    if constant == 2:
        ctx.run.checked(ctx.node)
        return squared(ctx, x)
    if constant == 1:
        ctx.run.checked(ctx.node)
        return like(x, x.lo, x.hi)
    if constant == 0.5 and x.dtype.is_float:
        result = _half_power(ctx, x)
        if result is not None:
            return result
    integral = constant is not None and float(constant).is_integer()
    tiny = x.dtype.smallest if x.dtype.is_float else 1.0

    def safe(base: AbstractTensor, exponent: AbstractTensor) -> bool:
        if base.nan or exponent.nan:
            return False
        if base.low >= tiny or (exponent.low >= 0 and base.low >= 0):
            return True
        return integral and (constant >= 0 or base.high <= -tiny)  # type: ignore[operator]

    ok = ctx.check(
        "numerical/pow-domain", "x < 0 with a fractional exponent, or x = 0 with a negative one", {0: x, 1: y}, safe
    )
    fractional = 0 < constant < 1 if constant is not None else y.low < 1 and y.high > 0
    if fractional and x.low < tiny and x.low < x.high:
        ctx.check("numerical/gradient-of-pow-at-zero", "x = 0", {0: x, 1: y}, lambda b, _: b.low >= tiny, backward=True)
    shape, starts, ((xl, xh), (yl, yh)) = operands_on_common_blocks(ctx, x, y)
    if integral:
        assert constant is not None
        odd = int(constant) % 2 == 1
        p, q = np.power(np.abs(xl), constant), np.power(np.abs(xh), constant)
        if constant > 0 and odd:
            lo, hi = np.sign(xl) * p, np.sign(xh) * q
        else:
            crosses = (xl <= 0) & (xh >= 0)
            lo, hi = np.minimum(p, q), np.maximum(p, q)
            if constant > 0:
                lo = np.where(crosses, 0.0, lo)
            elif constant == 0:
                lo, hi = np.ones_like(lo), np.ones_like(hi)
            elif odd:
                lo, hi = (
                    np.where(xl > 0, lo, np.where(xh < 0, -hi, -np.inf)),
                    np.where(xl > 0, hi, np.where(xh < 0, -lo, np.inf)),
                )
            else:
                hi = np.where(crosses, np.inf, hi)
    else:
        base_lo, base_hi = np.maximum(xl, 0.0), np.maximum(xh, 0.0)
        if not ok:
            base_lo = np.where(
                (yl < 0) & (base_lo < x.dtype.smallest), x.dtype.smallest if x.dtype.is_float else 1.0, base_lo
            )
            base_hi = np.maximum(base_hi, base_lo)
        values = [np.power(b, e) for b in (base_lo, base_hi) for e in (yl, yh)]
        lo, hi = np.fmin.reduce(values), np.fmax.reduce(values)
        lo = np.where((xl <= 0) & (yh > 0), np.minimum(lo, 0.0), lo)
        if x.low < 0:  # integral exponents among the possible ones keep negative bases alive
            mirrored = np.fmax.reduce([np.power(np.maximum(np.abs(xl), np.abs(xh)), e) for e in (yl, yh)])
            mirrored = np.where((yl < 0), np.inf, np.fmax(mirrored, 1.0))
            if constant is None:
                lo, hi = np.where(xl < 0, -mirrored, lo), np.where(xl < 0, np.fmax(hi, mirrored), hi)
    lo, hi = x.dtype.flush(*x.dtype.outward(lo, hi, 4)) if x.dtype.is_float else (np.trunc(lo), np.ceil(hi))
    lo, hi = np.where(np.isnan(lo), -np.inf, lo)[()], np.where(np.isnan(hi), np.inf, hi)[()]
    if x.low >= 0 or (integral and int(constant or 0) % 2 == 0):
        lo = np.maximum(lo, 0.0)
    infinite = x.low == -np.inf or x.high == np.inf or y.low == -np.inf or y.high == np.inf
    tight = independent(x, y) if x.tight is not None or y.tight is not None else None
    if not ok:
        lo, hi = np.clip(lo, x.dtype.lo, x.dtype.hi), np.clip(hi, x.dtype.lo, x.dtype.hi)
    lo, hi = ctx.finite(lo, hi, x.dtype, not infinite, tight is not None)
    result = build(ctx, x.dtype, shape, starts, lo, hi, nan=infinite)
    result.tight = tight
    return result


def _half_power(ctx: Context, x: AbstractTensor) -> AbstractTensor | None:
    """x ** 0.5 as the square root, under Pow's own rule names."""
    if x.low < 0 or x.nan:
        return None
    ctx.run.checked(ctx.node)
    tiny = x.dtype.smallest
    if x.low < tiny and x.low < x.high:
        ctx.check("numerical/gradient-of-pow-at-zero", "x = 0", {0: x}, lambda b: b.low >= tiny, backward=True)
    with ctx.run.quietly():
        result: AbstractTensor = sqrt(ctx, x)
    return result


def _extremum(ctx: Context, tensors: tuple[AbstractTensor, ...], choose: Any) -> AbstractTensor:
    shape, starts, sides = operands_on_common_blocks(ctx, *tensors)
    lo, hi = reduce(choose, [s[0] for s in sides]), reduce(choose, [s[1] for s in sides])
    dtype = tensors[0].dtype
    result = build(ctx, dtype, shape, starts, lo, hi, nan=any(t.nan for t in tensors))
    if all(t.tight is not None or t.low == t.high for t in tensors):
        result.tight = independent(*tensors)
    return result


@transfer("Max", tf=("Maximum",), elementwise=True)
def maximum(ctx: Context, *tensors: AbstractTensor) -> AbstractTensor:
    result = _extremum(ctx, tensors, np.maximum)
    result.facts = {"above": tensors}
    if len(tensors) == 2:
        _relate_extremum(ctx, result, *tensors, 1.0)
    return result


@transfer("Min", tf=("Minimum",), elementwise=True)
def minimum(ctx: Context, *tensors: AbstractTensor) -> AbstractTensor:
    result = _extremum(ctx, tensors, np.minimum)
    result.facts = {"below": tensors}
    if len(tensors) == 2:
        _relate_extremum(ctx, result, *tensors, -1.0)
    return result


def _relate_extremum(ctx: Context, result: AbstractTensor, a: AbstractTensor, b: AbstractTensor, sign: float) -> None:
    """Note that max(a, b) = b + relu(a - b), min(a, b) = a - relu(a - b): rectifiers, by another name where b is 0."""
    dtype = a.dtype
    finite = all(t.low > -np.inf and t.high < np.inf and not t.nan for t in (a, b))
    if not (ctx.options.affine and dtype.is_float and finite) or a.low == a.high:
        return
    if b.low == b.high == 0:
        rectified = affine.relu(a)
        base = affine.form_of(a) if rectified is not None else affine.variable(a)
        rectified = rectified or affine.relu_of_variable(a)
        result.form = rectified if sign > 0 else affine.combine(base, rectified, 1.0, -1.0)
        return
    if b.low == b.high:
        return
    with ctx.run.quietly():
        difference = linear(ctx, a, b, -1.0)
    difference.key, difference.final = ctx.run.number(("Sub", "Sub", 0, (a.key, b.key), None)), True
    result.facts = {**result.facts, "extremum": (a, b, difference, sign > 0)}
    base = affine.form_of(b if sign > 0 else a)
    form = affine.combine(base, affine.relu_of_variable(difference), 1.0, sign)
    if form is not None:
        error = max(abs(difference.low), abs(difference.high)) * dtype.eps / 2 + dtype.tiny
        result.form = affine.Form(form.terms, form.constant, form.error + error)


@transfer(tf=("SquaredDifference",), elementwise=True)
def squared_difference(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    return squared(ctx, linear(ctx, a, b, -1.0))


@transfer(tf=("Atan2",), elementwise=True)
def atan2(ctx: Context, y: AbstractTensor, x: AbstractTensor) -> AbstractTensor:
    shape, starts, ((yl, yh), (xl, _)) = operands_on_common_blocks(ctx, y, x)
    lo, hi = np.where(yl < 0, -np.pi, 0.0), np.where(yh > 0, np.pi, 0.0)
    behind = xl <= 0
    lo = np.where(behind, lo, np.where(yl < 0, -np.pi / 2, 0.0))
    hi = np.where(behind, np.pi, np.where(yh > 0, np.pi / 2, 0.0))
    lo = np.where(behind & (yl <= 0), -np.pi, lo)  # -0.0 counts as negative
    lo, hi = y.dtype.outward(lo[()], hi[()], 2)
    return build(ctx, y.dtype, shape, starts, lo, hi, nan=x.nan or y.nan)


@transfer(tf=("Xlogy", "Xlog1py"), elementwise=True, unsafe=("numerical/log-of-nonpositive",))
def xlogy(ctx: Context, x: AbstractTensor, y: AbstractTensor) -> AbstractTensor:
    """x ln y, and 0 where x is 0 whatever y."""
    shift = 1.0 if ctx.op == "Xlog1py" else 0.0
    tiny = y.dtype.smallest

    def safe(a: AbstractTensor, b: AbstractTensor) -> bool:
        return (a.low == 0 == a.high) or (b.low + shift >= tiny and not b.nan)

    ctx.check("numerical/log-of-nonpositive", "x <= 0", {0: x, 1: y}, safe, report=1)
    kept = ctx.survive(y, y.dtype.smallest - shift, y.dtype.hi, remember=False)
    logs = rounded(
        ctx,
        kept,
        np.log(np.maximum(kept.lo + shift, y.dtype.smallest)),
        np.log(np.maximum(kept.hi + shift, y.dtype.smallest)),
        ulps=4,
    )
    return product(ctx, x, logs)


@transfer(tf=("Xdivy",), elementwise=True, unsafe=("numerical/division-by-zero",))
def xdivy(ctx: Context, x: AbstractTensor, y: AbstractTensor) -> AbstractTensor:
    if x.low == 0 == x.high:
        ctx.run.checked(ctx.node)
        return x
    result = quotient(ctx, x, y)
    result.lo, result.hi = np.minimum(result.lo, 0.0), np.maximum(result.hi, 0.0)
    return result
