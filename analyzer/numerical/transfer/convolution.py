"""Convolutions of known or unknown kernels, in the layouts of ONNX and of TensorFlow."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dims
from analyzer.numerical.domain.dims import Dim, Shape
from analyzer.numerical.domain.dtypes import Array, ElementType
from analyzer.numerical.domain.tensor import AbstractTensor, count, interval_tensor, smashed
from analyzer.numerical.transfer.arithmetic import linear, product
from analyzer.numerical.transfer.counted import window_sums
from analyzer.numerical.transfer.matmul import anonymous, signed_sums, term_bounds, tight_sum
from analyzer.numerical.transfer.registry import transfer
from analyzer.numerical.transfer.rounding import (
    FAST_CONVOLUTION,
    INTERPOLATED,
    accumulation_unit,
    rounding_terms,
)
from analyzer.operators.windows import Window


def spatial_sizes(
    sizes: Shape,
    kernel: list[int],
    strides: list[int],
    dilations: list[int],
    pads: list[int],
    auto: str,
    ceil: bool = False,
) -> Shape:
    """Output sizes of a convolution or pooling; `pads` begins first, then ends."""
    result: list[Dim] = []
    same = auto.startswith("SAME")
    for i, size in enumerate(sizes):
        before, after = (0, 0) if same or auto == "VALID" else (pads[i], pads[len(kernel) + i])
        w = Window(kernel[i], strides[i], dilations[i], before, after)
        moved = f"{before + after - w.extent:+d}/{w.stride}"
        if w.stride == 1 and (same or before + after == w.extent - 1):
            result.append(size)
        elif same:
            result.append(dims.monotone(size, w.positions_same, f"/{w.stride}^"))
        elif ceil:
            result.append(dims.monotone(size, w.positions_hanging_over, f"{moved}^"))
        else:
            result.append(dims.monotone(size, w.positions, f"{moved}+1"))
    return tuple(result)


def convolution(
    ctx: Context,
    x: AbstractTensor,
    channel_axis: int,
    w: AbstractTensor,
    weights: Any,
    terms: Dim,
    group: int,
    padded: bool,
    shape: Shape | None,
    dtype: ElementType,
    key: Any,
    exact: np.ndarray | None = None,
) -> AbstractTensor:
    """Sums of products over a window; `weights`: the known kernel as (out channels, in channels of a group, …).

    `exact`: the sums before anything is rounded, where all numbers are known.
    """
    least, most = dims.low(terms), dims.high(terms)
    infinite = not (x.low > -np.inf and x.high < np.inf and w.low > -np.inf and w.high < np.inf)
    starts: Any = None
    lo: Array
    hi: Array
    if weights is not None and not infinite:
        positive, negative = ctx.run.cached(
            ("convolution", w.key, key), lambda: signed_sums(weights.reshape(*weights.shape[:2], -1), (0,), 2)
        )
        positive, negative = positive[..., 0], negative[..., 0]  # (out, in of a group)
        out, inside = positive.shape
        if x.starts is not None and len(x.starts[channel_axis]) > 1 and inside * group > 0:
            others = tuple(i for i in range(x.lo.ndim) if i != channel_axis)
            index = np.searchsorted(x.starts[channel_axis], np.arange(inside * group), side="right") - 1
            xl, xh = x.lo.min(axis=others)[index], x.hi.max(axis=others)[index]
            if padded:
                xl, xh = np.minimum(xl, 0.0), np.maximum(xh, 0.0)
            rows = np.arange(out) // max(out // group, 1)
            columns = rows[:, None] * inside + np.arange(inside)[None, :]
            xl, xh = xl[columns], xh[columns]
            lo, hi = (positive * xl + negative * xh).sum(1), (positive * xh + negative * xl).sum(1)
        else:
            low, high = x.low, x.high
            if padded:
                low, high = min(low, 0.0), max(high, 0.0)
            p, n = positive.sum(1), negative.sum(1)
            lo, hi = p * low + n * high, p * high + n * low
        if out <= ctx.block_limit and shape is not None and out > 1:
            starts = tuple(tuple(range(out)) if i == channel_axis else (0,) for i in range(len(shape)))
            form = tuple(out if i == channel_axis else 1 for i in range(len(shape)))
            lo, hi = lo.reshape(form), hi.reshape(form)
        else:
            lo, hi = np.float64(lo.min(initial=np.inf)), np.float64(hi.max(initial=-np.inf))
        magnitude = np.maximum(np.abs(lo), np.abs(hi))
        weight = float((positive - negative).sum(1).max(initial=0.0))
        magnitude = np.maximum(magnitude, weight * max(abs(x.low), abs(x.high)))
    else:
        low, high = term_bounds(smashed(x), smashed(w))
        if padded:
            low, high = min(low, 0.0), max(high, 0.0)
        lo = np.float64(np.nan_to_num(low * (least if low >= 0 else most), neginf=-np.inf))
        hi = np.float64(np.nan_to_num(high * (most if high >= 0 else least), posinf=np.inf))
        magnitude = np.maximum(np.abs(lo), np.abs(hi))
    if exact is not None and not infinite and np.isfinite(exact).all():
        starts, lo, hi, magnitude = None, np.float64(exact.min()), np.float64(exact.max()), np.max(magnitude)
    if dtype.is_float:
        lost = (rounding_terms(most) + FAST_CONVOLUTION) * accumulation_unit(dtype)
        slack = np.nan_to_num(magnitude * lost, posinf=0.0) + dtype.near_zero
        lo, hi = dtype.nearest(lo - slack), dtype.nearest(hi + slack)
    low_, high_ = (lo, hi) if np.ndim(lo) == 0 else (lo.min(), hi.max())
    tight = tight_sum(x, w)
    if low_ < dtype.lo or high_ > dtype.hi:
        lo, hi = ctx.finite(lo, hi, dtype, not infinite, tight is not None and not padded and weights is not None)
    result = AbstractTensor(dtype, shape, lo, hi, starts, bool(x.nan or w.nan or infinite))
    result.tight = tight if not padded else None
    return result


@transfer("Conv", framework="onnx")
def conv(ctx: Context, x: AbstractTensor, w: AbstractTensor, bias: Any = None) -> AbstractTensor:
    result = onnx_convolution(ctx, x, w, x.dtype)
    return _with_bias(ctx, result, bias, 1)


def onnx_convolution(ctx: Context, x: AbstractTensor, w: AbstractTensor, dtype: ElementType) -> AbstractTensor:
    """A convolution in ONNX's layout without bias."""
    group = int(ctx.attr("group", 1))
    if w.shape is None:
        return convolution(ctx, x, 1, w, None, dims.unknown(1), group, True, None, dtype, None)
    kernel = [d if isinstance(d, int) else 1 for d in w.shape[2:]]
    n = len(kernel)
    pads = list(ctx.attr("pads") or [0] * 2 * n)
    auto = str(ctx.attr("auto_pad", "NOTSET"))
    strides, dilations = list(ctx.attr("strides") or [1] * n), list(ctx.attr("dilations") or [1] * n)
    shape: Shape | None = None
    if x.shape is not None:
        spatial = spatial_sizes(x.shape[2:], kernel, strides, dilations, pads, auto)
        shape = (x.shape[0], w.shape[0], *spatial)
    padded = any(pads) or auto.startswith("SAME")
    weights = None if w.data is None else np.asarray(w.data)
    exact = None
    if weights is not None and x.data is not None and not auto.startswith("SAME") and np.size(weights):
        exact = window_sums(np.asarray(x.data), weights, group, strides, dilations, pads)
    return convolution(ctx, x, 1, w, weights, dims.product(w.shape[1:]), group, padded, shape, dtype, "onnx", exact)


