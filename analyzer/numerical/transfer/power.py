"""Powers with known and unknown exponents."""

from __future__ import annotations

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain.dtypes import Array
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.transfer import steep_slopes
from analyzer.numerical.transfer.elementwise import sqrt, squared
from analyzer.numerical.transfer.kinds import broadcast, build, independent, like, operands_on_common_blocks
from analyzer.numerical.transfer.peaks import of_power
from analyzer.numerical.transfer.registry import transfer
from analyzer.numerical.transfer.whole import holds_whole


@transfer("Pow")
def power(ctx: Context, x: AbstractTensor, y: AbstractTensor) -> AbstractTensor:
    """x ** y: undefined for negative x and fractional y, infinite for x = 0 and negative y."""
    constant = y.low if y.low == y.high else None
    if constant in (0.5, 1, 2):
        x = broadcast(ctx, x, y)
    if constant == 2:
        ctx.run.ledger.checked(ctx.node)
        square: AbstractTensor = squared(ctx, x)
        square.facts = {**square.facts, **of_power(x, 2.0, square)}
        return square
    if constant == 1:
        ctx.run.ledger.checked(ctx.node)
        return like(x, x.lo, x.hi)
    if constant == 0.5 and x.dtype.is_float:
        result = _half_power(ctx, x)
        if result is not None:
            return result
    tiny = x.dtype.smallest if x.dtype.is_float else 1.0
    whole = holds_whole(y)

    def safe(base: AbstractTensor, exponent: AbstractTensor) -> bool:
        if base.nan or exponent.nan:
            return False
        if base.low >= tiny or (exponent.low >= 0 and base.low >= 0):
            return True
        return whole and (exponent.low >= 0 or base.high <= -tiny)

    ok = ctx.check(
        "numerical/pow-domain", "x < 0 with a fractional exponent, or x = 0 with a negative one", {0: x, 1: y}, safe
    )
    if constant is not None:
        steep_slopes.of_power(ctx, x, constant)
    if _infinite_slope(ctx, y, constant, whole) and x.low < tiny and x.low < x.high:
        ctx.check("numerical/gradient-of-pow-at-zero", "x = 0", {0: x, 1: y}, lambda b, _: b.low >= tiny, backward=True)
    shape, starts, ((xl, xh), (yl, yh)) = operands_on_common_blocks(ctx, x, y)
    one = (yl == yh) & (yl % 1 == 0)  # blocks that have one whole exponent
    lo, hi = _of_any(x, xl, xh, yl, yh, ok) if not np.all(one) else (np.float64(0), np.float64(0))
    if np.any(one):
        known_lo, known_hi = _of_one(xl, xh, np.where(one, yl, 1.0))
        lo, hi = np.where(one, known_lo, lo), np.where(one, known_hi, hi)
    lo, hi = x.dtype.flush(*x.dtype.outward(lo, hi, 4)) if x.dtype.is_float else (np.trunc(lo), np.ceil(hi))
    lo, hi = np.where(np.isnan(lo), -np.inf, lo)[()], np.where(np.isnan(hi), np.inf, hi)[()]
    lo = np.where((xl >= 0) | (one & (yl % 2 == 0)), np.maximum(lo, 0.0), lo)[()]
    infinite = x.low == -np.inf or x.high == np.inf or y.low == -np.inf or y.high == np.inf
    tight = independent(x, y) if x.tight is not None or y.tight is not None else None
    if not ok:
        lo, hi = np.clip(lo, x.dtype.lo, x.dtype.hi), np.clip(hi, x.dtype.lo, x.dtype.hi)
    lo, hi = ctx.finite(lo, hi, x.dtype, not infinite, tight is not None)
    result = build(x.dtype, shape, starts, lo, hi, nan=infinite)
    result.tight = tight
    if "peaks" in x.facts:
        result.facts = of_power(x, constant, result)
    return result


def _infinite_slope(ctx: Context, y: AbstractTensor, constant: float | None, whole: bool) -> bool:
    """Whether an exponent may have an infinite gradient at 0: between 0 and 1.

    TensorFlow computes that of an exponent of 0 among others as 0 * 0 ** -1, which PyTorch leaves out.
    """
    if constant is not None:
        return 0 < constant < 1
    if whole:
        return ctx.is_tf and y.low <= 0 <= y.high
    return y.low < 1 and y.high > 0


def _of_one(xl: Array, xh: Array, exponent: Array) -> tuple[Array, Array]:
    """Bounds of powers of [xl, xh], block by block, with one whole exponent each."""
    odd = exponent % 2 == 1
    p, q = np.power(np.abs(xl), exponent), np.power(np.abs(xh), exponent)
    crosses = (xl <= 0) & (xh >= 0)
    least, most = np.minimum(p, q), np.maximum(p, q)
    positive = np.where(odd, np.sign(xl) * p, np.where(crosses, 0.0, least)), np.where(odd, np.sign(xh) * q, most)
    negative = (
        np.where(odd, np.where(xl > 0, least, np.where(xh < 0, -most, -np.inf)), least),
        np.where(odd & (xh < 0), -least, np.where(crosses, np.inf, most)),
    )
    lo, hi = (np.where(exponent > 0, a, b) for a, b in zip(positive, negative, strict=True))
    return np.where(exponent == 0, 1.0, lo)[()], np.where(exponent == 0, 1.0, hi)[()]


def _of_any(x: AbstractTensor, xl: Array, xh: Array, yl: Array, yh: Array, ok: bool) -> tuple[Array, Array]:
    """Bounds of powers of [xl, xh], block by block, with any exponent of [yl, yh]; not `ok`: of those that survive."""
    base_lo, base_hi = np.maximum(xl, 0.0), np.maximum(xh, 0.0)
    if not ok:
        least = x.dtype.smallest if x.dtype.is_float else 1.0
        base_lo = np.where((yl < 0) & (base_lo < least), least, base_lo)
        base_hi = np.maximum(base_hi, base_lo)
    values = [np.power(b, e) for b in (base_lo, base_hi) for e in (yl, yh)]
    lo, hi = np.fmin.reduce(values), np.fmax.reduce(values)
    lo = np.where((xl <= 0) & (yh > 0), np.minimum(lo, 0.0), lo)
    several = (xl < 0) & (yl != yh)  # whole exponents among the possible ones keep negative bases alive
    if np.any(several):
        mirrored = np.fmax.reduce([np.power(np.maximum(np.abs(xl), np.abs(xh)), e) for e in (yl, yh)])
        mirrored = np.where((yl < 0), np.inf, np.fmax(mirrored, 1.0))
        lo, hi = np.where(several, -mirrored, lo), np.where(several, np.fmax(hi, mirrored), hi)
    return lo, hi


def _half_power(ctx: Context, x: AbstractTensor) -> AbstractTensor | None:
    """x ** 0.5 as the square root, under Pow's own rule names."""
    if x.low < 0 or x.nan:
        return None
    ctx.run.ledger.checked(ctx.node)
    tiny = x.dtype.smallest
    if x.low < tiny and x.low < x.high:
        ctx.infinite_at_zero("numerical/gradient-of-pow-at-zero", x)
    with ctx.run.ledger.quietly():
        result: AbstractTensor = sqrt(ctx, x)
    return result
