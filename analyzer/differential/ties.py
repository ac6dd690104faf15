"""Equal values have no order: engines that choose other places among them are all right."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from analyzer.differential import noise
from analyzer.differential.structure import Unit
from analyzer.differential.verdict import Outcome

CHOOSING = {  # operator, lower case without its domain -> the axis where no attribute names one
    "topk": -1, "topkv2": -1, "argmax": 0, "argmin": 0, "sort": -1, "argsort": -1,
}  # fmt: skip


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
