"""Attention: rows of weights that are non-negative and sum to one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dims
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.result import Interval
from analyzer.numerical.transfer.registry import transfer


@transfer("Attention")
def attention(
    ctx: Context,
    q: AbstractTensor,
    k: AbstractTensor,
    v: AbstractTensor,
    mask: Any = None,
    past_k: Any = None,
    past_v: Any = None,
    lengths: Any = None,
) -> Any:
    """softmax(scale * q k' + mask) v: in the hull of v; of nothing where a mask hides a whole row."""
    hidden = mask is not None and (mask.low == -np.inf or mask.dtype.kind == "boolean")
    # products of infinities with 0 are NaN, and a row with +inf is turned into NaN
    unlimited = [i for i, t in enumerate((q, k)) if t.may_be_infinite]
    above = mask is not None and mask.high == np.inf
    ctx.check(
        "numerical/softmax-of-minus-infinity",
        "a mask hides every key of a row" if hidden else "a score is +inf or NaN",
        {3: mask} if mask is not None and (hidden or not unlimited) else {i: (q, k)[i] for i in (unlimited or [0])},
        lambda *_: not (hidden or unlimited or above),
    )
    lo, hi = v.low, v.high
    if past_v is not None:
        lo, hi = min(lo, past_v.low), max(hi, past_v.high)
    if hidden or lengths is not None or ctx.attr("is_causal", 0):
        lo, hi = min(lo, 0.0), max(hi, 0.0)  # kernels give 0 to rows without keys
    # weights sum to 1 only up to their own rounding: flash kernels rescale them block by block
    slack = 1e-3 * max(abs(lo), abs(hi)) if v.dtype.eps < 1e-5 else 8 * v.dtype.eps * max(abs(lo), abs(hi))
    shape = ctx.declared_shape()
    nan = any(t is not None and t.nan for t in (q, k, v, mask))
    a, b = ctx.finite(np.float64(lo - slack), np.float64(hi + slack), v.dtype, True)
    y = AbstractTensor(v.dtype, shape, a, b, None, nan)
    results: list[Any] = [y]
    for index, (new, past) in enumerate(((k, past_k), (v, past_v)), 1):
        low, high = (new.low, new.high) if past is None else (min(new.low, past.low), max(new.high, past.high))
        results.append(
            AbstractTensor(new.dtype, ctx.declared_shape(index), np.float64(low), np.float64(high), None, nan)
        )
    d = dims.high(q.shape[-1]) if q.shape else math.inf
    scale = float(ctx.attr("scale") or 1.0)
    most = max(abs(q.low), abs(q.high)) * max(abs(k.low), abs(k.high)) * d * max(abs(scale), 1.0) * 1.01 + (
        max(abs(mask.low), abs(mask.high)) if mask is not None and mask.dtype.is_float else 0.0
    )
    most = 1.0 if math.isnan(most) else max(most, 1.0)
    factor = abs(float(ctx.attr("scale") or 1 / math.sqrt(max(d, 1.0))))
    scores = max(abs(q.low), abs(q.high)) * max(abs(k.low), abs(k.high)) * d * factor
    if mask is not None and mask.dtype.is_float and not hidden:
        scores += max(abs(mask.low), abs(mask.high))
    if scores > q.dtype.hi and math.isfinite(scores):  # before the softmax
        ctx.overflow(Interval(-scores, scores), q.dtype, False)
    low, high = (
        (-math.inf if hidden or ctx.attr("is_causal", 0) or lengths is not None else -min(most, q.dtype.hi)),
        min(most, q.dtype.hi),
    )
    results.append(AbstractTensor(q.dtype, None, np.float64(low), np.float64(high), None, nan))
    return tuple(results[: max(len(ctx.node.outputs), 1)])
