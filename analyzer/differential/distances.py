"""Distances between what two engines computed: CRADLE's two metrics, its patterns, and the error used for blame.

CRADLE (Pham et al., ICSE 2019), section III-B. Where the paper leaves a case open, the rule is stated at the function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

TOP = 5  # k of the class-based metric
CLASS_EDGES = (1.0, 2.0, 4.0, 8.0, 16.0)  # D_CLASS is a sum of powers of two (CRADLE, section 3)
MAD_BINS = 5  # as many as of D_CLASS


def class_score(output: np.ndarray, truth: int, k: int = TOP) -> float:
    """sigma = 2^(k - rank) for rank <= k, else 0. `output`: one row of class scores; rank 1 is the largest.

    Ties: the truth ranks behind every class with an equal score, so that a constant output does not count as right.
    NaN: a NaN score ranks behind all numbers; a truth whose own score is NaN has no rank, hence score 0.
    """
    row = np.asarray(output, np.float64).ravel()
    mine = row[truth]
    if np.isnan(mine):
        return 0.0
    rank = 1 + int(np.sum(row > mine)) + int(np.sum(row == mine)) - 1
    return float(2 ** (k - rank)) if rank <= k else 0.0


def class_distance(output: np.ndarray, other: np.ndarray, truth: int, k: int = TOP) -> float:
    """D_CLASS = |sigma(Y) - sigma(Y')|; between 0 and 2^(k-1)."""
    return abs(class_score(output, truth, k) - class_score(other, truth, k))


def mad(output: np.ndarray, truth: np.ndarray) -> float:
    """Mean absolute deviation of two arrays of equal shape; NaN where either holds a NaN."""
    a, b = np.asarray(output, np.float64), np.asarray(truth, np.float64)
    if a.size == 0:
        return 0.0
    with np.errstate(invalid="ignore", over="ignore"):
        difference = np.where(a == b, 0.0, np.abs(a - b))  # equal infinities do not deviate
        return float(np.mean(difference))


def mad_distance(output: np.ndarray, other: np.ndarray, truth: np.ndarray) -> float:
    """D_MAD = |d - d'| / (d + d') with d, d' the outputs' deviations from the truth; in [0, 1].

    0/0 (both outputs equal the truth) is 0. When exactly one side is NaN or infinite the distance is 1; when both are,
    it is 0 here, for the two engines agree; such outputs get a NaN verdict, not a distance.
    """
    mine, theirs = mad(output, truth), mad(other, truth)
    if not (np.isfinite(mine) and np.isfinite(theirs)):
        return float(np.isfinite(mine) != np.isfinite(theirs))
    total = mine + theirs
    return 0.0 if total == 0.0 else abs(mine - theirs) / total


@dataclass(frozen=True, slots=True)
class Thresholded:
    """One pair of engines on one data set under one metric. `triggering` are indices of inconsistent instances."""

    metric: str
    distances: tuple[float, ...]
    threshold: float
    triggering: tuple[int, ...]
    inconsistent: bool
    pattern: tuple[int, ...]

    @property
    def worst(self) -> int:
        """The most inconsistent instance: the one that is localized."""
        return int(np.argmax(self.distances)) if self.distances else 0


def against_threshold(metric: str, distances: Sequence[float], threshold: float, percent: float) -> Thresholded:
    """Inconsistent when at least `percent` % of instances, and at least one, have a distance >= `threshold`.

    The paper says "larger than" but calls T_C = 16 and T_M = 1, the largest distances there are, its strictest usable
    settings; hence >=. A distance of 0 never triggers: with a threshold of 0 every real difference does.
    """
    triggering = tuple(i for i, d in enumerate(distances) if d >= threshold and d > 0)
    enough = bool(triggering) and 100.0 * len(triggering) >= percent * len(distances)
    return Thresholded(metric, tuple(distances), threshold, triggering, enough, pattern(metric, distances))


def pattern(metric: str, distances: Sequence[float]) -> tuple[int, ...]:
    """Histogram of distances: for ``class`` the columns 16, [8,16), [4,8), [2,4), [1,2), [0,1); for ``mad`` five bins
    over [0, 1], the last with 1 itself."""
    if metric == "class":
        edges = bin_edges(metric)
        counts = [0] * len(edges)
        for d in distances:
            counts[next(i for i, edge in enumerate(edges) if d >= edge)] += 1
        return tuple(counts)
    counts = [0] * MAD_BINS
    for d in distances:
        counts[min(int(d * MAD_BINS + 1e-12), MAD_BINS - 1)] += 1
    return tuple(counts)


def bin_edges(metric: str) -> tuple[float, ...]:
    """The lower end of each bin of `pattern`."""
    return (*reversed(CLASS_EDGES), 0.0) if metric == "class" else tuple(i / MAD_BINS for i in range(MAD_BINS))


def unique(
    patterns: Mapping[str, tuple[str, str, tuple[int, ...]]],
) -> dict[tuple[str, str, tuple[int, ...]], list[str]]:
    """Group inconsistencies by (model, pair of engines, pattern): each group is one unique inconsistency.

    `patterns` maps a name such as ``keras 3.5.0`` to (model, pair, pattern).
    """
    groups: dict[tuple[str, str, tuple[int, ...]], list[str]] = {}
    for name, key in patterns.items():
        groups.setdefault(key, []).append(name)
    return groups


def deviation(output: np.ndarray, other: np.ndarray) -> float:
    """delta_l of CRADLE: the mean absolute deviation of two hidden states (no ground truth)."""
    if np.shape(output) != np.shape(other):
        return float("inf")
    value = mad(output, other)
    return float("inf") if np.isnan(value) and not _same_nans(output, other) else float(np.nan_to_num(value, nan=0.0))


def rates(deltas: Mapping[str, float], inbound: Mapping[str, Sequence[str]], eps: float = 1e-7) -> dict[str, float]:
    """R_l = (delta_l - delta_pre) / (delta_pre + eps), delta_pre the largest delta of inbound layers (0 for inputs)."""
    found = {}
    for name, delta in deltas.items():
        before = max((deltas[p] for p in inbound.get(name, ()) if p in deltas), default=0.0)
        if np.isinf(before):
            found[name] = 0.0
        else:
            found[name] = (delta - before) / (before + eps)
    return found


def third_quartile(values: Sequence[float]) -> float:
    """Q3 of a localization map's rates; layers above it are highlighted."""
    return float(np.quantile(np.nan_to_num(np.asarray(values, np.float64), posinf=1e300), 0.75)) if values else 0.0


def relative_error(output: np.ndarray, reference: np.ndarray, small: float = 0.0) -> float:
    """max|output - reference| / max|reference|: one wrong element counts, and so does only its size against the tensor.

    NaN or infinities at other places than the reference's give infinity; at the same places they are left out.
    Integers and booleans: the share of elements that differ. A reference of zeros makes the error absolute.
    `small` is the scale below which a tensor counts as small: errors are taken relative to at least that.
    """
    a, b = np.asarray(output), np.asarray(reference)
    if a.shape != b.shape:
        return float("inf")
    if a.size == 0:
        return 0.0
    if a.dtype.kind not in "fc" and b.dtype.kind not in "fc":
        return float(np.mean(a != b))
    x = a.astype(np.complex128 if "c" in (a.dtype.kind, b.dtype.kind) else np.float64)
    y = b.astype(x.dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        worst, scale = float(np.abs(x - y).max()), float(np.abs(y).max())
    if np.isfinite(worst) and np.isfinite(scale):
        scale = max(small, scale)
        return worst / scale if scale > 0 else worst
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    finite = np.isfinite(x) & np.isfinite(y)
    if not np.all(same | finite):
        return float("inf")
    if np.all(same):
        return 0.0
    scale = max(small, float(np.max(np.abs(y[finite]), initial=0.0)))
    worst = float(np.max(np.abs(x[finite] - y[finite]), initial=0.0))
    return worst / scale if scale > 0 else worst


def _same_nans(a: np.ndarray, b: np.ndarray) -> bool:
    return np.array_equal(np.isnan(a), np.isnan(b)) and np.array_equal(np.isinf(a), np.isinf(b))
