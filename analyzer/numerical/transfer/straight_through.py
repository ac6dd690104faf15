"""``x + (y - x)`` is y but for rounding: straight-through estimators give a value the gradient of another so."""

from __future__ import annotations

import math

from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.operators.declaration import IDENTITY


def given_back(a: AbstractTensor, b: AbstractTensor) -> tuple[float, float]:
    """Bounds of a + b where one of them is a difference from which the other was taken."""
    low, high = -math.inf, math.inf
    for x, rest in ((a, b), (b, a)):
        y = _less(rest, x)
        if y is None or not all(map(math.isfinite, (rest.low, rest.high, y.low, y.high))):
            continue
        # the difference is rounded, and so is the sum
        largest = max(abs(rest.low), abs(rest.high)) + max(abs(y.low), abs(y.high))
        error = a.dtype.eps * largest + a.dtype.tiny
        low, high = max(low, y.low - error), min(high, y.high + error)
    return low, high


def _less(difference: AbstractTensor, x: AbstractTensor) -> AbstractTensor | None:
    """y where a value is ``y - x`` or ``-x + y``, both of its shape; None where it is neither."""
    made = _plain(difference)
    origin = made.origin
    if origin is None or origin.rule.name not in ("Sub", "Add"):
        return None
    first, second = origin.inputs[:2]
    if not isinstance(first, AbstractTensor) or not isinstance(second, AbstractTensor) or made.shape != x.shape:
        return None
    key = _plain(x).key
    if origin.rule.name == "Sub":
        return first if _plain(second).key == key else None
    for negative, y in ((first, second), (second, first)):
        inner = _plain(negative).origin
        if inner is not None and inner.rule.name == "Neg" and _plain(inner.inputs[0]).key == key:
            return y
    return None


def _plain(tensor: AbstractTensor) -> AbstractTensor:
    """What a value is a copy of."""
    while tensor.origin is not None and tensor.origin.rule.operator.traits & IDENTITY:
        tensor = tensor.origin.inputs[0]
    return tensor
