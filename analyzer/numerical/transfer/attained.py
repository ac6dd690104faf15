"""Values that some element of a row has: 0 after the maximum is subtracted, and what becomes of it element by element.

The fact ``attained: ((least, most, axes), …)`` says that along `axes` some element lies in [least, most], or is NaN
where the tensor may hold NaN. It passes through every element-wise operator, whose rule is asked what becomes of such
an element; where that is positive, the row has a peak (see `peaks`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from analyzer.numerical.domain.dims import Shape, low
from analyzer.numerical.domain.dtypes import OTHER
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.transfer.peaks import as_fact as peaks_fact
from analyzer.numerical.transfer.peaks import peaks_of

if TYPE_CHECKING:
    from analyzer.numerical.context import Context


Attained = tuple[float, float, tuple[int, ...]]  # least, most, axes
LARGEST = 1 << 12  # elements of a mask that are looked at
MOST = 4  # facts of one tensor: the ends of a ranking, and what was written beside what was there


def attained_by(x: Any) -> tuple[Attained, ...]:
    """What some elements of `x` along which axes are known to be."""
    if not isinstance(x, AbstractTensor):
        return ()
    known: tuple[Attained, ...] = x.facts.get("attained", ())
    if not known and "max" in x.facts:
        value, axes = x.facts["max"]
        known = ((value, value, tuple(axes)),)
    known = known or tuple((least, x.high, axes) for axes, least in peaks_of(x).items() if least <= x.high)
    return known or _of_mask(x)


def _of_mask(x: AbstractTensor) -> tuple[Attained, ...]:
    """Along each of the last axes of a constant mask of infinities: the least of each row, and the greatest."""
    if x.data is None or x.rank is None or x.rank < 2 or not x.may_be_infinite or x.nan:
        return ()
    data = np.asarray(x.data)
    if not 0 < data.size <= LARGEST or data.dtype.kind != "f":
        return ()
    found: list[Attained] = []
    for axis in (x.rank - 1, x.rank - 2):
        found.append((x.low, float(data.min(axis).max()), (axis,)))
        found.append((float(data.max(axis).min()), x.high, (axis,)))
    return tuple(a for a in found if np.isfinite(a[:2]).all())


def as_fact(found: Sequence[Attained]) -> dict[str, Any]:
    return {"attained": tuple(found[:MOST])} if found else {}


def peaked(found: Sequence[Attained], result: AbstractTensor) -> dict[str, Any]:
    """The facts of elements that a row is known to have: themselves, and the peaks that they are."""
    telling = [a for a in found if a[0] > result.low or a[1] < result.high]
    peaks = dict(peaks_of(result))
    for least, _, axes in telling:
        peaks[axes] = max(least, peaks.get(axes, 0.0))
    return {**as_fact(telling), **peaks_fact(peaks, result.dtype)}


def add_attained(context: Context, inputs: tuple[Any, ...], result: AbstractTensor) -> None:
    """Adds to the facts of an element-wise result what becomes of elements that an operand is known to have."""
    if result.dtype.kind == OTHER or result.nan or "attained" in result.facts:
        return
    for place, x in enumerate(inputs):
        known = attained_by(x)
        if not known or x.shape is None or result.shape is None or not _laid_over(x.shape, result.shape):
            continue
        if x.nan and not result.dtype.is_float:
            continue  # the element may be NaN, which compares as nothing else
        shift = len(result.shape) - len(x.shape)
        known = tuple((least, most, tuple(a + shift for a in axes)) for least, most, axes in known)
        others = [i if place == j or not isinstance(i, AbstractTensor) else _anonymous(i) for j, i in enumerate(inputs)]
        found = [a for a in (_becomes(context, x, others, place, one) for one in known) if a is not None]
        facts = peaked(found, result)
        if "attained" in facts:
            result.facts = {**result.facts, **facts}
            return


def _laid_over(shape: Shape, result: Shape) -> bool:
    """Whether a result repeats an operand along new axes before its own at most."""
    return result[len(result) - len(shape) :] == shape


def _becomes(context: Context, x: AbstractTensor, inputs: list[Any], place: int, known: Attained) -> Attained | None:
    """What the operator makes of an element of `x` that is known."""
    least, most, axes = known
    point = AbstractTensor(x.dtype, x.shape, np.float64(least), np.float64(most))
    with context.run.ledger.quietly():
        found = context.rule.function(context, *(point if j == place else i for j, i in enumerate(inputs)))
    if not isinstance(found, AbstractTensor) or found.nan or not np.isfinite((found.low, found.high)).all():
        return None
    if x.may_be_infinite and (found.low <= found.dtype.lo or found.high >= found.dtype.hi):
        return None  # where operands may be infinite, nobody tells what overflows
    return found.low, found.high, axes


def moved(x: AbstractTensor, places: Mapping[int, int]) -> dict[str, Any]:
    """Of `x` whose axes stand at other places, new ones of size 1 among them."""
    return as_fact([(a, b, tuple(sorted(places[i] for i in axes))) for a, b, axes in attained_by(x)])


def kept_by_reshape(x: AbstractTensor, new: Shape | None) -> dict[str, Any]:
    """Of `x` under another shape: rows along axes before or behind those that are regrouped."""
    known = attained_by(x) if new is not None and x.shape is not None else ()
    if not known or new is None or x.shape is None:
        return {}
    head, tail = unregrouped(x.shape, new)
    places = {i: i for i in range(head)}
    places |= {len(x.shape) - i: len(new) - i for i in range(1, tail + 1)}
    return as_fact([(a, b, tuple(places[i] for i in axes)) for a, b, axes in known if all(i in places for i in axes)])


def unregrouped(old: Shape, new: Shape) -> tuple[int, int]:
    """How many of the first axes, and of the last ones, a reshape in row-major order leaves as they are."""
    head = tail = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return head, tail


def joined(parts: Sequence[AbstractTensor], axis: int, result: AbstractTensor) -> dict[str, Any]:
    """Of parts joined along `axis`: what one of them has along it, and what all have along others."""
    if result.nan or result.dtype.kind == OTHER:
        return {}
    known = [_with_whole(part, (axis,), result) for part in parts]
    found = [
        one for part, own in zip(parts, known, strict=True) if _filled(part, axis) for one in own if axis in one[2]
    ]
    for _, _, axes in known[0]:
        if axis not in axes:
            own = [[a for a in _with_whole(part, axes, result) if a[2] == axes] for part in parts]
            if all(own):
                found.append((min(a[0][0] for a in own), max(a[0][1] for a in own), axes))
    return peaked(found, result)


def _with_whole(part: AbstractTensor, axes: tuple[int, ...], result: AbstractTensor) -> list[Attained]:
    """What rows of a part are known to have, all of it where it is what is finite beside infinities."""
    whole = not part.may_be_infinite and result.may_be_infinite and all(_filled(part, i) for i in axes)
    return [*attained_by(part), *([(part.low, part.high, axes)] if whole else [])]


def _filled(part: AbstractTensor, axis: int) -> bool:
    return part.shape is not None and low(part.shape[axis]) >= 1


def _anonymous(x: AbstractTensor) -> AbstractTensor:
    """The bounds of a tensor alone: its relations to other values are not those of a single element."""
    return AbstractTensor(x.dtype, x.shape, np.float64(x.low), np.float64(x.high), None, x.nan)
