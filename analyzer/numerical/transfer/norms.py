"""Norms and sums of squares or absolute values over axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dtypes
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.reduced_axes import reduction_axes
from analyzer.numerical.transfer.directions import MARGIN, square_sum_bounds
from analyzer.numerical.transfer.elementwise import absolute, sqrt, squared
from analyzer.numerical.transfer.facts import are_axes, reduction_fact
from analyzer.numerical.transfer.peaks import least_norm
from analyzer.numerical.transfer.reduced_blocks import all_axes
from analyzer.numerical.transfer.reductions import summed
from analyzer.numerical.transfer.registry import transfer

APART = 1.1e-16  # a norm of weights below this may lose the squares of its elements in single precision
STARTED = 1e-6  # the least norm of initial values that training never makes as small as that
HALF = ("float16", "bfloat16")


@transfer("ReduceL1")
def reduce_l1(ctx: Context, x: AbstractTensor, axes: Any = None) -> AbstractTensor:
    which, kept = reduction_axes(ctx, x, axes)
    total = summed(ctx, absolute(ctx, x), which, kept)
    total.facts = reduction_fact("sum of absolutes", x, all_axes(x, which), kept)
    return total


@transfer("ReduceSumSquare")
def reduce_sum_square(ctx: Context, x: AbstractTensor, axes: Any = None) -> AbstractTensor:
    which, kept = reduction_axes(ctx, x, axes)
    total = summed(ctx, squared(ctx, x), which, kept)
    low, high = square_sum_bounds(x, all_axes(x, which))
    total.lo, total.hi = np.maximum(total.lo, low), np.minimum(total.hi, high)
    total.facts = reduction_fact("sum of squares", x, all_axes(x, which), kept)
    return total


@transfer("ReduceL2")
def reduce_l2(ctx: Context, x: AbstractTensor, axes: Any = None) -> AbstractTensor:
    """The Euclidean norm. Its gradient at zero is 0 where PyTorch's norms are exported to it."""
    which, kept = reduction_axes(ctx, x, axes)
    total = summed(ctx, squared(ctx, x), which, kept)
    with ctx.run.ledger.quietly():
        result: AbstractTensor = sqrt(ctx, total)
        if x.dtype.name in HALF:  # where the squares overflow, kernels that add in float32 still have a norm
            wide = AbstractTensor(dtypes.FLOAT32, x.shape, x.lo, x.hi, x.starts, x.nan)
            norm = sqrt(ctx, summed(ctx, squared(ctx, wide), which, kept))
            result.hi = np.minimum(np.maximum(result.hi, x.dtype.outward(norm.hi, norm.hi, 1)[1]), x.dtype.hi)
    result.lo = np.maximum(result.lo, least_norm(x, all_axes(x, which)))
    low, high = square_sum_bounds(x, all_axes(x, which))
    result.lo, result.hi = (
        np.maximum(result.lo, low**0.5 * (1 - MARGIN)),
        np.minimum(result.hi, high**0.5 * (1 + MARGIN)),
    )
    if ctx.options.norms_apart and _starts_apart(x, all_axes(x, which)):
        result.lo = np.maximum(result.lo, np.minimum(APART, result.hi))
    result.nan = total.nan
    result.facts = reduction_fact("norm", x, all_axes(x, which), kept)
    return result


def _starts_apart(x: AbstractTensor, axes: Any) -> bool:
    """Whether `x` is a trained weight whose norms over `axes` are all far from 0 where training starts."""
    initial = x.facts.get("trained")
    if initial is None or not are_axes(axes):
        return False
    array = np.asarray(initial.numpy(), np.float64)
    norms = np.sqrt((array * array).sum(tuple(axes)))
    return bool(norms.size) and bool((norms >= STARTED).all())


@transfer("EuclideanNorm")
def euclidean_norm(ctx: Context, x: AbstractTensor, axes: Any = None) -> AbstractTensor:
    """TensorFlow's norm, whose gradient x / |x| is 0 / 0 at zero."""
    result: AbstractTensor = reduce_l2(ctx, x, axes)
    least = result.dtype.tiny**0.5
    if ctx.options.backward and not ctx.run.ledger.quiet and result.low < least and result.low < result.high:
        ctx.check("numerical/gradient-of-norm-at-zero", "x = 0", {0: x}, lambda _: False, backward=True)
    return result


@transfer("L2Loss")
def l2_loss(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """Half the sum of squares."""
    total = summed(ctx, squared(ctx, x), None, False)
    return AbstractTensor(x.dtype, (), total.lo / 2, total.hi / 2, None, total.nan)
