"""Differences of neighbours in running sums and sorted rows.

Running sums are the widths of bins that a softmax shares out, and that their edges make again.

Edges are running sums of widths that are at least so large; they begin at 0 or at another number, are scaled and moved,
and their first and last are set to the ends of an interval. What lies between two of them is then at least the least
width, but for rounding and for what the ends were moved by.

What a sorting puts in order stays in order, exactly, where numbers are scaled, moved, clipped or rectified: rounding
keeps order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from analyzer.numerical.domain import affine
from analyzer.numerical.domain.tensor import AbstractTensor, count
from analyzer.operators.declaration import MONOTONE, PIECEWISE_LINEAR, RESHAPES

DEPTH = 12  # operators between a difference and the running sum
MOST_PLACES = 1 << 14
Interval = tuple[float, float]
UNKNOWN_STEP: Interval = (-math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class Rises:
    """Along an axis of `size` places each number is larger than the one before by `least`; where rows begin and end."""

    least: float
    first: Interval
    last: Interval
    size: int


def step_between(a: AbstractTensor, b: AbstractTensor) -> Interval:
    """Bounds of a - b if they are the later and the earlier neighbours of one tensor; infinite if not.

    The other way round it is what each falls by, along rows in falling order. No step is larger than all together.
    """
    source, later, kept = a.facts.get("window", (None, (), ()))
    other, sooner, also = b.facts.get("window", (None, (), ()))
    if other is not None and (source is None or source.key != other.key):
        source, later, kept = _joined_part(other, a)
    if source is None or other is None or source.key != other.key or kept != also or a.shape != b.shape or a.nan:
        return UNKNOWN_STEP
    if not all(isinstance(o, int) for o in (*later, *sooner)) or kept != tuple(range(len(later))):
        return UNKNOWN_STEP
    apart = [i for i, (p, q) in enumerate(zip(later, sooner, strict=True)) if p != q]
    if len(apart) != 1 or abs(later[apart[0]] - sooner[apart[0]]) != 1:
        return UNKNOWN_STEP
    found = steps_along(source, apart[0], falling=later[apart[0]] < sooner[apart[0]])
    if found is None:
        return UNKNOWN_STEP
    most = found.last[1] - found.first[0] if found.least >= 0 else math.inf
    return float(source.dtype.nearest(np.float64(found.least))), float(source.dtype.nearest(np.float64(most)))


def steps_along(x: AbstractTensor, axis: int, depth: int = DEPTH, *, falling: bool = False) -> Rises | None:
    """What is known of the neighbours along an axis (from 0), `falling`: of those of -x; None for nothing."""
    origin = x.origin
    if origin is None or depth == 0 or x.nan or not x.dtype.is_float or not np.isfinite((x.low, x.high)).all():
        return None
    name, inputs = origin.rule.name, origin.inputs
    if not inputs or not isinstance(inputs[0], AbstractTensor):
        return None
    if name == "TopK":
        return _sorted(origin, x, axis, falling)
    if name == "Identity":
        return steps_along(inputs[0], axis, depth - 1, falling=falling)
    if name == "Neg":
        return steps_along(inputs[0], axis, depth - 1, falling=not falling)
    if name in ("Add", "Sub", "Mul", "Div") and len(inputs) == 2:
        return _moved(name, inputs, x, axis, depth, falling)
    if origin.rule.operator.traits & MONOTONE and origin.rule.operator.traits & PIECEWISE_LINEAR:
        return _kept(x, inputs, axis, depth, falling)
    if falling:
        return None
    if name == "CumSum":
        return _running(origin, axis)
    if name == "Concat":
        return _joined(origin, axis, depth)
    if name == "Pad":
        return _padded(x, inputs, axis, depth)
    if name == "ScatterElements":
        return _written(origin, x, axis, depth)
    return None


def _sorted(origin: Any, x: AbstractTensor, axis: int, falling: bool) -> Rises | None:
    """Values in the order in which a sorting puts them."""
    context, size = origin.context, x.shape[axis] if x.shape is not None and axis < len(x.shape) else None
    along = -1 if context.is_tf else int(context.attr("axis", -1))
    if origin.output or not context.attr("sorted", 1) or not isinstance(size, int) or size < 1 or x.shape is None:
        return None
    if along % len(x.shape) != axis or bool(context.attr("largest", 1)) != falling:
        return None
    return _ordered(x, size, falling)


def _ordered(x: AbstractTensor, size: int, falling: bool) -> Rises:
    ends = (-x.high, -x.low) if falling else (x.low, x.high)
    return Rises(0.0, ends, ends, size)


def _kept(x: AbstractTensor, inputs: Any, axis: int, depth: int, falling: bool) -> Rises | None:
    """Rectified, or clipped by numbers: equal neighbours may come of it, but no others."""
    bounds = [t for t in inputs[1:] if t is not None]
    if any(not isinstance(t, AbstractTensor) or t.low != t.high or t.nan for t in bounds):
        return None
    found = steps_along(inputs[0], axis, depth - 1, falling=falling)
    return None if found is None or found.least < 0 or inputs[0].shape != x.shape else _ordered(x, found.size, falling)


def _running(origin: Any, axis: int) -> Rises | None:
    terms, where = origin.inputs[0], origin.inputs[1].integers() if len(origin.inputs) > 1 else None
    size = terms.shape[axis] if terms.shape is not None and axis < len(terms.shape) else None
    plain = not origin.context.attr("exclusive", 0) and not origin.context.attr("reverse", 0)
    if where is None or not plain or not isinstance(size, int) or not 0 < size <= MOST_PLACES or terms.low < 0:
        return None
    if where[0] % len(terms.shape) != axis or not math.isfinite(terms.high):
        return None
    low, high = _total(terms, axis, size)
    lost = size * float(terms.dtype.eps) * high  # of any partial sum, in any order
    return Rises(terms.low - 2 * lost, (terms.low, terms.high), (low - lost, high + lost), size)


def _total(terms: AbstractTensor, axis: int, size: int) -> Interval:
    """Bounds of the exact sum of the terms: what a softmax shares out adds up to 1."""
    low, high = size * terms.low, size * terms.high
    form = affine.form_of(terms)
    if len(form.terms) == 1:
        ((shares, scale, relu),) = form.terms.values()
        if not relu and scale > 0 and shares.shape == terms.shape and _is_softmax(shares, axis):
            off = scale * ((size + 4) * float(shares.dtype.eps) + size * float(shares.dtype.tiny)) + size * form.error
            whole = scale + size * form.constant
            low, high = max(low, whole - off), min(high, whole + off)
    return low, high


def _is_softmax(x: AbstractTensor, axis: int) -> bool:
    origin = x.origin
    if origin is None or origin.rule.name != "Softmax" or x.shape is None or x.nan:
        return False
    along = -1 if origin.context.is_tf else int(origin.context.attr("axis", -1))
    return bool(along % len(x.shape) == axis and (origin.context.is_tf or origin.context.run.opset >= 13))


def _padded(x: AbstractTensor, inputs: Any, axis: int, depth: int) -> Rises | None:
    """A 0 before what is positive."""
    before, found = inputs[0], steps_along(inputs[0], axis, depth - 1)
    value = inputs[2] if len(inputs) > 2 else None
    zero = value is None or (isinstance(value, AbstractTensor) and value.low == 0 == value.high)
    amounts = inputs[1].integers() if len(inputs) > 1 and isinstance(inputs[1], AbstractTensor) else None
    if (
        found is None
        or not zero
        or amounts is None
        or before.shape is None
        or (len(inputs) > 3 and inputs[3] is not None)
    ):
        return None
    context, rank = x.origin.context, len(before.shape)
    if context.is_tf or str(context.attr("mode", "constant")) != "constant" or len(amounts) != 2 * rank:
        return None
    if any(n != (1 if i == axis else 0) for i, n in enumerate(amounts)):
        return None
    return Rises(min(found.least, found.first[0]), (0.0, 0.0), found.last, found.size + 1)


def _written(origin: Any, x: AbstractTensor, axis: int, depth: int) -> Rises | None:
    """One place of each row set to other numbers: its first or its last."""
    before, indices, updates = origin.inputs[:3]
    found = steps_along(before, axis, depth - 1)
    along = int(origin.context.attr("axis", 0)) % len(x.shape or (0,))
    if found is None or along != axis or str(origin.context.attr("reduction", "none")) != "none":
        return None
    shape = tuple(1 if i == axis else d for i, d in enumerate(x.shape or ()))
    if not isinstance(indices, AbstractTensor) or indices.low != indices.high or updates.shape != shape or updates.nan:
        return None
    place, new = int(indices.low) % found.size, (updates.low, updates.high)
    if indices.shape != shape or not -found.size <= indices.low < found.size or found.size < 2:
        return None
    if place == 0:
        return replace(found, least=found.least + min(0.0, found.first[0] - new[1]), first=new)
    if place == found.size - 1:
        return replace(found, least=found.least + min(0.0, new[0] - found.last[1]), last=new)
    return None


def _joined_part(whole: AbstractTensor, part: AbstractTensor) -> tuple[Any, tuple[int, ...], tuple[int, ...]]:
    """The window of a joined tensor that is the second of two parts, all of it."""
    origin, shape = whole.origin, whole.shape
    parts = _parts(origin) if origin is not None and origin.rule.name == "Concat" and shape is not None else None
    if parts is None or shape is None or parts[1].key != part.key:
        return None, (), ()
    axis = _joined_along(origin, len(shape))
    before = (parts[0].shape or ())[axis] if axis is not None else None
    if not isinstance(before, int):
        return None, (), ()
    return whole, tuple(before if i == axis else 0 for i in range(len(shape))), tuple(range(len(shape)))


def _parts(origin: Any) -> list[AbstractTensor] | None:
    parts = list(origin.inputs[:-1] if origin.context.is_tf else origin.inputs)
    alike = len(parts) == 2 and all(isinstance(p, AbstractTensor) and p.shape for p in parts)
    return parts if alike and len(parts[0].shape) == len(parts[1].shape) else None


def _joined_along(origin: Any, rank: int) -> int | None:
    where = origin.inputs[-1].integers() if origin.context.is_tf else [int(origin.context.attr("axis", 0))]
    return where[0] % rank if where else None


def _joined(origin: Any, axis: int, depth: int) -> Rises | None:
    """One number before what rises: less than its first by what it is itself, or moved by the same number."""
    parts = _parts(origin)
    if parts is None or parts[0].nan or _joined_along(origin, len(parts[1].shape or ())) != axis:
        return None
    start, rest = parts
    found = steps_along(rest, axis, depth - 1)
    if found is None or (start.shape or ())[axis] != 1 or not math.isfinite(start.high - start.low):
        return None
    gap = found.first[0] - start.high
    base = _bare(start)
    if rest.origin is not None and rest.origin.rule.name == "Add" and count(start.shape)[1] == 1:
        for value, other in (rest.origin.inputs[:2], rest.origin.inputs[1::-1]):
            if _bare(other).key == base.key and count(other.shape)[1] == 1 and value.shape == rest.shape:
                moved = steps_along(value, axis, depth - 1)
                lost = 2 * float(rest.dtype.eps) * max(abs(rest.low), abs(rest.high)) + float(rest.dtype.tiny)
                gap = max(gap, moved.first[0] - lost) if moved is not None else gap
    return Rises(min(found.least, gap), (start.low, start.high), found.last, found.size + 1)


def _bare(x: AbstractTensor) -> AbstractTensor:
    """What `x` is, without axes of size 1 that come and go."""
    while x.origin is not None and x.origin.rule.operator.traits & RESHAPES:
        x = x.origin.inputs[0]
    return x


def _moved(name: str, inputs: Any, x: AbstractTensor, axis: int, depth: int, falling: bool) -> Rises | None:
    """Scaled by a positive number, or moved by a number, which may be another one for other rows."""
    turned = -1.0 if falling else 1.0
    for value, other in ((inputs[0], inputs[1]), (inputs[1], inputs[0])):
        alike = name in ("Add", "Sub") and _one_place(other, x, axis) and math.isfinite(other.high - other.low)
        number = other.low == other.high or alike
        if not number or other.nan or value.shape != x.shape or (name in ("Sub", "Div") and value is not inputs[0]):
            continue
        factor = float(other.low) if name == "Mul" else 1 / float(other.low) if name == "Div" and other.low else 1.0
        sign = turned * {"Add": 1.0, "Sub": -1.0}.get(name, 0.0)
        shift, shifted = sorted((sign * float(other.low), sign * float(other.high)))
        if factor <= 0 or (name == "Div" and other.low <= 0):
            return None
        found = steps_along(value, axis, depth - 1, falling=falling)
        if found is None:
            return None
        lost = 2 * float(x.dtype.eps) * max(abs(x.low), abs(x.high)) + float(x.dtype.tiny)  # by both of a difference
        first = (factor * found.first[0] + shift - lost, factor * found.first[1] + shifted + lost)
        last = (factor * found.last[0] + shift - lost, factor * found.last[1] + shifted + lost)
        least = max(factor * found.least - lost, 0.0 if found.least >= 0 else -math.inf)  # rounding keeps order
        return Rises(least, first, last, found.size)
    return None


def _one_place(other: AbstractTensor, x: AbstractTensor, axis: int) -> bool:
    """Whether what is laid over `x` is the same at all places along an axis."""
    place = axis - len(x.shape or ()) + len(other.shape or ())
    return other.shape is not None and (place < 0 or other.shape[place] == 1)
