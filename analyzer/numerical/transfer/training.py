"""Gradients and updates of a training graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain.tensor import AbstractTensor, top
from analyzer.numerical.transfer.arithmetic import product
from analyzer.numerical.transfer.division import quotient
from analyzer.numerical.transfer.kinds import unknown_like
from analyzer.numerical.transfer.reductions import summed
from analyzer.numerical.transfer.registry import transfer


@transfer("ReluGrad")
def gradient_of_slope(ctx: Context, gradient: AbstractTensor, *_: Any) -> AbstractTensor:
    """The incoming gradient times a slope in [0, 1] (Selu: up to 1.7581)."""
    most = (
        1.7582
        if ctx.op == "SeluGrad"
        else max(1.0, abs(float(ctx.attr("alpha", 0.2))))
        if ctx.op == "LeakyReluGrad"
        else 1.0
    )
    least = min(0.0, float(ctx.attr("alpha", 0.2))) if ctx.op == "LeakyReluGrad" else 0.0
    corners = [gradient.lo * most, gradient.lo * least, gradient.hi * most, gradient.hi * least]
    lo, hi = np.minimum.reduce([*corners, 0.0 * gradient.lo]), np.maximum.reduce([*corners, 0.0 * gradient.hi])
    lo, hi = (
        np.clip(np.nan_to_num(lo), gradient.dtype.lo, gradient.dtype.hi),
        np.clip(np.nan_to_num(hi), gradient.dtype.lo, gradient.dtype.hi),
    )
    return AbstractTensor(gradient.dtype, gradient.shape, lo[()], hi[()], gradient.starts, gradient.nan)


@transfer("SigmoidGrad")
def sigmoid_gradient(ctx: Context, y: AbstractTensor, gradient: AbstractTensor) -> AbstractTensor:
    """dy * y * (1 - y)"""
    slope = _parabola(y, lambda v: v * (1 - v), 0.5)
    return product(ctx, gradient, slope)


@transfer("TanhGrad")
def tanh_gradient(ctx: Context, y: AbstractTensor, gradient: AbstractTensor) -> AbstractTensor:
    """dy * (1 - y**2)"""
    return product(ctx, gradient, _parabola(y, lambda v: 1 - v * v, 0.0))


def _parabola(y: AbstractTensor, function: Any, peak: float) -> AbstractTensor:
    a, b = function(y.lo), function(y.hi)
    hi = np.where((y.lo <= peak) & (y.hi >= peak), function(peak), np.maximum(a, b))[()]
    lo, hi = y.dtype.outward(np.minimum(a, b), hi, 4)
    return AbstractTensor(y.dtype, y.shape, lo, hi, y.starts, y.nan)


@transfer("SqrtGrad")
def sqrt_gradient(ctx: Context, y: AbstractTensor, gradient: AbstractTensor) -> AbstractTensor:
    """dy / (2 y): infinite where the root is 0. The root itself carries the warning; this one only passes it on."""
    positive = AbstractTensor(
        y.dtype, y.shape, np.maximum(y.lo, y.dtype.smallest), np.maximum(y.hi, y.dtype.smallest), y.starts
    )
    with ctx.run.ledger.quietly():
        half = quotient(ctx, gradient, positive)
    lo, hi = np.clip(half.lo / 2, y.dtype.lo, y.dtype.hi), np.clip(half.hi / 2, y.dtype.lo, y.dtype.hi)
    return AbstractTensor(y.dtype, half.shape, lo, hi, half.starts, half.nan)


@transfer("RsqrtGrad")
def power_gradient(ctx: Context, y: AbstractTensor, gradient: AbstractTensor) -> AbstractTensor:
    """dy times -y**2 (reciprocal) or -y**3 / 2 (inverse root)."""
    with ctx.run.ledger.quietly():
        slope = product(ctx, y, y)
        if ctx.op == "RsqrtGrad":
            slope = product(ctx, slope, y)
        total = product(ctx, gradient, slope)
    return AbstractTensor(y.dtype, total.shape, -total.hi, -total.lo, total.starts, total.nan)


@transfer("BiasAddGrad")
def bias_gradient(ctx: Context, gradient: AbstractTensor) -> AbstractTensor:
    axes = tuple(range(gradient.rank - 1)) if gradient.rank is not None else None
    if axes is None:
        return AbstractTensor(gradient.dtype, None, np.float64(gradient.dtype.lo), np.float64(gradient.dtype.hi))
    return summed(ctx, gradient, axes, False)


@transfer("MaxPoolGrad")
def pool_gradient(ctx: Context, *operands: AbstractTensor) -> AbstractTensor:
    """Each element receives the gradients of the windows it stands in."""
    gradient = operands[1] if ctx.op.startswith("Avg") else operands[2]
    shape = operands[0].shape if ctx.op.startswith("Max") else ctx.declared_shape()
    window = float(np.prod([int(k) for k in ctx.attr("ksize") or [1]]))
    lo, hi = min(gradient.low * window, 0.0), max(gradient.high * window, 0.0)
    return AbstractTensor(
        gradient.dtype,
        shape,
        np.float64(max(lo, gradient.dtype.lo)),
        np.float64(min(hi, gradient.dtype.hi)),
        None,
        gradient.nan,
    )


@transfer("StridedSliceGrad")
def slice_gradient(ctx: Context, shape: AbstractTensor, *rest: AbstractTensor) -> AbstractTensor:
    """The gradient placed among zeros."""
    gradient = rest[-1]
    return AbstractTensor(
        gradient.dtype,
        shape.sizes(),
        np.float64(min(gradient.low, 0.0)),
        np.float64(max(gradient.high, 0.0)),
        None,
        gradient.nan,
    )


@transfer("ResizeBilinearGrad")
def unbounded_gradient(ctx: Context, *_: Any) -> Any:
    """Gradients without a bound worth computing."""
    return tuple(unknown_like(ctx, i) for i in range(len(ctx.node.outputs)))


@transfer("ApplyGradientDescent")
def optimiser_step(ctx: Context, variable: Any, *_: Any) -> Any:
    """What is assumed of a variable covers its trained values too."""
    return variable


@transfer("Gradient")
def gradient(ctx: Context, *_: Any) -> Any:
    """Derivatives without a bound."""
    return tuple(top(ctx.element_type(i), ctx.declared_shape(i)) for i in range(len(ctx.node.outputs)))


@transfer("Adam", "Adagrad", "Momentum")
def onnx_optimiser(ctx: Context, *_: Any) -> Any:
    return tuple(top(ctx.element_type(i), ctx.declared_shape(i)) for i in range(len(ctx.node.outputs)))
