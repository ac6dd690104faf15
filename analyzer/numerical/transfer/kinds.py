"""The few shapes that most transfer functions have: monotone, with critical points, by corners."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain.dims import Shape, broadcast_shapes
from analyzer.numerical.domain.dtypes import Array, ElementType, select
from analyzer.numerical.domain.tensor import AbstractTensor, bounds_on, top

UnaryFunction = Callable[[Any], Any]


def like(x: AbstractTensor, lo: Array, hi: Array, dtype: ElementType | None = None) -> AbstractTensor:
    """A tensor of the shape and partition of `x`."""
    if x.starts is not None and np.shape(lo) != x.lo.shape:
        lo, hi = np.broadcast_to(lo, x.lo.shape), np.broadcast_to(hi, x.lo.shape)
    return AbstractTensor(dtype or x.dtype, x.shape, lo, hi, x.starts, x.nan)


def rounded(
    ctx: Context,
    x: AbstractTensor,
    lo: Array,
    hi: Array,
    *,
    ulps: float,
    within: tuple[float, float] = (-np.inf, np.inf),
    dtype: ElementType | None = None,
) -> AbstractTensor:
    """Rounded bounds of a unary result of the shape of `x`, clamped to the function's exact range."""
    dtype = dtype or x.dtype
    lo, hi = dtype.flush(*dtype.outward(lo, hi, ulps))
    if within[0] > -np.inf:
        lo = np.maximum(lo, within[0])
    if within[1] < np.inf:
        hi = np.minimum(hi, within[1])
    low, high = (lo, hi) if np.ndim(lo) == 0 else (lo.min(initial=np.inf), hi.max(initial=-np.inf))
    if low < dtype.lo or high > dtype.hi:
        lo, hi = ctx.finite(lo, hi, dtype, x.low > -np.inf and x.high < np.inf, x.tight is not None)
    return like(x, lo, hi, dtype)


def increasing(
    ctx: Context,
    x: AbstractTensor,
    function: UnaryFunction,
    *,
    ulps: float = 4,
    within: tuple[float, float] = (-np.inf, np.inf),
) -> AbstractTensor:
    """A monotonically increasing function."""
    result = rounded(ctx, x, function(x.lo), function(x.hi), ulps=ulps, within=within)
    result.tight = x.tight
    return result


def decreasing(
    ctx: Context,
    x: AbstractTensor,
    function: UnaryFunction,
    *,
    ulps: float = 4,
    within: tuple[float, float] = (-np.inf, np.inf),
) -> AbstractTensor:
    result = rounded(ctx, x, function(x.hi), function(x.lo), ulps=ulps, within=within)
    result.tight = x.tight
    return result


def with_critical_points(
    ctx: Context,
    x: AbstractTensor,
    function: UnaryFunction,
    points: Iterable[float],
    *,
    ulps: float = 4,
    within: tuple[float, float] = (-np.inf, np.inf),
) -> AbstractTensor:
    """A function whose extrema on an interval lie at its ends or at one of `points`."""
    at_lo, at_hi = function(x.lo), function(x.hi)
    lo, hi = np.minimum(at_lo, at_hi), np.maximum(at_lo, at_hi)
    for point in points:
        inside = (x.lo < point) & (point < x.hi)
        if np.any(inside):
            value = function(np.float64(point))
            lo = select(inside, np.minimum(lo, value), lo)
            hi = select(inside, np.maximum(hi, value), hi)
    return rounded(ctx, x, lo, hi, ulps=ulps, within=within)


def operands_on_common_blocks(
    ctx: Context, *tensors: AbstractTensor
) -> tuple[Shape | None, Any, list[tuple[Array, Array]]]:
    """Broadcast shape, common partition and bounds of each operand on it."""
    shape = broadcast_shapes([t.shape for t in tensors])
    starts = ctx.align(*tensors, shape=shape)
    return shape, starts, [bounds_on(t, starts) for t in tensors]


def broadcast(ctx: Context, x: AbstractTensor, other: AbstractTensor) -> AbstractTensor:
    """`x` with the shape that it has together with `other`; itself where that is its own."""
    if other.shape is not None and (
        all(d == 1 for d in other.shape) and (not other.shape or (x.rank or 0) >= len(other.shape))
    ):
        return x
    shape, starts, ((lo, hi), _) = operands_on_common_blocks(ctx, x, other)
    if shape is not None and shape == x.shape:
        return x
    return build(x.dtype, shape, starts, lo, hi, nan=x.nan)


def build(
    dtype: ElementType,
    shape: Shape | None,
    starts: Any,
    lo: Array,
    hi: Array,
    *,
    nan: bool = False,
) -> AbstractTensor:
    """A tensor from bounds on `starts`, filled out to one entry a block."""
    if starts is not None:
        full = tuple(len(s) for s in starts)
        if np.shape(lo) != full:
            lo = np.broadcast_to(lo, full)
        if np.shape(hi) != full:
            hi = np.broadcast_to(hi, full)
    return AbstractTensor(dtype, shape, lo, hi, starts, nan)


def independent(*tensors: AbstractTensor) -> frozenset[int] | None:
    """The sources of a result whose bounds are reached whenever those of all operands are, independently."""
    seen: set[int] = set()
    for tensor in tensors:
        if tensor.low == tensor.high:
            continue
        if tensor.tight is None or not seen.isdisjoint(tensor.tight - {0}):
            return None
        seen |= tensor.tight
    return frozenset(seen)


def unknown_like(ctx: Context, output: int = 0, dtype: ElementType | None = None) -> AbstractTensor:
    """Any finite value of the declared type and shape."""
    return top(ctx.element_type(output, dtype), ctx.declared_shape(output))


def bounded_outputs(ctx: Context, x: AbstractTensor, *bounds: tuple[float, float]) -> tuple[AbstractTensor, ...]:
    """One result for each output; what has no finite elements gives NaN, where it raises nothing."""
    finite = x.low > -np.inf and x.high < np.inf and not x.nan
    results = []
    for index, (lo, hi) in enumerate(bounds):
        dtype = ctx.element_type(index, x.dtype)
        low, high = max(lo, dtype.lo), min(hi, dtype.hi)
        shape = ctx.declared_shape(index)
        results.append(AbstractTensor(dtype, shape, np.float64(low), np.float64(high), None, not finite))
    return tuple(results)
