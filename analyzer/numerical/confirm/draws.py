"""Whether a failure asks for several random numbers at exact values at once, which chance never gives.

One number may be exact: `log(torch.rand(n))` meets a 0 once in 2 ** 24 numbers, and training draws more than that. The
norm of four normal numbers never is 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from analyzer.numerical.confirm.extract import DRAW, Leaf
from analyzer.numerical.confirm.problem import Point
from analyzer.numerical.confirm.trials import RunVerdict, Trials

PART = 1e-2  # of a draw's range, by which numbers are moved: far above rounding
TRIALS = 4  # of numbers that are all moved
SHOWN = 3  # draws named


def draws_of(trials: Trials) -> list[Leaf]:
    """The leaves that random operators draw from an interval."""
    return [x for x in trials.leaves if x.role == DRAW and x.floating and x.lo < x.hi]


def at_ordinary_draws(trials: Trials, point: Point, seed: int) -> Point | None:
    """A failing point near `point` of whose random numbers one at most is exact; None where several must be.

    Where all of them may not be moved, those that must stay are looked for by halves: if neither half alone will do,
    some of both must stay.
    """
    draws = draws_of(trials)
    if not draws:
        return point
    rng = np.random.default_rng(seed)
    whole = {x.name: trials.numbers(point[x.name]).reshape(-1) for x in draws}
    moved = {}
    for _ in range(TRIALS):
        moved = {x.name: _moved(x, whole[x.name], rng) for x in draws}
        if fails := _failing(trials, point, draws, moved):
            return fails
    places = [(x.name, i) for x in draws for i in range(whole[x.name].size)]
    found: Point | None = None
    while len(places) > 1:
        half = len(places) // 2
        for kept in (places[:half], places[half:]):
            found = _failing(trials, point, draws, _with(moved, whole, kept))
            if found is not None:
                places = kept
                break
        else:
            return None
    return found if found is not None else point


def with_ordinary_draws(trials: Trials, points: Iterable[Point], seed: int) -> Iterator[Point]:
    """Those of the failing points that chance may give."""
    for point in points:
        found = at_ordinary_draws(trials, point, seed)
        if found is not None:
            yield found


def named(trials: Trials, point: Point) -> tuple[tuple[str, str], ...]:
    """The draws of a point and what they are there."""
    found = []
    for leaf in draws_of(trials)[:SHOWN]:
        numbers = trials.numbers(point[leaf.name]).reshape(-1)
        alike = bool(numbers.size) and numbers.min() == numbers.max()
        found.append((leaf.name, f"{numbers[0]:.6g}" if alike else "certain random numbers"))
    return tuple(found)


def _moved(leaf: Leaf, numbers: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    step = rng.uniform(0.1, 1.0, numbers.shape) * rng.choice((-1.0, 1.0), numbers.shape) * PART * (leaf.hi - leaf.lo)
    there = numbers + step
    inside: np.ndarray = np.where((there < leaf.lo) | (there > leaf.hi), numbers - step, there)
    return inside


def _with(
    moved: dict[str, np.ndarray], whole: dict[str, np.ndarray], kept: Iterable[tuple[str, int]]
) -> dict[str, np.ndarray]:
    numbers = {name: array.copy() for name, array in moved.items()}
    for name, index in kept:
        numbers[name][index] = whole[name][index]
    return numbers


def _failing(trials: Trials, point: Point, draws: list[Leaf], numbers: dict[str, np.ndarray]) -> Point | None:
    there = {**point, **{x.name: trials.made(x, numbers[x.name].reshape(x.shape)) for x in draws}}
    return there if trials.verdict(there) is RunVerdict.FAILS else None