def _with_bias(ctx: Context, result: AbstractTensor, bias: Any, axis: int) -> AbstractTensor:
    if bias is None:
        return result
    tight = result.tight
    total = linear(ctx, result, channelwise(bias, result.rank, axis), 1.0)
    total.form = None
    if total.tight is None and bias.low == bias.high:
        total.tight = tight
    return total


def channelwise(vector: AbstractTensor, rank: int | None, axis: int) -> AbstractTensor:
    """A vector over channels, shaped so that it broadcasts along `axis` of a tensor of that rank."""
    if rank is None or vector.shape is None or len(vector.shape) != 1:
        flat = smashed(vector)
        return AbstractTensor(vector.dtype, (), flat.lo, flat.hi, None, vector.nan)
    trailing = rank - 1 - (axis % rank)
    result = AbstractTensor(
        vector.dtype, (*vector.shape, *(1,) * trailing), vector.lo, vector.hi, None, vector.nan, tight=vector.tight
    )
    if vector.starts is not None:
        form = (len(vector.starts[0]),) + (1,) * trailing
        result.lo, result.hi = vector.lo.reshape(form), vector.hi.reshape(form)
        result.starts = (vector.starts[0], *((0,),) * trailing)
    return result


@transfer("ConvTranspose")
def conv_transpose(ctx: Context, x: AbstractTensor, w: AbstractTensor, bias: Any = None) -> AbstractTensor:
    """Each output adds up some of the kernel's entries: between the sums of its negative and positive terms."""
    group = int(ctx.attr("group", 1))
    shape: Shape | None = None
    terms: Dim = dims.unknown(1)
    weights = None
    if w.shape is not None:
        kernel = [d if isinstance(d, int) else 1 for d in w.shape[2:]]
        n = len(kernel)
        terms = dims.product((*(dims.affine(w.shape[0], 0, group),), *w.shape[2:]))
        if x.shape is not None:
            shape = (x.shape[0], dims.multiply(w.shape[1], group), *_transposed_sizes(ctx, x.shape[2:], kernel, n))
        if w.data is not None and group == 1:
            weights = np.swapaxes(np.asarray(w.data), 0, 1)
    declared = ctx.declared_shape()
    result = convolution(ctx, x, 1, w, weights, terms, group, True, shape or declared, x.dtype, "transposed")
    return _with_bias(ctx, result, bias, 1)


