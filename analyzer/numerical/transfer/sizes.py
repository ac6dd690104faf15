"""Shapes and sizes as values."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dims, dtypes
from analyzer.numerical.domain.dims import Dim
from analyzer.numerical.domain.tensor import AbstractTensor, from_data
from analyzer.numerical.transfer.registry import transfer


def size_tensor(dtype: Any, sizes: tuple[Dim, ...], scalar: bool = False) -> AbstractTensor:
    """A vector (or scalar) of sizes, each known as well as its dimension is."""
    lo = np.array([dims.low(d) for d in sizes], dtype=np.float64)
    hi = np.array([min(dims.high(d), 2.0**31 - 1 if dtype.hi < 2.0**40 else 2.0**40) for d in sizes], dtype=np.float64)
    data = np.array(sizes, dtype=dtype.numpy) if all(isinstance(d, int) for d in sizes) else None
    if scalar:
        return AbstractTensor(dtype, (), lo[0], hi[0], dims=sizes, data=None if data is None else data.reshape(()))
    if len(sizes) <= 1:
        one = np.float64(lo[0] if len(sizes) else 0), np.float64(hi[0] if len(sizes) else 0)
        return AbstractTensor(dtype, (len(sizes),), *one, dims=sizes, data=data)
    return AbstractTensor(dtype, (len(sizes),), lo, hi, (tuple(range(len(sizes))),), dims=sizes, data=data)


@transfer("Shape", framework="onnx")
def shape(ctx: Context, x: Any) -> AbstractTensor:
    if not isinstance(x, AbstractTensor) or x.shape is None:
        return AbstractTensor(dtypes.INT64, (dims.unknown(0),), np.float64(0), np.float64(2.0**40))
    start, end = ctx.attr("start", 0), ctx.attr("end")
    return size_tensor(dtypes.INT64, x.shape[slice(start, end)])


@transfer("Shape", "ShapeN", framework="tf")
def tf_shape(ctx: Context, *tensors: Any) -> Any:
    dtype = ctx.type_attr("out_type") or dtypes.INT32
    results = tuple(
        size_tensor(dtype, x.shape)
        if isinstance(x, AbstractTensor) and x.shape is not None
        else AbstractTensor(dtype, (dims.unknown(0),), np.float64(0), np.float64(2.0**31 - 1))
        for x in tensors
    )
    return results if ctx.op == "ShapeN" else results[0]


@transfer("Size")
def size(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    dtype = (ctx.type_attr("out_type") or dtypes.INT32) if ctx.is_tf else dtypes.INT64
    total = dims.product(x.shape) if x.shape is not None else dims.unknown(0)
    return size_tensor(dtype, (total,), scalar=True)


@transfer("Rank")
def rank(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    if x.shape is None:
        return AbstractTensor(dtypes.INT32, (), np.float64(0), np.float64(254))
    return size_tensor(dtypes.INT32, (len(x.shape),), scalar=True)


@transfer("BroadcastGradientArgs", "BroadcastArgs", "ConcatOffset")
def shape_arguments(ctx: Context, a: AbstractTensor, b: AbstractTensor, *rest: AbstractTensor) -> Any:
    """Which axes to reduce so that a gradient has its operand's shape; the shape that shapes broadcast to."""
    dtype = a.dtype
    if ctx.op == "ConcatOffset":
        return tuple(AbstractTensor(dtype, r.shape, np.float64(0), np.float64(2.0**31 - 1)) for r in (b, *rest))
    first, second = a.sizes(), b.sizes()
    if ctx.op == "BroadcastArgs":
        if first is None or second is None:
            return AbstractTensor(dtype, (dims.unknown(0),), np.float64(0), np.float64(2.0**31 - 1))
        both = dims.broadcast_shapes([first, second])
        return size_tensor(dtype, both or ())
    if first is None or second is None:
        unknown = [AbstractTensor(dtype, (dims.unknown(0),), np.float64(0), np.float64(253)) for _ in range(2)]
        return tuple(unknown)
    n = max(len(first), len(second))
    padded = [(1,) * (n - len(s)) + s for s in (first, second)]
    results = []
    for own, other in (padded, padded[::-1]):
        axes: list[int] = []
        certain = True
        for i, (x, y) in enumerate(zip(own, other, strict=True)):
            if x == 1:
                axes.append(i)
            elif not isinstance(x, int) and x != y:
                certain = False
        results.append(
            AbstractTensor(dtype, (dims.unknown(0),), np.float64(0), np.float64(253))
            if not certain
            else from_data(np.array(axes, dtype=np.int32), dtype)
        )
    return tuple(results)
