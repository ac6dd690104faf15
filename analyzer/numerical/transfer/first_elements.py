"""First elements of running sums: the first sum is the first element itself, whatever the others are.

So some element of a row has ``k x_k > x_1 + … + x_k - 1`` for k = 1, 2, …: its first. The threshold of a sparse softmax
is looked for among such elements, and divided by their number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analyzer.numerical.domain import dims
from analyzer.numerical.domain.tensor import AbstractTensor, rebuilt_axis

STEPS = 6  # operators between a comparison and the numbers that are added up


class _First(NamedTuple):
    """The first element is that of `source`, plus `offset`; `moved` is the size of all that was added on the way."""

    source: AbstractTensor
    offset: float = 0.0
    moved: float = 0.0


def first_is_above(a: AbstractTensor, b: AbstractTensor) -> int | None:
    """The axis along which the first element of a is certainly above that of b, roundings included."""
    if a.shape is None or a.shape != b.shape or a.dtype != b.dtype or not a.dtype.is_float or a.nan or b.nan:
        return None
    axis = _running_axis(a, STEPS)
    axis = _running_axis(b, STEPS) if axis is None else axis
    if axis is None or dims.low(a.shape[axis]) < 1:
        return None
    upper, lower = _first(a, axis), _first(b, axis)
    source = upper.source
    if source.key != lower.source.key or source.nan or source.may_be_infinite:
        return None
    size = max(abs(source.low), abs(source.high)) + upper.moved + lower.moved
    rounded = 2 * STEPS * (a.dtype.eps * size + a.dtype.tiny)
    return axis if upper.offset - lower.offset > rounded else None


def _running_axis(x: AbstractTensor, steps: int) -> int | None:
    """The axis of a running sum behind constants that are added, or factors."""
    axis = _axis_of_sum(x)
    if axis is not None or steps == 0 or x.origin is None or x.origin.rule.name not in ("Add", "Sub", "Mul"):
        return axis
    parts = [p for p in x.origin.inputs[:2] if p.shape == x.shape and p.origin is not None]
    return next((found for p in parts if (found := _running_axis(p, steps - 1)) is not None), None)


def _first(x: AbstractTensor, axis: int) -> _First:
    offset = moved = 0.0
    for _ in range(STEPS):
        origin = x.origin
        if origin is not None and _axis_of_sum(x) == axis:
            x = origin.inputs[0]
            continue
        name = origin.rule.name if origin is not None else ""
        if origin is None or name not in ("Add", "Sub", "Mul"):
            break
        pairs = (origin.inputs[:2], origin.inputs[1::-1]) if name != "Sub" else (origin.inputs[:2],)
        whole = [(one, other) for one, other in pairs if one.shape == x.shape and one.dtype == x.dtype]
        known = [(one, n) for one, other in whole if (n := _of_first(other, x, axis)) is not None]
        if not known or (name == "Mul" and known[0][1] != 1):
            break
        x, number = known[0]
        if name != "Mul":
            offset, moved = offset + (-number if name == "Sub" else number), moved + abs(number)
    return _First(x, offset, moved)


def _of_first(factor: AbstractTensor, x: AbstractTensor, axis: int) -> float | None:
    """The one number that the first elements of `x` along an axis are multiplied with, or that is added to them."""
    if factor.nan or factor.shape is None or x.shape is None:
        return None
    place = axis - len(x.shape) + len(factor.shape)
    low, high = factor.low, factor.high
    if place >= 0 and factor.starts is not None:
        _, lows, highs = rebuilt_axis(factor, place, 0, 1)
        low, high = float(np.min(lows)), float(np.max(highs))
    if place >= 0 and low < high and factor.data is not None and np.ndim(factor.data) == len(factor.shape):
        first = np.take(np.asarray(factor.data), [0], place) if factor.shape[place] else np.zeros(0)
        low, high = (float(first.min()), float(first.max())) if first.size else (low, high)
    return low if low == high and np.isfinite(low) else None


def _axis_of_sum(x: AbstractTensor) -> int | None:
    """The axis along which `x` is a running sum from the first element on."""
    origin = x.origin
    if origin is None or origin.rule.name != "CumSum" or len(origin.inputs) < 2 or x.rank is None:
        return None
    if origin.context.attr("exclusive", 0) or origin.context.attr("reverse", 0):
        return None
    axis = origin.inputs[1]
    where = axis.integers() if isinstance(axis, AbstractTensor) else None
    return where[0] % x.rank if where and len(where) == 1 and x.rank else None
