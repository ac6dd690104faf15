"""Activation functions."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import affine
from analyzer.numerical.domain.dtypes import select
from analyzer.numerical.domain.tensor import AbstractTensor, interval_tensor
from analyzer.numerical.transfer.arithmetic import product
from analyzer.numerical.transfer.elementwise import _vector
from analyzer.numerical.transfer.kinds import (
    build,
    increasing,
    like,
    operands_on_common_blocks,
    rounded,
    with_critical_points,
)
from analyzer.numerical.transfer.registry import transfer
from analyzer.numerical.transfer.rounding import ACCUMULATED


def logistic(x: Any) -> Any:
    """1 / (1 + e**-x)"""
    return 1 / (1 + np.exp(-x))


@transfer("Sigmoid")
def sigmoid(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    result = increasing(ctx, x, logistic, within=(0.0, 1.0))
    exact = logistic(x.hi) + 2 * x.dtype.eps  # ONNX Runtime's is up to three units in the last place too large
    result.hi = select(x.hi > 2, np.minimum(result.hi, x.dtype.nearest(exact)), result.hi)
    if x.dtype.eps < 1e-5:  # rational approximations lose relative precision in the left tail
        few, slack = 32 * x.dtype.eps, 2 * ACCUMULATED  # room for a polynomial's error, relative and absolute
        result.lo = np.where(x.lo < 0, np.maximum(result.lo * (1 - few) - slack, 0.0), result.lo)[()]
        result.hi = np.where(x.hi < 0, result.hi * (1 + few) + slack, result.hi)[()]
    result.lo = select(x.lo >= 0, np.maximum(result.lo, 0.5), result.lo)  # every kernel keeps to its half
    result.hi = select(x.hi <= 0, np.minimum(result.hi, 0.5), result.hi)
    return result


@transfer("Tanh")
def tanh(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    return increasing(ctx, x, np.tanh)


@transfer("Softplus")
def softplus(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """ln(1 + e**x), computed stably by every kernel."""
    result = increasing(ctx, x, lambda v: np.logaddexp(0.0, v), ulps=8, within=(0.0, np.inf))
    result.facts = {"nearly above": (x,)}
    return result


@transfer("Softsign")
def softsign(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    result = increasing(ctx, x, lambda v: np.where(np.isinf(v), np.sign(v), v / (1 + np.abs(v)))[()])
    result.nan = x.nan or bool(np.isinf(x.low) or np.isinf(x.high))
    return result


@transfer("Relu")
def relu(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    result = like(x, np.maximum(x.lo, 0.0), np.maximum(x.hi, 0.0))
    if ctx.options.affine and x.dtype.is_float:
        result.form = affine.relu(x) or affine.relu_of_variable(x)
    result.tight = x.tight
    result.facts = {"above": (x,)}
    return result


@transfer("Relu6")
def relu6(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    return like(x, np.clip(x.lo, 0.0, 6.0), np.clip(x.hi, 0.0, 6.0))


@transfer("LeakyRelu")
def leaky_relu(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    alpha = float(ctx.attr("alpha", 0.2 if ctx.is_tf else 0.01))
    return _two_slopes(ctx, x, alpha, alpha)


def _two_slopes(ctx: Context, x: AbstractTensor, least: Any, most: Any) -> AbstractTensor:
    """x above 0, slope * x below, for a slope in [least, most]."""

    def below(v: Any) -> tuple[Any, Any]:
        a, b = least * v, most * v
        return np.minimum(a, b), np.maximum(a, b)

    values = [(x.lo, *below(np.minimum(x.lo, 0.0))), (x.hi, *below(np.minimum(x.hi, 0.0)))]
    lows = [np.where(v >= 0, v, a) for v, a, _ in values]
    highs = [np.where(v >= 0, v, b) for v, _, b in values]
    lo, hi = np.minimum(*lows), np.maximum(*highs)
    inside = (x.lo < 0) & (x.hi > 0)
    lo = np.where(inside, np.minimum(lo, 0.0), lo)[()]
    hi = np.where(inside, np.maximum(hi, 0.0), hi)[()]
    ends = [float(f(s)) for f, s in ((np.min, least), (np.max, most))]
    if (x.low == -np.inf and ends[0] <= 0 <= ends[1]) or (x.low <= 0 and not np.isfinite(ends).all()):  # 0 * inf
        lo, hi = np.where(np.isnan(lo), -np.inf, lo)[()], np.where(np.isnan(hi), np.inf, hi)[()]
        x = build(x.dtype, x.shape, x.starts, x.lo, x.hi, nan=True)
    return rounded(ctx, x, lo, hi, ulps=1)


@transfer("PRelu")
def prelu(ctx: Context, x: AbstractTensor, slope: AbstractTensor) -> AbstractTensor:
    shape, starts, ((xl, xh), (sl, sh)) = operands_on_common_blocks(ctx, x, slope)
    wide = build(x.dtype, shape if shape == x.shape else x.shape, starts, xl, xh, nan=x.nan or slope.nan)
    return _two_slopes(ctx, wide, sl, sh)


@transfer("Elu")
def elu(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    return _exponential_below(ctx, x, float(ctx.attr("alpha", 1.0)), 1.0, 1.0)


@transfer("Selu")
def selu(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    alpha = float(ctx.attr("alpha", 1.6732632423543772))
    gamma = float(ctx.attr("gamma", 1.0507009873554805))
    return _exponential_below(ctx, x, alpha, gamma, 1.0)


@transfer("Celu")
def celu(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    alpha = float(ctx.attr("alpha", 1.0))
    return _exponential_below(ctx, x, alpha, 1.0, alpha)


def _exponential_below(ctx: Context, x: AbstractTensor, alpha: float, gamma: float, scale: float) -> AbstractTensor:
    """gamma * x above 0, gamma * alpha * (e**(x / scale) - 1) below."""

    def function(v: Any) -> Any:
        return np.where(v > 0, gamma * v, gamma * alpha * np.expm1(np.minimum(v, 0.0) / scale))[()]

    result = with_critical_points(ctx, x, function, (0.0,), ulps=8)
    slack = 4 * x.dtype.eps * abs(alpha * gamma)  # e**x - 1 is computed in two steps
    result.lo, result.hi = result.lo - slack, result.hi + slack
    if alpha >= 0 and gamma >= 0:  # e**x is never negative: nothing below -gamma * alpha but for its rounding
        limit = -gamma * alpha
        result.lo = np.maximum(result.lo, limit if limit == -1.0 else limit * (1 + 4 * x.dtype.eps))
    return result


@transfer("ThresholdedRelu")
def thresholded_relu(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    alpha = float(ctx.attr("alpha", 1.0))
    kept_lo = np.where(x.lo > alpha, x.lo, np.minimum(alpha, 0.0))
    lo = np.where(x.hi <= alpha, 0.0, np.where(x.lo > alpha, x.lo, np.minimum(kept_lo, 0.0)))[()]
    hi = np.where(x.hi <= alpha, 0.0, np.where(x.lo > alpha, x.hi, np.maximum(x.hi, 0.0)))[()]
    lo, hi = (np.minimum(lo, 0.0), np.maximum(hi, 0.0)) if x.nan else (lo, hi)  # NaN is not above the threshold
    return like(x, lo, hi)


@transfer("HardSigmoid")
def hard_sigmoid(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    alpha, beta = float(ctx.attr("alpha", 0.2)), float(ctx.attr("beta", 0.5))
    a, b = alpha * x.lo + beta, alpha * x.hi + beta
    with np.errstate(all="ignore"):  # the sum cancels near its zero: what the product was rounded by stays
        slack = np.nan_to_num(2 * x.dtype.eps * (abs(alpha) * np.maximum(np.abs(x.lo), np.abs(x.hi)) + abs(beta)))
    result = rounded(ctx, x, np.minimum(a, b) - slack, np.maximum(a, b) + slack, ulps=4)
    result.lo, result.hi = np.clip(result.lo, 0.0, 1.0), np.clip(result.hi, 0.0, 1.0)
    return result


def _hard_swish(v: Any) -> Any:
    return np.where(np.isinf(v), np.maximum(v, 0.0), v * np.clip(v / 6 + 0.5, 0.0, 1.0))[()]


@transfer("HardSwish")
def hard_swish(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    if math.isfinite(x.high) and x.high > x.dtype.hi / 6:  # kernels divide last
        ctx.overflow(x.interval(), x.dtype, False)
    result = with_critical_points(ctx, x, _hard_swish, (-1.5,), ulps=8)
    result.nan |= x.low == -np.inf  # -inf * 0
    slack = np.where((x.lo < 4) & (x.hi > -4), 12 * x.dtype.eps, 0.0)  # x / 6 + 1 / 2 cancels near -3
    result.lo = np.where(x.lo >= 0, np.maximum(result.lo - slack, 0.0), result.lo - slack)[()]
    result.hi = np.where(x.hi <= 0, np.minimum(result.hi + slack, 0.0), result.hi + slack)[()]
    return result


@transfer("Gelu")
def gelu(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """Least at -0.7518 (exact form) or -0.7525 (tanh form); never below -0.1701."""
    if ctx.attr("approximate", "none") == "tanh":
        point = -0.7524614220710162

        def function(v: Any) -> Any:
            return np.where(
                np.isinf(v), np.maximum(v, 0.0), 0.5 * v * (1 + np.tanh(0.7978845608028654 * (v + 0.044715 * v**3)))
            )[()]
    else:
        point, erf = -0.7517915246935645, _vector(math.erf)

        def function(v: Any) -> Any:
            return np.where(np.isinf(v), np.maximum(v, 0.0), 0.5 * v * (1 + erf(v / math.sqrt(2))))[()]

    if math.isfinite(x.high) and x.high > x.dtype.hi / 2:  # kernels halve last
        ctx.overflow(x.interval(), x.dtype, False)
    result = with_critical_points(ctx, x, function, (point,), ulps=16)
    result.nan |= x.low == -np.inf  # -inf * 0, as in what follows
    slack = 8 * x.dtype.eps * np.maximum(1.0, np.minimum(np.abs(x.lo), 16.0))  # 1 + erf cancels in the left tail
    result.lo, result.hi = result.lo - slack, result.hi + np.where(x.lo < 0, slack, 0.0)
    return result


@transfer("Swish", "QuickGelu")
def swish(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    alpha = float(ctx.attr("alpha", 1.702 if ctx.op == "QuickGelu" else 1.0))
    points = (-1.2784645427610738 / alpha,) if alpha else ()

    def function(v: Any) -> Any:
        return np.where(np.isinf(v), np.where(np.sign(v) * np.sign(alpha) > 0, v, 0.0), v * logistic(alpha * v))[()]

    result = with_critical_points(ctx, x, function, points, ulps=16)
    result.nan |= x.may_be_infinite
    return result


@transfer("SwiGLU")
def swiglu(ctx: Context, gate: AbstractTensor, value: AbstractTensor) -> AbstractTensor:
    """swish(gate) * value"""
    return product(ctx, swish(ctx, gate), value)


@transfer("Mish")
def mish(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    def function(v: Any) -> Any:
        return np.where(np.isinf(v), np.maximum(v, 0.0), v * np.tanh(np.logaddexp(0.0, v)))[()]

    result = with_critical_points(ctx, x, function, (-1.1924312145154,), ulps=32)
    result.nan |= x.low == -np.inf
    return result


@transfer("Shrink")
def shrink(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """x + bias below -lambd, x - bias above lambd, 0 between; of NaN, which is neither below nor above, 0 too."""
    bias, lambd = float(ctx.attr("bias", 0.0)), float(ctx.attr("lambd", 0.5))
    lows, highs = [], []
    below, above = x.lo < -lambd, x.hi > lambd
    middle = (x.hi >= -lambd) & (x.lo <= lambd) | x.nan
    lows.append(np.where(below, x.lo + bias, np.inf))
    highs.append(np.where(below, np.minimum(x.hi, -lambd) + bias, -np.inf))
    lows.append(np.where(above, np.maximum(x.lo, lambd) - bias, np.inf))
    highs.append(np.where(above, x.hi - bias, -np.inf))
    lows.append(np.where(middle, 0.0, np.inf))
    highs.append(np.where(middle, 0.0, -np.inf))
    lo, hi = np.minimum.reduce(lows), np.maximum.reduce(highs)
    return rounded(ctx, x, lo[()], hi[()], ulps=1)


@transfer("Clip")
def clip(ctx: Context, x: AbstractTensor, low: Any = None, high: Any = None) -> AbstractTensor:
    """min(max(x, low), high); bounds are operands since opset 11, attributes before."""
    if low is None and "min" in ctx.node.attributes:
        low = interval_tensor(x.dtype, (), float(ctx.attr("min")), float(ctx.attr("min")))
    if high is None and "max" in ctx.node.attributes:
        high = interval_tensor(x.dtype, (), float(ctx.attr("max")), float(ctx.attr("max")))
    return clipped(ctx, x, low, high)


@transfer("ClipByValue")
def clip_by_value(ctx: Context, x: AbstractTensor, low: AbstractTensor, high: AbstractTensor) -> AbstractTensor:
    return clipped(ctx, clipped(ctx, x, None, high), low, None)  # the lower bound wins where they cross


def _inside(x: AbstractTensor, low: AbstractTensor | None, high: AbstractTensor | None) -> bool:
    """Whether bounds leave every element as it is: ends of the type behind a replacement of what is infinite."""
    if any(t is not None and t.nan for t in (x, low, high)) or x.may_be_infinite:
        return False
    return (low is None or low.high <= x.low) and (high is None or x.high <= high.low)


def clipped(ctx: Context, x: AbstractTensor, low: AbstractTensor | None, high: AbstractTensor | None) -> AbstractTensor:
    tensors = [x] + [t for t in (low, high) if t is not None]
    shape, starts, sides = operands_on_common_blocks(ctx, *tensors)
    if shape is not None and shape == x.shape and _inside(x, low, high):
        return x  # with all that is known of it
    lo, hi = sides[0]
    nan = any(t.nan for t in tensors)
    if low is not None:
        lo, hi = np.maximum(lo, sides[1][0]), np.maximum(hi, sides[1][1])
    if high is not None:
        lo, hi = np.minimum(lo, sides[-1][0]), np.minimum(hi, sides[-1][1])
    if any(t.nan for t in tensors[1:]):  # kernels pass over a bound that is NaN, or give NaN
        lo, hi = reduce(np.minimum, [s[0] for s in sides]), reduce(np.maximum, [s[1] for s in sides])
        return build(x.dtype, shape, starts, lo, hi, nan=nan)
    if x.may_be_infinite:  # ONNX Runtime takes the largest and the smallest number for bounds that are left out
        lo, hi = np.minimum(lo, x.dtype.hi) if high is None else lo, np.maximum(hi, x.dtype.lo) if low is None else hi
    result = build(x.dtype, shape, starts, lo, hi, nan=nan)
    if all(t.low == t.high for t in tensors[1:]):
        result.tight = x.tight
    if high is None:
        result.facts = {"above": (x,)}
    elif low is None:
        result.facts = {"below": (x,)}
    return result
