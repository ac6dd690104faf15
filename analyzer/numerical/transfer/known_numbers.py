"""Arithmetic on numbers that are known: places of rows and columns, of which masks are made, and steps of grids.

Whole numbers are exact on every engine, so their results are known in turn. Of fractions only the least and the
greatest result are kept: knots of a spline lie at least one step apart, whatever the ends of the whole grid are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from analyzer.numerical.domain import dims, dtypes
from analyzer.numerical.domain.tensor import AbstractTensor

LARGEST = 1 << 16  # elements of a result
WIDEST = 2.0**31  # of an operand: then int64 holds every result


def with_known(operation: Callable[..., Any], result: AbstractTensor, *operands: AbstractTensor) -> AbstractTensor:
    """`result` with its elements, where those of all operands are known whole numbers and its type holds each."""
    size = dims.product(result.shape) if result.shape is not None else None
    if result.data is not None or result.nan or not isinstance(size, int) or not 0 < size <= LARGEST:
        return result
    known = [_whole(o) for o in operands]
    if any(k is None for k in known):
        return result
    found = np.asarray(operation(*known))
    most = result.dtype.hi if result.dtype.kind == dtypes.INTEGER else min(result.dtype.hi, 1 / result.dtype.eps)
    if found.shape == result.shape and np.abs(found).max() <= most and found.min() >= result.dtype.lo:
        result.data = found if result.dtype.kind == dtypes.INTEGER else found.astype(np.float64)
    return result


def bounds_of_known(
    operation: Callable[..., Any], a: AbstractTensor, b: AbstractTensor, shape: dims.Shape | None
) -> tuple[float, float]:
    """Between which numbers the results lie where all elements of both operands are known; infinite ones elsewhere.

    A sum or difference of two numbers is rounded once, to the nearest; numbers below the least normal one may be 0.
    """
    unknown = (-math.inf, math.inf)
    size = dims.product(shape) if shape is not None else None
    if not a.dtype.is_float or a.dtype != b.dtype or a.nan or b.nan:
        return unknown
    if not isinstance(size, int) or not 0 < size <= LARGEST:
        return unknown
    first, second = a.exact(), b.exact()
    if first is None or second is None or max(np.size(first), np.size(second)) > LARGEST:
        return unknown
    first, second = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if first.shape != a.shape or second.shape != b.shape:
        return unknown
    with np.errstate(all="ignore"):
        found = np.asarray(operation(first, second))
        least, greatest = (float(a.dtype.nearest(np.float64(v))) for v in (found.min(), found.max()))
    if found.shape != shape or not max(abs(least), abs(greatest)) <= a.dtype.hi:
        return unknown
    denormal = float(a.dtype.tiny)
    return 0.0 if 0 < least < denormal else least, 0.0 if -denormal < greatest < 0 else greatest


def _whole(x: AbstractTensor) -> Any:
    """The elements, as integers; None where they are not known, or some is none."""
    if x.dtype.kind not in (dtypes.INTEGER, dtypes.FLOAT) or max(-x.low, x.high) > WIDEST or math.isnan(x.low):
        return None
    known = x.exact()
    if known is None or np.size(known) > LARGEST or np.asarray(known).dtype.kind not in "iuf":
        return None
    whole = np.rint(known)
    return whole.astype(np.int64) if np.array_equal(whole, known) else None
