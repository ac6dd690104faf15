"""Equal values have no order: engines that choose other places among them are all right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from analyzer.differential import noise
from analyzer.differential.hidden_states import FORGIVEN
from analyzer.differential.rounding import error_of, small_scale
from analyzer.differential.runner import Runner
from analyzer.differential.structure import Operation, Unit
from analyzer.differential.verdict import Outcome

CHOOSING = {  # operator, lower case without its domain -> the axis where no attribute names one
    "topk": -1, "topkv2": -1, "argmax": 0, "argmin": 0, "sort": -1, "argsort": -1,
}  # fmt: skip
ORDERS = 8  # of equal values, the reversed one first: with three equal values all six are met as a rule
NEAR = 1e-4  # of the largest element: what the rest of a unit loses to float32 after the choice


def ties(unit: Unit, inputs: Mapping[str, np.ndarray], mine: Outcome, right: Outcome) -> bool:
    """Whether all that differs are indices, and they point to equal values of what the unit chooses from."""
    last = unit.operations[-1]
    default = CHOOSING.get(_plain(last.op))
    if default is None or not last.inputs or set(unit.outputs) - set(last.outputs):
        return False
    data = inputs.get(last.inputs[0])
    if data is None or data.ndim == 0:
        return False
    axis = last.attributes.get("axis", last.attributes.get("dim", default))
    axis = axis if isinstance(axis, int) else default
    differs = False
    for name, expected in right.arrays.items():
        found = mine.arrays.get(name)
        if found is None or found.shape != expected.shape:
            return False
        if expected.dtype.kind not in "iu":  # the values that were chosen
            if not np.allclose(found, expected, rtol=noise.EPS["float32"] * noise.MARGIN, atol=0, equal_nan=True):
                return False
            continue
        if np.array_equal(found, expected):
            continue
        chosen, wanted = (_chosen(data, a.astype(np.int64), axis) for a in (found, expected))
        if chosen is None or wanted is None or not np.array_equal(chosen, wanted, equal_nan=True):
            return False
        if found.ndim == data.ndim and _repeats(found, axis) and not _repeats(expected, axis):
            return False
        differs = True
    return differs


def settled(
    unit: Unit, inputs: Mapping[str, np.ndarray], mine: Outcome, right: Outcome, oracle: Runner, seed: int
) -> Outcome:
    """An engine's results with the oracle's where another order of equal values inside the unit explains them.

    The oracle goes on from every choice inside the unit with the places of equal values exchanged. What an engine has
    computed wrongly besides stays as it is; `mine` itself is returned where nothing is explained.
    """
    arrays = dict(mine.arrays)
    alike = error_of(mine.arrays, right.arrays, small_scale(inputs)) <= FORGIVEN
    if alike or not any(_plain(o.op) in CHOOSING for o in unit.operations):
        return mine
    for operation in unit.operations:
        for other in _other_orders(operation, unit, inputs, oracle, seed):
            for name, expected in right.arrays.items():
                found, moved = arrays.get(name), other.get(name)
                if found is None or moved is None or not found.shape == expected.shape == moved.shape:
                    continue
                explained = _near(found, moved) & (_apart(found, moved) < _apart(found, expected))
                if explained.any():
                    arrays[name] = np.where(explained, expected.astype(found.dtype), found)
    changed = any(arrays[n] is not a for n, a in mine.arrays.items())
    return replace(mine, arrays=arrays) if changed else mine


def _other_orders(
    operation: Operation, unit: Unit, inputs: Mapping[str, np.ndarray], oracle: Runner, seed: int
) -> Sequence[Mapping[str, np.ndarray]]:
    """What the unit gives where `operation` chooses other places of equal values; nothing without such values."""
    default = CHOOSING.get(_plain(operation.op))
    if default is None or not operation.inputs:
        return []
    names = [n for n in (operation.inputs[0], *operation.outputs) if n and n not in inputs]
    asked = oracle.run(inputs, names, state=False)
    known = {**inputs, **asked.arrays}
    data = known.get(operation.inputs[0])
    chosen = {n: known[n] for n in operation.outputs if n in known and known[n].dtype.kind in "iu"}
    if data is None or not chosen or data.ndim == 0 or data.dtype.kind not in "iufb":
        return []
    axis = operation.attributes.get("axis", operation.attributes.get("dim", default))
    axis = axis if isinstance(axis, int) and -data.ndim <= axis < data.ndim else default
    rng = np.random.default_rng([seed, 3])
    cases = []
    for index in range(ORDERS):
        keys = -np.arange(data.shape[axis], dtype=np.float64) if index == 0 else rng.random(data.shape[axis])
        moved = {n: _exchanged(data, places, axis, keys) for n, places in chosen.items()}
        fed = {n: m for n, m in moved.items() if m is not None and not np.array_equal(m, chosen[n])}
        if fed:
            cases.append(({**inputs, **{n: known[n] for n in operation.outputs if n in known}, **fed}, unit.outputs))
    outcomes = oracle.replay(cases) if cases else []
    return [
        {**o.arrays, **{n: fed[n] for n in unit.outputs if n in fed}}
        for o, (fed, _) in zip(outcomes, cases, strict=True)
        if o.ok
    ]


def _exchanged(data: np.ndarray, places: np.ndarray, axis: int, keys: np.ndarray) -> np.ndarray | None:
    """`places` along `axis` of `data`, each moved to one of an equal value: equal ones in the order of `keys`.
    None where `places` are none of `data`."""
    if _chosen(data, places.astype(np.int64), axis) is None:
        return None
    lines = np.moveaxis(data, axis, -1)
    tiebreak = np.broadcast_to(keys, lines.shape)
    one = np.argsort(lines, axis=-1, kind="stable")
    other = np.lexsort((tiebreak, lines), axis=-1)
    partner = np.empty_like(one)
    np.put_along_axis(partner, one, other, axis=-1)
    flat = places.ndim == data.ndim - 1
    wanted = np.moveaxis(np.expand_dims(places, axis) if flat else places, axis, -1).astype(np.int64)
    found = np.moveaxis(np.take_along_axis(partner, wanted, axis=-1), -1, axis)
    return np.asarray(np.squeeze(found, axis) if flat else found, places.dtype)


def _apart(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    wide = np.complex128 if "c" in (one.dtype.kind, other.dtype.kind) else np.float64
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.abs(one.astype(wide) - other.astype(wide)), nan=np.inf)


def _near(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Where two arrays of one shape agree."""
    if one.dtype.kind not in "fc" or other.dtype.kind not in "fc":
        return np.asarray(one == other)
    finite = np.abs(other[np.isfinite(other)])
    return np.asarray(np.isclose(one, other, rtol=0.0, atol=NEAR * float(finite.max(initial=0.0)), equal_nan=True))


def _plain(op: str) -> str:
    name = op.lower().rpartition("::")[2]
    name = name.removeprefix("aten.").partition(".")[0]
    return name.replace("_", "")


def _chosen(data: np.ndarray, indices: np.ndarray, axis: int) -> np.ndarray | None:
    """The values at `indices`; None where they are none of `data`."""
    if not -data.ndim <= axis < data.ndim:
        return None
    if indices.ndim == data.ndim - 1:
        indices = np.expand_dims(indices, axis)
    length = data.shape[axis]
    if indices.ndim != data.ndim or indices.size == 0 or indices.min() < -length or indices.max() >= length:
        return None
    try:
        return np.take_along_axis(data, indices, axis)
    except (IndexError, ValueError):
        return None


def _repeats(indices: np.ndarray, axis: int) -> bool:
    ordered = np.sort(indices, axis=axis)
    return bool(np.any(np.diff(ordered, axis=axis) == 0))
