"""Activations, as functions (by name in other layers' configurations) and as layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx_ir as ir

from analyzer.loading.keras_builder import KerasLayer, Unsupported, dims
from analyzer.loading.keras_layers.rules import Conversion, LayerCall
from analyzer.loading.keras_layers.shapes import number


def _unary(op_type: str, **attributes: Any) -> Callable[[KerasLayer, ir.Value], ir.Value]:
    def apply(layer: KerasLayer, x: ir.Value) -> ir.Value:
        result: ir.Value = layer.op(op_type, x, shape=dims(x), **attributes)
        return result

    return apply


def clip(layer: KerasLayer, x: ir.Value, low: float, high: float) -> ir.Value:
    result: ir.Value = layer.op("Clip", x, constant_like(layer, x, low), constant_like(layer, x, high), shape=dims(x))
    return result


def constant_like(layer: KerasLayer, x: ir.Value, value: Any) -> ir.Value:
    return layer.constant(np.asarray(value), (x.dtype or layer.compute).numpy())


def _hard_sigmoid(layer: KerasLayer, x: ir.Value) -> ir.Value:
    slope = 1 / 6 if layer.model.keras_major >= 3 else 0.2
    result: ir.Value = layer.op("HardSigmoid", x, alpha=slope, beta=0.5, shape=dims(x))
    return result


def _silu(layer: KerasLayer, x: ir.Value) -> ir.Value:
    result: ir.Value = layer.op("Mul", x, layer.op("Sigmoid", x, shape=dims(x)), shape=dims(x))
    return result


def _hard_silu(layer: KerasLayer, x: ir.Value) -> ir.Value:
    result: ir.Value = layer.op("Mul", x, _hard_sigmoid(layer, x), shape=dims(x))
    return result


def _log_sigmoid(layer: KerasLayer, x: ir.Value) -> ir.Value:
    negative = layer.op("Neg", x, shape=dims(x))
    result: ir.Value = layer.op("Neg", layer.op("Softplus", negative, shape=dims(x)), shape=dims(x))
    return result


def _tanh_shrink(layer: KerasLayer, x: ir.Value) -> ir.Value:
    result: ir.Value = layer.op("Sub", x, layer.op("Tanh", x, shape=dims(x)), shape=dims(x))
    return result


FUNCTIONS: dict[str, Callable[[KerasLayer, ir.Value], ir.Value]] = {
    "linear": lambda _, x: x,
    "relu": _unary("Relu"),
    "relu6": lambda layer, x: clip(layer, x, 0.0, 6.0),
    "sigmoid": _unary("Sigmoid"),
    "tanh": _unary("Tanh"),
    "softmax": _unary("Softmax", axis=-1),
    "log_softmax": _unary("LogSoftmax", axis=-1),
    "softplus": _unary("Softplus"),
    "softsign": _unary("Softsign"),
    "elu": _unary("Elu", alpha=1.0),
    "selu": _unary("Selu", alpha=1.6732632423543772, gamma=1.0507009873554805),
    "celu": _unary("Celu", alpha=1.0),
    "gelu": _unary("Gelu"),
    "exponential": _unary("Exp"),
    "mish": _unary("Mish"),
    "leaky_relu": _unary("LeakyRelu", alpha=0.2),
    "hard_sigmoid": _hard_sigmoid,
    "silu": _silu,
    "swish": _silu,
    "hard_silu": _hard_silu,
    "hard_swish": _hard_silu,
    "log_sigmoid": _log_sigmoid,
    "tanh_shrink": _tanh_shrink,
}


def activate(layer: KerasLayer, x: ir.Value, activation: Any) -> ir.Value:
    """Apply an activation given as in a configuration: a name, None, or a serialised function or layer."""
    if activation is None:
        return x
    if isinstance(activation, str):
        if activation not in FUNCTIONS:
            return unknown(layer, x, activation)
        return FUNCTIONS[activation](layer, x)
    if not isinstance(activation, dict):
        raise Unsupported
    name, config = activation.get("class_name"), activation.get("config")
    if name == "function" and isinstance(config, str):
        return FUNCTIONS[config](layer, x) if config in FUNCTIONS else unknown(layer, x, config)
    if isinstance(name, str) and isinstance(config, dict) and name in LAYERS and name != "PReLU":
        inner = layer.inner(name, config, "activation", "activation")
        result: ir.Value = LAYERS[name](inner, LayerCall([x], {}))
        return result
    return unknown(layer, x, str(name))


def unknown(layer: KerasLayer, x: ir.Value, name: str) -> ir.Value:
    result: ir.Value = layer.node("keras", name, [x], {}, dims(x))
    return result


def _relu_layer(layer: KerasLayer, call: LayerCall) -> ir.Value:
    x = call.first()
    slope = number(layer.config, "negative_slope", 0.0)
    threshold = number(layer.config, "threshold", 0.0)
    high = layer.config.get("max_value")
    if threshold:
        kept = layer.op("Greater" if slope else "GreaterOrEqual", x, constant_like(layer, x, threshold), shape=dims(x))
        shifted = layer.op("Sub", x, constant_like(layer, x, threshold), shape=dims(x))
        below = layer.op("Mul", shifted, constant_like(layer, x, slope), shape=dims(x))
        result: ir.Value = layer.op("Where", kept, x, below, shape=dims(x))
        result.dtype = x.dtype or layer.compute
        return result if high is None else layer.op("Min", result, constant_like(layer, x, high), shape=dims(x))
    if slope:
        result = layer.op("LeakyRelu", x, alpha=slope, shape=dims(x))
        return result if high is None else layer.op("Min", result, constant_like(layer, x, high), shape=dims(x))
    return clip(layer, x, 0.0, float(high)) if high is not None else FUNCTIONS["relu"](layer, x)


def _leaky_relu(layer: KerasLayer, call: LayerCall) -> ir.Value:
    x = call.first()
    slope = layer.config.get("negative_slope", layer.config.get("alpha", 0.3))
    result: ir.Value = layer.op("LeakyRelu", x, alpha=float(slope), shape=dims(x))
    return result


def _elu(layer: KerasLayer, call: LayerCall) -> ir.Value:
    x = call.first()
    result: ir.Value = layer.op("Elu", x, alpha=number(layer.config, "alpha", 1.0), shape=dims(x))
    return result


def _prelu(layer: KerasLayer, call: LayerCall) -> ir.Value:
    x = call.first()
    (alpha,) = layer.weights("alpha")
    result: ir.Value = layer.op("PRelu", x, alpha, shape=dims(x))
    return result


def _softmax(layer: KerasLayer, call: LayerCall) -> ir.Value:
    x = call.first()
    axis = layer.config.get("axis", -1)
    if isinstance(axis, list | tuple) and len(axis) == 1:
        axis = axis[0]
    if not isinstance(axis, int) or call.named(1, "mask") is not None:
        raise Unsupported
    result: ir.Value = layer.op("Softmax", x, axis=axis, shape=dims(x))
    return result


LAYERS: dict[str, Conversion] = {
    "Activation": lambda layer, call: activate(layer, call.first(), layer.config.get("activation")),
    "ReLU": _relu_layer,
    "LeakyReLU": _leaky_relu,
    "ELU": _elu,
    "PReLU": _prelu,
    "Softmax": _softmax,
}
