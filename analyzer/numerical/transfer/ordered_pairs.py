"""Differences of all pairs of places along rows in order, of which a mask keeps those of later and earlier places.

``x[:, None] - x[None, :]`` below the diagonal holds what a row has risen by; running sums of what is not positive never
rise. Decays between the steps of a sequence are exponentials of it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from analyzer.numerical.domain.dtypes import Array
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.transfer.neighbours import steps_along
from analyzer.numerical.transfer.views import laid_apart

DEPTH = 8  # windows, changes of sign and of shape between a difference and the running sum
Mask = np.ndarray[Any, np.dtype[np.bool_]]


def where_kept(x: AbstractTensor, condition: AbstractTensor, truth: bool) -> AbstractTensor:
    """`x` as narrowly as it is known where a known condition has one value."""
    known = condition.exact() if _is_difference(x) and x.shape is not None else None
    if known is None or x.shape is None or np.ndim(known) > len(x.shape):
        return x
    kept = np.asarray(known).astype(bool) == truth
    return _narrowed(x, kept.reshape((1,) * (len(x.shape) - kept.ndim) + kept.shape))


def in_triangle(x: AbstractTensor, upper: bool, diagonal: int) -> AbstractTensor:
    """`x` as narrowly as it is known in a triangle of its last two axes, the others being cleared."""
    if not _is_difference(x) or x.shape is None or len(x.shape) < 2:
        return x
    rows, columns = x.shape[-2:]
    if not isinstance(rows, int) or not isinstance(columns, int):
        return x
    kept = (np.triu if upper else np.tril)(np.ones((rows, columns), bool), diagonal)
    return _narrowed(x, kept.reshape((1,) * (len(x.shape) - 2) + kept.shape))


def _is_difference(x: AbstractTensor) -> bool:
    return x.origin is not None and x.origin.rule.name == "Sub" and x.dtype.is_float and not x.nan


def _narrowed(x: AbstractTensor, kept: Mask) -> AbstractTensor:
    minuend, subtrahend = x.origin.inputs[:2]
    laid = laid_apart(minuend, subtrahend, x.shape)
    if laid is None:
        return x
    source, axis, i, j = laid
    if 1 in (kept.shape[i], kept.shape[j]):
        return x
    pairs = kept.any(axis=tuple(k for k in range(kept.ndim) if k not in (i, j)))
    pairs = pairs if i < j else pairs.T  # the minuend's places are rows
    lo: Array = x.lo
    hi: Array = x.hi
    for later_first, allowed in ((True, not np.triu(pairs, 1).any()), (False, not np.tril(pairs, -1).any())):
        if not allowed:
            continue
        least = float(x.dtype.nearest(np.float64(-_falls(source, axis, falling=False))))
        most = float(x.dtype.nearest(np.float64(_falls(source, axis, falling=True))))
        low, high = (least, most) if later_first else (-most, -least)
        lo, hi = np.maximum(lo, low), np.minimum(hi, high)
    return x if lo is x.lo and hi is x.hi else x.with_bounds(lo, np.maximum(hi, lo))


def _falls(x: AbstractTensor, axis: int, *, falling: bool, depth: int = DEPTH) -> float:
    """What a later number of a row lies below an earlier one at most (above it, if `falling`); infinite if unknown."""
    origin = x.origin
    if origin is None or depth == 0 or x.nan or not np.isfinite((x.low, x.high)).all():
        return math.inf
    source, offsets, kept = x.facts.get("window", (None, (), ()))
    if source is not None:
        old = kept[axis] if axis < len(kept) else None
        if old is None or not isinstance(offsets[old], int):  # gathered in another order
            return math.inf
        return _falls(source, old, falling=falling, depth=depth - 1)
    if origin.rule.name == "CumSum":
        return _of_running_sum(x, axis, falling)
    if origin.rule.name == "Neg":
        return _falls(origin.inputs[0], axis, falling=not falling, depth=depth - 1)
    found = steps_along(x, axis, falling=falling)
    return 0.0 if found is not None and found.least >= 0 else math.inf


def _of_running_sum(x: AbstractTensor, axis: int, falling: bool) -> float:
    """Rounding alone, in whatever order the terms are added: twice that of a sum of all."""
    origin = x.origin
    terms, where = origin.inputs[0], origin.inputs[1].integers() if len(origin.inputs) > 1 else None
    size = terms.shape[axis] if terms.shape is not None and axis < len(terms.shape) else None
    if where is None or where[0] % len(terms.shape or (0,)) != axis or not isinstance(size, int) or terms.nan:
        return math.inf
    turned = falling != bool(origin.context.attr("reverse", 0))
    if (terms.high > 0) if turned else (terms.low < 0):
        return math.inf
    largest = max(abs(terms.low), abs(terms.high))
    return 2 * size * float(x.dtype.eps) * size * largest if np.isfinite(largest) else math.inf
