"""Whether a failure holds on a set of weights with volume, and how far the weights are from where training starts.

Weights that training moves are never at one exact point. A witness is in general position if the operator fails at
randomly moved weights as well. Inputs may stand at exact values: padding, equal points and zeros are data.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from analyzer.numerical.confirm.draws import at_ordinary_draws, named, with_ordinary_draws
from analyzer.numerical.confirm.extract import Leaf
from analyzer.numerical.confirm.points import unbounded
from analyzer.numerical.confirm.problem import Point, SearchProblem
from analyzer.numerical.confirm.relations import related
from analyzer.numerical.confirm.trials import RunVerdict, Trials

SCALES = (1e-3, 1e-2)  # of a weight's range: far above rounding, far below what training changes
TRIALS = 4  # at each scale
ENOUGH = 2  # failing ones: a single one may be luck
FOLLOW_SECONDS = 1.0  # for inputs that make the operator fail at weights moved before
NULL_POINTS = 6  # witnesses with weights at exact values after which no better one is sought
NULL_SECONDS = 3.0  # or so much time after the first of them
SHOWN = 3  # weights named
JUST = 1e-3  # of a weight's initial value: short of 0


@dataclass(frozen=True)
class Witness:
    """A failing point. `exact` names the weights that must stand at exact values; `moved` those that training moved;
    `related` inputs whose numbers must meet one exact relation."""

    point: Point
    exact: tuple[tuple[str, str], ...] = ()  # name, value
    moved: tuple[tuple[str, float, float, float], ...] = ()  # name, initial value, value, part of the way to the end
    crossed: tuple[str, ...] = ()  # weights all of one sign where training starts, and not here
    related: tuple[str, ...] = ()


def weights_of(problem: Trials | SearchProblem) -> list[Leaf]:
    """The leaves that training moves."""
    return [x for x in problem.leaves if x.role == "parameter" and x.floating and x.lo < x.hi]


def jittered(
    trials: Trials, leaf: Leaf, value: Any, scale: float, rng: np.random.Generator, beyond: bool = False
) -> Any:
    """The weight with every element moved at random by up to `scale` of its range.

    With `beyond`, also past the ends of a range that is estimated: they are where the estimate ends, not the weight.
    """
    width = leaf.hi - leaf.lo if not unbounded(leaf) else 1.0
    where = trials.numbers(value)
    step = scale * np.maximum(width, np.abs(where) if unbounded(leaf) else 0.0)
    moved = where + rng.uniform(-1.0, 1.0, where.shape) * step
    if beyond and leaf.estimated:
        leaf = replace(leaf, lo=leaf.lo - scale * width, hi=leaf.hi + scale * width)
    else:  # what would leave the range goes the other way
        moved = np.where((moved < leaf.lo) | (moved > leaf.hi), 2 * where - moved, moved)
    return trials.made(leaf, moved)


def shaken(trials: Trials, point: Point, rng: np.random.Generator) -> Point:
    """The point with all its weights moved by the smallest scale."""
    return {**point, **{x.name: jittered(trials, x, point[x.name], SCALES[0], rng) for x in weights_of(trials)}}


def in_general_position(trials: Trials, point: Point, seed: int) -> Point | None:
    """A failing point near `point` whose weights were moved at random; None if the failure does not survive that."""
    weights = weights_of(trials)
    if not weights:
        return point
    rng = np.random.default_rng(seed)
    estimated = any(x.estimated for x in weights)
    failing = 0
    for beyond in (False, True) if estimated else (False,):
        for scale in SCALES:
            for _ in range(TRIALS):
                moved = {**point, **{x.name: jittered(trials, x, point[x.name], scale, rng, beyond) for x in weights}}
                failing += trials.verdict(moved) is RunVerdict.FAILS
                if failing == ENOUGH:
                    return moved
    return _followed(trials, point, weights, seed, rng)


def _followed(
    trials: Trials, point: Point, weights: Sequence[Leaf], seed: int, rng: np.random.Generator
) -> Point | None:
    """A failure at moved weights with inputs chosen for them, and random numbers that chance may give."""
    names = {x.name for x in weights}
    rest = tuple(x for x in trials.leaves if x.name not in names)
    if not any(x.floating and x.lo < x.hi for x in rest):
        return None
    fixed = {x.name: jittered(trials, x, point[x.name], SCALES[1], rng) for x in weights}
    narrowed = trials.narrowed(rest, fixed)
    chosen = narrowed.candidates(seed, time.process_time() + FOLLOW_SECONDS)
    found = next(with_ordinary_draws(narrowed, chosen, seed), None)
    return None if found is None else {**found, **fixed}


def exact_weights(trials: Trials, point: Point, seed: int) -> tuple[tuple[str, str], ...]:
    """The weights that each alone must stand where they do, with their value; all of them where no single one must."""
    rng = np.random.default_rng(seed)
    weights = weights_of(trials)
    needed = []
    for leaf in weights:
        shifts = (jittered(trials, leaf, point[leaf.name], s, rng, True) for s in SCALES for _ in "ab")
        if all(trials.verdict({**point, leaf.name: moved}) is not RunVerdict.FAILS for moved in shifts):
            needed.append(leaf)
    return tuple((x.name, _value_text(trials.numbers(point[x.name]))) for x in (needed or weights)[:SHOWN])


def _value_text(value: np.ndarray) -> str:
    array = value.reshape(-1)
    if array.size and array.min() == array.max():
        return f"{array[0]:.6g}"
    if array.size and (array == 0).any():
        return "0 in places"
    return "certain values"


def _free(leaf: Leaf) -> Leaf:
    """The leaf without its bounds: initial values may lie outside them."""
    return replace(leaf, lo=-np.inf, hi=np.inf)


def _mixed(start: np.ndarray, end: np.ndarray, part: float) -> np.ndarray:
    """Exactly `start` for 0, exactly `end` for 1."""
    way = end - start
    mixed: np.ndarray = start + part * way if part < 0.5 else end - (1 - part) * way
    return mixed


def initial(trials: Trials) -> Point:
    """The initial values of all weights; empty where one has none."""
    weights = weights_of(trials)
    if any(x.initial is None for x in weights):
        return {}
    return {x.name: trials.made(_free(x), x.initial) for x in weights}


def nearer(trials: Trials, point: Point) -> tuple[Point, tuple[tuple[str, float, float, float], ...]]:
    """The failing point whose weights are closest to the initial ones on the way to `point`, and how far they moved."""
    weights = [x for x in weights_of(trials) if x.initial is not None]
    if not weights:
        return point, ()
    start = {x.name: trials.made(_free(x), x.initial) for x in weights}

    starts = {n: trials.numbers(v) for n, v in start.items()}
    ends = {x.name: trials.numbers(point[x.name]) for x in weights}

    def at(part: float) -> Point:
        return {**point, **{x.name: trials.made(_free(x), _mixed(starts[x.name], ends[x.name], part)) for x in weights}}

    # What fails in the engine itself goes on doing so: where others alone fail a point shows nothing of the model.
    exactly = trials.verdict(point, exactly=True) is RunVerdict.FAILS

    def fails(part: float) -> bool:
        return trials.verdict(at(part), exactly=exactly) is RunVerdict.FAILS

    low, high = 0.0, 1.0
    for _ in range(10):
        middle = (low + high) / 2
        low, high = (low, middle) if fails(middle) else (middle, high)
    high = min(1.0, high * 1.02)  # a little further: engines round differently
    found = at(high) if high < 1.0 and fails(high) else point
    ways = [_way(x, starts[x.name], trials.numbers(found[x.name])) for x in weights]
    return found, tuple(sorted((w for w in ways if w[3] > 0), key=lambda w: -w[3]))


def crossing(trials: Trials, point: Point) -> tuple[str, ...]:
    """The weights whose initial values have one sign, none of them 0, and that fail at the point because they lose it.

    Scales, deviations and factors that are not negative: their range goes on below 0 because it is estimated. Where the
    operator fails as well with what crosses 0 kept just short of it, crossing does not matter.
    """
    kept: Point = {}
    for leaf in weights_of(trials):
        if leaf.initial is None or not leaf.initial.size:
            continue
        start = trials.numbers(trials.made(_free(leaf), leaf.initial))
        sign = 1.0 if start.min() > 0 else -1.0 if start.max() < 0 else 0.0
        here = trials.numbers(point[leaf.name])
        if sign and bool((sign * here <= 0).any()):
            kept[leaf.name] = trials.made(_free(leaf), np.where(sign * here <= 0, JUST * start, here))
    return tuple(kept) if kept and trials.verdict({**point, **kept}) is not RunVerdict.FAILS else ()


def _way(leaf: Leaf, start: np.ndarray, end: np.ndarray) -> tuple[str, float, float, float]:
    """Where the element that moved furthest started, where it is, and the part of the way to its range's end."""
    a, b = start.reshape(-1), end.reshape(-1)
    if not a.size:
        return leaf.name, 0.0, 0.0, 0.0
    with np.errstate(all="ignore"):
        room = np.where(b < a, a - leaf.lo, leaf.hi - a)
        parts = np.where(a == b, 0.0, np.abs(b - a) / np.where(np.isfinite(room) & (room > 0), room, np.inf))
    at = int(np.argmax(parts))
    return leaf.name, float(a[at]), float(b[at]), float(parts[at])


