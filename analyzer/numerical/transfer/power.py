"""Powers with known and unknown exponents."""

from __future__ import annotations

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.transfer.elementwise import sqrt, squared
from analyzer.numerical.transfer.kinds import broadcast, build, independent, like, operands_on_common_blocks
from analyzer.numerical.transfer.peaks import of_power
from analyzer.numerical.transfer.registry import transfer


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
    result = build(x.dtype, shape, starts, lo, hi, nan=infinite)
    result.tight = tight
    if "peaks" in x.facts:
        result.facts = of_power(x, constant, result)
    return result


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
