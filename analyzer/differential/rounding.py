"""Errors of results against expected ones, and how much of an error rounding explains: the oracle is run on inputs that
are changed by units in the last place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from analyzer.differential import noise
from analyzer.differential.distances import relative_error
from analyzer.differential.runner import Runner
from analyzer.differential.structure import Description, Unit
from analyzer.differential.verdict import Outcome
from analyzer.operators.declaration import QUANTIZES_INSIDE
from analyzer.operators.registry import names

QUANTIZING = frozenset(names("microsoft", QUANTIZES_INSIDE))
STEP_INSIDE = noise.EPS["float16"]  # what a sum of numbers that are rounded to 8 bits each is good for
ONNX_FLOATS = {10: "float16", 16: "bfloat16"}  # what the attribute `to` of a Cast says


def error_of(arrays: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray], small: float = 0.0) -> float:
    """The worst relative error over the tensors of a unit; a tensor that is missing is infinitely wrong."""
    return max(
        (relative_error(arrays[t], e, small) if t in arrays else np.inf for t, e in expected.items()), default=0.0
    )


def small_scale(inputs: Mapping[str, np.ndarray]) -> float:
    """Results far below both 1/100 and the inputs are differences or saturated tails (``sigmoid(-15)``), which no
    engine computes to full relative precision."""
    sizes = [float(np.max(np.abs(a[np.isfinite(a)]), initial=0.0)) for a in inputs.values() if a.dtype.kind == "f"]
    return min(0.01, max(sizes, default=0.0))


def dtypes_inside(unit: Unit, structure: Description) -> set[str | None]:
    """Precisions of the tensors that a unit takes, makes and keeps to itself."""
    made = {t for o in unit.operations for t in (*o.inputs, *o.outputs)}
    casts = {o.attributes.get("to") for o in unit.operations if o.op == "Cast"}
    names: set[str | None] = {structure.dtypes.get(t) for t in made | {*unit.inputs, *unit.outputs}}
    return names | {ONNX_FLOATS[to] for to in casts if to in ONNX_FLOATS}


def typed_eps(unit: Unit, structure: Description) -> float:
    """The spacing of the narrowest type that a unit states; the float64 oracle rounds to none."""
    return noise.declared_eps(dtypes_inside(unit, structure))


def own_eps(unit: Unit, structure: Description) -> float:
    """`typed_eps`, or what an engine is entitled to in an operator that quantizes by itself."""
    quantized = any(o.op.rpartition("::")[2] in QUANTIZING for o in unit.operations)
    return max(typed_eps(unit, structure), STEP_INSIDE if quantized else 0.0)


def is_rounding(
    error: float,
    unit: Unit,
    inputs: Mapping[str, np.ndarray],
    result: Outcome,
    expected: Outcome,
    oracle: Runner,
    eps: float,
    seed: int,
) -> bool:
    """Whether an error above the floor is what rounding at the unit's inputs or inside it comes to."""
    if noise.one_step_apart(result.arrays, expected.arrays):
        return True
    if error <= jump_effect(oracle, inputs, unit.outputs, expected.arrays, eps, seed):
        return True
    inside = [t for o in unit.operations for t in o.outputs if t not in unit.outputs]
    known = oracle.run(inputs, inside, state=False) if inside else None
    moving = set(unit.inputs)
    for operation in unit.operations:
        moving.update(operation.outputs if moving.intersection(operation.inputs) else ())
    for name, array in known.arrays.items() if known is not None and known.ok else ():
        # Whole numbers that the model counts out for itself, such as which window a place is in, are exact.
        counted = name not in moving and bool(np.all(array == np.rint(array)))
        if array.dtype.kind == "f" and not counted:
            given = {**inputs, name: array}
            rng = np.random.default_rng([seed, 2])
            cases = [
                ({**given, **noise.neighbours({name: array}, rng, noise.MARGIN * eps)}, unit.outputs)
                for _ in range(noise.WIDE_DRAWS)
            ]
            small = small_scale(inputs)
            found = [error_of(o.arrays, expected.arrays, small) for o in oracle.replay(cases) if o.ok]
            if error <= max((e for e in found if np.isfinite(e)), default=0.0):
                return True
    return False


def jump_effect(
    oracle: Runner,
    inputs: Mapping[str, np.ndarray],
    outputs: Sequence[str] | None,
    expected: Mapping[str, np.ndarray],
    eps: float,
    seed: int,
) -> float:
    """How far the oracle's result moves when its inputs move by `MARGIN` units in the last place.

    For smooth results that is what `MARGIN` times the effect of one unit says already; results that jump, such as
    quantised ones, may not jump within one unit and yet be decided by the rounding of a sum.
    """
    rng = np.random.default_rng([seed, 1])
    step = noise.MARGIN * eps
    cases = [(noise.neighbours(inputs, rng, step), outputs) for _ in range(noise.WIDE_DRAWS)]
    found = (error_of(o.arrays, expected, small_scale(inputs)) for o in oracle.replay(cases) if o.ok)
    return max((e for e in found if np.isfinite(e)), default=0.0)


def ulp_effect(
    oracle: Runner,
    inputs: Mapping[str, np.ndarray],
    outputs: Sequence[str] | None,
    expected: Mapping[str, np.ndarray],
    eps: float,
    seed: int,
) -> list[float]:
    """Relative change of the oracle's result under random one-ulp changes of the inputs, per draw."""
    rng = np.random.default_rng(seed)
    cases = [(noise.neighbours(inputs, rng, eps), outputs) for _ in range(noise.DRAWS)]
    return [error_of(o.arrays, expected, small_scale(inputs)) for o in oracle.replay(cases) if o.ok]
