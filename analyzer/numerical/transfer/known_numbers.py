"""Arithmetic on whole numbers that are known: places of rows and columns, of which masks are made."""

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


def _whole(x: AbstractTensor) -> Any:
    """The elements, as integers; None where they are not known, or some is none."""
    if x.dtype.kind not in (dtypes.INTEGER, dtypes.FLOAT) or max(-x.low, x.high) > WIDEST or math.isnan(x.low):
        return None
    known = x.exact()
    if known is None or np.size(known) > LARGEST or np.asarray(known).dtype.kind not in "iuf":
        return None
    whole = np.rint(known)
    return whole.astype(np.int64) if np.array_equal(whole, known) else None
