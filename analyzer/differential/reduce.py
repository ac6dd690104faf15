"""A model of one to three nodes that still deviates, and a stand-alone script that shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from analyzer.differential.localize import Blame
from analyzer.differential.rounding import error_of, small_scale
from analyzer.differential.runner import Runner
from analyzer.differential.structure import Operation, Unit


@dataclass(frozen=True)
class Reduced:
    """The smallest case that was found: `error` is what is left of the deviation."""

    unit: Unit
    inputs: Mapping[str, np.ndarray]
    expected: Mapping[str, np.ndarray]
    error: float


def reduce(
    blame: Blame, deviating: Runner, oracle: Runner, limit: float, late: Callable[[], bool] = lambda: False
) -> Reduced:
    """Shrink the region, then the batch, then the values, as long as the error stays above `limit`.

    Once `late` says so, no further step is taken.
    """

    def measure(unit: Unit, inputs: Mapping[str, np.ndarray]) -> Reduced | None:
        if late():
            return None
        mine = deviating.run(inputs, unit.outputs, state=False)
        right = oracle.run(inputs, unit.outputs, state=False)
        if not (mine.ok and right.ok):
            return None
        error = error_of(mine.arrays, right.arrays, small_scale(inputs))
        return Reduced(unit, inputs, right.arrays, error) if error > limit else None

    best = measure(blame.unit, blame.inputs) or Reduced(blame.unit, blame.inputs, blame.expected, blame.error)
    best = _fewer_nodes(best, measure, oracle)
    best = _fewer_instances(best, measure)
    return _simpler_values(best, measure)


Measure = Callable[[Unit, Mapping[str, np.ndarray]], "Reduced | None"]


def _fewer_nodes(best: Reduced, measure: Measure, oracle: Runner) -> Reduced:
    """Drop operations from the front: what they computed becomes an input, with the oracle's values."""
    changed = True
    while changed and len(best.unit.operations) > 1:
        changed = False
        made_inside = [o for op in best.unit.operations[:-1] for o in op.outputs if o not in best.unit.outputs]
        known = oracle.run(best.inputs, made_inside, state=False)
        if not known.ok:
            return best
        for operation in best.unit.operations[:-1]:
            if not set(operation.inputs) & {*best.inputs, *made_inside}:
                continue  # a constant
            cut = [o for o in operation.outputs if o in known.arrays]
            smaller = _after(best.unit, cut)
            if not cut or smaller is None:
                continue
            values = {**best.inputs, **{n: _like_model(a) for n, a in known.arrays.items()}}
            candidate = measure(smaller, {n: values[n] for n in smaller.inputs if n in values})
            if candidate is not None:
                best, changed = candidate, True
                break
    return best


def _after(unit: Unit, cut: list[str]) -> Unit | None:
    """The part of `unit` that is still needed when the tensors `cut` are given; None when nothing becomes smaller."""
    producer = {o: op for op in unit.operations for o in op.outputs}
    needed: list[Operation] = []
    inputs: dict[str, None] = {}
    queue = list(unit.outputs)
    seen: set[str] = set()
    while queue:
        name = queue.pop(0)
        if name in seen:
            continue
        seen.add(name)
        if name in cut or name not in producer:
            inputs[name] = None
            continue
        operation = producer[name]
        if operation not in needed:
            needed.append(operation)
            queue.extend(operation.inputs)
    if len(needed) >= len(unit.operations):
        return None
    ordered = tuple(op for op in unit.operations if op in needed)
    return replace(unit, operations=ordered, inputs=tuple(inputs))


def _fewer_instances(best: Reduced, measure: Measure) -> Reduced:
    """One instance instead of a batch, where all inputs share the first axis."""
    lengths = {a.shape[0] for a in best.inputs.values() if a.ndim > 1}
    if len(lengths) != 1 or next(iter(lengths), 1) <= 1:
        return best
    for index in range(min(next(iter(lengths)), 8)):
        sliced = {n: a[index : index + 1] if a.ndim > 1 else a for n, a in best.inputs.items()}
        candidate = measure(best.unit, sliced)
        if candidate is not None:
            return candidate
    return best


def _simpler_values(best: Reduced, measure: Measure) -> Reduced:
    """Values that a person can read: rounded to one digit, then to integers, when the deviation survives."""
    for digits in (0, 1):
        rounded = {n: np.round(a, digits) if a.dtype.kind == "f" else a for n, a in best.inputs.items()}
        candidate = measure(best.unit, rounded)
        if candidate is not None and np.isfinite(candidate.error):
            return candidate
    return best


def _like_model(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float32) if array.dtype == np.float64 else array
