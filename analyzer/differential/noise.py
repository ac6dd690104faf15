"""The noise floor, measured: how much a unit's result moves when its inputs move by the last bit, and what peers do.

An error counts only above `MARGIN` times the floor, so that ill-conditioned but right results stay silent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

MARGIN = 64.0  # times the floor of float64: below it healthy engines differed
DRAWS = 3  # perturbed inputs for the floor
WIDE_DRAWS = 8  # of steps of MARGIN units, where a result jumps: rounding, comparing, choosing
FEW = 0.01  # share of the elements of a quantised tensor
EPS = {
    "float64": 2.0**-52,
    "float32": 2.0**-23,
    "tf32": 2.0**-10,
    "float16": 2.0**-10,
    "mixed_float16": 2.0**-10,
    "bfloat16": 2.0**-7,
    "mixed_bfloat16": 2.0**-7,
}


def neighbours(feeds: Mapping[str, np.ndarray], rng: np.random.Generator, eps: float) -> dict[str, np.ndarray]:
    """The same tensors with every float moved up or down by one unit of the precision `eps` at random.

    Zeros stay: they are often padding or masks, and their neighbour is a subnormal number.
    """
    moved = {}
    for name, array in feeds.items():
        if array.dtype.kind != "f" or array.size == 0:
            moved[name] = array
            continue
        step = max(eps, float(np.finfo(array.dtype).eps))
        sign = rng.choice(np.array([-1.0, 1.0]), size=array.shape)
        with np.errstate(all="ignore"):
            moved[name] = np.asarray(array * (1.0 + step * sign), dtype=array.dtype)
    return moved


def declared_eps(dtypes: Iterable[str | None]) -> float:
    """The coarsest precision among tensors that a model itself declares; the float64 oracle rounds to none of them."""
    return max((EPS[d] for d in dtypes if d in ("float16", "bfloat16")), default=0.0)


def precision_eps(knobs: Mapping[str, str], arrays: Sequence[np.ndarray]) -> float:
    """The spacing that a run is entitled to: the coarsest of its precision knob and of the tensors it computes."""
    eps = EPS.get(knobs.get("precision", "float32"), EPS["float32"])
    for array in arrays:
        if array.dtype == np.float16:
            eps = max(eps, EPS["float16"])
    return eps


def one_step_apart(mine: Mapping[str, np.ndarray], right: Mapping[str, np.ndarray]) -> bool:
    """Whether all that differs are single steps of quantised tensors, on few elements: a sum that lies between two
    steps is rounded to either of them. A kernel that rounds wrongly is wrong on far more."""
    for name, expected in right.items():
        found = mine.get(name)
        if found is None or found.shape != expected.shape:
            return False
        if np.array_equal(found, expected):
            continue
        if found.dtype != expected.dtype or expected.dtype not in (np.int8, np.uint8):
            return False
        apart = np.abs(found.astype(np.int64) - expected.astype(np.int64))
        if apart.max() > 1 or np.mean(apart) > FEW:
            return False
    return True


def floor(perturbed: Sequence[float], peers: Sequence[float], eps: float) -> float:
    """The largest of: the effect of one-ulp changes, the best error among the other engines, two units of rounding."""
    finite_peers = [p for p in peers if np.isfinite(p)]
    return max([2.0 * eps, *(p for p in perturbed if np.isfinite(p)), *([min(finite_peers)] if finite_peers else [])])
