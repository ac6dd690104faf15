"""Quotients and remainders."""

from __future__ import annotations

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import affine, dims, dtypes
from analyzer.numerical.domain.dtypes import Array, select
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.transfer import steep_slopes
from analyzer.numerical.transfer.bins import share_of_bin
from analyzer.numerical.transfer.facts import quotient_bound
from analyzer.numerical.transfer.kinds import broadcast, build, independent, operands_on_common_blocks
from analyzer.numerical.transfer.known_numbers import with_known
from analyzer.numerical.transfer.norm_shares import norm_share
from analyzer.numerical.transfer.order import at_least
from analyzer.numerical.transfer.overlaps import overlap_share
from analyzer.numerical.transfer.peaks import of_quotient
from analyzer.numerical.transfer.polynomials import polynomial_quotient
from analyzer.numerical.transfer.registry import transfer
from analyzer.numerical.transfer.unit_rows import unit_fact, within_norm
from analyzer.numerical.windows import through_windows


@transfer("Div")
def div(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    ctx.finite_factor(0, a, 1)
    ctx.finite_quotient(a, b)
    result = quotient(ctx, a, b)
    steep_slopes.of_divisor(ctx, b, result)
    return result


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
        result = with_known(_towards_zero, build(dtype, shape, starts, lo, hi), a, b)
        first, second = a.sizes() if a.dims else None, b.sizes()
        if first is not None and second is not None and len(first) == len(second):
            result.dims = tuple(
                dims.affine(x, 0, y) if isinstance(y, int) and y > 0 else dims.unknown()
                for x, y in zip(first, second, strict=True)
            )
        return result
    least, most = _limits(ctx, a, b)
    wide = most is None and a.low >= 0 and float(np.max(hi, initial=0.0)) > 1
    if wide and (seen := through_windows(ctx.run, a, b)) is not None:
        least, most = _limits(ctx, *seen)
    if least is not None and most is not None:
        lo, hi = np.maximum(lo, least), np.minimum(hi, most)
    lo, hi = dtype.flush(*dtype.nearest_both(lo, hi))
    low_, high_ = (lo, hi) if np.ndim(lo) == 0 else (lo.min(initial=np.inf), hi.max(initial=-np.inf))
    tight = independent(a, b) if a.tight is not None or b.tight is not None else None
    if low_ < dtype.lo or high_ > dtype.hi:
        lo, hi = ctx.finite(lo, hi, dtype, not infinite, False)
    result = build(dtype, shape, starts, lo, hi, nan=nan)
    if ctx.options.affine and not infinite and b.low == b.high and b.starts is None:
        form = affine.combine(affine.form_of(a), affine.Form({}), 1.0 / b.low, 1.0)
        if form is not None:
            largest = max(abs(result.low), abs(result.high))
            result.form = affine.Form(form.terms, form.constant, form.error + largest * dtype.eps + dtype.tiny)
    result.tight = tight
    result.facts = {**result.facts, **unit_fact(a, b), **of_quotient(a, b, result)}
    return within_norm(result)


def _towards_zero(a: Array, b: Array) -> Array:
    quotient: Array = np.sign(a) * np.sign(b) * (np.abs(a) // np.maximum(np.abs(b), 1))
    return quotient


def _limits(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> tuple[float | None, float | None]:
    """Bounds of a / b from how both were computed; None where nothing is known."""
    least, most = quotient_bound(a, b)
    if most != 1.0 and a.low >= 0 and b.low >= 0 and at_least(ctx.run, b, a):
        return 0.0, 1.0
    if most is None and a.low >= 0 and np.isfinite(within := _greatest_share(a, b)):
        return 0.0, within
    return least, most


def _greatest_share(a: AbstractTensor, b: AbstractTensor) -> float:
    return min(share_of_bin(a, b), polynomial_quotient(a, b), overlap_share(a, b), norm_share(a, b))


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


@transfer("DivNoNan")
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
    return build(a.dtype, shape, starts, a.dtype.nearest(lo), a.dtype.nearest(hi), nan=a.nan or b.nan)


@transfer("FloorDiv", "TruncateDiv")
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
    result = build(a.dtype, shape, starts, lo, hi, nan=a.nan or b.nan)
    if whole:
        with_known(_towards_zero if ctx.op == "TruncateDiv" else np.floor_divide, result, a, b)
    first, second = (a.sizes(), b.sizes()) if a.dims else (None, None)
    if first is not None and second is not None and len(first) == len(second):
        result.dims = tuple(
            dims.affine(x, 0, y) if isinstance(y, int) and y > 0 else dims.unknown(0)
            for x, y in zip(first, second, strict=True)
        )
    return result


@transfer("Mod", "TruncateMod")
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
        if whole:  # within one period of the divisor
            period = np.floor(al / bl)
            inside = (bl == bh) & (bl > 0) & (period == np.floor(ah / bl)) & (np.maximum(-al, ah) < 2**52)
            lo, hi = np.where(inside, al - period * bl, lo), np.where(inside, ah - period * bl, hi)
    nan = a.nan or b.nan or a.low == -np.inf or a.high == np.inf
    result = build(a.dtype, shape, starts, lo[()], hi[()], nan=bool(nan))
    return with_known(np.fmod if truncates else np.mod, result, a, b) if whole else result


@transfer("Xdivy")
def xdivy(ctx: Context, x: AbstractTensor, y: AbstractTensor) -> AbstractTensor:
    if x.low == 0 == x.high:
        ctx.run.ledger.checked(ctx.node)
        return broadcast(ctx, x, y)
    result = quotient(ctx, x, y)
    result.lo, result.hi = np.minimum(result.lo, 0.0), np.maximum(result.hi, 0.0)
    result.form, result.tight = None, None
    return result