def _transposed_sizes(ctx: Context, sizes: Shape, kernel: list[int], n: int) -> Shape:
    stated = ctx.attr("output_shape")
    if stated:
        return tuple(int(d) for d in list(stated)[-n:])
    strides, dilations = list(ctx.attr("strides") or [1] * n), list(ctx.attr("dilations") or [1] * n)
    extra, pads = list(ctx.attr("output_padding") or [0] * n), list(ctx.attr("pads") or [0] * 2 * n)
    auto = str(ctx.attr("auto_pad", "NOTSET"))
    result: list[Dim] = []
    for i, size in enumerate(sizes):
        if auto.startswith("SAME"):
            result.append(dims.multiply(size, strides[i]))
            continue
        before, after = (0, 0) if auto == "VALID" else (pads[i], pads[n + i])
        w = Window(kernel[i], strides[i], dilations[i], before, after)
        plus = w.spread(0, extra[i])
        result.append(dims.monotone(size, partial(w.spread, extra=extra[i]), f"*{w.stride}{plus:+d}"))
    return tuple(result)


def _tf_layout(ctx: Context, rank: int) -> tuple[int, list[int]]:
    """The channel axis and the spatial axes of a TensorFlow convolution."""
    text = str(ctx.attr("data_format", "NHWC"))
    if text.startswith("NC"):
        return 1, list(range(2, rank))
    return rank - 1, list(range(1, rank - 1))


def tf_spatial(ctx: Context, shape: Shape, axes: list[int], kernel: list[int]) -> Shape:
    strides = [int(s) for s in ctx.attr("strides") or [1] * len(shape)]
    dilations = [int(s) for s in ctx.attr("dilations") or [1] * len(shape)]
    n = len(axes)
    explicit = list(ctx.attr("explicit_paddings") or [])
    pads = [0] * (2 * n)
    if explicit:
        for i, axis in enumerate(axes):
            pads[i], pads[n + i] = int(explicit[2 * axis]), int(explicit[2 * axis + 1])
    auto = {"SAME": "SAME", "VALID": "VALID"}.get(_text(ctx.attr("padding", "VALID")), "NOTSET")
    return spatial_sizes(
        tuple(shape[a] for a in axes), kernel, [strides[a] for a in axes], [dilations[a] for a in axes], pads, auto
    )


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


