"""What becomes of elements that any number of updates replace, or are reduced with."""

from __future__ import annotations

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain.tensor import AbstractTensor, count
from analyzer.numerical.transfer.joining import hull


def scattered(ctx: Context, x: AbstractTensor, updates: AbstractTensor, how: str) -> AbstractTensor:
    """Elements replaced by, or reduced with, any number of updates."""
    nan = x.nan or updates.nan
    if how in ("none", "update"):
        return hull([x, updates], x.shape)
    n = count(updates.shape)[1]
    xl, xh, ul, uh = x.low, x.high, updates.low, updates.high
    if nan and how in ("max", "min"):  # kernels pass over what is NaN, or give NaN
        xl, xh = min(xl, ul), max(xh, uh)
    if how in ("add", "sub"):  # +inf and -inf among what is added up
        nan |= (x.may_be_infinite or updates.may_be_infinite) and not (min(xl, ul) > -np.inf or max(xh, uh) < np.inf)
        nan |= how == "sub" and (x.may_be_infinite and updates.may_be_infinite)
    elif how == "mul":
        nan |= x.may_be_infinite or updates.may_be_infinite
    if how == "add":
        lo = xl + (min(ul, 0.0) * n if ul < 0 else 0.0)
        hi = xh + (max(uh, 0.0) * n if uh > 0 else 0.0)
    elif how == "sub":
        lo, hi = xl - (max(uh, 0.0) * n if uh > 0 else 0.0), xh - (min(ul, 0.0) * n if ul < 0 else 0.0)
    elif how == "mul":
        m = max(abs(ul), abs(uh))
        with np.errstate(all="ignore"):
            grown = float(np.float64(max(m, 1.0)) ** n)
        top = max(abs(xl), abs(xh)) * grown
        top = 0.0 if np.isnan(top) else top
        lo, hi = (0.0 if xl >= 0 and ul >= 0 else -top), (top if xh > 0 or xl < 0 else 0.0)
    elif how == "max":
        lo, hi = xl, max(xh, uh)
    else:
        lo, hi = min(xl, ul), xh
    if x.dtype.is_float and how in ("add", "sub", "mul"):
        # at least what reordered updates in float32 lose; more where there are many
        slack = 1e-5 * max(abs(lo), abs(hi)) if np.isfinite(max(abs(lo), abs(hi))) else 0.0
        roundings = max(2.0, min(n, 2.0**24) / 2)  # one for each update
        slack = max(slack, roundings * x.dtype.eps * max(abs(lo), abs(hi))) if slack else 0.0
        lo, hi = lo - slack, hi + slack
        if how == "add":  # rounding is monotone: what is not negative makes no sum smaller
            lo, hi = (xl if ul >= 0 else lo), (xh if uh <= 0 else hi)
        elif how == "mul" and xl >= 0 and ul >= 0:
            lo = 0.0
    finite = all(np.isfinite(v) for v in (xl, xh, ul, uh))
    lo, hi = -np.inf if np.isnan(lo) else lo, np.inf if np.isnan(hi) else hi
    a, b = ctx.finite(np.float64(lo), np.float64(hi), x.dtype, finite)
    return AbstractTensor(x.dtype, x.shape, a, b, None, nan)
