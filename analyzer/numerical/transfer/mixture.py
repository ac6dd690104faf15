"""Mixtures ``a y + b (1 - y)`` with shares y in [0, 1]: between a and b; where y is a mask, one of both as it says."""

from __future__ import annotations

from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.refinement import refine_by
from analyzer.numerical.transfer.masks import truth_of


def mixture_bounds(first: AbstractTensor, second: AbstractTensor) -> tuple[float, float] | None:
    """Bounds of the sum of two products whose shares add up to 1; None if they are none such.

    Rounded products of numbers up to 1 with y and with 1 - y add up to 1 at most: that sum rounds to 1 exactly.
    """
    for p, y in _factors(first):
        if not (y.low >= 0 and y.high <= 1) or y.nan:
            continue
        for q, z in _factors(second):
            condition = truth_of(y)
            if condition is not None and _is_rest(z, y):
                return _selected(condition, p, q)
            if _is_rest(z, y) or _is_rest(y, z):
                low, high = min(p.low, q.low), max(p.high, q.high)
                slack = 8 * float(first.dtype.eps) * max(abs(low), abs(high)) + float(first.dtype.tiny)
                least = 0.0 if low >= 0 else low - slack
                exact = high in (0.0, 1.0) and low >= 0
                return max(least, low - slack), high if exact else high + slack
    return None


def _selected(condition: AbstractTensor, p: AbstractTensor, q: AbstractTensor) -> tuple[float, float] | None:
    """Bounds of p where the condition holds and q elsewhere: products with 0 and 1 round nothing."""
    if condition.origin is None or p.nan or q.nan:
        return None
    run = condition.origin.context.run
    found = (refine_by(run, condition, truth, value) for truth, value in ((True, p), (False, q)))
    parts = [t for t in found if t is not None]
    return (min(t.low for t in parts), max(t.high for t in parts)) if parts else None


def _factors(x: AbstractTensor) -> tuple[tuple[AbstractTensor, AbstractTensor], ...]:
    """(value, share) of a product, either way round."""
    origin = x.origin
    if origin is None or origin.rule.name != "Mul" or len(origin.inputs) != 2:
        return ()
    a, b = origin.inputs
    return (a, b), (b, a)


def _is_rest(z: AbstractTensor, y: AbstractTensor) -> bool:
    """Whether z is 1 - y."""
    origin = z.origin
    if origin is None or origin.rule.name != "Sub" or len(origin.inputs) != 2:
        return False
    one, share = origin.inputs
    return bool(one.low == 1 == one.high and share.key == y.key)
