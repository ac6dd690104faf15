"""Places along an axis: what sorting, scattering and gathering in another order leave in every row.

The fact ``permutation: axis`` says that integers along `axis` are 0, 1, … n - 1 in some order. So a row of ranks has
the least and the greatest of them, a row that is written to has what was written, and one with more elements than are
written keeps one of its own (`attained`). ``ranked: (source, axis)`` says that along `axis` stand elements of `source`
from the same row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from analyzer.numerical.domain import dims
from analyzer.numerical.domain.tensor import AbstractTensor, count
from analyzer.numerical.transfer.attained import Attained, as_fact, attained_by
from analyzer.numerical.transfer.facts import reduction_fact
from analyzer.numerical.transfer.peaks import peaks_of
from analyzer.operators.declaration import CONVERTS, RESHAPES


def permutation_fact(size: Any, axis: int) -> dict[str, Any]:
    """Of 0, 1, … size - 1 in any order along an axis."""
    if dims.low(size) < 1:
        return {}
    ends = (0.0, size - 1.0) if isinstance(size, int) else (0.0,)
    return {"permutation": axis, **as_fact([(v, v, (axis,)) for v in ends])}


def ranked_facts(x: AbstractTensor, values: AbstractTensor, axis: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Of the values that a sorting puts first, and of their places."""
    if x.nan or x.shape is None or values.shape is None:
        return {}, {}
    order = permutation_fact(x.shape[axis], axis) if values.shape[axis] == x.shape[axis] else {}
    return {"ranked": (x, axis)}, order


def one_of_ranked(x: AbstractTensor, axes: Sequence[int], shape: Any, kept: bool) -> dict[str, Any]:
    """The fact of a part of sorted values that shows a single place along `axes`, which are those that were cut."""
    source, axis = x.facts.get("ranked", (x, -1))
    if list(axes) != [axis] or x.shape is None or shape is None or (kept and shape[axis] != 1):
        return {}
    return reduction_fact("chosen", source, (axis,), kept)


def reordered(x: AbstractTensor, indices: AbstractTensor, axis: int) -> list[Attained]:
    """Of the elements of `x` in the order that `indices` give along an axis."""
    if indices.facts.get("permutation") != axis or x.shape is None or x.shape != indices.shape:
        return []
    return [a for a in attained_by(x) if axis in a[2]]


def with_greatest(x: AbstractTensor, indices: AbstractTensor, axis: int) -> dict[str, Any]:
    """The peak of what is gathered where `x`, or the logits whose softmax it is, is greatest along an axis."""
    least = peaks_of(x).get((axis,), 0.0)
    made = indices.origin
    if made is not None and made.rule.operator.traits & CONVERTS and not made.inputs[0].dtype.is_float:
        made = made.inputs[0].origin
    if made is None or made.rule.name != "TopK" or made.output != 1 or made.context.is_tf or least <= 0:
        return {}
    source, context, shape = made.inputs[0], made.context, indices.shape
    logits = x.origin.inputs[0] if x.origin is not None and x.origin.rule.name == "Softmax" else x
    if (
        source.key not in (x.key, logits.key)
        or source.nan
        or not int(context.attr("largest", 1))
        or not shape
        or x.shape is None
    ):
        return {}
    if int(context.attr("axis", -1)) % len(shape) != axis or dims.low(shape[axis]) < 1:
        return {}
    rows = [tuple(d for i, d in enumerate(sizes) if i != axis) for sizes in (shape, x.shape)]
    if rows[0] != rows[1]:
        return {}
    return {"peaks": {(axis,): least}}


def at_extreme(x: AbstractTensor, indices: AbstractTensor, axis: int) -> dict[str, Any]:
    """What is gathered where `x` is greatest, or least, along an axis is its maximum, or minimum, there.

    The axis may be taken away by the search and put back by a reshape.
    """
    if x.shape is None or x.nan or indices.shape is None or indices.shape[axis] != 1:
        return {}
    kept, found = 1, indices
    while (made := found.origin) is not None and made.rule.operator.traits & (CONVERTS | RESHAPES):
        found = made.inputs[0]
        if made.rule.operator.traits & RESHAPES:
            without = tuple(size for i, size in enumerate(indices.shape) if i != axis)
            if not kept or found.shape != without:
                return {}
            kept = 0
        elif found.dtype.is_float:
            return {}
    if made is None or made.rule.name not in ("ArgMax", "ArgMin") or made.context.is_tf:
        return {}
    context = made.context
    same = made.inputs[0].key == x.key and int(context.attr("axis", 0)) % len(x.shape) == axis
    if not same or int(context.attr("keepdims", 1)) != kept:
        return {}
    return reduction_fact("max" if made.rule.name == "ArgMax" else "min", x, (axis,), True)


def attained_by_writing(
    x: AbstractTensor, indices: Any, updates: AbstractTensor, axis: int, how: str
) -> list[Attained]:
    """Of `x` where each of its rows along `axis` receives `updates` at `indices`."""
    shape = indices.shape if isinstance(indices, AbstractTensor) else None
    if shape is None or x.shape is None or len(shape) != len(x.shape) or updates.nan or x.nan:
        return []
    if any(a != b for i, (a, b) in enumerate(zip(x.shape, shape, strict=True)) if i != axis):
        return []
    found: list[Attained] = []
    if dims.low(shape[axis]) >= 1:
        if how == "none":
            found.append((updates.low, updates.high, (axis,)))
        elif how in ("add", "max") and x.low >= 0 and updates.low >= 0:
            found.append((updates.low, float("inf"), (axis,)))
    if dims.low(x.shape[axis]) > dims.high(shape[axis]):
        found.append((x.low, x.high, (axis,)))
    return found


def attained_anywhere(x: AbstractTensor, indices: Any, updates: AbstractTensor) -> list[Attained]:
    """Of `x` where slices of it, at indices of its first axes, are replaced by `updates`."""
    shape = indices.shape if isinstance(indices, AbstractTensor) else None
    if not shape or x.shape is None or not isinstance(shape[-1], int) or updates.nan or x.nan:
        return []
    axes = tuple(range(shape[-1]))
    least, most = count(shape[:-1])
    found: list[Attained] = [(updates.low, updates.high, axes)] if least >= 1 else []
    if count(x.shape, axes)[0] > most:
        found.append((x.low, x.high, axes))
    return found


def largest_first(x: AbstractTensor, axis: int, values: AbstractTensor) -> None:
    """Splits off the first of sorted values, where it is known what the largest along `axis` is."""
    known = next((a for a in attained_by(x) if a[2] == (axis,)), None)
    assert values.shape is not None
    if known is None or dims.low(values.shape[axis]) < 2 or x.nan or values.starts is not None:
        return
    least = max(known[0], values.low)
    most = min(float(x.facts["max"][0]), values.high) if "max" in x.facts else values.high
    if (least <= values.low and most >= values.high) or least > most:
        return
    form = tuple(2 if i == axis else 1 for i in range(len(values.shape)))
    low, high = values.low, values.high
    values.starts = tuple((0, 1) if i == axis else (0,) for i in range(len(values.shape)))
    values.lo, values.hi = np.array([least, low]).reshape(form), np.array([most, high]).reshape(form)
