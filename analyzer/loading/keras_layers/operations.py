"""``keras.ops`` applied to Keras tensors, which functional models record as layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx_ir as ir

from analyzer.loading.keras_builder import KerasLayer, Unsupported, dims, known_dims, rank
from analyzer.loading.keras_layers.activations import FUNCTIONS, constant_like
from analyzer.loading.keras_layers.merging import concatenated
from analyzer.loading.keras_layers.reshaping import reshaped
from analyzer.loading.keras_layers.rules import Conversion, LayerCall
from analyzer.loading.keras_layers.shapes import broadcast, transpose


def _binary(op_type: str) -> Conversion:
    def convert(layer: KerasLayer, call: LayerCall) -> ir.Value:
        first, second = call.named(0, "x1"), call.named(1, "x2")
        like = first if isinstance(first, ir.Value) else second
        if not isinstance(like, ir.Value):
            raise Unsupported
        pair = [v if isinstance(v, ir.Value) else constant_like(layer, like, v) for v in (first, second)]
        if pair[0].dtype != pair[1].dtype or (op_type == "Div" and not _floating(like)):
            raise Unsupported
        result: ir.Value = layer.op(op_type, *pair, shape=broadcast(dims(pair[0]), dims(pair[1])))
        return result

    return convert


def _floating(value: ir.Value) -> bool:
    return value.dtype is not None and value.dtype.is_floating_point()


def _unary(op_type: str) -> Conversion:
    def convert(layer: KerasLayer, call: LayerCall) -> ir.Value:
        x = call.first()
        if not _floating(x):
            raise Unsupported
        result: ir.Value = layer.op(op_type, x, shape=dims(x))
        return result

    return convert


def _activation(apply: Callable[[KerasLayer, ir.Value], ir.Value]) -> Conversion:
    def convert(layer: KerasLayer, call: LayerCall) -> ir.Value:
        if set(layer.config) - {"name", "axis", "approximate", "dtype"} or layer.config.get("approximate"):
            raise Unsupported
        if layer.config.get("axis", -1) != -1:
            raise Unsupported
        return apply(layer, call.first())

    return convert


def _reduction(op_type: str) -> Conversion:
    def convert(layer: KerasLayer, call: LayerCall) -> ir.Value:
        x, axis, keep = call.first(), layer.config.get("axis"), bool(layer.config.get("keepdims", False))
        size = rank(x)
        values = list(range(size)) if axis is None else [axis] if type(axis) is int else list(axis)
        axes = sorted({a % size for a in values})
        shape = tuple(1 if i in axes else d for i, d in enumerate(known_dims(x)) if keep or i not in axes)
        result: ir.Value = layer.op(op_type, x, layer.ints(axes), keepdims=int(keep), shape=shape)
        return result

    return convert


def _reshape(layer: KerasLayer, call: LayerCall) -> ir.Value:
    target = layer.config.get("newshape")
    if not isinstance(target, list | tuple) or len(target) < 2 or target[0] not in (-1, None):
        raise Unsupported
    rest = [-1 if t is None else t for t in target[1:]]
    if rest.count(-1) > 1 or (target[0] == -1 and -1 in rest):
        raise Unsupported
    return reshaped(layer, call.first(), rest)


def _transpose(layer: KerasLayer, call: LayerCall) -> ir.Value:
    x = call.first()
    axes = layer.config.get("axes")
    return transpose(layer, x, [a % rank(x) for a in axes] if axes is not None else list(range(rank(x)))[::-1])


def _matmul(layer: KerasLayer, call: LayerCall) -> ir.Value:
    first, second = call.named(0, "x1"), call.named(1, "x2")
    if not isinstance(first, ir.Value) or not isinstance(second, ir.Value) or min(rank(first), rank(second)) < 2:
        raise Unsupported
    batch = broadcast(known_dims(first)[:-2], known_dims(second)[:-2])
    shape = (*batch, known_dims(first)[-2], known_dims(second)[-1]) if batch is not None else None
    result: ir.Value = layer.op("MatMul", first, second, shape=shape)
    return result


def _get_item(layer: KerasLayer, call: LayerCall) -> ir.Value:
    """Slices with constant bounds, and single indices."""
    x, key = call.first(), call.named(1, "key")
    parts = list(key) if isinstance(key, list | tuple) else [key]
    starts, ends, axes, steps, dropped = [], [], [], [], []
    shape = list(known_dims(x))
    for axis, part in enumerate(parts):
        start, stop, step, single = _bounds(part)
        if single:
            dropped.append(axis)
        size = shape[axis] if axis < len(shape) else None
        if size is None and (start, stop, step) != (None, None, None) and not single:
            raise Unsupported
        if (start, stop, step) == (None, None, None):
            continue
        step = 1 if step is None else step
        if step < 1:
            raise Unsupported
        starts.append(0 if start is None else start)
        ends.append(np.iinfo(np.int64).max if stop is None else stop)
        axes.append(axis)
        steps.append(step)
        shape[axis] = 1 if single else len(range(*slice(start, stop, step).indices(int(size or 0))))
    y = x
    if axes:
        y = layer.op("Slice", x, *(layer.ints(p) for p in (starts, ends, axes, steps)), shape=tuple(shape))
    if dropped:
        kept = tuple(d for i, d in enumerate(shape) if i not in dropped)
        y = layer.op("Squeeze", y, layer.ints(dropped), shape=kept)
    return y


def _bounds(part: Any) -> tuple[int | None, int | None, int | None, bool]:
    if type(part) is int:
        return part, part + 1 if part != -1 else None, 1, True
    if isinstance(part, dict) and part.get("class_name") == "__slice__":
        config = part.get("config") or {}
        values = (config.get("start"), config.get("stop"), config.get("step"))
        if all(v is None or type(v) is int for v in values):
            return (*values, False)
    raise Unsupported


def _expand(layer: KerasLayer, call: LayerCall) -> ir.Value:
    x, axis = call.first(), layer.config.get("axis")
    if type(axis) is not int:
        raise Unsupported
    size = rank(x) + 1
    shape = list(known_dims(x))
    shape.insert(axis % size, 1)
    result: ir.Value = layer.op("Unsqueeze", x, layer.ints([axis % size]), shape=tuple(shape))
    return result


def _square(layer: KerasLayer, call: LayerCall) -> ir.Value:
    x = call.first()
    result: ir.Value = layer.op("Mul", x, x, shape=dims(x))
    return result


OPERATIONS: dict[str, Conversion] = {
    "Add": _binary("Add"),
    "Subtract": _binary("Sub"),
    "Multiply": _binary("Mul"),
    "Divide": _binary("Div"),
    "TrueDivide": _binary("Div"),
    "Maximum": _binary("Max"),
    "Minimum": _binary("Min"),
    "Power": _binary("Pow"),
    "Exp": _unary("Exp"),
    "Log": _unary("Log"),
    "Sqrt": _unary("Sqrt"),
    "Abs": _unary("Abs"),
    "Absolute": _unary("Abs"),
    "Negative": _unary("Neg"),
    "Reciprocal": _unary("Reciprocal"),
    "Sin": _unary("Sin"),
    "Cos": _unary("Cos"),
    "Tanh": _unary("Tanh"),
    "Square": _square,
    "Mean": _reduction("ReduceMean"),
    "Sum": _reduction("ReduceSum"),
    "Max": _reduction("ReduceMax"),
    "Min": _reduction("ReduceMin"),
    "Reshape": _reshape,
    "Transpose": _transpose,
    "Concatenate": lambda layer, call: concatenated(layer, call.several(), layer.config.get("axis", 0)),
    "Matmul": _matmul,
    "GetItem": _get_item,
    "ExpandDims": _expand,
    "Relu": _activation(FUNCTIONS["relu"]),
    "Relu6": _activation(FUNCTIONS["relu6"]),
    "Sigmoid": _activation(FUNCTIONS["sigmoid"]),
    "Softmax": _activation(FUNCTIONS["softmax"]),
    "Softplus": _activation(FUNCTIONS["softplus"]),
    "Silu": _activation(FUNCTIONS["silu"]),
    "Gelu": _activation(FUNCTIONS["gelu"]),
}
