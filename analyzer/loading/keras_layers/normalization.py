"""Normalisation at inference."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from analyzer.loading.keras_builder import KerasLayer, Unsupported, dims, known_dims, rank
from analyzer.loading.keras_layers.rules import Conversion, LayerCall
from analyzer.loading.keras_layers.shapes import number, to_first, to_last, transpose


def _axes(layer: KerasLayer, size: int) -> list[int]:
    axis = layer.config.get("axis", -1)
    values = axis if isinstance(axis, list | tuple) else [axis]
    if not all(type(a) is int and -size <= a < size for a in values):
        raise Unsupported
    return sorted({a % size for a in values})


def _batch(layer: KerasLayer, call: LayerCall) -> ir.Value:
    x = layer.computed(call.first())
    size = rank(x)
    axes = _axes(layer, size)
    if len(axes) != 1 or axes[0] == 0:
        raise Unsupported
    scale, centre = bool(layer.config.get("scale", True)), bool(layer.config.get("center", True))
    names = [*(["gamma"] if scale else []), *(["beta"] if centre else []), "moving_mean", "moving_variance"]
    found = dict(zip(names, layer.weights(*names, state=("moving_mean", "moving_variance")), strict=True))
    channels = int(known_dims(found["moving_mean"])[0] or 0)
    gamma = found.get("gamma") or layer.constant(np.ones(channels))
    beta = found.get("beta") or layer.constant(np.zeros(channels))
    swap = [0, axes[0], *(i for i in range(1, size) if i != axes[0])]
    first = transpose(layer, x, swap)
    y = layer.op(
        "BatchNormalization",
        first,
        gamma,
        beta,
        found["moving_mean"],
        found["moving_variance"],
        epsilon=number(layer.config, "epsilon", 1e-3),
        shape=dims(first),
    )
    return transpose(layer, y, [swap.index(i) for i in range(size)])


def _layer(layer: KerasLayer, call: LayerCall) -> ir.Value:
    x = layer.computed(call.first())
    size = rank(x)
    axes = _axes(layer, size)
    if axes != list(range(axes[0], size)) or layer.config.get("rms_scaling"):
        raise Unsupported
    scale, centre = bool(layer.config.get("scale", True)), bool(layer.config.get("center", True))
    names = [*(["gamma"] if scale else []), *(["beta"] if centre else [])]
    found = dict(zip(names, layer.weights(*names), strict=True))
    shape = [known_dims(x)[a] for a in axes]
    if any(d is None for d in shape):
        raise Unsupported
    gamma = found.get("gamma") or layer.constant(np.ones([int(d or 0) for d in shape]))
    parameters = [gamma, *([found["beta"]] if centre else [])]
    epsilon = number(layer.config, "epsilon", 1e-3)
    result: ir.Value = layer.op("LayerNormalization", x, *parameters, axis=axes[0], epsilon=epsilon, shape=dims(x))
    return result


def _group(layer: KerasLayer, call: LayerCall) -> ir.Value:
    """Groups become the channels of an instance normalisation; the affine part follows a channel at a time."""
    x = layer.computed(call.first())
    size = rank(x)
    axes = _axes(layer, size)
    if axes not in ([1], [size - 1]) or size < 3:
        raise Unsupported
    last = axes == [size - 1]
    first = to_first(layer, x, last)
    channels = known_dims(first)[1]
    groups = layer.config.get("groups", 32)
    groups = channels if groups == -1 else groups
    if channels is None or type(groups) is not int or groups < 1 or channels % groups:
        raise Unsupported
    grouped = layer.op("Reshape", first, layer.ints([0, groups, -1]), shape=(known_dims(first)[0], groups, None))
    y = layer.op(
        "InstanceNormalization",
        grouped,
        layer.constant(np.ones(groups)),
        layer.constant(np.zeros(groups)),
        epsilon=number(layer.config, "epsilon", 1e-3),
        shape=dims(grouped),
    )
    y = layer.op("Reshape", y, layer.op("Shape", first), shape=dims(first))
    y = to_last(layer, y, last)
    scale, centre = bool(layer.config.get("scale", True)), bool(layer.config.get("center", True))
    names = [*(["gamma"] if scale else []), *(["beta"] if centre else [])]

    def spread(array: np.ndarray) -> np.ndarray:
        return array if last else array.reshape(-1, *[1] * (size - 2))

    found = dict(zip(names, layer.weights(*names, arrange=dict.fromkeys(names, spread)), strict=True))
    if scale:
        y = layer.op("Mul", y, found["gamma"], shape=dims(x))
    if centre:
        y = layer.op("Add", y, found["beta"], shape=dims(x))
    result: ir.Value = y
    return result


def _unit(layer: KerasLayer, call: LayerCall) -> ir.Value:
    x = layer.computed(call.first())
    axes = layer.ints(_axes(layer, rank(x)))
    square = layer.op("ReduceSumSquare", x, axes, keepdims=1)
    # Keras: x * rsqrt(max(sum x², 1e-12))
    floor = layer.op("Max", square, layer.constant(1e-12))
    result: ir.Value = layer.op("Div", x, layer.op("Sqrt", floor), shape=dims(x))
    return result


def _rms(layer: KerasLayer, call: LayerCall) -> ir.Value:
    x = layer.computed(call.first())
    axes = _axes(layer, rank(x))
    (scale,) = layer.weights("scale")
    square = layer.op("Mul", x, x, shape=dims(x))
    mean = layer.op("ReduceMean", square, layer.ints(axes), keepdims=1)
    root = layer.op("Sqrt", layer.op("Add", mean, layer.constant(number(layer.config, "epsilon", 1e-6))))
    if axes != [rank(x) - 1]:
        raise Unsupported
    result: ir.Value = layer.op("Mul", layer.op("Div", x, root, shape=dims(x)), scale, shape=dims(x))
    return result


LAYERS: dict[str, Conversion] = {
    "BatchNormalization": _batch,
    "LayerNormalization": _layer,
    "GroupNormalization": _group,
    "UnitNormalization": _unit,
    "RMSNormalization": _rms,
}
