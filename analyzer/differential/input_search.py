"""Moving inputs, with runs as the only source of knowledge: until outputs are finite, or until engines differ more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from analyzer.differential.inputs import Inputs, InputSet
from analyzer.differential.rounding import error_of, small_scale
from analyzer.differential.runner import Runner
from analyzer.differential.verdict import Outcome

CANDIDATES = 6  # inputs tried in a round, in one message to each engine


def finite(inputs: Inputs, runner: Runner, steps: int = 6) -> Inputs:
    """Move inputs on which the outputs are not finite towards values on which they are.

    The gradient of "how much is not finite" is estimated by simultaneous perturbation (Spall 1992): two runs a step
    whatever the number of inputs, on any engine. Inputs that stay non-finite are kept as they are.
    """
    sets = []
    first = runner.replay([(given.feeds, None) for given in inputs.sets])
    for index, (given, outcome) in enumerate(zip(inputs.sets, first, strict=True)):
        feeds, best = given.feeds, not_finite(outcome)
        rng = np.random.default_rng(index)
        for _ in range(steps if best > 0 else 0):
            direction = {n: rng.choice([-1.0, 1.0], size=a.shape) for n, a in feeds.items() if a.dtype.kind == "f"}
            for scale in (-0.5, 0.5, -0.1):
                moved = {n: _moved(a, direction[n] * scale) if n in direction else a for n, a in feeds.items()}
                shrunk = {n: (a * 0.5).astype(a.dtype) if a.dtype.kind == "f" else a for n, a in moved.items()}
                for candidate in (moved, shrunk):
                    badness = not_finite(runner.run(candidate, state=False))
                    if badness < best:
                        feeds, best = candidate, badness
            if best == 0:
                break
        sets.append(InputSet(given.name, feeds, given.truth))
    return replace(inputs, sets=tuple(sets))


def _moved(array: np.ndarray, step: np.ndarray) -> np.ndarray:
    return np.asarray(array + step * max(float(np.abs(array).mean()), 0.1)).astype(array.dtype)


def not_finite(outcome: Outcome) -> float:
    """The share of the outputs that is not finite; a run that failed has none."""
    if not outcome.ok:
        return 0.0
    floats = [a for a in outcome.arrays.values() if a.dtype.kind == "f" and a.size]
    return float(sum(np.mean(~np.isfinite(a)) for a in floats))


def amplified(inputs: Inputs, runners: Sequence[Runner], oracle: Runner, rounds: int, seed: int = 0) -> Inputs:
    """`inputs` with one more set, on which some engine deviates from `oracle` more than on any given one, if found.

    An evolution of one parent, as LEMON keeps what amplifies (Wang et al., FSE 2020): each round changes the floats of
    the best set in several ways and goes on with the child whose relative error is the largest. Children on which the
    oracle is not finite are dropped: overflow is no disagreement.
    """
    rng = np.random.default_rng(seed)
    scores = _scores([s.feeds for s in inputs.sets], runners, oracle)
    if not scores or not any(a.dtype.kind == "f" for a in inputs.sets[0].feeds.values()):
        return inputs
    first = best = max(scores)
    feeds = inputs.sets[int(np.argmax(scores))].feeds
    for _ in range(rounds):
        children = [_child(feeds, rng, way) for way in range(CANDIDATES)]
        scores = _scores(children, runners, oracle)
        if max(scores) > best:
            best, feeds = max(scores), children[int(np.argmax(scores))]
    if best <= first:
        return inputs
    said = f"inputs searched in {rounds} rounds for a larger deviation: {first:.2g} grew to {best:.2g}"
    return replace(inputs, sets=(*inputs.sets, InputSet("amplified", feeds)), assumptions=(*inputs.assumptions, said))


def _scores(sets: Sequence[Mapping[str, np.ndarray]], runners: Sequence[Runner], oracle: Runner) -> list[float]:
    """The largest finite error of any engine on each set; -1 where the oracle has no finite answer."""
    right = oracle.replay([(feeds, None) for feeds in sets])
    scores = [-1.0 if not outcome.ok or not_finite(outcome) else 0.0 for outcome in right]
    for runner in runners:
        answers = runner.replay([(feeds, None) for feeds in sets])
        for index, (mine, expected) in enumerate(zip(answers, right, strict=True)):
            if mine.ok and scores[index] >= 0 and len(mine.arrays) == len(expected.arrays):
                named = dict(zip(mine.arrays, expected.arrays.values(), strict=True))
                error = error_of(mine.arrays, named, small_scale(sets[index]))
                scores[index] = max(scores[index], error if np.isfinite(error) else 0.0)
    return scores


def _child(feeds: Mapping[str, np.ndarray], rng: np.random.Generator, way: int) -> dict[str, np.ndarray]:
    """Every float tensor changed in one way: scaled, shifted, mirrored, reordered, noisy, or sparse."""
    child = {}
    for name, array in feeds.items():
        if array.dtype.kind != "f" or array.size == 0:
            child[name] = array
            continue
        x = array.astype(np.float64)
        spread = float(x.std()) or 1.0
        moved = (
            lambda x=x: x * rng.choice([0.25, 0.5, 2.0, 4.0]),
            lambda x=x, s=spread: x + s * rng.normal(),
            lambda x=x: x * rng.choice([-1.0, 1.0], size=x.shape),
            lambda x=x: rng.permutation(x.ravel()).reshape(x.shape),
            lambda x=x, s=spread: x + s * rng.standard_normal(x.shape) * (rng.random(x.shape) < 0.3),
            lambda x=x: np.where(rng.random(x.shape) < 0.3, 0.0, x),
        )[way % 6]()
        with np.errstate(over="ignore"):
            child[name] = moved.astype(array.dtype)
    return child
