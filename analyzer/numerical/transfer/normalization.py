"""Normalisations: by given statistics, by the statistics of the data, by a norm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dtypes
from analyzer.numerical.domain.tensor import AbstractTensor, count, interval_tensor, smashed
from analyzer.numerical.transfer.arithmetic import linear, product
from analyzer.numerical.transfer.convolution import channelwise
from analyzer.numerical.transfer.division import quotient
from analyzer.numerical.transfer.elementwise import sqrt
from analyzer.numerical.transfer.kinds import like
from analyzer.numerical.transfer.registry import transfer

RULE = "numerical/normalisation-by-zero"


def scalar(x: AbstractTensor, value: float) -> AbstractTensor:
    return interval_tensor(
        x.dtype, (), float(x.dtype.nearest(np.float64(value))), float(x.dtype.nearest(np.float64(value)))
    )


def by_statistics(
    ctx: Context,
    x: AbstractTensor,
    scale: Any,
    bias: Any,
    mean: AbstractTensor,
    variance: AbstractTensor,
    epsilon: float,
) -> AbstractTensor:
    """(x - mean) / sqrt(variance + epsilon) * scale + bias."""
    total = linear(ctx, variance, scalar(variance, epsilon), 1.0)
    tiny = total.dtype.smallest
    ctx.check(RULE, "variance + epsilon <= 0", {4: total}, lambda t: t.low >= tiny and not t.nan)
    total = ctx.restrict(total, total.dtype.smallest, total.dtype.hi, remember=False)
    with ctx.run.ledger.quietly():
        deviation = sqrt(ctx, total)
        gain = quotient(ctx, scale, deviation) if scale is not None else quotient(ctx, scalar(x, 1.0), deviation)
    if scale is not None and max(-gain.low, gain.high) >= x.dtype.hi:  # computed first by kernels that fold
        ctx.overflow(scale.interval(), x.dtype, False)
    centred = linear(ctx, x, mean, -1.0)
    result = product(ctx, centred, gain)
    if bias is not None:
        result = linear(ctx, result, bias, 1.0)
    # kernels fold scale and bias first: x * gain + (bias - mean * gain), which rounds differently
    folded = np.maximum(
        np.abs(product(ctx, mean, gain).lo).max(initial=0.0)
        if mean.starts is not None
        else abs(product(ctx, mean, gain).low),
        0.0,
    )
    magnitude = max(abs(x.low), abs(x.high)) * max(abs(gain.low), abs(gain.high)) + float(folded)
    # a product, a difference and two roundings of the folded factors
    slack = 8 * x.dtype.eps * magnitude if math.isfinite(magnitude) else 0.0
    lo, hi = result.lo - slack, result.hi + slack
    reach = max(abs(x.low), abs(x.high)) + max(abs(mean.low), abs(mean.high))
    if reach > x.dtype.hi:  # x - mean overflows, the folded form does not
        most = 1.0001 * reach * max(abs(gain.low), abs(gain.high)) + slack
        most += max(abs(bias.low), abs(bias.high)) if bias is not None else 0.0
        lo, hi = np.minimum(lo, -most), np.maximum(hi, most)
    lo, hi = np.clip(lo, x.dtype.lo, x.dtype.hi), np.clip(hi, x.dtype.lo, x.dtype.hi)
    lo, hi = np.clip(x.dtype.outward(lo, hi, 2), x.dtype.lo, x.dtype.hi)
    final = AbstractTensor(x.dtype, result.shape, lo[()], hi[()], result.starts, x.nan or mean.nan or variance.nan)
    return final


def normalised(
    ctx: Context, x: AbstractTensor, n: float, epsilon: float, *, centred: bool = True, dtype: Any = None
) -> AbstractTensor:
    """(x - mean) / sqrt(variance + epsilon) over n elements: at most sqrt(n - 1) in size (sqrt(n) uncentred)."""
    dtype = dtype or x.dtype
    stage = dtypes.FLOAT32 if x.dtype.name in ("float16", "bfloat16") else x.dtype
    kept = float(stage.nearest(np.float64(epsilon)))
    tiny = stage.tiny
    magnitude = max(abs(x.low), abs(x.high))
    spread = (x.high - x.low) if centred else magnitude
    never_zero = kept >= tiny or (not centred and max(x.low, -x.high) > math.sqrt(tiny) * 1.01)
    ctx.check(RULE, "variance + epsilon = 0", {0: x}, lambda _: never_zero)
    if magnitude * magnitude * min(n, 2.0**40) > stage.hi:  # the sum of squares
        ctx.overflow(x.interval(), x.dtype, False)
    limit = math.sqrt(max(n - 1, 1.0) if centred else n) if math.isfinite(n) else math.inf
    limit = limit * 1.01 + 1e-3  # mean and deviation are rounded: a hundredth is room for that in float32
    if kept >= tiny:
        # the mean is rounded: a constant row leaves a residue of eps * |x|, divided by sqrt(epsilon)
        rounding = (4.0 + math.log2(max(min(n, 2.0**40), 1.0))) * stage.eps * magnitude if centred else 0.0
        limit += rounding / math.sqrt(kept)
        residue = (spread + 1e3 * stage.eps * magnitude) / math.sqrt(kept)
        limit = min(limit, residue * 1.01) if math.isfinite(residue) else limit
    limit = min(limit, dtype.hi)
    lo = -limit if centred or x.low < 0 else 0.0
    hi = limit if centred or x.high > 0 else 0.0
    return AbstractTensor(
        dtype, x.shape, np.float64(lo), np.float64(hi), None, x.nan or not (x.low > -np.inf and x.high < np.inf)
    )


def _affine(ctx: Context, z: AbstractTensor, scale: Any, bias: Any, epsilon: float = 1e-5) -> AbstractTensor:
    shape = z.shape
    reach = 0.0
    if scale is not None:
        reach = max(abs(z.low), abs(z.high)) * max(abs(scale.low), abs(scale.high))
        if max(abs(scale.low), abs(scale.high)) > z.dtype.hi * math.sqrt(
            max(epsilon, 1e-30)
        ):  # scale / deviation, folded
            ctx.overflow(scale.interval(), z.dtype, False)
        z = product(ctx, z, _same_type(z, scale))
    if bias is not None:
        z = linear(ctx, z, _same_type(z, bias), 1.0)
        if reach > z.dtype.hi:  # a fused product and sum is finite where the product alone is not
            lowest, highest = np.clip((bias.low - reach, bias.high + reach), z.dtype.lo, z.dtype.hi)
            z.lo, z.hi = np.minimum(z.lo, lowest), np.maximum(z.hi, highest)
    z.form = None
    if z.starts is None:
        z.shape = shape
    return z


def _square(x: AbstractTensor) -> float:
    """The largest square, infinite where float64 overflows."""
    magnitude = max(abs(float(x.low)), abs(float(x.high)))
    return magnitude * magnitude


def _same_type(z: AbstractTensor, other: AbstractTensor) -> AbstractTensor:
    if other.dtype is z.dtype:
        return other
    return AbstractTensor(z.dtype, other.shape, other.lo, other.hi, other.starts, other.nan)


@transfer("BatchNormalization", framework="onnx")
def batch_normalization(ctx: Context, x: AbstractTensor, scale: Any, bias: Any, mean: Any, variance: Any) -> Any:
    """With given statistics, or (`training_mode`) those of the batch."""
    epsilon = float(ctx.attr("epsilon", 1e-5))
    stage = x.dtype if variance.dtype is x.dtype else variance.dtype
    if ctx.attr("training_mode", 0):
        shape = x.shape
        n = count(shape, [i for i in range(len(shape)) if i != 1])[1] if shape is not None else np.inf
        z = normalised(ctx, x, n, epsilon)
        result = _affine(ctx, z, channelwise(scale, x.rank, 1), channelwise(bias, x.rank, 1))
        momentum = float(ctx.attr("momentum", 0.9))
        vector = (shape[1],) if shape is not None and len(shape) > 1 else None
        current = like(mean, np.full_like(mean.lo, x.low), np.full_like(mean.hi, x.high))
        spread = x.high - x.low
        var_hi = (
            min(spread * spread / 4 * 1.01 + 1e-6 * _square(x), x.dtype.hi) if math.isfinite(spread) else x.dtype.hi
        )
        new_mean = _blend(mean, current.low, current.high, momentum, vector)
        new_variance = _blend(variance, 0.0, var_hi, momentum, vector)
        return result, new_mean, new_variance, new_mean, new_variance
    vectors = [_same_dtype(channelwise(v, x.rank, 1), stage) for v in (scale, bias, mean, variance)]
    wide = _same_dtype(x, stage)
    result = by_statistics(ctx, wide, vectors[0], vectors[1], vectors[2], vectors[3], epsilon)
    if stage is not x.dtype:
        result = _same_dtype(result, x.dtype)
        result.lo, result.hi = x.dtype.outward(result.lo, result.hi, 1)
        result.lo, result.hi = ctx.finite(result.lo, result.hi, x.dtype, True)
    return result


def _same_dtype(x: AbstractTensor, dtype: Any) -> AbstractTensor:
    if x.dtype is dtype:
        return x
    return AbstractTensor(dtype, x.shape, x.lo, x.hi, x.starts, x.nan)


def _blend(old: AbstractTensor, low: float, high: float, momentum: float, shape: Any) -> AbstractTensor:
    lo, hi = old.low * momentum + low * (1 - momentum), old.high * momentum + high * (1 - momentum)
    slack = 1e-5 * max(abs(lo), abs(hi))  # two products and a sum, in float32
    if old.dtype.eps > 1e-5:
        slack = 4 * old.dtype.eps * max(abs(lo), abs(hi), abs(old.low), abs(old.high))
    lo, hi = (
        np.clip(lo - slack if lo else 0.0, old.dtype.lo, old.dtype.hi),
        np.clip(hi + slack, old.dtype.lo, old.dtype.hi),
    )
    return AbstractTensor(old.dtype, shape, np.float64(lo), np.float64(hi), None, old.nan)


@transfer("BatchNormalization", framework="tf")
def fused_batch_norm(ctx: Context, x: AbstractTensor, scale: Any, offset: Any, mean: Any, variance: Any) -> Any:
    """y, batch mean, batch variance, and what the gradient keeps."""
    epsilon = float(ctx.attr("epsilon", 1e-4))
    axis = 1 if str(ctx.attr("data_format", "NHWC")).startswith("NC") else -1
    rank = x.rank if x.rank is not None else 4
    training = bool(ctx.attr("is_training", True))
    vector = scale.shape
    if training:
        n = count(x.shape, [i for i in range(rank) if i != axis % rank])[1] if x.shape is not None else np.inf
        z = normalised(ctx, x, n, epsilon)
        y = _affine(ctx, z, channelwise(scale, rank, axis), channelwise(offset, rank, axis))
        spread = x.high - x.low
        top = min(spread * spread / 2 * 1.01, dtypes.FLOAT32.hi) if math.isfinite(spread) else dtypes.FLOAT32.hi
        batch_mean = AbstractTensor(scale.dtype, vector, np.float64(x.low), np.float64(x.high))
        batch_variance = AbstractTensor(scale.dtype, vector, np.float64(0.0), np.float64(top))
    else:
        wide = _same_dtype(x, scale.dtype)
        parts = [channelwise(v, rank, axis) for v in (scale, offset, mean, variance)]
        y = _same_dtype(by_statistics(ctx, wide, parts[0], parts[1], parts[2], parts[3], epsilon), x.dtype)
        if y.dtype.eps > scale.dtype.eps:
            y.lo, y.hi = y.dtype.outward(y.lo, y.hi, 1)
        batch_mean, batch_variance = mean, variance
    kept = AbstractTensor(scale.dtype, vector, np.float64(scale.dtype.lo), np.float64(scale.dtype.hi))
    if x.shape is None:
        y = smashed(y)
        y.shape = None
    return y, batch_mean, batch_variance, batch_mean, kept, kept


def _group_size(x: AbstractTensor, axes: list[int]) -> float:
    return count(x.shape, axes)[1] if x.shape is not None else np.inf


@transfer("LayerNormalization", "SimplifiedLayerNormalization")
def layer_normalization(ctx: Context, x: AbstractTensor, scale: Any = None, bias: Any = None) -> Any:
    epsilon = float(ctx.attr("epsilon", 1e-5))
    axis = int(ctx.attr("axis", -1))
    n = _group_size(x, list(range(axis % x.rank, x.rank))) if x.rank else np.inf
    centred = ctx.op == "LayerNormalization"
    z = normalised(ctx, x, n, epsilon, centred=centred)
    result = _affine(ctx, z, scale, bias)
    stash = dtypes.FLOAT32
    spread = x.high - x.low
    shape = (
        None
        if x.shape is None or x.rank is None
        else tuple(1 if i >= axis % x.rank else d for i, d in enumerate(x.shape))
    )
    # sums of up to 10,000 numbers in float32 are within a thousandth, their roots within a hundredth
    mean = AbstractTensor(stash, shape, np.float64(x.low - 1e-3 * abs(x.low)), np.float64(x.high + 1e-3 * abs(x.high)))
    most = 1.01 / math.sqrt(epsilon) if epsilon > 0 else stash.hi
    least = (
        0.99 / math.sqrt(spread * spread / 4 + epsilon + 1e-3 * _square(x))
        if math.isfinite(spread * spread) and spread * spread + epsilon > 0
        else 0.0
    )
    inverse = AbstractTensor(stash, shape, np.float64(least), np.float64(most))
    return result, mean, inverse


@transfer("RMSNormalization")
def rms_normalization(ctx: Context, x: AbstractTensor, scale: Any = None) -> AbstractTensor:
    axis = int(ctx.attr("axis", -1))
    n = _group_size(x, list(range(axis % x.rank, x.rank))) if x.rank else np.inf
    return _affine(ctx, normalised(ctx, x, n, float(ctx.attr("epsilon", 1e-5)), centred=False), scale, None)


@transfer("InstanceNormalization")
def instance_normalization(ctx: Context, x: AbstractTensor, scale: Any, bias: Any) -> AbstractTensor:
    n = _group_size(x, list(range(2, x.rank))) if x.rank else np.inf
    z = normalised(ctx, x, n, float(ctx.attr("epsilon", 1e-5)))
    if _square(x) * min(n, 2.0**40) > x.dtype.hi:
        ctx.overflow(x.interval(), x.dtype, False)
    y = _affine(ctx, z, channelwise(scale, x.rank, 1), channelwise(bias, x.rank, 1))
    # kernels fold: x * gain + (bias - mean * gain), where large values cancel inexactly
    gain = max(abs(scale.low), abs(scale.high)) / math.sqrt(max(float(ctx.attr("epsilon", 1e-5)), 1e-30))
    folded = gain * max(abs(x.low), abs(x.high))
    if folded > x.dtype.hi:
        ctx.overflow(x.interval(), x.dtype, False)
    slack = 8 * x.dtype.eps * (folded + max(abs(bias.low), abs(bias.high)))
    y.lo, y.hi = np.maximum(y.lo - slack, y.dtype.lo), np.minimum(y.hi + slack, y.dtype.hi)
    return y


@transfer("GroupNormalization")
def group_normalization(ctx: Context, x: AbstractTensor, scale: Any, bias: Any) -> AbstractTensor:
    n = _group_size(x, list(range(1, x.rank))) if x.rank else np.inf
    z = normalised(ctx, x, n, float(ctx.attr("epsilon", 1e-5)))
    gain, shift = smashed(scale), smashed(bias)
    return _affine(
        ctx,
        z,
        interval_tensor(scale.dtype, (), gain.low, gain.high),
        interval_tensor(bias.dtype, (), shift.low, shift.high),
    )


@transfer("MeanVarianceNormalization")
def mean_variance_normalization(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """(x - mean) / standard deviation."""
    axes = [int(a) for a in ctx.attr("axes") or (0, 2, 3)]
    n = _group_size(x, [a % x.rank for a in axes]) if x.rank else np.inf
    return normalised(ctx, x, n, 0.0)  # kernels leave the 1e-9 out


@transfer("LpNormalization")
def lp_normalization(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """x / |x|_p along an axis; a zero vector has no direction (kernels differ: NaN or 0)."""
    safe = max(x.low, -x.high) > math.sqrt(x.dtype.tiny)
    ctx.check(RULE, "norm = 0", {0: x}, lambda _: safe)
    lo, hi = (0.0 if x.low >= 0 else -1.5), (0.0 if x.high <= 0 else 1.5)
    if safe:
        lo, hi = max(lo, -1.001), min(hi, 1.001)
    return AbstractTensor(
        x.dtype, x.shape, np.float64(lo), np.float64(hi), None, x.nan or x.low == -np.inf or x.high == np.inf
    )


@transfer("LRN")
def local_response_normalization(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """x / (bias + alpha / size * sum of squares) ** beta."""
    bias, alpha, beta = (
        float(ctx.attr("bias", 1.0)),
        float(ctx.attr("alpha", 1.0 if ctx.is_tf else 1e-4)),
        float(ctx.attr("beta", 0.5 if ctx.is_tf else 0.75)),
    )
    ctx.check(
        "numerical/division-by-zero",
        "bias + alpha * sum of squares <= 0",
        {0: x},
        lambda _: bias > 0 and alpha >= 0 and beta >= 0,
    )
    if bias > 0 and alpha >= 0 and beta >= 0:
        most = 1.001 / bias**beta
        # kernels slide a window: they subtract again what they have added, and what is left may be negative
        largest = max(alpha, 1.0) * 2 * float(ctx.attr("size", 5)) * _square(x)
        if largest > x.dtype.hi or alpha * largest * x.dtype.eps > bias:
            ctx.overflow(x.interval(), x.dtype, False)
        corners = [0.0, x.low * most, x.high * most]
        lo, hi = x.dtype.outward(np.float64(min(corners)), np.float64(max(corners)), 4)
        return AbstractTensor(
            x.dtype,
            x.shape,
            np.float64(np.clip(lo, x.dtype.lo, x.dtype.hi)),
            np.float64(np.clip(hi, x.dtype.lo, x.dtype.hi)),
            None,
            x.nan,
        )
    return AbstractTensor(x.dtype, x.shape, np.float64(x.dtype.lo), np.float64(x.dtype.hi), None, x.nan)
