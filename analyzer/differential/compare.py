"""Whole-model comparison: every engine on every input set, verdict kinds kept apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from analyzer.configuration.config import Thresholds
from analyzer.differential import noise
from analyzer.differential.backend import is_defining
from analyzer.differential.distances import Thresholded, against_threshold, class_distance, mad_distance, relative_error
from analyzer.differential.inputs import Inputs, InputSet
from analyzer.differential.rounding import error_of, small_scale, ulp_effect
from analyzer.differential.runner import Case, Runner
from analyzer.differential.verdict import Failure, Kind, Outcome
from analyzer.problem import TargetProblem

GATE = 8.0  # times the floor at the outputs from which a closer look is taken; blame needs more
SAME_RUN = 1e-12  # relative: what two runs of one engine may differ by in float64 sums
DIED = ("the worker ", "needed more than")  # how the death of a process is told, unlike an engine's own message


@dataclass(frozen=True)
class EngineResult:
    """One engine on all input sets."""

    runner: Runner
    outcomes: tuple[Outcome, ...]
    errors: tuple[float, ...] = ()  # relative error of the outputs against the oracle (or the first engine), per set
    floors: tuple[float, ...] = ()
    nondeterministic: float = 0.0
    mutated: bool = False

    @property
    def failure(self) -> Failure | None:
        return next((o.failure for o in self.outcomes if o.failure is not None), None)

    @property
    def worst(self) -> int:
        """Index of the input set with the largest error in relation to its floor."""
        ratio = [e / f if f else 0.0 for e, f in zip(self.errors, self.floors, strict=True)]
        return int(np.argmax(ratio)) if ratio else 0

    @property
    def suspicious(self) -> bool:
        return any(e > GATE * f for e, f in zip(self.errors, self.floors, strict=True))


@dataclass(frozen=True)
class Comparison:
    """All engines on all sets. `reference` names whose outputs the errors are measured against."""

    sets: tuple[InputSet, ...]
    results: tuple[EngineResult, ...]
    oracle: EngineResult | None
    reference: str
    pairs: Mapping[tuple[str, str], tuple[Thresholded, ...]] = field(default_factory=dict)
    refused: tuple[tuple[str, str, Failure], ...] = ()  # made-up sets that were left out: set, engine, what it said


def run_alone(oracle: Runner, inputs: Inputs) -> EngineResult:
    """What the oracle computes; it is asked once for all comparisons, for nothing else is as slow."""
    return _run(oracle, inputs.sets, twice=False)


def run_twice(runner: Runner, inputs: Inputs) -> EngineResult:
    """One engine on every set, on the first one twice; its cut points are asked for while others still work."""
    result = _run(runner, inputs.sets, twice=True)
    if result.failure is None:
        runner.cut_points()
    return result


def run_all(
    runners: Sequence[Runner],
    expected: EngineResult | None,
    inputs: Inputs,
    thresholds: Thresholds,
    random: frozenset[str] = frozenset(),
) -> Comparison:
    """Run every engine on every set (`run_twice`) and compare what they give (`compared`)."""
    return compared([run_twice(runner, inputs) for runner in runners], expected, inputs, thresholds, random)


def compared(
    results: Sequence[EngineResult],
    expected: EngineResult | None,
    inputs: Inputs,
    thresholds: Thresholds,
    random: frozenset[str] = frozenset(),
) -> Comparison:
    """Hold the engines' outputs against the oracle's, and pairwise.

    `expected`: what the oracle computes on the same inputs (`run_alone`).

    Outputs in `random` depend on draws and are compared with nothing. Of inputs that were made up, sets that the engine
    which defines the model refuses are left out as long as it takes the first one.
    """
    refused = _refused(results) if inputs.generated else {}
    kept = [i for i in range(len(inputs.sets)) if i not in refused]
    sets = tuple(inputs.sets[i] for i in kept)
    results = [replace(r, outcomes=tuple(r.outcomes[i] for i in kept)) for r in results]
    expected = replace(expected, outcomes=tuple(expected.outcomes[i] for i in kept)) if expected is not None else None
    told = tuple((inputs.sets[i].name, name, failure) for i, (name, failure) in refused.items())
    usable = expected is not None and any(o.ok for o in expected.outcomes)
    base = expected if usable and expected is not None else next((r for r in results if r.failure is None), None)
    if base is None:
        return Comparison(sets, tuple(results), expected, "", refused=told)
    drawn: dict[tuple[int, float], list[float]] = {}  # by set and precision: engines share the oracle's runs
    measured = [_measure(result, base, sets, drawn, random) for result in results]
    pairs = _pairs(measured, sets, thresholds)
    return Comparison(sets, tuple(measured), expected, base.runner.name, pairs, told)


def _refused(results: Sequence[EngineResult]) -> dict[int, tuple[str, Failure]]:
    found: dict[int, tuple[str, Failure]] = {}
    for result in results:
        if not is_defining(result.runner.backend) or not result.outcomes[0].ok:
            continue
        for index, outcome in enumerate(result.outcomes):
            failure = outcome.failure
            if failure is not None and failure.kind is Kind.CRASH and not failure.message.startswith(DIED):
                found.setdefault(index, (result.runner.backend.title, failure))
    return found


def _run(runner: Runner, sets: Sequence[InputSet], *, twice: bool) -> EngineResult:
    """All sets in one message, the first one again at the end."""
    cases: list[Case] = [(s.feeds, None) for s in sets]
    outcomes = runner.replay(cases + cases[:1] if twice else cases, state=True)
    drift = 0.0
    if twice and outcomes[0].ok and outcomes[-1].ok:
        drift = error_of(outcomes[-1].arrays, outcomes[0].arrays)
    return EngineResult(
        runner,
        tuple(outcomes[: len(sets)]),
        nondeterministic=drift if drift > SAME_RUN else 0.0,
        mutated=any(o.mutated for o in outcomes),
    )


def _measure(
    result: EngineResult,
    base: EngineResult,
    sets: Sequence[InputSet],
    drawn: dict[tuple[int, float], list[float]],
    random: frozenset[str],
) -> EngineResult:
    """Errors against the base's outputs with the floor at the outputs, set by set; `drawn` is added to."""
    errors, floors = [], []
    for index, (mine, right) in enumerate(zip(result.outcomes, base.outcomes, strict=True)):
        if not (mine.ok and right.ok) or result is base:
            errors.append(0.0)
            floors.append(1.0)
            continue
        pairs = zip(_in_order(mine.arrays, right.arrays).items(), right.arrays, strict=True)
        expected = {key: array for (key, array), name in pairs if name not in random}
        error = error_of(mine.arrays, expected, small_scale(sets[index].feeds))
        eps = noise.precision_eps(result.runner.backend.knobs, list(mine.arrays.values()))
        floor = 16.0 * eps  # rounding adds up over layers
        if error > GATE * floor:
            if (index, eps) not in drawn:
                drawn[index, eps] = ulp_effect(base.runner, sets[index].feeds, None, right.arrays, eps, index)
            floor = max(noise.floor(drawn[index, eps], [], eps), floor)
        errors.append(error)
        floors.append(floor)
    return replace(result, errors=tuple(errors), floors=tuple(floors))


