"""Pooling and resampling: results lie in the hull of the operand, of zero where padding counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dims, dtypes
from analyzer.numerical.domain.dims import Shape
from analyzer.numerical.domain.dtypes import select
from analyzer.numerical.domain.tensor import AbstractTensor, count, smashed
from analyzer.numerical.transfer.convolution import spatial_sizes, tf_spatial
from analyzer.numerical.transfer.counted import overlapped
from analyzer.numerical.transfer.elementwise import absolute
from analyzer.numerical.transfer.registry import transfer
from analyzer.numerical.transfer.rounding import ACCUMULATED, INTERPOLATED, accumulation_unit


def over_space(x: AbstractTensor, spatial: list[int], shape: Shape | None) -> AbstractTensor:
    """The hull over spatial axes, keeping the blocks of the others."""
    result = AbstractTensor(x.dtype, shape, x.lo, x.hi, None, x.nan)
    if x.starts is not None:
        axes = tuple(a for a in spatial if a < x.lo.ndim)
        lo, hi = x.lo.min(axis=axes, keepdims=True), x.hi.max(axis=axes, keepdims=True)
        if lo.size == 1 or shape is None:
            result.lo, result.hi = np.float64(lo.min()), np.float64(hi.max())
        else:
            result.lo, result.hi = lo, hi
            result.starts = tuple((0,) if i in axes else s for i, s in enumerate(x.starts))
    return result


def _pooled(ctx: Context, x: AbstractTensor) -> tuple[AbstractTensor, bool, float]:
    """Hull, whether windows may reach into padding, and the number of elements of a window."""
    if ctx.is_tf:
        rank = x.rank or len(ctx.attr("ksize") or [1, 1, 1, 1])
        channels_first = str(ctx.attr("data_format", "NHWC")).startswith("NC")
        spatial = list(range(2, rank)) if channels_first else list(range(1, rank - 1))
        kernel = [int(k) for k in ctx.attr("ksize") or [1] * rank]
        window = [kernel[a] for a in spatial]
        shape: Shape | None = None
        if x.shape is not None:
            sizes = list(x.shape)
            for a, d in zip(spatial, tf_spatial(ctx, x.shape, spatial, window), strict=True):
                sizes[a] = d
            shape = tuple(sizes)
        padded = str(ctx.attr("padding", "VALID")) != "VALID"
        return over_space(x, spatial, shape), padded, float(np.prod(window))
    window = [int(k) for k in ctx.attr("kernel_shape") or [1]]
    n = len(window)
    pads, auto = list(ctx.attr("pads") or [0] * 2 * n), str(ctx.attr("auto_pad", "NOTSET"))
    shape = None
    if x.shape is not None:
        new = spatial_sizes(
            x.shape[2:],
            window,
            list(ctx.attr("strides") or [1] * n),
            list(ctx.attr("dilations") or [1] * n),
            pads,
            auto,
            bool(ctx.attr("ceil_mode", 0)),
        )
        shape = (*x.shape[:2], *new)
    return over_space(x, list(range(2, 2 + n)), shape), any(pads) or auto.startswith("SAME"), float(np.prod(window))


@transfer("MaxPool")
def max_pool(ctx: Context, x: AbstractTensor, *_: Any) -> Any:
    result = _pooled(ctx, x)[0]
    if not x.dtype.is_float and not ctx.is_tf:
        result.lo = np.minimum(result.lo, 0.0) if x.dtype.lo == 0 else result.lo
    hi = min(count(x.shape)[1], 2.0**40)
    return result, AbstractTensor(dtypes.INT64, result.shape, np.float64(0), np.float64(hi))


@transfer("AveragePool")
def average_pool(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    result, padded, n = _pooled(ctx, x)
    if padded or ctx.attr("ceil_mode", 0) or ctx.attr("count_include_pad", 0):
        result.lo, result.hi = np.minimum(result.lo, 0.0), np.maximum(result.hi, 0.0)
    sum_overflows(ctx, x, n)
    return _rounded(result, n)


def sum_overflows(ctx: Context, x: AbstractTensor, n: float) -> None:
    """The sum of a window may overflow although its mean does not."""
    if max(abs(x.low), abs(x.high)) * n > x.dtype.hi and x.low > -np.inf and x.high < np.inf:
        ctx.overflow(x.interval(), x.dtype, False)


def _rounded(result: AbstractTensor, n: float) -> AbstractTensor:
    if not result.dtype.is_float:
        return result
    finite = not result.may_be_infinite
    result.nan |= result.low == -np.inf and result.high == np.inf
    slack = min(n, 512.0) * accumulation_unit(result.dtype)  # beyond, kernels add in blocks
    ends = [abs(e) for e in (result.low, result.high) if np.isfinite(e)]
    magnitude = max(ends, default=0.0)
    below = np.where(result.lo < 0, magnitude, np.minimum(np.abs(result.lo), magnitude)) * slack
    above = np.where(result.hi > 0, magnitude, np.minimum(np.abs(result.hi), magnitude)) * slack
    lo, hi = result.dtype.nearest((result.lo - below)[()]), result.dtype.nearest((result.hi + above)[()])
    result.lo, result.hi = (
        select(result.lo >= 0, np.maximum(lo, 0.0), lo),
        select(result.hi <= 0, np.minimum(hi, 0.0), hi),
    )
    if finite:
        result.lo, result.hi = np.maximum(result.lo, result.dtype.lo), np.minimum(result.hi, result.dtype.hi)
    return result


def _global(x: AbstractTensor) -> AbstractTensor:
    shape = None if x.shape is None else (*x.shape[:2], *(1,) * (len(x.shape) - 2))
    return over_space(x, list(range(2, x.rank or 2)), shape)


@transfer("GlobalAveragePool")
def global_average_pool(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    n = count(x.shape, list(range(2, x.rank or 2)))[1]
    sum_overflows(ctx, x, n)
    return _rounded(_global(x), n)


@transfer("GlobalMaxPool")
def global_max_pool(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    return _global(x)


@transfer("LpPool", "GlobalLpPool")
def lp_pool(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """(sum |x|**p) ** (1/p) over a window: between the largest element and n**(1/p) times it."""
    p = float(ctx.attr("p", 2))
    positive = absolute(ctx, x)
    if ctx.op == "GlobalLpPool":
        result, padded, n = _global(positive), False, 1.0
        n = count(x.shape, list(range(2, x.rank or 2)))[1]
    else:
        result, padded, n = _pooled(ctx, positive)
    lo = np.zeros_like(result.lo) if padded or ctx.attr("ceil_mode", 0) else result.lo
    with np.errstate(all="ignore"):
        if np.float64(positive.high) ** p * n > x.dtype.hi:
            ctx.overflow(x.interval(), x.dtype, False)
        hi = result.hi * np.float64(n) ** (1 / p)
    result.lo, result.hi = x.dtype.outward(lo[()], hi, 32)
    result.lo = np.where(result.lo < 1e-15, 0.0, result.lo)[()]  # |x|**p may underflow
    result.lo, result.hi = ctx.finite(np.maximum(result.lo, 0.0), result.hi, x.dtype, True)
    return result


@transfer("MaxUnpool")
def max_unpool(ctx: Context, x: AbstractTensor, *_: Any) -> AbstractTensor:
    return AbstractTensor(
        x.dtype, ctx.declared_shape(), np.float64(min(x.low, 0.0)), np.float64(max(x.high, 0.0)), None, x.nan
    )


@transfer("Resize", "Upsample")
def resize(ctx: Context, x: AbstractTensor, roi: Any = None, scales: Any = None, sizes: Any = None) -> AbstractTensor:
    """Nearest and linear interpolation stay in the hull; cubic overshoots it."""
    mode = str(ctx.attr("mode", "nearest"))
    whole = smashed(x)
    lo, hi = float(whole.lo), float(whole.hi)
    if mode == "cubic":
        a = abs(float(ctx.attr("cubic_coeff_a", -0.75)))
        margin = (hi - lo) * a * 2.5 if hi > lo else 0.0  # an axis' absolute weights sum to 1 + a / 2
        lo, hi = lo - margin, hi + margin
    if str(ctx.attr("coordinate_transformation_mode", "half_pixel")) == "tf_crop_and_resize":
        outside = float(ctx.attr("extrapolation_value", 0.0))
        lo, hi = min(lo, outside), max(hi, outside)
    if ctx.op == "Upsample" and scales is None:
        scales = roi
    if mode != "nearest" and x.dtype.is_float:
        slack = INTERPOLATED * max(x.dtype.eps, ACCUMULATED) * max(abs(lo), abs(hi)) + x.dtype.near_zero
        slack = slack if np.isfinite(slack) else 0.0
        lo, hi = lo - slack, hi + slack
    elif mode != "nearest":
        lo, hi = np.floor(lo), np.ceil(hi)
    a, b = ctx.finite(np.float64(lo), np.float64(hi), x.dtype, x.low > -np.inf and x.high < np.inf)
    shape: Shape | None = ctx.declared_shape()
    if x.shape is not None and sizes is None and scales is not None and scales.exact() is not None:
        factors = np.ravel(scales.exact())
        axes = ctx.attr("axes") or range(len(x.shape))
        if len(factors) == len(list(axes)):
            full = list(x.shape)
            for axis, f in zip(axes, factors, strict=True):
                d = full[int(axis) % len(full)]
                full[int(axis) % len(full)] = (
                    int(np.floor(d * f))
                    if isinstance(d, int)
                    else (dims.multiply(d, int(f)) if float(f).is_integer() else dims.unknown(0))
                )
            shape = tuple(full)
    elif x.shape is not None and sizes is not None and sizes.sizes() is not None and not ctx.attr("axes"):
        shape = sizes.sizes()
    return AbstractTensor(x.dtype, shape, a, b, None, x.nan or (mode != "nearest" and x.may_be_infinite))


@transfer("ResizeBilinear", "ResizeNearestNeighbor", "ResizeArea", "ResizeBicubic", "CropAndResize")
def tf_resize(ctx: Context, x: AbstractTensor, *rest: AbstractTensor) -> AbstractTensor:
    lo, hi = x.low, x.high
    if ctx.op == "ResizeBicubic":
        margin = (hi - lo) * 1.25  # absolute weights of two axes sum to at most 1.375**2
        lo, hi = lo - margin, hi + margin
    if ctx.op == "CropAndResize":
        outside = float(ctx.attr("extrapolation_value", 0.0))
        lo, hi = min(lo, outside), max(hi, outside)
    slack = INTERPOLATED * ACCUMULATED * max(abs(lo), abs(hi))
    dtype = x.dtype if ctx.op == "ResizeNearestNeighbor" else dtypes.FLOAT32
    shape: Shape | None = ctx.declared_shape()
    sizes = rest[-1].sizes() if rest else None
    if (
        x.shape is not None
        and len(x.shape) == 4
        and sizes is not None
        and len(sizes) == 2
        and ctx.op != "CropAndResize"
    ):
        shape = (x.shape[0], *sizes, x.shape[3])
    if ctx.op == "ResizeNearestNeighbor":
        slack = 0.0
    slack = slack if np.isfinite(slack) else 0.0
    a, b = ctx.finite(np.float64(lo - slack), np.float64(hi + slack), dtype, not x.may_be_infinite)
    mixed = ctx.op != "ResizeNearestNeighbor" and x.may_be_infinite  # infinity with a weight of 0
    return AbstractTensor(dtype, shape, a, b, None, x.nan or mixed)


@transfer("MaxRoiPool", "RoiAlign", "GridSample", "Col2Im")
def sampled(ctx: Context, x: AbstractTensor, *rest: Any) -> AbstractTensor:
    """Samples of the operand, 0 outside it; cubic interpolation overshoots; Col2Im adds up overlapping blocks."""
    lo, hi = min(x.low, 0.0), max(x.high, 0.0)
    if ctx.op == "Col2Im":
        n = count(rest[1].shape)[1] if rest else np.inf
        known = rest[1].integers() if len(rest) > 1 and rest[1] is not None else None
        n = float(np.prod(known)) if known is not None else np.inf
        lo, hi = (lo * n if lo else 0.0), (hi * n if hi else 0.0)
    elif ctx.op == "GridSample" and "cubic" in str(ctx.attr("mode", "linear")):
        margin = (hi - lo) * 1.9  # absolute weights of two axes sum to at most 1.375**2
        lo, hi = lo - margin, hi + margin
    slack = (
        INTERPOLATED * max(x.dtype.eps, ACCUMULATED) * max(abs(lo), abs(hi))
        if x.dtype.is_float and np.isfinite(max(abs(lo), abs(hi)))
        else 0.0
    )
    sums = _known_sums(ctx, x, rest) if ctx.op == "Col2Im" and slack < np.inf else None
    if sums is not None and sums.size and np.isfinite(sums).all():
        lo, hi = float(sums.min()), float(sums.max())
    a, b = ctx.finite(
        np.float64(lo - slack if lo else 0.0),
        np.float64(hi + slack if hi else 0.0),
        x.dtype,
        x.low > -np.inf and x.high < np.inf,
    )
    a, b = (-np.inf if np.isnan(a) else a), (np.inf if np.isnan(b) else b)
    mixed = ctx.op != "MaxRoiPool" and x.may_be_infinite  # infinity with a weight of 0, or with its opposite
    return AbstractTensor(x.dtype, ctx.declared_shape(), np.float64(a), np.float64(b), None, x.nan or mixed)


def _known_sums(ctx: Context, x: AbstractTensor, rest: tuple[Any, ...]) -> np.ndarray | None:
    """What Col2Im adds up of known numbers, before anything is rounded."""
    image, block = (t.integers() if t is not None else None for t in (*rest, None, None)[:2])
    if x.data is None or image is None or block is None:
        return None
    n = len(block)
    strides, dilations = (list(ctx.attr(name) or [1] * n) for name in ("strides", "dilations"))
    pads = list(ctx.attr("pads") or [0] * 2 * n)
    return overlapped(np.asarray(x.data), list(image), list(block), strides, dilations, pads)
