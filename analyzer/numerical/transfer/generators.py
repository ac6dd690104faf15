"""Constants, ranges, random numbers, data from outside the graph."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dims, dtypes
from analyzer.numerical.domain.dims import Dim
from analyzer.numerical.domain.tensor import AbstractTensor, from_data, top
from analyzer.numerical.transfer.joining import hull
from analyzer.numerical.transfer.registry import transfer
from analyzer.numerical.transfer.rounding import ACCUMULATED


@transfer("Constant", framework="onnx")
def constant(ctx: Context) -> Any:
    for name in ("value", "value_float", "value_floats", "value_int", "value_ints"):
        value = ctx.attr(name)
        if value is None:
            continue
        if hasattr(value, "numpy"):
            return ctx.run.constant(value)
        floats = "float" in name
        return ctx.run.constant(
            np.asarray(value, dtype=np.float32 if floats else np.int64), dtypes.FLOAT32 if floats else dtypes.INT64
        )
    return top(ctx.element_type(), ctx.declared_shape())


@transfer("Constant", framework="tf")
def tf_const(ctx: Context) -> AbstractTensor:
    value = ctx.attr("value")
    if value is None and ctx.node.outputs[0].const_value is not None:
        value = ctx.node.outputs[0].const_value
    if value is None:
        return top(ctx.element_type(), ctx.declared_shape())
    return ctx.run.constant(value)


@transfer("ConstantOfShape")
def constant_of_shape(ctx: Context, sizes: AbstractTensor) -> AbstractTensor:
    value = ctx.attr("value")
    data = np.zeros(1, np.float32) if value is None else np.asarray(value.numpy())
    dtype = dtypes.FLOAT32 if value is None else dtypes.of_onnx(value.dtype)
    number = np.float64(data.reshape(-1)[0])
    return AbstractTensor(dtype, sizes.sizes(), number, number)


@transfer("Fill")
def fill(ctx: Context, sizes: AbstractTensor, value: AbstractTensor) -> AbstractTensor:
    result = AbstractTensor(value.dtype, sizes.sizes(), np.float64(value.low), np.float64(value.high), None, value.nan)
    if value.dims is not None and result.shape is not None and len(result.shape) == 0:
        result.dims = value.dims
    return result


@transfer("ZerosLike", "OnesLike")
def filled_like(ctx: Context, x: Any) -> Any:
    if not isinstance(x, AbstractTensor):
        return x
    value = np.float64(1.0 if ctx.op == "OnesLike" else 0.0)
    return AbstractTensor(x.dtype, x.shape, value, value)


@transfer("Range")
def arange(ctx: Context, start: AbstractTensor, limit: AbstractTensor, delta: AbstractTensor) -> AbstractTensor:
    """start, start + delta, … before limit. A step of 0 never ends (a run that survives has another step)."""
    exact = [t.exact() for t in (start, limit, delta)]
    if all(e is not None for e in exact):
        a, b, c = (np.ravel(e)[0] for e in exact)
        if start.dtype.is_float:
            a, b, c = float(a), float(b), float(c)
            uneven = c != 0 and abs((b - a) / c) <= 4096 and not ((b - a) / c).is_integer()
            if uneven and not _counts(start, a, b, c):
                return _rounded_range(start, a, b, c)
        if c != 0 and abs((b - a) / c) <= 4096:
            return from_data(np.arange(a, b, c).astype(start.dtype.numpy or np.float64), start.dtype)
    n: Dim = dims.unknown(0)
    if delta.low == delta.high == 1 and start.low == start.high == 0 and limit.dims is not None:
        n = limit.dims[0] if not isinstance(limit.dims[0], int) or limit.dims[0] >= 0 else n
    step = 0.0 if start.dtype.is_float else 1.0
    lo, hi = start.low, start.high
    if delta.high > 0:
        hi = max(hi, limit.high - step * min(delta.low if delta.low > 0 else 1.0, 1.0))
    if delta.low < 0:
        lo = min(lo, limit.low + step)
    steps = (hi - lo) / min(abs(delta.low), abs(delta.high)) if delta.low * delta.high > 0 else 2.0**24
    slack = start.dtype.eps * max(abs(lo), abs(hi)) * (64 + min(steps, 2.0**24))  # kernels add up the steps
    a, b = np.clip(lo - slack, start.dtype.lo, start.dtype.hi), np.clip(hi + slack, start.dtype.lo, start.dtype.hi)
    return AbstractTensor(start.dtype, (n,), np.float64(a), np.float64(b))


def _counts(start: AbstractTensor, a: float, b: float, c: float) -> bool:
    """Whether all numbers on the way are whole and so small that a kernel computes them, and how many, exactly.

    A quotient of whole numbers below 1 / eps is farther from a whole number than its rounding takes it.
    """
    return all(v.is_integer() for v in (a, b, c)) and max(abs(a), abs(b), abs(b - a)) * start.dtype.eps < 1


def _rounded_range(start: AbstractTensor, a: float, b: float, c: float) -> AbstractTensor:
    """A range whose number of elements and last one depend on how a kernel rounds: it may reach the limit."""
    steps = max(math.ceil((b - a) / c), 0)
    lo, hi = (a, max(a, b)) if c > 0 else (min(a, b), a)
    slack = start.dtype.eps * max(abs(lo), abs(hi)) * (4 + steps)
    size = dims.unknown(max(steps - 1, 0), steps + 1)
    return AbstractTensor(start.dtype, (size,), np.float64(lo - slack), np.float64(hi + slack))


@transfer("LinSpace")
def linspace(ctx: Context, start: AbstractTensor, stop: AbstractTensor, number: AbstractTensor) -> AbstractTensor:
    sizes = number.sizes()
    result = hull([start, stop], (sizes[0],) if sizes else None)
    slack = 4 * start.dtype.eps * max(abs(result.low), abs(result.high))
    result.lo, result.hi = result.lo - slack, result.hi + slack
    return result


def _random(dtype: Any, shape: Any, lo: float, hi: float) -> AbstractTensor:
    result = AbstractTensor(dtype, shape, np.float64(lo), np.float64(hi))
    result.lo, result.hi = dtype.nearest(result.lo), dtype.nearest(result.hi)
    result.lo, result.hi = np.clip(result.lo, dtype.lo, dtype.hi), np.clip(result.hi, dtype.lo, dtype.hi)
    return result


@transfer("RandomNormal", "RandomNormalLike", framework="onnx")
def random_normal(ctx: Context, x: Any = None) -> AbstractTensor:
    """Generators have finite tails: no more than sqrt(-2 ln u) for the least uniform number u."""
    dtype = ctx.type_attr("dtype") or (x.dtype if isinstance(x, AbstractTensor) else dtypes.FLOAT32)
    shape = tuple(int(d) for d in ctx.attr("shape")) if x is None else x.shape
    mean, scale = float(ctx.attr("mean", 0.0)), abs(float(ctx.attr("scale", 1.0)))
    return _random(dtype, shape, mean - 9.0 * scale, mean + 9.0 * scale)


@transfer("RandomUniform", "RandomUniformLike", framework="onnx")
def random_uniform(ctx: Context, x: Any = None) -> AbstractTensor:
    dtype = ctx.type_attr("dtype") or (x.dtype if isinstance(x, AbstractTensor) else dtypes.FLOAT32)
    shape = tuple(int(d) for d in ctx.attr("shape")) if x is None else x.shape
    return _random(dtype, shape, float(ctx.attr("low", 0.0)), float(ctx.attr("high", 1.0)))


@transfer("RandomNormal", "TruncatedNormal", framework="tf")
def tf_random_normal(ctx: Context, sizes: AbstractTensor, *_: Any) -> AbstractTensor:
    dtype = ctx.type_attr("dtype") or dtypes.FLOAT32
    limit = 2.0 if "Truncated" in ctx.op else (9.0 if dtype.name == "float64" else 7.0)
    return _random(dtype, sizes.sizes(), -limit, limit)


@transfer("RandomUniform", framework="tf")
def tf_random_uniform(ctx: Context, sizes: AbstractTensor, *_: Any) -> AbstractTensor:
    """[0, 1), zero included."""
    dtype = ctx.type_attr("dtype") or dtypes.FLOAT32
    return _random(dtype, sizes.sizes(), 0.0, 1.0 - dtype.eps / 2 if dtype.eps < 1e-6 else 1.0 - dtype.eps)


@transfer("RandomUniformInt")
def tf_random_integers(
    ctx: Context, sizes: AbstractTensor, low: AbstractTensor, high: AbstractTensor
) -> AbstractTensor:
    return _random(low.dtype, sizes.sizes(), low.low, high.high - 1)


@transfer("RandomGamma")
def tf_random_positive(ctx: Context, *_: Any) -> AbstractTensor:
    return AbstractTensor(ctx.element_type(), None, np.float64(0), np.float64(ctx.element_type().hi))


@transfer("Bernoulli")
def bernoulli(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    dtype = ctx.type_attr("dtype") or x.dtype
    return AbstractTensor(
        dtype, x.shape, np.float64(1.0 if x.low >= 1 else 0.0), np.float64(0.0 if x.high <= 0 else 1.0)
    )


@transfer("Multinomial")
def multinomial(ctx: Context, x: AbstractTensor, *_: Any) -> AbstractTensor:
    """Class indices."""
    dtype = ctx.element_type(0, dtypes.INT32)
    hi = dims.high(x.shape[-1]) - 1 if x.shape else dtype.hi
    return AbstractTensor(dtype, ctx.declared_shape(), np.float64(0), np.float64(min(hi, dtype.hi)))


@transfer("Dropout")
def dropout(ctx: Context, x: AbstractTensor, ratio: Any = None, training: Any = None) -> Any:
    """The identity in inference; in training, 0 or x / (1 - ratio)."""
    mask = AbstractTensor(dtypes.BOOL, x.shape, np.float64(0), np.float64(1))
    trains = training is not None and training.high > 0
    if ctx.opset < 12 or not trains:
        return x, mask
    ratio_hi = ratio.high if ratio is not None else 0.5
    scale = 1 / (1 - ratio_hi) if ratio_hi < 1 else x.dtype.hi
    lo, hi = min(x.low * scale, x.low, 0.0), max(x.high * scale, x.high, 0.0)
    lo, hi = x.dtype.outward(np.float64(lo), np.float64(hi), 2)
    lo, hi = ctx.finite(lo, hi, x.dtype, True)
    return AbstractTensor(x.dtype, x.shape, lo, hi, None, x.nan), mask


@transfer("LogUniformCandidateSampler")
def candidate_sampler(ctx: Context, *_: Any) -> tuple[AbstractTensor, ...]:
    """Sampled class ids, and how often each is expected."""
    limit = float(ctx.attr("range_max", 2**31))
    n = float(ctx.attr("num_sampled", 2**31))
    ids = AbstractTensor(dtypes.INT64, None, np.float64(0), np.float64(limit - 1))
    expected = AbstractTensor(dtypes.FLOAT32, None, np.float64(0), np.float64(n * 1.001))
    return ids, expected, AbstractTensor(dtypes.FLOAT32, None, np.float64(0), np.float64(n * 1.001))


@transfer("Placeholder")
def placeholder(ctx: Context) -> Any:
    return ctx.run.assumed(ctx.node.outputs[0], ctx.element_type())


@transfer("Feed", "Decode", "ReadFile", "Restore", "Variable", "PyFunc")
def from_outside(ctx: Context, *_: Any) -> Any:
    """Data of which the graph says only type and shape; ranges may be assumed by the name of each output."""
    results = []
    for output in ctx.node.outputs:
        dtype = dtypes.of_onnx(output.dtype) if output.dtype is not None else dtypes.FLOAT32
        if dtype.name == "uint8" or ctx.op in ("DecodeJpeg", "DecodePng", "DecodeImage", "DecodeBmp"):
            results.append(AbstractTensor(dtype, ctx.run.shape_of(output), np.float64(0), np.float64(255)))
        else:
            results.append(ctx.run.assumed(output, dtype))
    return tuple(results)


@transfer("Dataset", "VariableHandle", "Table", "NoOp", "Save", "Assert")
def handle(ctx: Context, *_: Any) -> Any:
    """Handles, side effects and summaries hold no numbers to compute with; what an iterator gives is assumed."""
    results = []
    for output in ctx.node.outputs:
        dtype = dtypes.of_onnx(output.dtype) if output.dtype is not None else dtypes.element_type("resource")
        results.append(top(dtype, ctx.run.shape_of(output)))
    return tuple(results)


@transfer("MelWeightMatrix")
def mel_weight_matrix(ctx: Context, *_: Any) -> AbstractTensor:
    dtype = ctx.type_attr("output_datatype") or dtypes.FLOAT32
    return AbstractTensor(dtype, ctx.declared_shape(), np.float64(0), np.float64(1))


@transfer("HannWindow", "HammingWindow", "BlackmanWindow")
def window(ctx: Context, n: AbstractTensor) -> AbstractTensor:
    """Values of a window function, in [0, 1] up to rounding."""
    dtype = ctx.type_attr("output_datatype") or dtypes.FLOAT32
    sizes = n.sizes()
    slack = 8 * max(dtype.eps, ACCUMULATED)  # three cosines, their products and sums
    shape = (sizes[0],) if sizes else None
    single = not ctx.attr("periodic", 1) and n.low <= 1 <= n.high  # divides by its size less one
    return AbstractTensor(dtype, shape, np.float64(-slack), np.float64(1 + slack), None, single)


@transfer("ImageDecoder")
def image_decoder(ctx: Context, _: Any) -> AbstractTensor:
    return AbstractTensor(
        dtypes.element_type("uint8"),
        (dims.unknown(1), dims.unknown(1), dims.unknown(1)),
        np.float64(0),
        np.float64(255),
    )


@transfer("AffineGrid")
def affine_grid(ctx: Context, theta: AbstractTensor, size: AbstractTensor) -> AbstractTensor:
    """theta times homogeneous coordinates in [-1, 1]: at most the sum of a row's absolute values."""
    n = 4.0
    if theta.shape is not None and isinstance(theta.shape[-1], int):
        n = float(theta.shape[-1])
    most = max(abs(theta.low), abs(theta.high)) * n * (1 + 1e-5)  # a sum of three or four products in float32
    most = min(most, theta.dtype.hi)
    return AbstractTensor(theta.dtype, ctx.declared_shape(), np.float64(-most), np.float64(most), None, theta.nan)
