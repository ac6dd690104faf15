"""Mixtures ``a y + b (1 - y)`` with shares y in [0, 1]: between a and b."""

from __future__ import annotations

from analyzer.numerical.domain.tensor import AbstractTensor


def mixture_bounds(first: AbstractTensor, second: AbstractTensor) -> tuple[float, float] | None:
    """Bounds of the sum of two products whose shares add up to 1; None if they are none such.

    Rounded products of numbers up to 1 with y and with 1 - y add up to 1 at most: that sum rounds to 1 exactly.
    """
    for p, y in _factors(first):
        if not (y.low >= 0 and y.high <= 1) or y.nan:
            continue
        for q, z in _factors(second):
            if _is_rest(z, y) or _is_rest(y, z):
                low, high = min(p.low, q.low), max(p.high, q.high)
                slack = 8 * float(first.dtype.eps) * max(abs(low), abs(high)) + float(first.dtype.tiny)
                least = 0.0 if low >= 0 else low - slack
                exact = high in (0.0, 1.0) and low >= 0
                return max(least, low - slack), high if exact else high + slack
    return None


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
