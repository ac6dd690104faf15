"""Places that no mask hides: where, along the last axes, no element of a tensor is infinite.

Masks of -inf are often added to part of the rows only (shifted windows), one after another. Whether a row keeps an
element is a question of places: those that each mask leaves finite, everywhere it may have been added. It is answered
from constant masks backwards through how the tensor was made.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.operators.declaration import RESHAPES

DEPTH = 64  # operators between the tensor and its masks
LARGEST = 1 << 16  # elements of a mask

Places = np.ndarray[Any, np.dtype[np.bool_]]  # of some last axes; of no axes: everywhere, or nowhere known
NOWHERE: Places = np.zeros((), np.bool_)
EVERYWHERE: Places = np.ones((), np.bool_)


def shown_along(x: AbstractTensor, axis: int) -> bool:
    """Whether each row of `x` along `axis` (negative, from the end) has an element that is certainly finite."""
    places = shown_places(x, {}, DEPTH)
    return places.ndim >= -axis and places.shape[axis] > 0 and bool(np.all(np.any(places, axis=axis)))


def shown_places(x: Any, known: dict[int, Places], depth: int) -> Places:
    """True where every element of `x` at this place of its last axes is finite; `known`: the answers so far, by key."""
    if not isinstance(x, AbstractTensor) or x.nan or x.shape is None:
        return NOWHERE
    if x.key not in known:
        known[x.key] = NOWHERE  # while it is looked for
        known[x.key] = _places(x, known, depth)
    return known[x.key]


def _places(x: AbstractTensor, known: dict[int, Places], depth: int) -> Places:
    if x.low > -np.inf and x.high < np.inf:
        return EVERYWHERE
    if x.data is not None:
        data = np.asarray(x.data)
        return np.isfinite(data) if data.size <= LARGEST and data.dtype.kind == "f" else NOWHERE
    if x.origin is None or not x.origin.inputs or depth == 0 or x.origin.output != 0:
        return NOWHERE
    name, given = x.origin.rule.name, x.origin.inputs

    def of(place: int) -> Places:
        return shown_places(given[place], known, depth - 1)

    if name in ("Add", "Sub", "Mul") and len(given) == 2:  # of finite numbers; what overflows is told by itself
        return _meet(of(0), of(1))
    if name in ("Identity", "Neg", "Expand"):
        return of(0)
    if name in ("Cast", "CastLike"):
        return of(0) if x.dtype.is_float and x.dtype.hi >= given[0].dtype.hi else NOWHERE
    if name == "Where" and x.origin.context.op == "Where" and len(given) == 3:
        return _chosen(given[0], of(1), of(2))
    kept = _axes_kept(x, name, given)
    if kept is None:
        return NOWHERE
    if name == "ScatterND":
        return _meet(_last(of(0), kept), _last(of(2), kept))
    if name == "Concat":
        found = EVERYWHERE
        for place in range(len(given)):
            found = _meet(found, _last(of(place), kept))
        return found
    return _last(of(0), kept)


def _axes_kept(x: AbstractTensor, name: str, given: tuple[Any, ...]) -> int | None:
    """How many of the last axes each element keeps its place along; None where an operator computes something."""
    context, source = x.origin.context, given[0]
    if context.is_tf or not isinstance(source, AbstractTensor) or source.shape is None or x.shape is None:
        return None
    rank = len(source.shape)
    if name == "ScatterND":
        indices = given[1].shape if len(given) == 3 and isinstance(given[1], AbstractTensor) else None
        if str(context.attr("reduction", "none")) != "none" or not indices or not isinstance(indices[-1], int):
            return None
        return rank - indices[-1]
    if name == "Concat":
        return rank - 1 - int(context.attr("axis", 0)) % max(rank, 1)
    if name == "Transpose":
        order = context.attr("perm", None)
        order = list(range(rank))[::-1] if order is None else list(order)
        return _alike(order, list(range(rank)))
    if name == "Slice":
        axes = given[3].integers() if len(given) > 3 and isinstance(given[3], AbstractTensor) else None
        return None if axes is None or rank == 0 else rank - 1 - max((a % rank for a in axes), default=-1)
    if name == "Gather":
        return rank - 1 - int(context.attr("axis", 0)) % max(rank, 1)
    if x.origin.rule.operator.traits & RESHAPES:
        return _alike(list(source.shape), list(x.shape))
    return None


def _alike(first: list[Any], second: list[Any]) -> int:
    """How many of the last entries are equal."""
    count = 0
    while count < min(len(first), len(second)) and first[-1 - count] == second[-1 - count]:
        count += 1
    return count


def _last(places: Places, axes: int) -> Places:
    """Told of fewer last axes: a place is shown where all that come together there are."""
    over = tuple(range(max(places.ndim - axes, 0)))
    return np.asarray(np.all(places, axis=over)) if over else places


def _meet(first: Places, second: Places) -> Places:
    try:
        met = np.logical_and(first, second)
    except ValueError:
        return NOWHERE
    return np.asarray(met) if met.size <= LARGEST else NOWHERE


def _chosen(condition: Any, first: Places, second: Places) -> Places:
    """Places of what a condition chooses: of both, or of the one that a constant condition picks there."""
    exact = condition.exact() if isinstance(condition, AbstractTensor) else None
    if exact is None or np.size(exact) > LARGEST:
        return _meet(first, second)
    try:
        found = np.asarray(np.where(np.asarray(exact).astype(bool), first, second))
    except ValueError:
        return NOWHERE
    return found if found.size <= LARGEST else NOWHERE
