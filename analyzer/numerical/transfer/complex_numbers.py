"""Complex numbers: the bounds of a tensor hold both of its parts.

Most rules are about real numbers. What they make of complex ones is kept where it holds of each part by itself: of
sums, and of what only moves or chooses elements.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from analyzer.numerical.domain.tensor import AbstractTensor, top
from analyzer.numerical.transfer.kinds import broadcast
from analyzer.numerical.transfer.registry import transfer
from analyzer.operators.declaration import CONTRACTION, IDENTITY, LINEAR, RESHAPES, SELECTION, SELECTS, WIDEST

if TYPE_CHECKING:
    from analyzer.numerical.context import Context

BY_PART = IDENTITY | RESHAPES | SELECTS | SELECTION | WIDEST | LINEAR


def is_complex(x: Any) -> bool:
    return isinstance(x, AbstractTensor) and x.dtype.name.startswith("complex")


@transfer("Complex")
def complex_number(ctx: Context, real: AbstractTensor, imaginary: AbstractTensor) -> AbstractTensor:
    low, high = min(real.low, imaginary.low), max(real.high, imaginary.high)
    shape = broadcast(ctx, real, imaginary).shape
    nan = real.nan or imaginary.nan
    return AbstractTensor(ctx.element_type(), shape, np.float64(low), np.float64(high), None, nan)


@transfer("Part")
def part(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """The real or imaginary part: the bounds of a complex tensor hold both."""
    return AbstractTensor(ctx.element_type(0, x.dtype), x.shape, np.float64(x.low), np.float64(x.high), None, x.nan)


@transfer("Magnitude")
def magnitude(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """The length of both parts, which overflows nowhere on the way."""
    dtype = ctx.element_type(0, x.dtype)
    least = 0.0 if x.low <= 0 <= x.high else min(abs(x.low), abs(x.high))
    most = max(abs(x.low), abs(x.high))
    lo, hi = dtype.outward(np.float64(least * math.sqrt(2)), np.float64(most * math.sqrt(2)), 4)
    lo, hi = ctx.finite(np.maximum(dtype.flush(lo, hi)[0], 0.0), hi, dtype, not x.may_be_infinite)
    return AbstractTensor(dtype, x.shape, lo, hi, None, x.nan)


def exponential(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """e**a (cos b + i sin b): overflows by the real part alone."""
    limit = math.log(x.dtype.hi)
    origin = x.origin
    made = origin is not None and origin.rule.name == "Complex"
    real = origin.inputs[0] if made and isinstance(origin.inputs[0], AbstractTensor) else x
    ctx.check("numerical/exp-overflow", f"x > {limit:.5g}", {0: real}, lambda t: t.high <= limit and not t.nan)
    most = float(x.dtype.nearest(np.float64(math.exp(min(real.high, limit)) * (1 + 16 * x.dtype.eps))))
    most = min(max(most, x.dtype.tiny), x.dtype.hi)
    return AbstractTensor(x.dtype, x.shape, np.float64(-most), np.float64(most), None, x.nan)


def by_part(context: Context, inputs: tuple[Any, ...], result: AbstractTensor) -> AbstractTensor:
    """The result of a rule for real numbers: any complex number where that does not hold of each part by itself."""
    traits = context.rule.operator.traits
    known = (traits & BY_PART and not traits & CONTRACTION) or context.rule.name == "Exp"
    if known or not is_complex(result) or result.final or not any(is_complex(i) for i in inputs):
        return result
    return top(result.dtype, result.shape, nan=result.nan)
