"""Convolutions. Kernels are stored as (spatial…, in, out); ONNX wants (out, in / groups, spatial…)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from analyzer.loading.keras_builder import Dims, KerasLayer, Unsupported, known_dims, rank
from analyzer.loading.keras_layers.activations import activate
from analyzer.loading.keras_layers.rules import Conversion, LayerCall
from analyzer.loading.keras_layers.shapes import is_channels_last, numbers, to_first, to_last, window


def _out_first(kernel: np.ndarray) -> np.ndarray:
    return np.moveaxis(kernel, (-1, -2), (0, 1))


def _depthwise(kernel: np.ndarray) -> np.ndarray:
    """(spatial…, channels, multiplier) -> (channels · multiplier, 1, spatial…)."""
    *spatial, channels, multiplier = kernel.shape
    return np.moveaxis(kernel, (-2, -1), (0, 1)).reshape(channels * multiplier, 1, *spatial)


def _convolved(
    layer: KerasLayer,
    x: ir.Value,
    kernel: ir.Value,
    bias: ir.Value | None,
    strides: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    padding: str,
) -> ir.Value:
    """`x` and the result are ``NC…``."""
    shape, weight = known_dims(x), known_dims(kernel)
    size = [int(d or 0) for d in weight[2:]]
    pads, spatial = window(shape[2:], size, strides, dilation, padding)
    result: ir.Value = layer.op(
        "Conv",
        x,
        kernel,
        *((bias,) if bias is not None else ()),
        kernel_shape=size,
        strides=list(strides),
        dilations=list(dilation),
        group=groups,
        shape=(shape[0], weight[0], *spatial),
        **pads,
    )
    return result


def _conv(spatial: int, depthwise: bool = False) -> Conversion:
    def convert(layer: KerasLayer, call: LayerCall) -> ir.Value:
        config, x = layer.config, layer.computed(call.first())
        last = is_channels_last(config)
        bias = bool(config.get("use_bias", True))
        name, arranged = ("kernel|depthwise_kernel", _depthwise) if depthwise else ("kernel", _out_first)
        parameters = layer.weights(name, *(("bias",) if bias else ()), arrange={name: arranged})
        first = to_first(layer, x, last)
        y = _convolved(
            layer,
            first,
            parameters[0],
            parameters[1] if bias else None,
            numbers(config.get("strides", 1), spatial),
            numbers(config.get("dilation_rate", 1), spatial),
            _channels(first) if depthwise else int(config.get("groups", 1)),
            str(config.get("padding", "valid")),
        )
        return activate(layer, to_last(layer, y, last), config.get("activation"))

    return convert


def _channels(x: ir.Value) -> int:
    channels = known_dims(x)[1]
    if channels is None:
        raise Unsupported
    return channels


def _separable_conv(spatial: int) -> Conversion:
    def convert(layer: KerasLayer, call: LayerCall) -> ir.Value:
        config, x = layer.config, layer.computed(call.first())
        last = is_channels_last(config)
        bias = bool(config.get("use_bias", True))
        parameters = layer.weights(
            "depthwise_kernel",
            "pointwise_kernel",
            *(("bias",) if bias else ()),
            arrange={"depthwise_kernel": _depthwise, "pointwise_kernel": _out_first},
        )
        first = to_first(layer, x, last)
        ones = [1] * spatial
        strides = numbers(config.get("strides", 1), spatial)
        dilation = numbers(config.get("dilation_rate", 1), spatial)
        padding = str(config.get("padding", "valid"))
        y = _convolved(layer, first, parameters[0], None, strides, dilation, _channels(first), padding)
        y = _convolved(layer, y, parameters[1], parameters[2] if bias else None, ones, ones, 1, "valid")
        return activate(layer, to_last(layer, y, last), config.get("activation"))

    return convert


def _conv_transpose(spatial: int) -> Conversion:
    def convert(layer: KerasLayer, call: LayerCall) -> ir.Value:
        config, x = layer.config, layer.computed(call.first())
        last = is_channels_last(config)
        bias = bool(config.get("use_bias", True))
        # (spatial…, out, in) -> (in, out, spatial…): both sides are the gradient of a convolution, nothing is flipped.
        parameters = layer.weights("kernel", *(("bias",) if bias else ()), arrange={"kernel": _out_first})
        first = to_first(layer, x, last)
        shape, weight = known_dims(first), known_dims(parameters[0])
        size = [int(d or 0) for d in weight[2:]]
        strides = numbers(config.get("strides", 1), spatial)
        dilation = numbers(config.get("dilation_rate", 1), spatial)
        extra = config.get("output_padding")
        wanted = numbers(extra, spatial) if extra is not None else [None] * spatial
        pads, more, result = _transposed(
            shape[2:], size, strides, dilation, wanted, str(config.get("padding", "valid"))
        )
        y = layer.op(
            "ConvTranspose",
            first,
            *parameters,
            kernel_shape=size,
            strides=strides,
            dilations=dilation,
            pads=pads,
            output_padding=more,
            shape=(shape[0], weight[1], *result),
        )
        return activate(layer, to_last(layer, y, last), config.get("activation"))

    return convert


def _transposed(
    spatial: Dims,
    size: Sequence[int],
    strides: Sequence[int],
    dilation: Sequence[int],
    wanted: Sequence[int | None],
    padding: str,
) -> tuple[list[int], list[int], Dims]:
    """Pads and output padding of ONNX for Keras's paddings, and the spatial dimensions that result."""
    before, after, more, result = [], [], [], []
    for n, k, s, d, extra in zip(spatial, size, strides, dilation, wanted, strict=True):
        extent = (k - 1) * d + 1
        if padding == "valid":
            total = 0
            added = max(s - extent, 0) if extra is None else extra
        elif padding == "same":
            grown = max(s - extent, 0) if extra is None else max(extra - 2 * (extent // 2), 0)
            total = max(extent - s, 0) if extra is None else max(2 * (extent // 2) - extra, 0)
            added = grown
        else:
            raise Unsupported
        before.append(total // 2)
        after.append(total - total // 2)
        more.append(added)
        result.append(None if n is None else s * (n - 1) + extent - total + added)
    if any(m >= max(s, d) for m, s, d in zip(more, strides, dilation, strict=True)):
        raise Unsupported
    return before + after, more, tuple(result)


LAYERS: dict[str, Conversion] = {}
for _n in (1, 2, 3):
    for _name in (f"Conv{_n}D", f"Convolution{_n}D"):
        LAYERS[_name] = _conv(_n)
    for _name in (f"Conv{_n}DTranspose", f"Convolution{_n}DTranspose"):
        LAYERS[_name] = _conv_transpose(_n)
for _n in (1, 2):
    LAYERS[f"DepthwiseConv{_n}D"] = _conv(_n, depthwise=True)
    LAYERS[f"SeparableConv{_n}D"] = LAYERS[f"SeparableConvolution{_n}D"] = _separable_conv(_n)
del _n, _name

__all__ = ["LAYERS", "rank"]
