"""Quantised arithmetic: integers of a few bits and their scales."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dims, dtypes
from analyzer.numerical.domain.tensor import AbstractTensor, smashed
from analyzer.numerical.transfer.convolution import onnx_convolution
from analyzer.numerical.transfer.matmul import matmul_bounds
from analyzer.numerical.transfer.registry import transfer


@transfer("QuantizeLinear")
def quantize_linear(ctx: Context, x: AbstractTensor, scale: AbstractTensor, zero: Any = None) -> AbstractTensor:
    """round(x / scale) + zero, saturated."""
    dtype = (
        zero.dtype
        if zero is not None
        else (ctx.type_attr("output_dtype") if ctx.attr("output_dtype") else None) or dtypes.element_type("uint8")
    )
    ctx.nonzero("numerical/division-by-zero", "scale = 0", 1, scale)
    lo, hi = dtype.lo, dtype.hi
    offset = smashed(zero) if zero is not None else None
    if scale.low > 0 and dtype.kind == dtypes.INTEGER:
        z_lo, z_hi = (float(offset.lo), float(offset.hi)) if offset is not None else (0.0, 0.0)
        corners = [x.low / scale.low, x.low / scale.high, x.high / scale.low, x.high / scale.high]
        # a quotient near a half may round to either side
        slack = 1e-3 + 8 * x.dtype.eps * max(abs(c) for c in corners)
        lo = np.clip(np.rint(min(corners) - slack) + z_lo - 1, lo, hi)
        hi = np.clip(np.rint(max(corners) + slack) + z_hi + 1, dtype.lo, hi)
    return AbstractTensor(dtype, x.shape, np.float64(lo), np.float64(hi))


@transfer("DequantizeLinear")
def dequantize_linear(ctx: Context, x: AbstractTensor, scale: AbstractTensor, zero: Any = None) -> AbstractTensor:
    """(x - zero) * scale."""
    dtype = ctx.type_attr("output_dtype") if ctx.attr("output_dtype") else None
    dtype = dtype or scale.dtype
    z_lo, z_hi = (zero.low, zero.high) if zero is not None else (0.0, 0.0)
    corners = [d * s for d in (x.low - z_hi, x.high - z_lo) for s in (scale.low, scale.high)]
    lo, hi = dtype.outward(np.float64(min(corners)), np.float64(max(corners)), 2)
    finite = x.low > -np.inf and x.high < np.inf
    lo, hi = ctx.finite(lo, hi, dtype, finite)
    return AbstractTensor(dtype, x.shape, lo, hi, None, x.nan or scale.nan)


@transfer("DynamicQuantizeLinear")
def dynamic_quantize_linear(ctx: Context, x: AbstractTensor) -> tuple[AbstractTensor, ...]:
    """uint8 values, their scale (range / 255), their zero point."""
    spread = max(x.high, 0.0) - min(x.low, 0.0)
    uint8 = dtypes.element_type("uint8")
    scale = spread / 255 * 1.0001
    if x.low <= 0 <= x.high:
        scale = max(scale, 1.0)  # ONNX Runtime's scale of zeros
    return (
        AbstractTensor(uint8, x.shape, np.float64(0), np.float64(255)),
        AbstractTensor(x.dtype, (), np.float64(0), np.float64(min(scale, x.dtype.hi))),
        AbstractTensor(uint8, (), np.float64(0), np.float64(255)),
    )


def _shifted(x: AbstractTensor, zero: Any) -> AbstractTensor:
    """The integers minus their zero point, wide enough not to overflow."""
    z_lo, z_hi = (zero.low, zero.high) if zero is not None else (0.0, 0.0)
    whole = smashed(x)
    return AbstractTensor(dtypes.INT32, x.shape, np.float64(whole.lo - z_hi), np.float64(whole.hi - z_lo))


@transfer("MatMulInteger")
def matmul_integer(
    ctx: Context, a: AbstractTensor, b: AbstractTensor, za: Any = None, zb: Any = None
) -> AbstractTensor:
    return matmul_bounds(ctx, _shifted(a, za), _shifted(b, zb), dtypes.INT32)


@transfer("ConvInteger")
def conv_integer(ctx: Context, x: AbstractTensor, w: AbstractTensor, zx: Any = None, zw: Any = None) -> AbstractTensor:
    return onnx_convolution(ctx, _shifted(x, zx), _shifted(w, zw), dtypes.INT32)


@transfer("QLinearMatMul", "QLinearConv")
def saturated(ctx: Context, *operands: Any) -> AbstractTensor:
    """Results saturate in the output's type."""
    zero = operands[7] if len(operands) > 7 and operands[7] is not None else operands[0]
    shape = ctx.declared_shape()
    if ctx.op == "QLinearConv" and shape is None and operands[0].shape is not None:
        shape = tuple(dims.unknown(0) for _ in operands[0].shape)
    return AbstractTensor(zero.dtype, shape, np.float64(zero.dtype.lo), np.float64(zero.dtype.hi))


@transfer("FakeQuantWithMinMaxVars")
def fake_quantisation(ctx: Context, x: AbstractTensor, *rest: AbstractTensor) -> AbstractTensor:
    """Values rounded to a grid over a range, which is nudged so that it holds 0."""
    if ctx.op == "FakeQuantWithMinMaxArgs":
        lo, hi = float(ctx.attr("min", -6.0)), float(ctx.attr("max", 6.0))
    elif ctx.op.startswith("QuantizeAndDequantize") and not ctx.attr("range_given", False):
        lo, hi = x.low, x.high  # the tensor's own extremes, about 0 where numbers have signs
        if ctx.attr("signed_input", True):
            lo, hi = -max(abs(lo), abs(hi)), max(abs(lo), abs(hi))
    elif len(rest) >= 2:
        lo, hi = rest[0].low, rest[1].high
    else:
        lo, hi = x.low, x.high
    spread = max(hi, 0.0) - min(lo, 0.0)
    lo, hi = max(min(lo, 0.0) - spread * 0.02, x.dtype.lo), min(max(hi, 0.0) + spread * 0.02, x.dtype.hi)
    return AbstractTensor(x.dtype, x.shape, np.float64(lo), np.float64(hi), None, x.nan)
