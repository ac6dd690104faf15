"""A total and the running sum of what is missing: ``sum(x) + cumsum(c - x)`` is at least c for x that is not negative.

The first k elements are part of the total, so the two hold k times c together. Such is the union in the losses that
extend the Jaccard index to errors in order.
"""

from __future__ import annotations

import numpy as np

from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.transfer.facts import are_axes
from analyzer.numerical.transfer.whole import holds_whole


def least_total(a: AbstractTensor, b: AbstractTensor) -> float:
    """What a + b is at least by this relation; -inf where it does not hold of them."""
    for total, running in ((a, b), (b, a)):
        total = _uncast(total)
        kind, source, axes, kept = total.facts.get("reduced", ("", total, None, False))
        origin = running.origin
        if kind != "sum" or not kept or not are_axes(axes) or len(axes) != 1 or origin is None or source.low < 0:
            continue
        if origin.rule.name != "CumSum" or len(origin.inputs) < 2 or origin.context.attr("exclusive", 0):
            continue
        missing, where = _uncast(origin.inputs[0]), origin.inputs[1].integers()
        rest = missing.origin
        if where is None or rest is None or rest.rule.name != "Sub" or source.shape is None or source.nan:
            continue
        whole, taken = rest.inputs
        size = source.shape[axes[0]]
        if where[0] % len(source.shape) != axes[0] % len(source.shape) or missing.shape != source.shape:
            continue
        if taken.key != source.key or whole.low != whole.high or whole.low < 0 or not isinstance(size, int) or not size:
            continue
        largest = size * max(abs(source.low), abs(source.high), abs(missing.low), abs(missing.high))
        eps = max(float(t.dtype.eps) for t in (running, source) if t.dtype.is_float)
        exact = holds_whole(source) and holds_whole(whole) and largest < 1 / eps
        if not exact and not (source.dtype.is_float and missing.dtype.is_float):
            continue
        return float(whole.low - (0.0 if exact else 2 * size * eps * largest))
    return -np.inf


def _uncast(x: AbstractTensor) -> AbstractTensor:
    """The whole numbers that a floating-point tensor is made of, or the tensor itself."""
    origin = x.origin
    if origin is None or origin.rule.name not in ("Cast", "CastLike") or not x.dtype.is_float:
        return x
    before = origin.inputs[0]
    return before if isinstance(before, AbstractTensor) and not before.dtype.is_float else x
