"""What stands in for a maximum where that is infinite, and running maxima: at least what they are subtracted from.

``where(isfinite(m), m, 0)`` with ``m = max(x)`` is m wherever m is finite. Where it is not, and x holds no +inf, all of
the row is -inf. So each element of x is at most what stands in for its maximum, or it is -inf: in both cases the
difference is not positive. The fact ``reduced: (COVER, x, axes, kept)`` says so.

A running maximum is at least every element that came before, in its own operand or what was joined in front of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from analyzer.numerical.domain.tensor import AbstractTensor

COVER = "cover"
DEPTH = 8  # operators between a condition and what it asks about


def cover_fact(condition: AbstractTensor, a: Any, b: Any, result: AbstractTensor) -> dict[str, Any]:
    """The fact of ``where(condition, a, b)`` that is a maximum, but where that is -inf."""
    for value, other, truth in ((a, b, True), (b, a, False)):
        kind, source, axes, kept = value.facts.get("reduced", ("", value, None, False))
        if kind not in ("max", COVER) or value.shape is None or value.shape != result.shape or other.nan:
            continue
        known = not (value.nan or source.nan) and value.high < np.inf and source.high < np.inf
        if known and only_infinite(condition, not truth, value, DEPTH):
            return {"reduced": (COVER, source, axes, kept)}
    return {}


def only_infinite(condition: Any, truth: bool, value: AbstractTensor, depth: int) -> bool:
    """Whether the condition is `truth` only where `value`, which is never NaN, is infinite; or nowhere."""
    if not isinstance(condition, AbstractTensor) or depth == 0:
        return False
    if (truth and condition.high == 0) or (not truth and condition.low == 1):
        return True
    origin = condition.origin
    if origin is None or not origin.inputs or any(not isinstance(i, AbstractTensor) for i in origin.inputs):
        return False
    name, given = origin.rule.name, origin.inputs
    if name == "Not":
        return only_infinite(given[0], not truth, value, depth - 1)
    if name in ("And", "Or") and len(given) == 2:
        both = [only_infinite(c, truth, value, depth - 1) for c in given]
        return any(both) if (name == "And") == truth else all(both)
    if name == ("IsInf" if truth else "IsFinite"):
        return bool(given[0].key == value.key)
    return _compared_with_infinity(name, given, truth, value)


def _compared_with_infinity(name: str, given: tuple[AbstractTensor, ...], truth: bool, value: AbstractTensor) -> bool:
    """Of ``m == -inf``, and of ``m > -inf`` that is false."""
    if len(given) != 2 or name not in ("Equal", "NotEqual", "Greater", "Less"):
        return False
    place = next((i for i, t in enumerate(given) if t.key == value.key), None)
    other = given[1 - place] if place is not None else None
    if other is None or other.nan or other.low != other.high or not np.isinf(other.low):
        return False
    if name in ("Equal", "NotEqual"):
        return (name == "Equal") == truth
    above = (name == "Greater") == (place == 0)  # whether it asks for more than the infinity
    return not truth and above == (other.low < 0)


def covers_earlier(b: AbstractTensor, a: AbstractTensor) -> bool:
    """Whether `b` shows places of a running maximum, and `a` what stands in its operand there or before.

    `a` is part of what the maximum runs over: along that axis either one element or as many as `b` shows.
    """
    running, offsets = _shown(b)
    origin = running.origin
    if origin is None or origin.rule.name != "CumMax" or origin.output != 0 or a.nan or running.shape is None:
        return False
    axis = int(origin.context.attr("dim", 0)) % max(len(running.shape), 1)
    whole = origin.inputs[0]
    place = _place(whole, a, axis)
    if place is None or a.shape is None or b.shape is None or len(a.shape) != len(b.shape):
        return False
    if len(offsets) != len(b.shape) or any(o != 0 for i, o in enumerate(offsets) if i != axis):
        return False
    alike = all(d == e for i, (d, e) in enumerate(zip(a.shape, b.shape, strict=True)) if i != axis)
    return alike and a.shape[axis] in (1, b.shape[axis]) and offsets[axis] >= place


def _shown(x: AbstractTensor) -> tuple[AbstractTensor, tuple[int, ...]]:
    """The tensor of which `x` is a window, whose axes stay, and where that starts; `x` itself otherwise."""
    source, offsets, kept = x.facts.get("window", (None, (), ()))
    if source is None or tuple(kept) != tuple(range(len(source.shape or ()))):
        return x, (0,) * len(x.shape or ())
    return source, tuple(offsets)


def _place(whole: AbstractTensor, part: AbstractTensor, axis: int) -> int | None:
    """Where `part` starts in what it is joined to along the axis; None if it is no part of it."""
    if part.key == whole.key:
        return 0
    along, sizes, parts = whole.facts.get("parts", (None, (), ()))
    if along != axis:
        return None
    for index, one in enumerate(parts):
        if one.key == part.key:
            return int(sum(sizes[:index]))
    return None
