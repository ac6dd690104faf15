"""Failures where training is: at the initial weights, at weights drawn anew as those were, and close to them.

A search for any failing point goes further than it has to. Here the weights stay where training starts and inputs alone
are searched, or they may go a small part of the way to the ends of their ranges, of which more and more is tried.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from analyzer.numerical.confirm.extract import Leaf
from analyzer.numerical.confirm.outcome import NEAR, PLAIN
from analyzer.numerical.confirm.points import LARGE, unbounded, usual
from analyzer.numerical.confirm.position import (
    Witness,
    crossing,
    in_general_position,
    initial,
    nearer,
    unbound,
    weights_of,
)
from analyzer.numerical.confirm.problem import Point
from analyzer.numerical.confirm.trials import RunVerdict, Trials

WAYS = (NEAR / 8, NEAR / 4, NEAR / 2, NEAR)  # to which the weights are confined, one after the other
BESIDE = NEAR / 4  # of the way: another draw of the weights may stand there
DRAWS = 2  # of the weights anew
BATCHES = 6  # of inputs for each draw, before a search
FEWEST = 8  # numbers of a weight that are drawn anew; fewer may have been chosen one by one
AT_START = 0.5  # of the time, for the weights where training starts


def beside(trials: Trials, seed: int, deadline: float) -> Iterator[Witness]:
    """The same with weights that hardly moved: for inputs larger than an example shows, not for both at once."""
    yield from nearby(trials, seed, deadline, BESIDE)


def nearby(trials: Trials, seed: int, deadline: float, furthest: float = NEAR) -> Iterator[Witness]:
    """Failing points near where training starts, the nearest first; none where it starts nowhere known."""
    now = time.process_time()
    yield from at_start(trials, seed, now + AT_START * (deadline - now))
    yield from close_by(trials, seed, deadline, furthest)


def at_start(trials: Trials, seed: int, deadline: float) -> Iterator[Witness]:
    """Failing points with the weights that training starts with: the initial ones, and others drawn as those were."""
    start = initial(trials)
    if not start:
        return
    rng = np.random.default_rng(seed)
    rest = tuple(x for x in trials.leaves if x.name not in start)
    drawn = [start, *({**start, **drawn_anew(trials, rng)} for _ in range(DRAWS))]
    for weights in drawn:
        for batch in _batches(trials, rest, rng):
            if trials.verdict({**batch, **weights}) is RunVerdict.FAILS:
                yield Witness({**batch, **weights})
    for number, weights in enumerate(drawn):
        now = time.process_time()
        narrowed = trials.narrowed(rest, weights)
        searched = narrowed.candidates(seed, now + (deadline - now) / (len(drawn) - number))
        for found in unbound(narrowed, searched, seed):
            yield Witness({**found, **weights})


def close_by(trials: Trials, seed: int, deadline: float, furthest: float) -> Iterator[Witness]:
    """Failing points in general position whose weights went a small part of their way, and lost no sign."""
    start = initial(trials)
    ways = [way for way in WAYS if way <= furthest] if start else []
    for number, way in enumerate(ways):
        now = time.process_time()
        confined = trials.narrowed(tuple(_confined(x, way) if x.name in start else x for x in trials.leaves), {})
        searched = confined.candidates(seed, now + (deadline - now) / (len(ways) - number))
        for found in unbound(confined, searched, seed):
            general = in_general_position(trials, found, seed)
            if general is None:
                continue
            point, moved = nearer(trials, general)
            if all(part <= furthest for *_, part in moved) and not crossing(trials, point):
                yield Witness(point, (), moved)


def plain(trials: Trials, seed: int, deadline: float) -> Iterator[Witness]:
    """Failing points with weights drawn at random from all of their ranges, which lost no sign: nobody chose them."""
    if not initial(trials):
        return
    rng = np.random.default_rng(seed)
    weights = weights_of(trials)
    names = {x.name for x in weights}
    rest = tuple(x for x in trials.leaves if x.name not in names)
    drawn = [{x.name: _anywhere(trials, x, rng) for x in weights} for _ in range(PLAIN)]
    for number, values in enumerate(drawn):
        now = time.process_time()
        if now > deadline:
            return
        batches = ({x.name: trials.made(x, usual(x, rng, size)) for x in rest} for size in (0.0, LARGE))
        narrowed = trials.narrowed(rest, values)
        searched = narrowed.candidates(seed + number, now + (deadline - now) / (len(drawn) - number))
        failing = (b for b in batches if trials.verdict({**b, **values}) is RunVerdict.FAILS)
        for found in itertools.chain(failing, unbound(narrowed, searched, seed)):
            point = {**found, **values}
            if crossing(trials, point):
                break
            nearest, moved = nearer(trials, point)
            yield Witness(nearest, (), moved)


def _anywhere(trials: Trials, leaf: Leaf, rng: np.random.Generator) -> Any:
    """Any value of a weight's range; the initial one where that has no bounds."""
    return trials.made(leaf, np.asarray(leaf.initial) if unbounded(leaf) else rng.uniform(leaf.lo, leaf.hi, leaf.shape))


def _confined(leaf: Leaf, way: float) -> Leaf:
    return leaf if unbounded(leaf) else replace(leaf, way=way)


def drawn_anew(trials: Trials, rng: np.random.Generator) -> Point:
    """Weights in another order, as another draw of the same initialisation; constants and what rises or falls stay."""
    found: Point = {}
    for leaf in weights_of(trials):
        numbers = np.asarray(leaf.initial).reshape(-1) if leaf.initial is not None else np.zeros(0)
        steps = np.diff(numbers)
        if len(np.unique(numbers)) < max(FEWEST, numbers.size / 2) or (steps >= 0).all() or (steps <= 0).all():
            continue
        found[leaf.name] = trials.made(
            replace(leaf, lo=-np.inf, hi=np.inf), rng.permutation(numbers).reshape(leaf.shape)
        )
    return found


def _batches(trials: Trials, inputs: tuple[Leaf, ...], rng: np.random.Generator) -> Iterator[Point]:
    """What a person would try: ordinary numbers and large ones, one of the inputs 0 or of equal rows beside others."""
    for number in range(BATCHES):
        batch = {x.name: trials.made(x, usual(x, rng, LARGE if number % 2 else 0.0)) for x in inputs}
        yield batch
        for leaf in (x for x in inputs if x.role == "input" and x.shape and number < 2):
            yield {**batch, leaf.name: trials.made(leaf, 0.0)}
            row = trials.numbers(batch[leaf.name])[:1]
            yield {**batch, leaf.name: trials.made(leaf, np.broadcast_to(row, leaf.shape))}