@transfer("Conv", framework="tf")
def tf_conv(ctx: Context, x: AbstractTensor, w: AbstractTensor) -> AbstractTensor:
    depthwise = ctx.op == "DepthwiseConv2dNative"
    rank = 5 if ctx.op == "Conv3D" else 4
    axis, spatial = _tf_layout(ctx, rank)
    padded = _text(ctx.attr("padding", "VALID")) != "VALID"
    if w.shape is None or len(w.shape) != rank:
        result = convolution(ctx, smashed(x), axis, w, None, dims.unknown(1), 1, True, None, x.dtype, None)
        result.shape = ctx.declared_shape()
        return result
    kernel = [d if isinstance(d, int) else 1 for d in w.shape[:-2]]
    group = 1
    if depthwise:
        out = dims.multiply(w.shape[-2], w.shape[-1])
        terms = dims.product(w.shape[:-2])
    else:
        out = w.shape[-1]
        terms = dims.product(w.shape[:-1])
        if x.shape is not None and isinstance(x.shape[axis], int) and isinstance(w.shape[-2], int) and w.shape[-2]:
            group = max(x.shape[axis] // w.shape[-2], 1)  # type: ignore[operator]
    weights = None
    if w.data is not None:
        data = np.asarray(w.data)
        if depthwise:
            weights = np.moveaxis(data.reshape(*data.shape[:-2], 1, -1), (-1, -2), (0, 1))
            group = data.shape[-2]
        else:
            weights = np.moveaxis(data, (-1, -2), (0, 1))
    shape: Shape | None = None
    if x.shape is not None and len(x.shape) == rank:
        sizes = list(x.shape)
        for a, size in zip(spatial, tf_spatial(ctx, x.shape, spatial, kernel), strict=True):
            sizes[a] = size
        sizes[axis] = out
        shape = tuple(sizes)
    else:
        full: list[Dim] = [dims.unknown(1) for _ in range(rank)]
        full[axis] = out
        shape = tuple(full)
        x = smashed(x)
    return convolution(ctx, x, axis, w, weights, terms, group, padded, shape, x.dtype, "tensorflow")


@transfer("ConvBackpropInput")
def tf_conv_transpose(ctx: Context, sizes: AbstractTensor, w: AbstractTensor, grad: AbstractTensor) -> AbstractTensor:
    """The transposed convolution; also the gradient of a convolution with respect to its input."""
    terms: Dim = dims.unknown(1)
    if w.shape is not None and len(w.shape) >= 3:
        terms = dims.product((*w.shape[:-2], w.shape[-1]))
    known = sizes.sizes()
    shape = ctx.declared_shape()
    if known is not None:
        shape = tuple(d if not isinstance(d, int) or d >= 0 else dims.unknown(0) for d in known)
    weights = None
    if w.data is not None and ctx.op.startswith("Conv"):
        weights = np.moveaxis(np.asarray(w.data), (-2, -1), (0, 1))
    axis = _tf_layout(ctx, len(shape))[0] if shape else 3
    return convolution(ctx, smashed(grad), axis, w, weights, terms, 1, True, shape, grad.dtype, "backprop")


@transfer("Conv2DBackpropFilter")
def tf_conv_filter_gradient(
    ctx: Context, x: AbstractTensor, sizes: AbstractTensor, grad: AbstractTensor
) -> AbstractTensor:
    """Sums over batch and positions."""
    known = sizes.sizes()
    n = count(grad.shape[:-1])[1] if grad.shape else np.inf
    terms = dims.bounded("positions", 1, n) if math.isfinite(n) else dims.unknown(1)
    shape = tuple(known) if known is not None else ctx.declared_shape()
    return convolution(ctx, smashed(x), 3, smashed(grad), None, terms, 1, True, shape, x.dtype, None)


@transfer("DeformConv")
def deform_conv(
    ctx: Context, x: AbstractTensor, w: AbstractTensor, offset: Any = None, bias: Any = None, mask: Any = None
) -> AbstractTensor:
    """Bilinear samples (0 outside) times weights, modulated by the mask."""
    low, high = min(x.low, 0.0), max(x.high, 0.0)
    sample = interval_tensor(x.dtype, x.shape, low, high)
    if mask is not None:
        sample = product(ctx, sample, anonymous(smashed(mask)))
        sample.shape = x.shape
    result = onnx_convolution(ctx, sample, w, x.dtype)
    slack = INTERPOLATED * x.dtype.eps * max(abs(result.low), abs(result.high))
    result.lo, result.hi = np.minimum(result.lo, 0.0) - slack, np.maximum(result.hi, 0.0) + slack
    return _with_bias(ctx, result, bias, 1)
