"""Layers that merge several inputs."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir

from analyzer.loading.keras_builder import KerasLayer, Unsupported, dims, known_dims, rank
from analyzer.loading.keras_layers.rules import Conversion, LayerCall
from analyzer.loading.keras_layers.shapes import broadcast


def _aligned(layer: KerasLayer, values: list[ir.Value]) -> list[ir.Value]:
    """Keras aligns inputs of different ranks behind the batch dimension."""
    values = [layer.computed(v) for v in values]
    size = max(rank(v) for v in values)
    return [_raised(layer, v, size) for v in values]


def _raised(layer: KerasLayer, x: ir.Value, size: int) -> ir.Value:
    missing = size - rank(x)
    if not missing:
        return x
    shape = known_dims(x)
    result: ir.Value = layer.op(
        "Unsqueeze", x, layer.ints(list(range(1, 1 + missing))), shape=(shape[0], *[1] * missing, *shape[1:])
    )
    return result


def _chain(op_type: str, average: bool = False) -> Conversion:
    def convert(layer: KerasLayer, call: LayerCall) -> ir.Value:
        values = _aligned(layer, call.several())
        result = values[0]
        for value in values[1:]:
            result = layer.op(op_type, result, value, shape=broadcast(dims(result), dims(value)))
        if average:
            result = layer.op("Div", result, layer.constant(float(len(values))), shape=dims(result))
        return result

    return convert


def _concatenate(layer: KerasLayer, call: LayerCall) -> ir.Value:
    return concatenated(layer, [layer.computed(v) for v in call.several()], layer.config.get("axis", -1))


def concatenated(layer: KerasLayer, values: list[ir.Value], axis: Any) -> ir.Value:
    size = rank(values[0])
    if type(axis) is not int or not -size <= axis < size or any(rank(v) != size for v in values):
        raise Unsupported
    axis %= size
    shapes = [known_dims(v) for v in values]
    shape = list(shapes[0])
    parts = [s[axis] for s in shapes]
    shape[axis] = None if None in parts else sum(p or 0 for p in parts)
    result: ir.Value = layer.op("Concat", *values, axis=axis, shape=tuple(shape))
    return result


def _dot(layer: KerasLayer, call: LayerCall) -> ir.Value:
    first, second = call.several()
    axes = layer.config.get("axes")
    if layer.config.get("normalize") or rank(first) != 2 or rank(second) != 2 or axes not in (1, -1, [1, 1], [-1, -1]):
        raise Unsupported
    product = layer.op("Mul", first, second, shape=dims(first))
    result: ir.Value = layer.op("ReduceSum", product, layer.ints([1]), keepdims=1, shape=(known_dims(first)[0], 1))
    return result


LAYERS: dict[str, Conversion] = {
    "Add": _chain("Add"),
    "Subtract": _chain("Sub"),
    "Multiply": _chain("Mul"),
    "Average": _chain("Add", average=True),
    "Maximum": _chain("Max"),
    "Minimum": _chain("Min"),
    "Concatenate": _concatenate,
    "Dot": _dot,
}
