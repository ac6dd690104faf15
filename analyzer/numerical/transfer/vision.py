"""Detection and image operators of TensorFlow and ONNX that move or pick values."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dims, dtypes
from analyzer.numerical.domain.tensor import AbstractTensor, smashed
from analyzer.numerical.transfer.registry import transfer


@transfer("NonMaxSuppression")
def non_max_suppression(ctx: Context, boxes: AbstractTensor, *_: Any) -> AbstractTensor:
    """Indices of the selected boxes."""
    dtype = dtypes.INT32 if ctx.is_tf else dtypes.INT64
    shape = (dims.unknown(0),) if ctx.is_tf else (dims.unknown(0), 3)
    return AbstractTensor(dtype, shape, np.float64(0), np.float64(2.0**31 - 1))


@transfer("AdjustContrastv2")
def colour(ctx: Context, x: AbstractTensor, *_: Any) -> AbstractTensor:
    """Colour spaces: hue and saturation in [0, 1]; adjustments without a bound."""
    whole = smashed(x)
    if ctx.op == "RGBToHSV":
        return AbstractTensor(x.dtype, x.shape, np.float64(min(whole.lo, -1.0)), np.float64(max(whole.hi, 1.0)))
    if ctx.op == "HSVToRGB" and x.low >= 0:
        return AbstractTensor(x.dtype, x.shape, np.float64(min(0.0, -float(whole.hi))), np.float64(whole.hi))
    return AbstractTensor(x.dtype, x.shape, np.float64(x.dtype.lo), np.float64(x.dtype.hi))


@transfer("ExtractImagePatches")
def patches(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    return AbstractTensor(
        x.dtype, ctx.declared_shape(), np.float64(min(x.low, 0.0)), np.float64(max(x.high, 0.0)), None, x.nan
    )