def bound_by(trials: Trials, point: Point, seed: int) -> tuple[str, ...]:
    """The inputs whose numbers must meet one exact relation near a failing point, with the weights as they are."""
    rng = np.random.default_rng(seed)
    weights = weights_of(trials)
    moved = [{x.name: jittered(trials, x, point[x.name], s, rng) for x in weights} for s in SCALES] if weights else []
    return related(trials, point, moved, seed)


def unbound(trials: Trials, points: Iterable[Point], seed: int) -> Iterator[Point]:
    """Those of the failing points that chance and data may give."""
    for point in with_ordinary_draws(trials, points, seed):
        if not bound_by(trials, point, seed):
            yield point


def witnesses(trials: Trials, seed: int, deadline: float) -> Iterator[Witness]:
    """Failing points in general position; one with inputs in an exact relation, with weights or several random numbers
    at exact values only where nothing better is found."""
    null: Point | None = None
    bound: list[Witness] = []  # engines round differently, so one alone may show nothing
    waits = deadline  # for a better one, from the first that is bound on
    by_chance = False
    seen, stop = 0, deadline
    start = initial(trials)
    for candidate in trials.candidates(seed, deadline):
        if time.process_time() > stop or seen >= NULL_POINTS:
            break
        point = at_ordinary_draws(trials, candidate, seed + seen)
        if point is None:
            if null is None:
                null, by_chance, stop = candidate, True, min(deadline, time.process_time() + NULL_SECONDS)
            seen += 1
            continue
        here: list[Witness] = []
        if start and trials.verdict({**point, **start}) is RunVerdict.FAILS:
            here = [Witness({**point, **start})]  # where training starts, at exact values or not
        elif (general := in_general_position(trials, point, seed + seen)) is not None:
            found, moved = nearer(trials, general)
            crossed = crossing(trials, found)
            here = [Witness(p, (), moved, crossed) for p in ([found] if found is general else [found, general])]
        if here:
            names = bound_by(trials, here[-1].point, seed)
            if not names or not bound_by(trials, here[0].point, seed):
                yield from here
                continue
            waits = min(waits, time.process_time() + NULL_SECONDS)
            bound += [replace(each, related=names) for each in here]
            if time.process_time() > waits:
                yield from bound
                bound = []
            continue
        if null is None:
            null, stop = point, min(deadline, time.process_time() + NULL_SECONDS)
        seen += 1
    if bound:
        yield from bound
    elif null is not None and by_chance:
        yield Witness(null, named(trials, null), nearer(trials, null)[1])
    elif null is not None:
        yield Witness(null, exact_weights(trials, null, seed), nearer(trials, null)[1])
