"""What reductions have in common: axes, shapes and blocks, and how many elements each block stands for."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyzer.numerical.domain import dims
from analyzer.numerical.domain.dims import Shape
from analyzer.numerical.domain.dtypes import Array
from analyzer.numerical.domain.tensor import AbstractTensor, block_sizes, count
from analyzer.numerical.reduced_axes import UNKNOWN


def all_axes(x: AbstractTensor, axes: Any) -> Any:
    """The reduced axes as a tuple; None where they are not known."""
    if axes is UNKNOWN:
        return None
    if axes is not None:
        return tuple(axes)
    return None if x.rank is None else tuple(range(x.rank))


def reduced_shape(shape: Shape | None, axes: Any, kept: bool) -> Shape | None:
    if axes is None and not kept:
        return ()
    if shape is None:
        return None
    if axes is UNKNOWN:
        return tuple(dims.unknown(1, None) for _ in shape) if kept else None
    if axes is None:
        return (1,) * len(shape)
    if kept:
        return tuple(1 if i in axes else d for i, d in enumerate(shape))
    return tuple(d for i, d in enumerate(shape) if i not in axes)


def reduced_starts(x: AbstractTensor, axes: Any, kept: bool) -> Any:
    if x.starts is None or axes is None or axes is UNKNOWN:
        return None
    starts = tuple((0,) if i in axes else s for i, s in enumerate(x.starts) if kept or i not in axes)
    return starts if any(len(s) > 1 for s in starts) else None


def over_blocks(x: AbstractTensor, values: Array, axes: Any, kept: bool, how: Any) -> Array:
    """Fold an array of block values along the axes."""
    if x.starts is None:
        return values
    which = tuple(range(values.ndim)) if axes is None or axes is UNKNOWN else axes
    result = how(values, axis=which, keepdims=kept) if which else values
    return result.reshape(())[()] if result.size == 1 else result


def block_counts(x: AbstractTensor, axes: Any) -> tuple[Array, Array]:
    """Least and greatest number of elements that each block contributes along the axes."""
    if x.shape is None:
        return np.float64(1.0), np.float64(np.inf)
    if axes is UNKNOWN:
        return np.float64(1.0), np.float64(max(count(x.shape)[1], 1.0))
    which = tuple(range(len(x.shape))) if axes is None else axes
    if x.starts is None:
        few, many = count(x.shape, which)
        return np.float64(few), np.float64(many)
    low: Array = np.ones(x.lo.shape)
    high: Array = np.ones(x.lo.shape)
    for axis in which:
        a, b = block_sizes(x.starts[axis], x.shape[axis])
        form = [1] * x.lo.ndim
        form[axis] = len(a)
        low, high = low * a.reshape(form), high * b.reshape(form)
    return low, high


def times(values: Array, counts: Array) -> Array:
    """values * counts with 0 * inf = 0."""
    with np.errstate(all="ignore"):
        return np.nan_to_num(values * counts, nan=0.0, posinf=np.inf, neginf=-np.inf)
