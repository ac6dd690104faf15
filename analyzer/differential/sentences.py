"""What is said of a comparison: one verdict and one plain sentence an engine, one for each inconsistent pair."""

from __future__ import annotations

import numpy as np

from analyzer.differential.compare import Comparison, EngineResult
from analyzer.differential.layer_findings import MATERIAL
from analyzer.differential.study import Study
from analyzer.differential.verdict import Kind
from analyzer.differential.wording import number, oracle_title, plain

ILL = 1e-4  # an accepted error from which a person wants to know why it is accepted


def verdict(result: EngineResult, done: Study) -> str:
    """In one or two words, as the table of engines shows it."""
    if result.failure is not None:
        return result.failure.kind.value
    if any(p.blame.backend == result.runner.name for p in done.problems):
        return "deviates"
    if result.nondeterministic:
        return "samples" if done.random_of(result.runner) else Kind.NONDETERMINISTIC.value
    if result.mutated:
        return Kind.MUTATED.value
    if result.suspicious and _error(result) >= MATERIAL:
        return "differs"
    return "agrees"


def _error(result: EngineResult) -> float:
    """On the inputs where it stands out most from the noise: what the table shows."""
    return result.errors[result.worst] if result.errors else 0.0


def sentences(done: Study) -> list[str]:
    comparison: Comparison | None = done.comparison
    assert comparison is not None
    lines = [_sentence(result, done, comparison) for result in comparison.results]
    lines += _not_numbers(comparison)
    for (a, b), metrics in comparison.pairs.items():
        for m in metrics:
            if m.inconsistent:
                lines.append(
                    f"{a} and {b} are inconsistent under D_{m.metric.upper()} >= {m.threshold:g}: "
                    f"{len(m.triggering)} of {len(m.distances)} instances, largest distance {max(m.distances):.3g}."
                )
    return lines


def _sentence(result: EngineResult, done: Study, comparison: Comparison) -> str:
    name, against = result.runner.backend.title, oracle_title(comparison.reference)
    error = number(_error(result))
    mine = [p for p in done.problems if p.blame.backend == result.runner.name]
    if result.failure is not None:
        return f"{name}: {result.failure.kind.value}: {plain(result.failure.message)}"
    if mine:
        layers = ", ".join(f"`{p.blame.unit.main.layer or p.blame.unit.main.name}`" for p in mine[:3])
        if all(p.hidden for p in mine):
            apart = f"{name}: the outputs are {error} from {against}"
            return f"{apart}, but {layers} computes something else: {mine[0].hidden}."
        return f"{name} deviates from {against} by {error}, brought in by {layers}."
    if result.nondeterministic and (random := done.random_of(result.runner)):
        return (
            f"{name}: the model samples (`{random}`), so its outputs differ from run to run by design; layers "
            f"that draw nothing are held against {against} one by one."
        )
    if result.nondeterministic:
        apart = number(result.nondeterministic)
        return f"{name} gives other outputs each time ({apart} apart), so that they cannot be held against {against}."
    if result.runner.name == comparison.reference:
        failed = comparison.oracle.failure if comparison.oracle is not None else None
        why = f", for no float64 run was possible: {plain(failed.message)}" if failed is not None else "."
        return f"{name} is what the others are held against{why}"
    replayed = done.localizations.get(result.runner.name)
    if result.suspicious:
        if replayed is None or not replayed.errors.get(result.runner.name):
            return f"{name} deviates from {against} by {error}; no layer could be looked at alone."
        how = f"differs from {against} by" if _error(result) >= MATERIAL else f"agrees with {against} within"
        return f"{name} {how} {error} at the outputs; replayed alone, every layer is within rounding."
    if _error(result) >= ILL:
        floor = number(result.floors[result.worst])
        return (
            f"{name} agrees with {against} as far as rounding allows (relative error {error}; inputs changed by one "
            f"unit in the last place, or rounding, move the outputs by {floor})."
        )
    return f"{name} agrees with {against} (relative error {error})."


def _not_numbers(comparison: Comparison) -> list[str]:
    """Outputs that are not finite agree with anything: said once, for the result that the others are held against."""
    base = next(
        (r for r in (comparison.oracle, *comparison.results) if r and r.runner.name == comparison.reference), None
    )
    arrays = [a for o in base.outcomes if o.ok for a in o.arrays.values() if a.dtype.kind == "f"] if base else []
    size = sum(a.size for a in arrays)
    count = sum(int(np.sum(~np.isfinite(a))) for a in arrays)
    if not count:
        return []
    share = "All" if count == size else f"{100 * count / size:.0f} %"
    return [
        f"{share} of the outputs are NaN or infinite in {oracle_title(comparison.reference)}; those are not compared."
    ]
