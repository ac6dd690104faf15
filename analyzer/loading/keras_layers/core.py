"""Dense, Embedding, the layers that do nothing at inference, and rescaling."""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from analyzer.loading.keras_builder import KerasLayer, Unsupported, dims, known_dims, rank
from analyzer.loading.keras_layers.activations import activate
from analyzer.loading.keras_layers.rules import Conversion, LayerCall
from analyzer.loading.keras_layers.shapes import broadcast


def _dense(layer: KerasLayer, call: LayerCall) -> ir.Value:
    x = layer.computed(call.first())
    bias = layer.config.get("use_bias", True)
    parameters = layer.weights("kernel", *(("bias",) if bias else ()))
    before = dims(x)
    shape = (*before[:-1], known_dims(parameters[0])[-1]) if before is not None else None
    y = layer.op("MatMul", x, parameters[0], shape=shape)
    if bias:
        y = layer.op("Add", y, parameters[1], shape=shape)
    return activate(layer, y, layer.config.get("activation"))


def _einsum_dense(layer: KerasLayer, call: LayerCall) -> ir.Value:
    x = layer.computed(call.first())
    equation = str(layer.config.get("equation", ""))
    axes = layer.config.get("bias_axes")
    parameters = layer.weights("kernel", *(("bias",) if axes else ()))
    y = layer.op("Einsum", x, parameters[0], equation=equation)
    if axes:
        y = layer.op("Add", y, parameters[1])
    return activate(layer, y, layer.config.get("activation"))


def _embedding(layer: KerasLayer, call: LayerCall) -> ir.Value:
    x = call.first()
    if x.dtype is None or not x.dtype.is_integer():
        x = layer.cast(x, ir.DataType.INT64)
    if layer.config.get("mask_zero"):
        layer.model.masked = True
    (table,) = layer.weights("embeddings")
    before = dims(x)
    shape = (*before, known_dims(table)[-1]) if before is not None else None
    result: ir.Value = layer.op("Gather", table, x, axis=0, shape=shape)
    return result


def _same(layer: KerasLayer, call: LayerCall) -> ir.Value:
    x = layer.computed(call.first())
    result: ir.Value = layer.op("Identity", x, shape=dims(x))
    return result


def _rescaling(layer: KerasLayer, call: LayerCall) -> ir.Value:
    x = layer.cast(call.first(), layer.compute)
    scale = layer.constant(layer.config.get("scale", 1.0))
    offset = layer.constant(layer.config.get("offset", 0.0))
    y = layer.op("Mul", x, scale, shape=broadcast(dims(x), dims(scale)))
    result: ir.Value = layer.op("Add", y, offset, shape=broadcast(dims(y), dims(offset)))
    return result


def _normalization(layer: KerasLayer, call: LayerCall) -> ir.Value:
    x = layer.cast(call.first(), layer.compute)
    size = rank(x)
    axis = layer.config.get("axis", -1)
    axes = {a % size for a in ([axis] if isinstance(axis, int) else axis or [])}
    statistics = [layer.config.get("mean"), layer.config.get("variance")]
    shape = [known_dims(x)[i] if i in axes else 1 for i in range(size)]
    if any(d is None for d in shape):
        raise Unsupported
    sizes = [int(d or 0) for d in shape]
    if statistics[0] is not None:
        flat = (np.asarray(s, np.float32).reshape(-1) for s in statistics)
        mean, variance = (np.broadcast_to(f, (math.prod(sizes),)).reshape(sizes) for f in flat)
    else:
        found = [
            np.asarray(v.const_value.numpy())
            for v in layer.weights("mean", "variance", state=("mean", "variance"))
            if v.const_value
        ]
        if len(found) != 2:
            raise Unsupported
        mean, variance = (f.reshape(sizes) for f in found)
    deviation = np.maximum(np.sqrt(variance), np.float32(1e-7))
    if layer.config.get("invert"):
        scaled = layer.op("Mul", x, layer.constant(deviation), shape=dims(x))
        result: ir.Value = layer.op("Add", scaled, layer.constant(mean), shape=dims(x))
        return result
    centred = layer.op("Sub", x, layer.constant(mean), shape=dims(x))
    result = layer.op("Div", centred, layer.constant(deviation), shape=dims(x))
    return result


def _layer_scale(layer: KerasLayer, call: LayerCall) -> ir.Value:
    x = call.first()
    (gamma,) = layer.weights("gamma|variable")
    result: ir.Value = layer.op("Mul", x, gamma, shape=dims(x))
    return result


def _scaled_sum(layer: KerasLayer, call: LayerCall) -> ir.Value:
    first, second = call.several()
    scaled = layer.op("Mul", second, layer.constant(float(layer.config.get("scale", 1.0))), shape=dims(second))
    result: ir.Value = layer.op("Add", first, scaled, shape=dims(first))
    return result


LAYERS: dict[str, Conversion] = {
    "Dense": _dense,
    "EinsumDense": _einsum_dense,
    "Embedding": _embedding,
    "Rescaling": _rescaling,
    "Normalization": _normalization,
    "LayerScale": _layer_scale,  # of keras.applications' ConvNeXt
    "CustomScaleLayer": _scaled_sum,  # of keras.applications' InceptionResNetV2
    **dict.fromkeys(
        (
            "Dropout", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "GaussianDropout", "GaussianNoise",
            "AlphaDropout", "ActivityRegularization", "Identity", "StochasticDepth", "RandomFlip", "RandomRotation",
            "RandomZoom", "RandomTranslation", "RandomContrast", "RandomBrightness",
        ),
        _same,
    ),
}  # fmt: skip
