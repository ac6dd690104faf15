"""Relations between a value and what it was computed from, beyond affine ones.

Facts that transfer functions attach to their results:

- ``max: (value, axes)``: the maximum over `axes` is exactly `value` (``x - max(x)``, its exponential).
- ``whole: True``: every element is a whole number by assumption (`whole`).
- ``trained: initial``: a weight with its initial values, where its norms are kept away from 0 (`norms`).
- ``attained: ((least, most, axes), …)``: along `axes` some element lies in [least, most] (`attained`).
- ``permutation: axis``, ``ranked: (source, axis)``: places and values of a sorting (`rankings`).
- ``peaks: {axes: least}``: the maximum over `axes` is at least `least` (`peaks`).
- ``extremum: (p, q, d, largest)``: the result is the larger (or smaller) of p and q, and d is p - q.
- ``reduced: (kind, operand, axes, kept)``: the result is a reduction of `operand`; kinds ``max``, ``min``, ``sum``,
  ``chosen`` (one of the elements, a median), ``norm`` (Euclidean), ``sum of absolutes``, ``sum of squares``; `kept`:
  the result broadcasts against the operand so that each element meets its own reduction (the reduced axes remain with
  size 1, or are all there are). ``cover``: what stands in for a maximum (`covers`).
- ``diagonal: (least, most)``: the diagonals of the matrices lie in [least, most] (`diagonals`).
- ``segments: (kind, updates, indices, axis)``: the result is at least (``max``, ``sum`` of what is not negative) or at
  most (``min``) each of the `updates` that `indices` bring to it along `axis`. Where the same indices gather it again,
  each update meets its own segment: the gathered value is ``reduced`` over `segment_axes`.
- ``above: operands``, ``below: operands``: the result is at least (at most) each of `operands`, element by element.
- ``nearly above: operands``: the same but for rounding.
- ``near: (base, least, most)``: the result differs from `base` by what lies in [least, most] (`bisection`).
- ``unit: (axis, most)``: the Euclidean norm along `axis` is at most `most` (`unit_rows`).
- ``solution: (d, matrix)``: the columns x solve ``matrix x = d`` (`solving`).
- ``nonzero``: no element is 0, although the bounds may lie on both sides (`masked_assignment`).
- ``finite: axes``: along `axes` at least one element is finite, although some may be infinite (masks).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from analyzer.numerical.domain import affine, dtypes
from analyzer.numerical.domain.dims import Shape
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.transfer.components import shows_component
from analyzer.numerical.transfer.covers import COVER, covers_earlier
from analyzer.numerical.transfer.magnitudes import absolute_of, root_of, same_magnitude, square_of


def reduction_fact(kind: str, source: AbstractTensor, axes: Any, kept: bool) -> dict[str, Any]:
    """The fact of a reduction over `axes` (a tuple; None: not known). One over all axes meets every element."""
    return {"reduced": (kind, source, axes, kept or over_everything(source, axes))}


def segment_axes(indices: AbstractTensor, axis: int) -> tuple[str, int, int]:
    """What stands for axes in the fact of a reduction over segments: equal for equal indices only."""
    return ("segments", indices.key, axis)


def are_axes(axes: Any) -> bool:
    """Whether a reduction is over axes that are known, and not over segments."""
    return axes is not None and all(isinstance(a, int) for a in axes)


def over_everything(source: AbstractTensor, axes: Any) -> bool:
    """Whether a reduction over `axes` leaves a single element."""
    return are_axes(axes) and source.rank is not None and len(set(axes)) == source.rank


def over_leading(source: AbstractTensor, axes: Any, result: AbstractTensor) -> bool:
    """Whether the first axes are taken away, so that each element meets its own reduction all the same."""
    if not are_axes(axes) or source.rank is None or result.rank != source.rank - len(axes):
        return False
    return sorted(axes) == list(range(len(axes)))


def quotient_bound(a: AbstractTensor, b: AbstractTensor) -> tuple[float | None, float | None]:
    """Bounds of a / b that follow from how b was computed from a; (None, None) if nothing follows."""
    if a.key == b.key:
        return 1.0, 1.0
    if _difference_and_sum(a, b):  # no larger than the sum before rounding, and so after it
        return -1.0, 1.0
    slack = 1.0 + 64 * a.dtype.eps  # the denominator is rounded
    part = _part(a, b)
    if part is not None:
        return part
    if a.origin is not None and a.origin.rule.name == "Sin" and a.origin.inputs[0].key == b.key:
        return (-0.2173 if max(-b.low, b.high) < 1e5 else -slack), slack  # the least is -0.21723, at 4.4934
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


def _part(a: AbstractTensor, b: AbstractTensor) -> tuple[float, float] | None:
    """Bounds of a / b where a is less than 1 times what has some over b, and neither is lost as a small number."""
    origin = a.origin
    if origin is None or origin.rule.name != "Mul" or b.low < 1e3 * float(np.sqrt(a.dtype.tiny)):
        return None
    for value, factor in (origin.inputs, origin.inputs[::-1]):
        if factor.low == factor.high and abs(factor.low) < 1 and value.shape == a.shape:
            least, most = quotient_bound(value, b)
            if least is not None and most is not None:
                slack = 64 * float(a.dtype.eps)
                ends = sorted((least * factor.low, most * factor.low))
                return (ends[0] - slack if ends[0] else 0.0), (ends[1] + slack if ends[1] else 0.0)
    return None


def _difference_and_sum(a: AbstractTensor, b: AbstractTensor) -> bool:
    """Whether a is p - q or q - p, and b the sum p + q, of the same two numbers, neither negative."""
    less, both = a.origin, b.origin
    if less is None or both is None or less.rule.name not in ("Sub", "Add") or both.rule.name != "Add":
        return False
    if a.nan or b.nan or any(v.low < 0 for v in both.inputs) or a.shape is None or a.shape != b.shape:
        return False
    for p, q in (both.inputs, both.inputs[::-1]):
        first, second = less.inputs
        if less.rule.name == "Add":  # p + (-q)
            if any(_same(x, p) and _opposite(y, q) for x, y in ((first, second), (second, first))):
                return True
        elif _same(first, p) and _same(second, q):
            return True
    return False


def _same(x: AbstractTensor, y: AbstractTensor) -> bool:
    """Whether both are the same value, or the same constant number."""
    return x.key == y.key or (x.low == x.high == y.low == y.high and not x.nan and not y.nan)


def _opposite(x: AbstractTensor, y: AbstractTensor) -> bool:
    negated = x.origin is not None and x.origin.rule.name == "Neg" and x.origin.inputs[0].key == y.key
    return negated or (x.low == x.high == -y.low == -y.high and not x.nan and not y.nan)


VIEWS = 6  # windows of windows between what is compared and a running sum

# reductions of one operand, by their results
ORDER = {"min": 0, "mean": 1, "chosen": 1, "max": 2, COVER: 2.5, "logsumexp": 3}


def difference_sign(a: AbstractTensor, b: AbstractTensor) -> tuple[bool, bool]:
    """Whether a - b is known never to be negative; and whether that holds exactly, or but for rounding."""
    if any(t.key == b.key for t in a.facts.get("above", ())) or any(t.key == a.key for t in b.facts.get("below", ())):
        return True, True
    if any("reduced" in t.facts and difference_sign(t, b) == (True, True) for t in a.facts.get("above", ())):
        return True, True  # a maximum that is clipped from below is at least the maximum
    if any(t.key == b.key for t in a.facts.get("nearly above", ())):
        return True, False
    if _runs_on(a, b):
        return True, False
    if covers_earlier(a, b):
        return True, True
    alike = a.shape is not None and a.shape == b.shape and _axes(a) is not None and _axes(a) == _axes(b)
    first, over_first, axes_first = _reduction(a, alike)
    second, over_second, axes_second = _reduction(b, alike)
    if over_first.key != over_second.key:
        return False, False
    if first is None or second is None:  # an element beside the extreme of its row
        known, place = (first, 2) if second is None else (second, 0)
        good = known is not None and (ORDER[known] >= 2 if place == 2 else ORDER[known] == 0)
        return good, known != "logsumexp"
    if second == COVER:
        return False, False  # what it holds beside -inf alone may be larger than anything
    exact = {"mean", "logsumexp"}.isdisjoint((first, second))
    ordered = ORDER[first] > ORDER[second] or (first == second and first != "chosen")
    return axes_first == axes_second and ordered, exact


def _runs_on(a: AbstractTensor, b: AbstractTensor) -> bool:
    """Whether a - b is an earlier or later running sum less another one, in the order that makes it not negative.

    The last of running sums of what is not positive is the least of them, the first the greatest.
    """
    for part, whole, sign in ((a, b, 1), (b, a, -1)):
        source, offsets, _ = part.facts.get("window", (None, (), ()))
        if source is None or source.key != whole.key or whole.shape is None:
            continue
        apart = [i for i in range(len(whole.shape)) if _one_of(part, whole, i)]
        for axis in apart:
            size, terms = whole.shape[axis], _summed(whole, axis)
            if terms is None or not isinstance(size, int) or any(o != 0 for i, o in enumerate(offsets) if i != axis):
                continue
            rising = terms.low >= 0 if sign > 0 else terms.high <= 0  # that the last is the greatest
            falling = terms.high <= 0 if sign > 0 else terms.low >= 0
            if size > 0 and ((offsets[axis] == size - 1 and rising) or (offsets[axis] == 0 and falling)):
                return True
    return False


def _summed(x: AbstractTensor, axis: int) -> AbstractTensor | None:
    """What a running sum along an axis adds, of which `x` shows a part."""
    for _ in range(VIEWS):
        source, offsets, kept = x.facts.get("window", (None, (), ()))
        old = kept[axis] if axis < len(kept) else None
        if source is None or old is None or not isinstance(offsets[old], int):  # in another order
            break
        x, axis = source, old
    origin = x.origin
    if origin is None or origin.rule.name != "CumSum" or x.shape is None or origin.context.attr("reverse", 0):
        return None
    where = origin.inputs[1].integers() if len(origin.inputs) > 1 else None
    return origin.inputs[0] if where is not None and int(where[0]) % max(len(x.shape), 1) == axis else None


def _one_of(part: AbstractTensor, whole: AbstractTensor, axis: int) -> bool:
    """Whether `part` shows a single place of `whole` along `axis` and broadcasts against it in all others."""
    assert whole.shape is not None
    return part.shape == tuple(1 if i == axis else d for i, d in enumerate(whole.shape))


def _axes(x: AbstractTensor) -> tuple[Any, ...] | None:
    """The axes that a reduction has taken away, or kept with size 1."""
    kind, source, axes, _ = x.facts.get("reduced", (None, x, None, False))
    return None if kind not in ORDER or axes is None else (source.key, *axes)


def _reduction(x: AbstractTensor, alike: bool = False) -> tuple[str | None, AbstractTensor, Any]:
    """The kind of reduction, what is reduced, over which axes; (None, x, None) for anything else.

    `alike`: it is compared with one of the same shape over the same axes, so that these need not be kept.
    """
    kind, source, axes, kept = x.facts.get("reduced", (None, x, None, False))
    if kind not in ORDER or axes is None or not (kept or alike or over_leading(source, axes, x)):
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
        kind, source, axes, kept = reduced
        if kept and kind in ("norm", "sum of absolutes", "max of absolutes") and same_magnitude(source, a):
            return True
        if kept and kind in ("sum", "max") and a.low >= 0 and same_magnitude(source, a):
            return True
        if kept and kind in ("sum", "max") and absolute_of(source, a):
            return True
        if kind in ("norm", "sum of absolutes", "max of absolutes") and shows_component(a, source, axes, b):
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
    if name == "Sub":
        return _spans(origin.inputs, a)
    if name in ("Gather", "GatherElements"):
        where = gather_place(origin.context, origin.inputs)
        return where is not None and _segment_dominates(origin.inputs[0], *where, a, depth - 1)
    if name in ("Expand", "Tile", "BroadcastTo"):
        return dominates(origin.inputs[0], a, depth - 1)
    return False


def _spans(ends: tuple[AbstractTensor, ...], a: AbstractTensor) -> bool:
    """Whether max(x) - min(x) is compared with x - min(x) or max(x) - x: rounding keeps the order of differences."""
    if a.origin is None or a.origin.rule.name != "Sub" or a.low < 0:
        return False
    (high, low), (first, second) = ends[:2], a.origin.inputs[:2]
    if second.key == low.key and high.key != low.key:
        kind, source, axes = _reduction(high)
        return kind == "max" and source.key == first.key and axes is not None
    if first.key == high.key and high.key != low.key:
        kind, source, axes = _reduction(low)
        return kind == "min" and source.key == second.key and axes is not None
    return False


def gather_place(ctx: Any, inputs: tuple[Any, ...]) -> tuple[AbstractTensor, int] | None:
    """The indices of a gathering and its axis (from 0); None where they are not known."""
    if len(inputs) < 2 or inputs[0] is None or inputs[1] is None or inputs[0].rank is None:
        return None
    if not ctx.is_tf:
        axis = int(ctx.attr("axis", 0))
    else:
        known = inputs[2].integers() if len(inputs) > 2 and inputs[2] is not None else [0]
        if known is None or ctx.attr("batch_dims", 0):
            return None
        axis = int(known[0])
    return inputs[1], axis % max(inputs[0].rank, 1)


def gathered_segments(x: AbstractTensor, indices: AbstractTensor, axis: int) -> tuple[str, AbstractTensor] | None:
    """The kind and the updates of the segments that `x` holds, where `indices` bring each update its own one."""
    kind, updates, known, along = x.facts.get("segments", (None, x, indices, axis))
    if kind is None or along != axis or x.shape is None or updates.shape is None:
        return None
    rest = [(d, u) for i, (d, u) in enumerate(zip(x.shape, updates.shape, strict=True)) if i != axis]
    if any(d != u for d, u in rest):
        return None  # the updates are narrower than what they are added to
    wanted = _same_numbers(indices)
    same = wanted.key == _same_numbers(known).key or (wanted.rank == 1 and spread_of(known, axis).key == wanted.key)
    return (kind, updates) if same else None


def _same_numbers(indices: AbstractTensor) -> AbstractTensor:
    """What a tensor of indices was before conversions to other integers that hold all of them."""
    current = indices
    for _ in range(8):
        origin = current.origin
        before = origin.inputs[0] if origin is not None and origin.inputs else None
        if not isinstance(before, AbstractTensor) or origin.rule.name not in ("Cast", "Identity"):
            break
        whole = (
            before.dtype.kind == dtypes.INTEGER and before.low >= current.dtype.lo and before.high <= current.dtype.hi
        )
        if not whole or current.dtype.kind != dtypes.INTEGER:
            break
        current = before
    return current


def spread_of(indices: AbstractTensor, axis: int) -> AbstractTensor:
    """The vector that `indices` repeat along all axes but `axis`; the tensor itself where there is none."""
    current = _same_numbers(indices)
    for _ in range(8):
        origin, shape = current.origin, current.shape
        before = origin.inputs[0] if origin is not None and origin.inputs else None
        if shape is None or len(shape) == 1 or not isinstance(before, AbstractTensor) or before.shape is None:
            break
        name = origin.rule.name
        if name == "Expand" and len(before.shape) == len(shape) and before.shape[axis] == shape[axis]:
            current = _same_numbers(before)
        elif name in ("Reshape", "Unsqueeze") and len(before.shape) == 1 and _column(shape, axis, before.shape[0]):
            return _same_numbers(before)
        else:
            break
    return current


def _column(shape: Shape, axis: int, size: Any) -> bool:
    return shape[axis] == size and all(d == 1 for i, d in enumerate(shape) if i != axis)


def _segment_dominates(x: AbstractTensor, indices: AbstractTensor, axis: int, a: AbstractTensor, depth: int) -> bool:
    """Whether what `indices` gather of `x` is at least the absolute value of `a`, whose sums or maxima `x` holds."""
    if depth <= 0:
        return False
    found = gathered_segments(x, indices, axis)
    if found is not None:
        kind, updates = found
        return kind in ("sum", "max") and a.low >= 0 and same_magnitude(updates, a)
    if any(_segment_dominates(part, indices, axis, a, depth - 1) for part in x.facts.get("above", ())):
        return True
    origin = x.origin
    if origin is None or origin.rule.name != "Add":
        return False
    p, q = origin.inputs[:2]
    return (q.low >= 0 and p.shape == x.shape and _segment_dominates(p, indices, axis, a, depth - 1)) or (
        p.low >= 0 and q.shape == x.shape and _segment_dominates(q, indices, axis, a, depth - 1)
    )


def _square_sum(b: AbstractTensor, a: AbstractTensor, depth: int) -> bool:
    """Whether `b` is at least the sum of the squares of `a` over some axes."""
    if depth <= 0:
        return False
    reduced = b.facts.get("reduced")
    if reduced is not None:
        kind, source, axes, kept = reduced
        base = source if kind == "sum of squares" else root_of(source) if kind == "sum" else None
        if base is not None and ((kept and same_magnitude(base, a)) or shows_component(a, base, axes, b)):
            return True
    for part in b.facts.get("above", ()):
        if _square_sum(part, a, depth - 1):
            return True
    origin = b.origin
    if origin is None:
        return False
    if origin.rule.name == "Add":
        x, y = origin.inputs
        return (y.low >= 0 and _square_sum(x, a, depth - 1)) or (x.low >= 0 and _square_sum(y, a, depth - 1))
    return square_of(b, a)
