"""Sums of constants that are whole numbers: what counts elements (a window of ones, padded with zeros) is exact."""

from __future__ import annotations

import numpy as np

from analyzer.numerical.domain.tensor import AbstractTensor, from_data

LARGEST = 1 << 16  # elements
MOST_TERMS = 1 << 22  # of a convolution


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


def window_sums(
    numbers: np.ndarray, weights: np.ndarray, group: int, strides: list[int], dilations: list[int], pads: list[int]
) -> np.ndarray | None:
    """A convolution of known numbers, as (batch, channels, …), in float64; None where it takes long or is empty."""
    n = weights.ndim - 2
    out, inside, *kernel = weights.shape
    if numbers.ndim != n + 2 or numbers.shape[1] != inside * group or out % group or min(pads) < 0:
        return None
    wide = np.pad(numbers.astype(np.float64), [(0, 0), (0, 0), *zip(pads[:n], pads[n:], strict=True)])
    extents = [d * (k - 1) + 1 for d, k in zip(dilations, kernel, strict=True)]
    shown = [(size - e) // s + 1 for size, e, s in zip(wide.shape[2:], extents, strides, strict=True)]
    if min(shown) <= 0 or numbers.shape[0] * out * np.prod(shown, dtype=float) * inside * np.prod(kernel) > MOST_TERMS:
        return None
    result = np.zeros((numbers.shape[0], group, out // group, *shown))
    for place in np.ndindex(*kernel):
        spans = (
            slice(p * d, p * d + (size - 1) * s + 1, s)
            for p, d, s, size in zip(place, dilations, strides, shown, strict=True)
        )
        seen = wide[(slice(None), slice(None), *spans)].reshape(numbers.shape[0], group, inside, *shown)
        factors = weights[(slice(None), slice(None), *place)].astype(np.float64).reshape(group, out // group, inside)
        result += np.einsum("bgi...,goi->bgo...", seen, factors)
    return result.reshape(numbers.shape[0], out, *shown)


def overlapped(
    numbers: np.ndarray, image: list[int], block: list[int], strides: list[int], dilations: list[int], pads: list[int]
) -> np.ndarray | None:
    """Known blocks of columns added up where they overlap in an image, in float64; None where that takes long."""
    n = len(block)
    if numbers.ndim != 3 or len(image) != n or numbers.size > LARGEST or numbers.shape[1] % max(np.prod(block), 1):
        return None
    sizes = [d + pads[i] + pads[n + i] for i, d in enumerate(image)]
    extents = [d * (k - 1) + 1 for d, k in zip(dilations, block, strict=True)]
    shown = [(size - e) // s + 1 for size, e, s in zip(sizes, extents, strides, strict=True)]
    if min(shown) <= 0 or min(pads) < 0 or np.prod(shown) != numbers.shape[2] or np.prod(sizes) > LARGEST:
        return None
    blocks = numbers.astype(np.float64).reshape(numbers.shape[0], -1, *block, *shown)
    result = np.zeros((*blocks.shape[:2], *sizes))
    for place in np.ndindex(*block):
        spans = (
            slice(p * d, p * d + (count - 1) * s + 1, s)
            for p, d, s, count in zip(place, dilations, strides, shown, strict=True)
        )
        result[(slice(None), slice(None), *spans)] += blocks[(slice(None), slice(None), *place)]
    return result[(slice(None), slice(None), *(slice(pads[i], pads[i] + d) for i, d in enumerate(image)))]


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
