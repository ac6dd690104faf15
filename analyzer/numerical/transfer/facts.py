"""Relations between a value and what it was computed from, beyond affine ones.

Facts that transfer functions attach to their results:

- ``max: (value, axes)``: the maximum over `axes` is exactly `value` (``x - max(x)``, its exponential).
- ``peak: (least, axes)``: the maximum over `axes` is at least `least` (softmax, the largest of its elements).
- ``extremum: (p, q, d, largest)``: the result is the larger (or smaller) of p and q, and d is p - q.
- ``reduced: (kind, operand, axes, kept)``: the result is a reduction of `operand`; kinds ``max``, ``min``, ``sum``,
  ``norm`` (Euclidean), ``sum of absolutes``, ``sum of squares``; `kept`: the result broadcasts against the operand so
  that each element meets its own reduction (the reduced axes remain with size 1, or are all there are).
- ``above: operands``, ``below: operands``: the result is at least (at most) each of `operands`, element by element.
- ``nearly above: operands``: the same but for rounding.
- ``finite: axes``: along `axes` at least one element is finite, although some may be infinite (masks).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from analyzer.numerical.domain import affine
from analyzer.numerical.domain.dims import Shape
from analyzer.numerical.domain.tensor import AbstractTensor


def reduction_fact(kind: str, source: AbstractTensor, axes: Any, kept: bool) -> dict[str, Any]:
    """The fact of a reduction over `axes` (a tuple; None: not known). One over all axes meets every element."""
    return {"reduced": (kind, source, axes, kept or over_everything(source, axes))}


def over_everything(source: AbstractTensor, axes: Any) -> bool:
    """Whether a reduction over `axes` leaves a single element."""
    return axes is not None and source.rank is not None and len(set(axes)) == source.rank


def quotient_bound(a: AbstractTensor, b: AbstractTensor) -> tuple[float | None, float | None]:
    """Bounds of a / b that follow from how b was computed from a; (None, None) if nothing follows."""
    if a.key == b.key:
        return 1.0, 1.0
    slack = 1.0 + 64 * a.dtype.eps  # the denominator is rounded
    if b.low >= 0 and dominates(b, a, 6):
        if b.low < 1e3 * float(np.sqrt(a.dtype.tiny)):  # squares of small values underflow
            slack = 1.5
        return (0.0 if a.low >= 0 else -slack), slack
    if b.low >= 0 and a.low >= 0 and a.high < np.inf and b.high < np.inf:
        first, second = affine.form_of(a), affine.form_of(b)
        if a.key in second.terms:
            first = affine.variable(a)
        if affine.related(first, second):
            difference = affine.combine(second, first, 1.0, -1.0)
            if difference is not None:
                low, _ = difference.bounds(None)  # b - a as it is, with the rounding of both
                if low >= 0:
                    return 0.0, 1.0 if difference.error == 0 else slack
                if b.low > 0:  # a is at most b - low, and that much matters where b is small
                    return 0.0, slack * (1.0 - float(low) / b.low)
    return None, None


ORDER = {"min": 0, "mean": 1, "max": 2, "logsumexp": 3}  # reductions of one operand, in the order of their results


def difference_sign(a: AbstractTensor, b: AbstractTensor) -> tuple[bool, bool]:
    """Whether a - b is known never to be negative; and whether that holds exactly, or but for rounding."""
    if any(t.key == b.key for t in a.facts.get("above", ())) or any(t.key == a.key for t in b.facts.get("below", ())):
        return True, True
    if any(t.key == b.key for t in a.facts.get("nearly above", ())):
        return True, False
    first, over_first, axes_first = _reduction(a)
    second, over_second, axes_second = _reduction(b)
    if over_first.key != over_second.key:
        return False, False
    if first is None or second is None:  # an element beside the extreme of its row
        known, place = (first, 2) if second is None else (second, 0)
        good = known is not None and (ORDER[known] >= 2 if place == 2 else ORDER[known] == 0)
        return good, known != "logsumexp"
    exact = {"mean", "logsumexp"}.isdisjoint((first, second))
    return axes_first == axes_second and ORDER[first] >= ORDER[second], exact


def _reduction(x: AbstractTensor) -> tuple[str | None, AbstractTensor, Any]:
    """The kind of reduction, what is reduced, over which axes; (None, x, None) for anything else."""
    kind, source, axes, kept = x.facts.get("reduced", (None, x, None, False))
    if kind not in ORDER or axes is None or not kept:
        return None, x, None
    return kind, source, tuple(axes)


def dominates(b: AbstractTensor, a: AbstractTensor, depth: int) -> bool:
    """Whether every element of `b` is at least the absolute value of the element of `a` that it meets in a / b."""
    if depth == 0:
        return False
    if b.key == a.key:
        return a.low >= 0
    reduced = b.facts.get("reduced")
    if reduced is not None:
        kind, source, _, kept = reduced
        if kept and kind in ("norm", "sum of absolutes", "max of absolutes") and same_magnitude(source, a):
            return True
        if kept and kind in ("sum", "max") and a.low >= 0 and same_magnitude(source, a):
            return True
        if kept and kind in ("sum", "max") and _absolute_of(source, a):
            return True
    if b.facts.get("absolute") == a.key:
        return True
    for part in b.facts.get("above", ()):
        if dominates(part, a, depth - 1):
            return True
    origin = b.origin
    if origin is None:
        return False
    name = origin.rule.name
    if name == "Add":
        x, y = origin.inputs
        return (y.low >= 0 and dominates(x, a, depth - 1)) or (x.low >= 0 and dominates(y, a, depth - 1))
    if name == "Sqrt":
        return _square_sum(origin.inputs[0], a, depth - 1)
    if name == "Pow" and origin.inputs[1].low == origin.inputs[1].high == 0.5:
        return _square_sum(origin.inputs[0], a, depth - 1)
    if name == "Abs":
        return same_magnitude(origin.inputs[0], a)
    if name in ("Expand", "Tile", "BroadcastTo"):
        return dominates(origin.inputs[0], a, depth - 1)
    return False


def _square_sum(b: AbstractTensor, a: AbstractTensor, depth: int) -> bool:
    """Whether `b` is at least the sum of the squares of `a` over some axes."""
    if depth <= 0:
        return False
    reduced = b.facts.get("reduced")
    if reduced is not None:
        kind, source, _, kept = reduced
        if kept and kind == "sum of squares":
            return same_magnitude(source, a)
        if kept and kind == "sum":
            return _square_of(source, a)
    for part in b.facts.get("above", ()):
        if _square_sum(part, a, depth - 1):
            return True
    origin = b.origin
    if origin is None:
        return False
    if origin.rule.name == "Add":
        x, y = origin.inputs
        return (y.low >= 0 and _square_sum(x, a, depth - 1)) or (x.low >= 0 and _square_sum(y, a, depth - 1))
    return _square_of(b, a)


def _square_of(b: AbstractTensor, a: AbstractTensor) -> bool:
    origin = b.origin
    if origin is None:
        return False
    name, inputs = origin.rule.name, origin.inputs
    if name == "Mul":
        return inputs[0].key == inputs[1].key and same_magnitude(inputs[0], a)
    if name == "Square":
        return same_magnitude(inputs[0], a)
    return name == "Pow" and inputs[1].low == inputs[1].high == 2 and same_magnitude(inputs[0], a)


def _absolute_of(b: AbstractTensor, a: AbstractTensor) -> bool:
    origin = b.origin
    return origin is not None and origin.rule.name == "Abs" and same_magnitude(origin.inputs[0], a)


def same_magnitude(b: AbstractTensor, a: AbstractTensor) -> bool:
    """Whether b is a, -a or |a|."""
    if b.key == a.key:
        return True
    for one, other in ((a, b), (b, a)):
        origin = one.origin
        if origin is not None and origin.rule.name in ("Neg", "Abs") and origin.inputs[0].key == other.key:
            return True
    return False


def keeps_finite(a: AbstractTensor, b: AbstractTensor, shape: Shape | None) -> Any:
    """The `finite` fact of a sum: one operand has it, the other is finite everywhere."""
    for one, other in ((a, b), (b, a)):
        if other.low > -np.inf and other.high < np.inf:
            axes = one.facts.get("finite")
            if axes is None and one.data is not None and one.rank is not None:
                axes = tuple(-i for i in range(1, one.rank + 1) if finite_along(one, -i))
            if axes:
                return axes
    return None


def finite_along(tensor: AbstractTensor, axis: int) -> bool:
    """Whether along `axis` (negative, counted from the end) at least one element is not -inf."""
    if tensor.low > -np.inf:
        return True
    known = tensor.facts.get("finite")
    if known is not None and axis in known:
        return True
    if tensor.data is not None and tensor.rank is not None and -axis <= tensor.rank:
        return bool(np.all(np.any(np.asarray(tensor.data) > -np.inf, axis=axis)))
    return False
