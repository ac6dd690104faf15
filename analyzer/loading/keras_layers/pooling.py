"""Pooling, windowed and global."""

from __future__ import annotations

import onnx_ir as ir

from analyzer.loading.keras_builder import KerasLayer, known_dims
from analyzer.loading.keras_layers.rules import Conversion, LayerCall
from analyzer.loading.keras_layers.shapes import is_channels_last, numbers, to_first, to_last, window


def _pool(op_type: str, spatial: int) -> Conversion:
    def convert(layer: KerasLayer, call: LayerCall) -> ir.Value:
        config, last = layer.config, is_channels_last(layer.config)
        x = to_first(layer, layer.computed(call.first()), last)
        size = numbers(config.get("pool_size", 2), spatial)
        strides = numbers(config.get("strides") or size, spatial)
        shape = known_dims(x)
        pads, result = window(shape[2:], size, strides, [1] * spatial, str(config.get("padding", "valid")))
        y = layer.op(op_type, x, kernel_shape=size, strides=strides, shape=(*shape[:2], *result), **pads)
        return to_last(layer, y, last)

    return convert


def _global(op_type: str, spatial: int) -> Conversion:
    def convert(layer: KerasLayer, call: LayerCall) -> ir.Value:
        x, keep = layer.computed(call.first()), bool(layer.config.get("keepdims", False))
        shape = known_dims(x)
        last = is_channels_last(layer.config)
        axes = list(range(1, spatial + 1)) if last else list(range(2, spatial + 2))
        result = tuple(1 if i in axes else d for i, d in enumerate(shape) if keep or i not in axes)
        y: ir.Value = layer.op(op_type, x, layer.ints(axes), keepdims=int(keep), shape=result)
        return y

    return convert


LAYERS: dict[str, Conversion] = {}
for _n in (1, 2, 3):
    for _prefix, _op in (("Max", "MaxPool"), ("Average", "AveragePool"), ("Avg", "AveragePool")):
        LAYERS[f"{_prefix}Pooling{_n}D"] = LAYERS[f"{_prefix}Pool{_n}D"] = _pool(_op, _n)
    for _prefix, _op in (("Max", "ReduceMax"), ("Average", "ReduceMean"), ("Avg", "ReduceMean")):
        LAYERS[f"Global{_prefix}Pooling{_n}D"] = LAYERS[f"Global{_prefix}Pool{_n}D"] = _global(_op, _n)
del _n, _prefix, _op
