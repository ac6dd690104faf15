"""Angles and lengths of pairs of real numbers, and of complex ones.

TensorFlow's gradients of an angle divide by the square of the length, those of every framework's `hypot` by the length:
at the origin they are 0 / 0. PyTorch's gradient of `atan2` and `angle` is 0 there.
"""

from __future__ import annotations

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.contradiction import never_within
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.transfer.complex_numbers import is_complex
from analyzer.numerical.transfer.kinds import build, operands_on_common_blocks
from analyzer.numerical.transfer.registry import transfer
from analyzer.operators.conditions import GRADIENT_OF_ANGLE_AT_ZERO, GRADIENT_OF_NORM_AT_ZERO


@transfer("Atan2")
def atan2(ctx: Context, y: AbstractTensor, x: AbstractTensor) -> AbstractTensor:
    shape, starts, ((yl, yh), (xl, _)) = operands_on_common_blocks(ctx, y, x)
    lo, hi = np.where(yl < 0, -np.pi, 0.0), np.where(yh > 0, np.pi, 0.0)
    behind = xl <= 0
    lo = np.where(behind, lo, np.where(yl < 0, -np.pi / 2, 0.0))
    hi = np.where(behind, np.pi, np.where(yh > 0, np.pi / 2, 0.0))
    lo = np.where(behind & (yl <= 0), -np.pi, lo)  # -0.0 counts as negative
    lo, hi = y.dtype.outward(lo[()], hi[()], 2)
    if ctx.is_tf:
        _never_together(ctx, GRADIENT_OF_ANGLE_AT_ZERO, y, x, 4 * float(x.dtype.tiny) ** 0.5)
    return build(y.dtype, shape, starts, lo, hi, nan=x.nan or y.nan)


def _never_together(ctx: Context, rule: str, a: AbstractTensor, b: AbstractTensor, least: float) -> None:
    """Demand that not both are below `least`, where their gradients are divided by the norm of both, or its square."""
    if not ctx.options.backward or ctx.run.ledger.quiet:
        return

    def apart(p: AbstractTensor, q: AbstractTensor) -> bool:
        return any(t.low >= least or t.high <= -least for t in (p, q)) and not (p.nan or q.nan)

    if not ctx.run.attempt(ctx.node, lambda: never_within(ctx.run, (a, b), -least, least)):
        ctx.check(rule, "both operands are 0", {0: a, 1: b}, apart, backward=True)


@transfer("Angle")
def angle(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """Of complex numbers, whose bounds hold both parts; of real ones 0 or pi."""
    least = 4 * float(x.dtype.tiny) ** 0.5
    if is_complex(x) and ctx.options.backward:

        def apart(t: AbstractTensor) -> bool:
            return (t.low >= least or t.high <= -least) and not t.nan

        quiet = ctx.run.ledger.quiet
        if not quiet and not ctx.run.attempt(ctx.node, lambda: never_within(ctx.run, (x,), -least, least)):
            ctx.check(GRADIENT_OF_ANGLE_AT_ZERO, "x = 0", {0: x}, apart, backward=True)
    dtype = ctx.element_type(0, x.dtype)
    lo, hi = dtype.outward(np.float64(-np.pi), np.float64(np.pi), 2)
    return AbstractTensor(dtype, x.shape, lo, hi, None, x.nan or x.may_be_infinite)


@transfer("Hypot")
def hypotenuse(ctx: Context, a: AbstractTensor, b: AbstractTensor) -> AbstractTensor:
    """The root of a² + b², which overflows nowhere on the way; its gradient a / result is 0 / 0 where both are 0."""
    shape, starts, sides = operands_on_common_blocks(ctx, a, b)
    least = [np.where((lo <= 0) & (hi >= 0), 0.0, np.minimum(np.abs(lo), np.abs(hi)))[()] for lo, hi in sides]
    most = [np.maximum(np.abs(lo), np.abs(hi)) for lo, hi in sides]
    lo, hi = a.dtype.outward(np.hypot(*least), np.hypot(*most), 4)
    finite = all(t.low > -np.inf and t.high < np.inf for t in (a, b))
    lo, hi = ctx.finite(np.maximum(a.dtype.flush(lo, hi)[0], 0.0), hi, a.dtype, finite)
    result = build(a.dtype, shape, starts, lo, hi, nan=a.nan or b.nan)
    if result.low < a.dtype.smallest < result.high:
        _never_together(ctx, GRADIENT_OF_NORM_AT_ZERO, a, b, float(a.dtype.smallest))
    return result
