"""Elements of a row beside a norm of the same row: ``x[:, 1] / sqrt(sum(x², 1) + c)`` is at most 1.

An element may have been picked, sliced, negated, made absolute, or multiplied by what is at most 1, which rounding
makes no larger.
"""

from __future__ import annotations

from typing import Any

from analyzer.numerical.domain.tensor import AbstractTensor

STEPS = 8  # operators between a row and its element


def shows_component(a: AbstractTensor, source: AbstractTensor, axes: Any, b: AbstractTensor) -> bool:
    """Whether each element of `a` is, but for its sign, no larger than one of the row of `source` along `axes`, of
    which it meets the reduction `b`."""
    if axes is None or source.shape is None or a.shape is None or b.shape is None:
        return False
    reduced, rank = {axis % len(source.shape) for axis in axes if isinstance(axis, int)}, len(source.shape)
    if len(reduced) != len(axes) or len(a.shape) != len(b.shape):
        return False
    left = [axis for axis in range(rank) if axis not in reduced]
    if len(b.shape) == rank:
        wanted = {axis: axis for axis in left}
    elif len(b.shape) == len(left):
        wanted = dict(enumerate(left))
    else:
        return False
    if any(a.shape[here] != source.shape[there] for here, there in wanted.items()):
        return False
    places = {axis: axis for axis in wanted}  # of the axes of `a` that must stand as in the source
    for _ in range(STEPS):
        if a.key == source.key:
            return places == wanted
        behind = _behind(a, places)
        if behind is None:
            return False
        a, places = behind
    return False


def _behind(a: AbstractTensor, places: dict[int, int]) -> tuple[AbstractTensor, dict[int, int]] | None:
    """What `a` shows elements of, and where the axes stand there."""
    origin = a.origin
    name = origin.rule.name if origin is not None else ""
    if origin is not None and name in ("Neg", "Abs", "Identity", "StopGradient"):
        return origin.inputs[0], places
    if origin is not None and name in ("Mul", "Div"):
        for one, other in (origin.inputs[:2], origin.inputs[1::-1]) if name == "Mul" else (origin.inputs[:2],):
            small = other.low >= -1 and other.high <= 1 if name == "Mul" else other.low >= 1 or other.high <= -1
            if one.shape == a.shape and small and not other.nan:
                return one, places
    source, offsets, kept = a.facts.get("window", (None, (), ()))
    if source is None or source.shape is None or a.shape is None:
        return None
    moved = {}
    for axis, place in places.items():
        old = kept[place]
        if old is None or not isinstance(offsets[old], int) or offsets[old] != 0:
            return None
        if source.shape[old] != a.shape[place]:
            return None
        moved[axis] = old
    return source, moved
