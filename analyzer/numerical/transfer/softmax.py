"""Softmax and its kin: kernels subtract the maximum, so they overflow nowhere; they underflow to exactly 0."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from analyzer.graph.model import in_torch_attention
from analyzer.numerical.context import Context
from analyzer.numerical.domain import dims
from analyzer.numerical.domain.dtypes import Array
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.excuses import guarded, selected
from analyzer.numerical.reduced_axes import softmax_axes
from analyzer.numerical.transfer.attained import peaked
from analyzer.numerical.transfer.finite_rows import finite_along
from analyzer.numerical.transfer.kinds import like
from analyzer.numerical.transfer.reduced_blocks import block_counts, over_blocks
from analyzer.numerical.transfer.registry import transfer
from analyzer.numerical.transfer.survived_masks import survived

SHOWS_NOTHING = "every element of a row is -inf"
HOLDS_INFINITY = "an element of a row is +inf"
LARGEST_SIZE = 2.0**40  # no dimension is larger than this


def exponentials(x: AbstractTensor, axes: Any) -> tuple[Array, Array, Array, Array]:
    """For the lower bound: e**(lo - m) and the most that the others add up to, with m the greatest upper bound.

    For the upper bound: e**(hi - m') and the least that the others add up to, with m' the greatest lower bound.
    """
    least, most = block_counts(x, axes) if axes is not None else (np.float64(1.0), np.float64(np.inf))
    peak = over_blocks(x, x.hi, axes, True, np.max) if axes else x.high
    low, all_high = np.exp(np.minimum(x.lo - peak, 0.0)), np.exp(np.minimum(x.hi - peak, 0.0))
    low, all_high = np.nan_to_num(low, nan=0.0), np.nan_to_num(all_high, nan=1.0)
    low = np.where(low < 1e-280, 0.0, low)[()]  # denormal numbers are too coarse to form quotients with
    others_most = _others(x, all_high, np.minimum(most, LARGEST_SIZE), axes)
    base = over_blocks(x, x.lo, axes, True, np.max) if axes else x.low
    high, all_low = np.exp(np.minimum(x.hi - base, 700.0)), np.exp(np.minimum(x.lo - base, 0.0))
    high, all_low = np.nan_to_num(high, nan=1.0), np.nan_to_num(all_low, nan=0.0)
    return low, high, _others(x, all_low, least, axes), others_most


def _others(x: AbstractTensor, values: Array, counts: Array, axes: Any) -> Array:
    """For each block what all elements along the axes but one of its own add up to.

    The total less the element itself would lose what is small beside it.
    """
    own = values * np.maximum(counts - 1.0, 0.0)
    if x.starts is None or not axes:
        return np.nan_to_num(own, nan=np.inf)
    lead = [i for i in range(values.ndim) if i not in axes]
    order = (*lead, *axes)
    total = np.transpose(values * counts, order)
    flat = total.reshape(*total.shape[: len(lead)], -1)
    before, after = _running(flat), np.flip(_running(np.flip(flat, -1)), -1)
    rest = np.transpose((before + after).reshape(total.shape), np.argsort(order))
    return np.nan_to_num(rest + own, nan=np.inf)


def _running(values: Array) -> Array:
    """Sums of all entries before each, along the last axis."""
    zero = np.zeros((*values.shape[:-1], 1))
    return np.concatenate([zero, np.cumsum(values[..., :-1], axis=-1)], axis=-1)


def check_rows(ctx: Context, x: AbstractTensor, axes: Any) -> None:
    """Flags rows that softmax turns into NaN: of -inf alone, or with +inf in them, since the maximum is subtracted."""
    # PyTorch's own attention gives 0 to a row whose keys are all masked (since 2.5); the form of its export gives NaN.
    hidden = x.low == -np.inf and not in_torch_attention(ctx.node)
    if not (hidden or x.high == np.inf):
        return
    one = axes is not None and len(axes) == 1 and x.rank is not None
    shown = not hidden or (one and finite_along(x, axes[0] - (x.rank or 0)))
    dangers = (SHOWS_NOTHING,) * hidden + (HOLDS_INFINITY,) * (x.high == np.inf)
    # an element that is no -inf keeps its row; one that is no +inf says nothing of its neighbours
    places = hidden and not x.nan and x.high < np.inf
    ok = ctx.check(
        "numerical/softmax-of-minus-infinity",
        " or ".join(dangers),
        {0: x},
        lambda t: (shown or t.low > -np.inf) and t.high < np.inf,
        guard=guarded(ctx.run, (x,), lambda t: t.low > -np.inf) if places else lambda condition, truth: False,
        leaks=not selected(ctx.node.inputs[0]),
    )
    if (
        not ok
        and not ctx.masked
        and not ctx.run.ledger.quiet
        and axes is not None
        and list(axes) == [(x.rank or 0) - 1]
    ):
        survived(ctx.run, x)


@transfer("Softmax")
def softmax(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """exp(x_i) / sum exp(x_j): at least e**lo_i / (e**lo_i + sum of the others' e**hi_j)."""
    axes = softmax_axes(ctx, x)
    check_rows(ctx, x, axes)
    low, high, others_least, others_most = exponentials(x, axes)
    with np.errstate(all="ignore"):
        lo = np.where(low > 0, low / (low + others_most), 0.0)[()]
        hi = np.where(high > 0, high / (high + others_least), np.where(others_least > 0, 0.0, 1.0))[()]
    if x.dtype.is_float:
        # room for exponentials that are a few units off and for a sum that is added block by block
        lo, hi = x.dtype.outward(lo, hi, 64 if x.dtype.eps < 1e-5 else 4)
        # exp(x - max) underflows in the kernel long before the quotient would
        lo = np.where(low < x.dtype.tiny * 4, 0.0, lo)[()]
        lo, hi = np.clip(x.dtype.flush(lo, hi)[0], 0.0, 1.0), np.clip(hi, 0.0, 1.0)
    result = like(x, lo, hi)
    result.nan = x.nan
    if axes is not None and x.shape is not None and x.dtype.is_float:
        classes = float(np.prod([dims.high(x.shape[a]) for a in axes]))
        if classes < LARGEST_SIZE:  # the largest of n parts of 1, summed with n roundings
            # room for the exponential and the quotient, which are rounded too
            peak = (1 - 16 * x.dtype.eps) / (classes * (1 + classes * x.dtype.eps))
            result.facts = {"peaks": {tuple(axes): peak}}
    return result


@transfer("LogSoftmax")
def log_softmax(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """x_i - max - ln(sum exp(x_j - max)): finite for finite operands."""
    axes = softmax_axes(ctx, x)
    check_rows(ctx, x, axes)
    result = like(x, *log_softmax_bounds(ctx, x, axes))
    if axes is not None and x.shape is not None and x.dtype.is_float and not x.may_be_infinite:
        classes = float(np.prod([dims.high(x.shape[a]) for a in axes]))
        if classes < LARGEST_SIZE:  # the greatest of n probabilities is 1 / n at least
            size = 1 + max(abs(x.low), abs(x.high)) + math.log(max(classes, 1.0))
            least = -math.log(max(classes, 1.0)) - 16 * float(x.dtype.eps) * (size + classes)
            result.facts = peaked([(least, 0.0, tuple(a % len(x.shape) for a in axes))], result)
    return result


def log_softmax_bounds(ctx: Context, x: AbstractTensor, axes: Any) -> tuple[Array, Array]:
    low, high, others_least, others_most = exponentials(x, axes)
    peak = over_blocks(x, x.hi, axes, True, np.max) if axes else x.high
    with np.errstate(all="ignore"):
        total = np.log(np.maximum(low + others_most, 1e-300))
        lo = np.where(low > 0, x.lo - peak - total, x.lo - peak - np.log1p(others_most))[()]
        hi = np.minimum(
            np.where(high > 0, np.log(high) - np.log(high + others_least), np.where(others_least > 0, -700.0, 0.0)), 0.0
        )[()]
    lo = np.nan_to_num(np.minimum(lo, 0.0), nan=-np.inf, neginf=-np.inf)
    slack = (
        16
        * x.dtype.eps
        * (1 + np.minimum(np.abs(x.lo), np.abs(peak)) + np.log1p(np.minimum(others_most, LARGEST_SIZE)))
    )
    lo, hi = x.dtype.outward(lo - slack, hi + slack, 8)
    hi = np.minimum(hi, 0.0)
    if x.low > -np.inf:
        if float(np.min(lo)) < x.dtype.lo:  # x - max(x) overflows
            ctx.overflow(x.interval(), x.dtype, False)
        lo = np.maximum(lo, x.dtype.lo)
    return lo, hi


@transfer("Hardmax")
def hardmax(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    result = AbstractTensor(x.dtype, x.shape, np.float64(0), np.float64(1))
    return result


@transfer("SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits")
def softmax_cross_entropy(
    ctx: Context, logits: AbstractTensor, labels: AbstractTensor
) -> tuple[AbstractTensor, AbstractTensor]:
    """-sum labels * log_softmax(logits), and its gradient softmax - labels; stable."""
    axes = (logits.rank - 1,) if logits.rank is not None else None
    check_rows(ctx, logits, axes)
    lo, hi = log_softmax_bounds(ctx, logits, axes)
    low, high = float(np.min(lo)), float(np.max(hi))
    n = dims.high(logits.shape[-1]) if logits.shape else np.inf
    rows = logits.shape[:-1] if logits.shape is not None else None
    if ctx.op.startswith("Sparse"):
        loss = AbstractTensor(logits.dtype, rows, np.float64(max(-high, 0.0)), np.float64(-low))
        weight_lo, weight_hi = 0.0, 1.0
    else:
        weight_lo, weight_hi = labels.low, labels.high
        corners = [-v * w for v in (low, high) for w in (weight_lo, weight_hi)]
        a, b = min(*corners, 0.0), max(*corners, 0.0)
        a, b = (a * n if a else 0.0), (b * n if b else 0.0)
        a, b = ctx.finite(np.float64(a), np.float64(b), logits.dtype, True)
        # the sum over classes in float32
        slack = 1e-4 * max(abs(float(a)), abs(float(b))) if math.isfinite(float(b)) else 0.0
        loss = AbstractTensor(logits.dtype, rows, np.float64(a - slack if a else 0.0), np.float64(b + slack))
        loss.lo, loss.hi = (
            np.clip(loss.lo, logits.dtype.lo, logits.dtype.hi),
            np.clip(loss.hi, logits.dtype.lo, logits.dtype.hi),
        )
    # a softmax, in [0, 1] up to rounding in float32, less the labels
    gradient = AbstractTensor(
        logits.dtype, logits.shape, np.float64(-weight_hi - 1e-5), np.float64(1.0 - weight_lo + 1e-5)
    )
    return loss, gradient
