"""Whether a failure asks several different numbers of the inputs to meet one exact relation, which no data do.

Inputs may stand at exact values: zeros, padding, equal numbers and equal rows are data, and so is any single number.
That `1 + v · d` is 0 is none of these: what fails only there is met by no batch, as weights at exact values are by no
training. Numbers that are equal, or apart by roundings alone, are moved together, and zeros stay. A number beside 0 is
no such single one either: that it is exactly the negative of what a sum is guarded by (``1 / (x.sum() + 1e-7)``) is met
by no data, so it is moved by a part of itself where it is kept.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analyzer.numerical.confirm.extract import Leaf
from analyzer.numerical.confirm.points import unbounded
from analyzer.numerical.confirm.problem import Point
from analyzer.numerical.confirm.trials import RunVerdict, Trials

SCALES = (1e-3, 1e-2)  # of an input's range: far above rounding, far below what makes it another input
TRIALS = 4  # at each scale
TINY = 1e-6  # of an input's range: below it data hold no number exactly, but 0
ROUNDINGS = 2e-6  # relative; numbers of an input no further apart are equal but for rounding
ATTEMPTS = 2  # with some of the numbers kept


@dataclass(frozen=True)
class _Numbers:
    """The floating inputs of a point, by the groups of their equal numbers; group 0 holds the zeros."""

    trials: Trials
    point: Point

    @cached_property
    def leaves(self) -> list[Leaf]:
        return [x for x in self.trials.leaves if x.role == "input" and x.floating and x.lo < x.hi]

    @cached_property
    def arrays(self) -> list[np.ndarray]:
        return [self.trials.numbers(self.point[x.name]) for x in self.leaves]

    @cached_property
    def groups(self) -> tuple[np.ndarray, np.ndarray]:
        """The group of every number of all inputs together, and a number of each group."""
        every = np.concatenate([a.reshape(-1) for a in self.arrays]) if self.arrays else np.zeros(0)
        distinct, where = np.unique(every, return_inverse=True)
        apart = np.diff(distinct) > ROUNDINGS * np.abs(distinct[1:])
        group = np.concatenate([[0], np.cumsum(apart)]) if distinct.size else np.zeros(0, int)
        _, first = np.unique(group, return_index=True)
        return group[where.reshape(-1)], distinct[first]

    @cached_property
    def widths(self) -> np.ndarray:
        """How wide the range of each group's numbers is, the narrowest where several inputs hold it."""
        group, values = self.groups
        widths = [
            np.broadcast_to(np.maximum(1.0, np.abs(a)) if unbounded(x) else x.hi - x.lo, a.shape).reshape(-1)
            for x, a in zip(self.leaves, self.arrays, strict=True)
        ]
        narrowest = np.full(values.size, np.inf)
        np.minimum.at(narrowest, group, np.concatenate(widths))
        return narrowest

    def moved(self, kept: np.ndarray, scale: float, rng: np.random.Generator) -> Point:
        """The point with every group moved by a random part of `scale`: none that is kept, but a tiny one of itself."""
        group, values = self.groups
        own = np.where(np.abs(values) < TINY * self.widths, np.abs(values), 0.0)
        step = scale * np.where(kept, own, self.widths) * rng.uniform(0.1, 1.0, values.size)
        step *= rng.choice((-1.0, 1.0), values.size)
        low, high = (
            np.repeat(ends, [a.size for a in self.arrays])
            for ends in zip(*((x.lo, x.hi) for x in self.leaves), strict=True)
        )
        there = np.concatenate([a.reshape(-1) for a in self.arrays]) + step[group]
        out = np.zeros(values.size, bool)
        np.logical_or.at(out, group, (there < low) | (there > high))
        step = np.where(out, -step, step)  # what would leave its range goes the other way, and its equals with it
        found, start = dict(self.point), 0
        for leaf, array in zip(self.leaves, self.arrays, strict=True):
            steps = step[group[start : start + array.size]].reshape(array.shape)
            start += array.size
            found[leaf.name] = self.trials.made(leaf, array + steps)
        return found


def related(trials: Trials, point: Point, weights: Sequence[Point], seed: int) -> tuple[str, ...]:
    """The inputs whose numbers must meet one exact relation for the operator to fail near a failing `point`.

    None where it fails with all of them moved, with one number kept, whatever the others and the weights are (each of
    `weights` has them moved), with those kept that data hold exactly, whole numbers, or for rows of norm or sum 1.
    """
    numbers = _Numbers(trials, point)
    if not numbers.leaves:
        return ()
    rng = np.random.default_rng(seed)
    _, values = numbers.groups
    zero = values == 0
    whole = values == np.round(values)
    moving = ~zero
    if not moving.any():
        return ()
    for kept in (zero, whole):
        for scale in SCALES:
            for _ in range(TRIALS):
                if trials.verdict(numbers.moved(kept, scale, rng)) is RunVerdict.FAILS:
                    return ()
    if _one_alone(numbers, zero, weights, rng) or _of_rows(numbers, zero, rng):
        return ()
    held = [bool((a != 0).any()) for a in numbers.arrays]
    return tuple(x.name for x, some in zip(numbers.leaves, held, strict=True) if some)


def _of_rows(numbers: _Numbers, zero: np.ndarray, rng: np.random.Generator) -> bool:
    """Whether it fails for other rows that data hold by a relation of their own: of norm or sum 1, or one-hot."""
    for made, _ in itertools.product((_of_norm_1, _of_sum_1, _one_hot), range(TRIALS)):
        moved = numbers.moved(zero, SCALES[1], rng)
        for leaf in (x for x in numbers.leaves if x.shape):
            moved[leaf.name] = numbers.trials.made(leaf, made(numbers.trials.numbers(moved[leaf.name])))
        if numbers.trials.verdict(moved) is RunVerdict.FAILS:
            return True
    return False


def _of_norm_1(array: np.ndarray) -> np.ndarray:
    norm = np.sqrt((array * array).sum(-1, keepdims=True))
    return np.asarray(np.divide(array, norm, out=array.copy(), where=norm > 0))


def _of_sum_1(array: np.ndarray) -> np.ndarray:
    total = np.abs(array).sum(-1, keepdims=True)
    return np.asarray(np.divide(np.abs(array), total, out=np.abs(array), where=total > 0))


def _one_hot(array: np.ndarray) -> np.ndarray:
    largest: np.ndarray = array.argmax(-1)[..., None] == np.arange(array.shape[-1])
    return largest.astype(np.float64)


def _one_alone(numbers: _Numbers, zero: np.ndarray, weights: Sequence[Point], rng: np.random.Generator) -> bool:
    """Whether one number has to stay, found by halves: if neither half alone will do, numbers of both must stay."""
    places = np.flatnonzero(~zero)
    while True:
        half = max(1, len(places) // 2)
        for some in (places[:half], places[half:]):
            kept = zero.copy()
            kept[some] = True
            if some.size and _fails(numbers, kept, weights, rng):
                places = some
                break
        else:
            return False
        if len(places) == 1:
            return True


def _fails(numbers: _Numbers, kept: np.ndarray, weights: Sequence[Point], rng: np.random.Generator) -> bool:
    moved = (
        {**numbers.moved(kept, SCALES[1], rng), **(weights[n % len(weights)] if weights else {})}
        for n in range(ATTEMPTS)
    )
    return any(numbers.trials.verdict(each) is RunVerdict.FAILS for each in moved)
