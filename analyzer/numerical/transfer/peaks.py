"""Rows that are not all small: the fact ``peaks`` maps axes to a number that the greatest element along them reaches.

A softmax and what is divided by its own sum reach 1 / n, what is not negative and divided by its own Euclidean norm
reaches 1 / sqrt(n); quotients and products with bounded positive numbers, and means of what is not negative, keep a
part of it. So sums and norms of rows that are normalised in turns stay away from 0, although single elements do not.
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
_TRUE_AT_EQUAL, _FALSE_AT_EQUAL = ("GreaterOrEqual", "LessOrEqual"), ("Less", "Greater")
SHARES = {"sum": 1.0, "norm": 0.5}  # what of n numbers is greatest reaches their total / n to this power


def peaks_of(x: AbstractTensor) -> Peaks:
    known: Peaks = x.facts.get("peaks", NONE)
    return known


def as_fact(peaks: Peaks, dtype: Any) -> dict[str, Any]:
    """Those that say something: a number too small to be normal may be flushed to 0."""
    kept = {axes: float(v) for axes, v in peaks.items() if v >= dtype.tiny * 2}
    return {"peaks": kept} if kept else {}


def of_quotient(a: AbstractTensor, b: AbstractTensor, result: AbstractTensor) -> dict[str, Any]:
    """Of a / b where b is positive."""
    if not a.dtype.is_float or not 0 < b.low <= b.high < np.inf or b.nan or a.nan:  # of no survivors nothing
        return {}
    found: dict[tuple[int, ...], float] = {}
    if a.shape == result.shape:
        found = {axes: v / b.high * (1 - 4 * a.dtype.eps) for axes, v in peaks_of(a).items()}
    kind, source, axes, kept = _own_total(b)
    if kind in SHARES and kept and are_axes(axes) and source.key == a.key and a.low >= 0 and a.shape is not None:
        least, most = count(a.shape, axes)
        if least >= 1 and most <= MOST_TERMS and a.dtype.eps < 1e-6:
            found[tuple(axes)] = max(found.get(tuple(axes), 0.0), ROUNDED / most ** SHARES[kind])
    return as_fact(found, a.dtype)


def _own_total(b: AbstractTensor) -> tuple[str, AbstractTensor, Any, bool]:
    """Which sum or norm b is, of what, over which axes; squares that underflow make a norm smaller, never greater."""
    known: tuple[str, AbstractTensor, Any, bool] = b.facts.get("reduced", ("", b, None, False))
    if b.origin is not None and b.origin.rule.name == "Sqrt":
        kind, *rest = b.origin.inputs[0].facts.get("reduced", ("", b, None, False))
        return ("norm", *rest) if kind == "sum of squares" else ("", b, None, False)
    return known


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


def of_kept(condition: AbstractTensor, a: AbstractTensor, b: AbstractTensor, result: AbstractTensor) -> dict[str, Any]:
    """Of a selection that keeps what is not below one of the elements of its row, the greatest element among them.

    ``where(w >= topk(w, k).min(), w, 0)``, ``where(w < w.max(), 0, w)``.
    """
    for x, truth in ((a, True), (b, False)):
        axes = _not_below(condition, truth, x)
        least = peaks_of(x).get(axes, 0.0) if axes is not None else 0.0
        if axes is not None and least > 0 and x.shape == result.shape and not (x.nan or result.nan):
            return {"peaks": {axes: least}}
    return {}


def _not_below(condition: AbstractTensor, truth: bool, x: AbstractTensor) -> tuple[int, ...] | None:
    """Along which axes a condition has this truth wherever x is not below one of the elements that stand there."""
    origin = condition.origin
    while origin is not None and origin.rule.name == "Not":
        truth, origin = not truth, origin.inputs[0].origin
    if origin is None or origin.rule.name not in (_TRUE_AT_EQUAL if truth else _FALSE_AT_EQUAL):
        return None
    upper, limit = origin.inputs if origin.rule.name.startswith("Greater") is truth else origin.inputs[::-1]
    kind, source, axes, kept = limit.facts.get("reduced", ("", limit, None, False))
    if kind not in ("min", "max", "chosen") or not kept or not are_axes(axes) or limit.nan or upper.key != x.key:
        return None
    ranked, axis = source.facts.get("ranked", (source, None))
    inside = source.key == x.key or (ranked.key == x.key and (axis,) == tuple(axes))
    return tuple(axes) if inside and count(source.shape, axes)[0] >= 1 else None


def transposed(x: AbstractTensor, order: list[int]) -> dict[str, Any]:
    moved = {tuple(sorted(order.index(a) for a in axes)): v for axes, v in peaks_of(x).items()}
    return {"peaks": moved} if moved else {}


def least_sum(x: AbstractTensor, axes: tuple[int, ...] | None, mean: bool = False) -> float:
    """What a sum (or mean) over `axes` is at least, of what is not negative; of others nothing is said."""
    if x.low < 0:
        return -np.inf
    least, most = count(x.shape, axes) if axes is not None else (0, np.inf)
    if least < 1:
        return 0.0
    peak = max((v for own, v in peaks_of(x).items() if axes is not None and set(own) <= set(axes)), default=0.0)
    return _of_mean(peak, most, x.dtype) if mean else peak


def least_norm(x: AbstractTensor, axes: tuple[int, ...] | None) -> float:
    """What a Euclidean norm over `axes` is at least, of what is not negative: its greatest element, unless its square
    underflows."""
    least = least_sum(x, axes) * (1 - 4 * x.dtype.eps)
    return least if least**2 >= 2 * x.dtype.tiny and least > 0 else 0.0


def of_sum(x: AbstractTensor, axes: tuple[int, ...] | None, kept: bool, mean: bool = False) -> dict[str, Any]:
    """Of sums (or means) of what is not negative: along other axes than those added up, no element becomes smaller."""
    if x.low < 0 or x.nan or axes is None or x.rank is None:
        return {}
    least, most = count(x.shape, axes)
    if least < 1:
        return {}
    place = {a: a if kept else n for n, a in enumerate(i for i in range(x.rank) if kept or i not in axes)}
    own = {axes_: v for axes_, v in peaks_of(x).items() if not set(axes_) & set(axes)}
    return as_fact(
        {tuple(place[a] for a in to): _of_mean(v, most, x.dtype) if mean else v for to, v in own.items()}, x.dtype
    )


def _of_mean(peak: float, most: float, dtype: Any) -> float:
    """What a mean of at most `most` numbers that are not negative keeps of one of them; 0 where it may underflow."""
    share = peak / most * (1 - 4 * dtype.eps)
    return share if share >= 2 * dtype.tiny else 0.0
