"""Rows that are not all small: the fact ``peaks`` maps axes to a number that the greatest element along them reaches.

A softmax and what is divided by its own sum reach 1 / n; quotients and products with bounded positive numbers keep a
part of it. So sums of rows that are normalised in turns stay away from 0, although single elements do not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from analyzer.numerical.domain.tensor import AbstractTensor, count
from analyzer.numerical.transfer.facts import are_axes

Peaks = Mapping[tuple[int, ...], float]
NONE: Peaks = {}
ROUNDED = 1 - 1e-3  # sums of up to 10,000 numbers in float32 are that near; of more nothing is said
MOST_TERMS = 10_000


def peaks_of(x: AbstractTensor) -> Peaks:
    known: Peaks = x.facts.get("peaks", NONE)
    return known


def as_fact(peaks: Peaks, dtype: Any) -> dict[str, Any]:
    """Those that say something: a number too small to be normal may be flushed to 0."""
    kept = {axes: float(v) for axes, v in peaks.items() if v >= dtype.tiny * 2}
    return {"peaks": kept} if kept else {}


def of_quotient(a: AbstractTensor, b: AbstractTensor, result: AbstractTensor) -> dict[str, Any]:
    """Of a / b where b is positive."""
    if not a.dtype.is_float or b.low <= 0 or b.nan or a.nan or b.high == np.inf:
        return {}
    found: dict[tuple[int, ...], float] = {}
    if a.shape == result.shape:
        found = {axes: v / b.high * (1 - 4 * a.dtype.eps) for axes, v in peaks_of(a).items()}
    kind, source, axes, kept = b.facts.get("reduced", ("", b, None, False))
    if kind == "sum" and kept and are_axes(axes) and source.key == a.key and a.low >= 0 and a.shape is not None:
        least, most = count(a.shape, axes)
        if least >= 1 and most <= MOST_TERMS and a.dtype.eps < 1e-6:
            found[tuple(axes)] = max(found.get(tuple(axes), 0.0), ROUNDED / most)
    return as_fact(found, a.dtype)


def of_product(a: AbstractTensor, b: AbstractTensor, result: AbstractTensor) -> dict[str, Any]:
    """Of a * b where one of them is positive."""
    found: dict[tuple[int, ...], float] = {}
    for one, other in ((a, b), (b, a)):
        if peaks_of(one) and other.low > 0 and not other.nan and one.shape == result.shape:
            found |= {axes: v * other.low * (1 - 4 * a.dtype.eps) for axes, v in peaks_of(one).items()}
    return as_fact(found, a.dtype)


def of_power(x: AbstractTensor, exponent: float | None, result: AbstractTensor) -> dict[str, Any]:
    """Of x to a constant positive power, where x is not negative."""
    if exponent is None or exponent <= 0 or x.low < 0 or x.shape != result.shape:
        return {}
    return as_fact({axes: v**exponent * (1 - 32 * x.dtype.eps) for axes, v in peaks_of(x).items()}, x.dtype)


def transposed(x: AbstractTensor, order: list[int]) -> dict[str, Any]:
    moved = {tuple(sorted(order.index(a) for a in axes)): v for axes, v in peaks_of(x).items()}
    return {"peaks": moved} if moved else {}


def least_sum(x: AbstractTensor, axes: tuple[int, ...] | None) -> float:
    """What a sum over `axes` is at least, of what is not negative; of others nothing is said."""
    if x.low < 0:
        return -np.inf
    if axes is None or count(x.shape, axes)[0] < 1:
        return 0.0
    return max((v for own, v in peaks_of(x).items() if set(own) <= set(axes)), default=0.0)


def of_sum(x: AbstractTensor, axes: tuple[int, ...] | None, kept: bool) -> dict[str, Any]:
    """Of sums of what is not negative: along other axes than those that are added up, no element becomes smaller."""
    if x.low < 0 or x.nan or axes is None or x.rank is None or count(x.shape, axes)[0] < 1:
        return {}
    place = {a: a if kept else n for n, a in enumerate(i for i in range(x.rank) if kept or i not in axes)}
    found = {tuple(place[a] for a in own): v for own, v in peaks_of(x).items() if not set(own) & set(axes)}
    return as_fact(found, x.dtype)
