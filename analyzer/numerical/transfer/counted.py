"""Sums of constants that are whole numbers: what counts elements (a window of ones, padded with zeros) is exact."""

from __future__ import annotations

import numpy as np

from analyzer.numerical.domain.tensor import AbstractTensor, from_data

LARGEST = 1 << 16  # elements


def counted(a: AbstractTensor, b: AbstractTensor, scale: float) -> AbstractTensor | None:
    """``a + scale * b`` of floating-point constants, where no engine rounds anything; None of others.

    Whole numbers up to 1 / eps are numbers of the type, and so are their sums.
    """
    if a.data is None or b.data is None or not a.dtype.is_float or a.dtype != b.dtype or a.nan or b.nan:
        return None
    if max(np.size(a.data), np.size(b.data)) > LARGEST:
        return None
    first, second = np.asarray(a.data), np.asarray(b.data)
    try:
        shape = np.broadcast_shapes(first.shape, second.shape)
    except ValueError:
        return None
    if not 1 < np.prod(shape, dtype=float) <= LARGEST:
        return None
    with np.errstate(all="ignore"):
        whole = first.astype(np.float64) + scale * second.astype(np.float64)
        parts = (first, second, whole)
        if not all(bool((np.abs(p) <= 1 / a.dtype.eps).all()) and bool((p == np.floor(p)).all()) for p in parts):
            return None
    return from_data(whole.astype(first.dtype), a.dtype)


def padded(x: AbstractTensor, widths: list[tuple[int, int]], value: float) -> AbstractTensor | None:
    """A constant with a constant border."""
    if x.data is None or x.nan or len(widths) != np.ndim(x.data) or any(min(w) < 0 for w in widths):
        return None
    sizes = [d + sum(w) for d, w in zip(np.shape(x.data), widths, strict=True)]
    if np.prod(sizes, dtype=float) > LARGEST:
        return None
    return from_data(np.pad(np.asarray(x.data), widths, constant_values=value), x.dtype)


def total(x: AbstractTensor, axes: tuple[int, ...] | None, kept: bool) -> AbstractTensor | None:
    """Sums of a constant of whole numbers along `axes`, where nothing is rounded in whatever order it is added up."""
    if x.data is None or x.nan or axes is None or not 1 < np.size(x.data) <= LARGEST or np.ndim(x.data) != x.rank:
        return None
    numbers = np.asarray(x.data)
    wide = numbers.astype(np.float64)
    with np.errstate(all="ignore"):
        most = min(1 / float(x.dtype.eps), float(x.dtype.hi)) if x.dtype.is_float else min(float(x.dtype.hi), 2.0**53)
        if not bool((wide == np.floor(wide)).all()) or not float(np.abs(wide).sum(axis=axes).max(initial=0.0)) <= most:
            return None
    return from_data(wide.sum(axis=axes, keepdims=kept).astype(numbers.dtype), x.dtype)