def _in_order(mine: Mapping[str, np.ndarray], right: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The expected outputs under the names that this engine uses: by name, else by position."""
    if set(mine) >= set(right) or len(mine) != len(right):
        return dict(right)
    return dict(zip(mine, right.values(), strict=True))


def _pairs(
    results: Sequence[EngineResult], sets: Sequence[InputSet], thresholds: Thresholds
) -> dict[tuple[str, str], tuple[Thresholded, ...]]:
    """CRADLE's metrics for each pair of engines, where there is ground truth."""
    found: dict[tuple[str, str], tuple[Thresholded, ...]] = {}
    if not any(s.truth is not None for s in sets):
        return found
    for i, a in enumerate(results):
        for b in results[i + 1 :]:
            classes: list[float] = []
            mads: list[float] = []
            for s, mine, theirs in zip(sets, a.outcomes, b.outcomes, strict=True):
                if s.truth is None or not (mine.ok and theirs.ok):
                    continue
                y, z = next(iter(mine.arrays.values())), next(iter(theirs.arrays.values()))
                c, m = instance_distances(y, z, s.truth)
                classes += c
                mads += m
            metrics = []
            if classes:
                metrics.append(against_threshold("class", classes, thresholds.t_class, thresholds.p))
            if mads:
                metrics.append(against_threshold("mad", mads, thresholds.t_mad, thresholds.p))
            found[(a.runner.name, b.runner.name)] = tuple(metrics)
    return found


def instance_distances(output: np.ndarray, other: np.ndarray, truth: np.ndarray) -> tuple[list[float], list[float]]:
    """D_CLASS and D_MAD per instance. Integer truth of one number an instance is a class; it is one-hot for D_MAD."""
    if output.shape != other.shape or len(output) != len(truth):
        return [], []
    labels = truth.reshape(len(truth), -1)
    is_class = truth.dtype.kind in "iu" and labels.shape[1] == 1 and output.ndim == 2 and output.shape[1] > 1
    classes, mads = [], []
    for index in range(len(output)):
        if is_class:
            label = int(labels[index, 0])
            if not 0 <= label < output.shape[1]:
                raise TargetProblem(
                    f"the validation data has the label {label}, but the model's first output has {output.shape[1]} "
                    f"classes, 0 to {output.shape[1] - 1}."
                )
            classes.append(class_distance(output[index], other[index], label))
            expected = np.zeros(output.shape[1])
            expected[label] = 1.0
        else:
            try:
                expected = np.broadcast_to(truth[index], output[index].shape) if output[index].size else output[index]
            except ValueError:
                raise TargetProblem(
                    f"an instance's labels have shape {list(truth.shape[1:])}, which does not fit the model's "
                    f"first output {list(output.shape[1:])}."
                ) from None
        mads.append(mad_distance(output[index], other[index], expected))
    return classes, mads


__all__ = ["Comparison", "EngineResult", "Kind", "compared", "instance_distances", "relative_error", "run_all"]
