"""Differences of two values that one whole number decides: ``edge(k + 1) - edge(k)`` of the segment in which x lies.

Where the number is one of a few, both are computed for each of them, and what the difference is then is known together:
the segments of a grid are as wide as its steps, whatever the ends of the whole grid are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from analyzer.numerical.domain import dtypes
from analyzer.numerical.domain.dtypes import Array
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.operators.declaration import CONVERTS

DEPTH = 10  # operators between a value and the whole number
MOST_VALUES = 1 << 12
WIDEST = 2.0**31  # of a whole number on the way: float64 holds what is computed of it
ULPS = 2  # a division may be a product with the reciprocal, a product and a sum one operation

Bounds = tuple[Array, Array]


def difference_of_few(a: AbstractTensor, b: AbstractTensor) -> tuple[float, float]:
    """Between which numbers a - b lies where one whole number decides both; infinite ones elsewhere."""
    unknown = (-math.inf, math.inf)
    if not a.dtype.is_float or a.shape is None or a.shape != b.shape or a.nan or b.nan:
        return unknown
    others = {t.key: t for t in _wholes(b, DEPTH)}
    for source in _wholes(a, DEPTH):
        if source.key not in others or source.shape != a.shape:
            continue
        values = np.arange(source.low, source.high + 1)
        first, second = (_computed(t, source, (values, values), DEPTH) for t in (a, b))
        if first is not None and second is not None:
            least, greatest = a.dtype.outward((first[0] - second[1]).min(), (first[1] - second[0]).max(), 1)
            return float(least), float(greatest)
    return unknown


def _wholes(x: AbstractTensor, depth: int) -> Iterator[AbstractTensor]:
    """Whole numbers, few of them, of which and of known numbers alone `x` is computed, element by element."""
    if x.dtype.kind == dtypes.INTEGER and 0 <= x.high - x.low < MOST_VALUES and max(-x.low, x.high) < WIDEST:
        yield x
    made = _made(x)
    if made is not None and depth:
        yield from _wholes(made[1], depth - 1)


def _made(x: AbstractTensor) -> tuple[str, AbstractTensor, AbstractTensor | None, bool] | None:
    """The operator, its operand, a known number beside it, and whether that one stands first."""
    origin = x.origin
    inputs = origin.inputs if origin is not None else ()
    if not inputs or any(not isinstance(i, AbstractTensor) or i.nan for i in inputs):
        return None
    name = origin.rule.name
    if name == "Neg" or origin.rule.operator.traits & CONVERTS:
        return name, inputs[0], None, False
    if name not in ("Add", "Sub", "Mul", "Div") or len(inputs) != 2:
        return None
    for beside, operand, first in ((inputs[1], inputs[0], False), (inputs[0], inputs[1], True)):
        if beside.low == beside.high and math.isfinite(beside.low) and operand.low != operand.high:
            return name, operand, beside, first
    return None


def _computed(x: AbstractTensor, source: AbstractTensor, values: Bounds, depth: int) -> Bounds | None:
    """Between which numbers `x` lies for each of the values of `source`."""
    if x.key == source.key:
        return values
    made = _made(x)
    if made is None or depth == 0:
        return None
    name, operand, beside, first = made
    before = _computed(operand, source, values, depth - 1)
    if before is None or x.shape != source.shape:
        return None
    if name == "Neg":
        return _kept(x, -before[1], -before[0], 0)
    if beside is None:
        return _converted(x, operand, before)
    c = beside.low
    one, other = (_applied(name, v, c, first) for v in before)
    if one is None or other is None or (name == "Div" and not x.dtype.is_float):
        return None
    return _kept(x, np.minimum(one, other), np.maximum(one, other), ULPS)


def _applied(name: str, v: Array, c: float, first: bool) -> Array | None:
    """Monotone in `v`, so that the ends of an interval give the ends of the result."""
    if name == "Add":
        return v + c
    if name == "Sub":
        return c - v if first else v - c
    if name == "Mul":
        return v * c
    return v / c if not first and c != 0 else None


def _converted(x: AbstractTensor, operand: AbstractTensor, before: Bounds) -> Bounds | None:
    if operand.dtype.is_float and not x.dtype.is_float:
        return None  # what is cut off depends on roundings
    if x.dtype.kind not in (dtypes.INTEGER, dtypes.FLOAT) or operand.dtype.kind not in (dtypes.INTEGER, dtypes.FLOAT):
        return None
    return _kept(x, *before, 1)


def _kept(x: AbstractTensor, lo: Array, hi: Array, ulps: int) -> Bounds | None:
    """What the type of `x` makes of it; None where a number leaves the type."""
    if not x.dtype.is_float:
        return (lo, hi) if lo.min() >= x.dtype.lo and hi.max() <= min(x.dtype.hi, WIDEST) else None
    return x.dtype.outward(lo, hi, ulps) if max(-lo.min(), hi.max()) < x.dtype.hi / 2 else None
