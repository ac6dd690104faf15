"""The invalid region of a finite grid as a short union of boxes (products of sets of values)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

MAX_BOXES = 64  # boxes are for reading; beyond this a region is cut off, and said to be
MAX_CELLS = 4_000_000  # vectors of a space that is described as boxes
MAX_LISTED = 8  # values that are listed one by one where they form ranges
MAX_RUNS = 32  # boxes that a person reads


@dataclass(frozen=True)
class Box:
    """All vectors whose hyperparameters lie in `sides`; one that is not named may have any value.

    `complete` is off when the region was too ragged to be listed in full and this is one box of many.
    """

    sides: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    complete: bool = True

    def contains(self, vector: Mapping[str, Any]) -> bool:
        return all(vector[name] in values for name, values in self.sides.items())

    def sentence(self, orders: Mapping[str, Sequence[Any]]) -> str:
        """``kernel ≥ 7 and image ≤ 5``."""
        parts = [describe(name, values, orders.get(name)) for name, values in self.sides.items()]
        parts = [f"({p})" if " or " in p and len(parts) > 1 else p for p in parts]
        return " and ".join(parts) or "every vector"


def describe(name: str, values: Sequence[Any], order: Sequence[Any] | None) -> str:
    """A set of values as a threshold, an interval or a list."""
    if len(values) == 1:
        return f"{name} = {values[0]}"
    if order is not None and all(type(v) is int for v in order):
        ranked = sorted(order)
        low, high = min(values), max(values)
        if len(values) == sum(low <= v <= high for v in ranked):
            if low == ranked[0]:
                return f"{name} ≤ {high}"
            return f"{name} ≥ {low}" if high == ranked[-1] else f"{low} ≤ {name} ≤ {high}"
        missing = [v for v in ranked if v not in values]
        if len(missing) == 1:
            return f"{name} ≠ {missing[0]}"
        runs = _runs(sorted(values), ranked)
        if len(runs) <= MAX_RUNS and (len(values) > MAX_LISTED or len(runs) < len(values) / 2):
            return " or ".join(_run(name, low, high, ranked) for low, high in runs)
    return f"{name} ∈ {{{', '.join(map(str, values))}}}"


def _runs(values: Sequence[int], ranked: Sequence[int]) -> list[tuple[int, int]]:
    """Stretches of neighbours in the domain."""
    place = {v: i for i, v in enumerate(ranked)}
    runs: list[tuple[int, int]] = []
    for value in values:
        if runs and place[value] == place[runs[-1][1]] + 1:
            runs[-1] = (runs[-1][0], value)
        else:
            runs.append((value, value))
    return runs


def _run(name: str, low: int, high: int, ranked: Sequence[int]) -> str:
    if low == high:
        return f"{name} = {low}"
    if low == ranked[0]:
        return f"{name} ≤ {high}"
    return f"{name} ≥ {low}" if high == ranked[-1] else f"{low} ≤ {name} ≤ {high}"


def cover(
    invalid: npt.NDArray[np.bool_],
    outside: npt.NDArray[np.bool_],
    names: Sequence[str],
    values: Sequence[Sequence[Any]],
) -> Iterator[Box]:
    """Greedy cover of the invalid cells by maximal boxes; cells outside the space may be covered freely."""
    if invalid.size > MAX_CELLS:
        invalid, outside, values = _thinned(invalid, outside, values)
        complete = False
    else:
        complete = True
    allowed = invalid | outside
    left = invalid.copy()
    for _ in range(MAX_BOXES):
        if not left.any():
            return
        start = np.unravel_index(int(np.argmax(left)), left.shape)
        sides = [np.array([i]) for i in start]
        for axis in _by_gain(allowed, sides):
            sides[axis] = _grown(allowed, sides, axis)
        left[np.ix_(*sides)] = False
        named = {
            name: tuple(values[a][int(i)] for i in sides[a])
            for a, name in enumerate(names)
            if len(sides[a]) < invalid.shape[a]
        }
        yield Box(named, complete)
    if left.any():
        yield Box({}, False)


def _grown(allowed: npt.NDArray[np.bool_], sides: Sequence[npt.NDArray[Any]], axis: int) -> npt.NDArray[Any]:
    """All values of one axis for which the box stays allowed."""
    open_sides = list(sides)
    open_sides[axis] = np.arange(allowed.shape[axis])
    block = allowed[np.ix_(*open_sides)]
    others = tuple(a for a in range(allowed.ndim) if a != axis)
    fits = block.all(axis=others) if others else block
    return np.flatnonzero(fits)


def _by_gain(allowed: npt.NDArray[np.bool_], sides: Sequence[npt.NDArray[Any]]) -> list[int]:
    """Axes in order of how far the single cell can grow along each, relative to the axis: widest first."""
    gains = [len(_grown(allowed, sides, a)) / allowed.shape[a] for a in range(allowed.ndim)]
    return sorted(range(allowed.ndim), key=lambda a: -gains[a])


def _thinned(
    invalid: npt.NDArray[np.bool_], outside: npt.NDArray[np.bool_], values: Sequence[Sequence[Any]]
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_], Sequence[Sequence[Any]]]:
    """Every n-th value of the longest axes, so that a huge grid can still be described (and is said to be sampled)."""
    steps = [1] * invalid.ndim
    while np.prod([-(-n // s) for n, s in zip(invalid.shape, steps, strict=True)]) > MAX_CELLS:
        axis = max(range(invalid.ndim), key=lambda a: invalid.shape[a] / steps[a])
        steps[axis] *= 2
    cut = tuple(slice(None, None, s) for s in steps)
    return invalid[cut], outside[cut], [list(v)[:: steps[a]] for a, v in enumerate(values)]


def merge(boxes: Sequence[Box], orders: Mapping[str, Sequence[Any]]) -> tuple[Box, ...]:
    """Unite boxes that differ in one side only, drop boxes inside others; sides that span a domain vanish."""
    current = list(dict.fromkeys((_frozen(b.sides), b.complete) for b in boxes))
    changed = True
    while changed and len(current) <= 2_000:
        changed = False
        for i in range(len(current)):
            for j in range(i + 1, len(current)):
                united = _united(dict(current[i][0]), dict(current[j][0]), orders)
                if united is not None:
                    complete = current[i][1] and current[j][1]
                    current[i] = (_frozen(united), complete)
                    del current[j]
                    changed = True
                    break
            if changed:
                break
    return tuple(Box(dict(sides), complete) for sides, complete in current)


def _frozen(sides: Mapping[str, tuple[Any, ...]]) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    return tuple(sides.items())


def _united(
    a: dict[str, tuple[Any, ...]], b: dict[str, tuple[Any, ...]], orders: Mapping[str, Sequence[Any]]
) -> dict[str, tuple[Any, ...]] | None:
    """One box for two, if it is exact."""
    names = list(dict.fromkeys((*a, *b)))
    wider = [n for n in names if not _within(b.get(n), a.get(n))]
    if not wider:
        return a  # b lies inside a
    if all(_within(a.get(n), b.get(n)) for n in names):
        return b
    if len(wider) != 1 or any(a.get(n) != b.get(n) for n in names if n != wider[0]):
        return None
    (name,) = wider
    if name not in a or name not in b:
        return None
    order = orders.get(name, ())
    both = set(map(repr, (*a[name], *b[name])))
    values = tuple(v for v in order if repr(v) in both)
    result = {n: v for n, v in a.items() if n != name}
    return result if len(values) == len(order) else {**result, name: values}


def _within(inner: tuple[Any, ...] | None, outer: tuple[Any, ...] | None) -> bool:
    if outer is None:
        return True
    return inner is not None and set(map(repr, inner)) <= set(map(repr, outer))
