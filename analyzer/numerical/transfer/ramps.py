"""Differences of softened rectifiers: ``softplus(x) - softplus(x - 1)`` lies between 0 and 1, as its slope does.

Far above 0 a framework may return the number itself in place of its softplus (PyTorch's threshold), which is a little
less. ``softplus(b x) / b`` counts as well.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from analyzer.numerical.domain import affine
from analyzer.numerical.domain.tensor import AbstractTensor

DEPTH = 6  # operators between a softplus and the difference
ROUNDED = 32  # units in the last place of the larger value: a kernel's softplus and a factor, twice
UNKNOWN = (-math.inf, math.inf)


class _Ramp(NamedTuple):
    """``scale * softplus(inner)``, as far as `error` from it."""

    inner: AbstractTensor
    scale: float = 1.0
    error: float = 0.0


def difference_of_ramps(a: AbstractTensor, b: AbstractTensor) -> tuple[float, float]:
    """Bounds of a - b for two such values whose numbers are known to lie so far apart; infinite if they are not."""
    first = _ramp(a, DEPTH) if a.dtype.is_float and not (a.nan or b.nan) else None
    second = _ramp(b, DEPTH) if first is not None else None
    if first is None or second is None or first.scale != second.scale or first.inner.shape != second.inner.shape:
        return UNKNOWN
    low, high = _apart(first.inner, second.inner, 1.0)
    size = max(abs(a.low), abs(a.high), abs(b.low), abs(b.high))
    error = first.error + second.error + ROUNDED * a.dtype.eps * size + a.dtype.tiny
    if not math.isfinite(error):
        return UNKNOWN
    return first.scale * min(low, 0.0) - error, first.scale * max(high, 0.0) + error


def _apart(a: AbstractTensor, b: AbstractTensor, scale: float) -> tuple[float, float]:
    """Bounds of ``a - scale * b`` where both are combinations of the same values."""
    first, second = affine.form_of(a), affine.form_of(b)
    form = affine.combine(first, second, 1.0, -scale) if affine.related(first, second) else None
    if form is None:
        return UNKNOWN
    low, high = form.bounds(None)
    return float(np.min(low)), float(np.max(high))


def _ramp(x: AbstractTensor, depth: int) -> _Ramp | None:
    origin = x.origin
    if origin is None or depth == 0 or not origin.inputs or not isinstance(origin.inputs[0], AbstractTensor):
        return None
    name, inputs = origin.rule.name, origin.inputs
    if name == "Softplus":
        return _Ramp(inputs[0])
    if name in ("Mul", "Div") and len(inputs) == 2:
        pairs = (inputs, inputs[::-1]) if name == "Mul" else (inputs,)
        for value, number in pairs:
            factor = _positive(number)
            found = _ramp(value, depth - 1) if factor and value.shape == x.shape else None
            if found is not None:
                scale = factor if name == "Mul" else 1 / factor
                return found._replace(scale=found.scale * scale, error=found.error * scale)
        return None
    return _itself_above(x, depth) if name == "Where" else None


def _itself_above(x: AbstractTensor, depth: int) -> _Ramp | None:
    """``where(u > t, s * u, s * softplus(u))``."""
    condition, above, below = x.origin.inputs
    found = _ramp(below, depth - 1) if isinstance(below, AbstractTensor) and below.shape == x.shape else None
    if found is None or condition.origin is None or condition.origin.rule.name not in ("Greater", "GreaterOrEqual"):
        return None
    number, threshold = condition.origin.inputs[:2]
    limit = _positive(threshold)
    if number.key != found.inner.key or not limit or above.shape != x.shape or number.shape != x.shape:
        return None
    low, high = _apart(above, found.inner, found.scale)
    return found._replace(error=found.error + found.scale * math.log1p(math.exp(-limit)) + max(abs(low), abs(high)))


def _positive(number: AbstractTensor) -> float:
    """The constant above 0 that a value is; 0 for any other."""
    return number.low if 0 < number.low == number.high < math.inf and not number.nan else 0.0
