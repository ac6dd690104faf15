"""Attention without masks."""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from analyzer.loading.keras_builder import KerasLayer, Unsupported, dims, known_dims, rank
from analyzer.loading.keras_layers.rules import Conversion, LayerCall
from analyzer.loading.keras_layers.shapes import transpose


def _multi_head(layer: KerasLayer, call: LayerCall) -> ir.Value:
    config = layer.config
    query, value = call.named(0, "query"), call.named(1, "value")
    key = call.named(2, "key")
    key = value if key is None else key
    masks = ("query_mask", "value_mask", "key_mask", "attention_mask")
    refused = any(call.keywords.get(k) is not None for k in masks) or call.keywords.get("use_causal_mask")
    if not all(isinstance(v, ir.Value) for v in (query, value, key)) or refused or layer.model.masked:
        raise Unsupported
    if call.keywords.get("return_attention_scores") or config.get("use_gate") or config.get("sliding_window"):
        raise Unsupported
    if any(rank(v) != 3 for v in (query, value, key)) or config.get("attention_axes") not in (None, [1], 1):
        raise Unsupported
    heads, size = int(config["num_heads"]), int(config["key_dim"])
    wide = int(config.get("value_dim") or size)
    bias = bool(config.get("use_bias", True))

    def project(x: ir.Value, part: str, width: int) -> ir.Value:
        """(batch, steps, features) -> (batch, heads, steps, width)."""
        x = layer.computed(x)
        names = ["kernel", *(["bias"] if bias else [])]
        arrange = {"kernel": lambda a: a.reshape(a.shape[0], -1), "bias": lambda a: a.reshape(-1)}
        weights = layer.weights(*names, child=f"{part}_dense", alias=part, arrange=arrange)
        batch, steps = known_dims(x)[:2]
        y = layer.op("MatMul", x, weights[0], shape=(batch, steps, heads * width))
        if bias:
            y = layer.op("Add", y, weights[1], shape=dims(y))
        y = layer.op("Reshape", y, layer.ints([0, 0, heads, width]), shape=(batch, steps, heads, width))
        return transpose(layer, y, [0, 2, 1, 3])

    q, k, v = project(query, "query", size), project(key, "key", size), project(value, "value", wide)
    scaled = layer.op("Mul", q, layer.constant(1 / math.sqrt(size)), shape=dims(q))
    batch, length, others = known_dims(query)[0], known_dims(query)[1], known_dims(key)[1]
    scores = layer.op("MatMul", scaled, transpose(layer, k, [0, 1, 3, 2]), shape=(batch, heads, length, others))
    weights = layer.op("Softmax", scores, axis=-1, shape=dims(scores))
    mixed = layer.op("MatMul", weights, v, shape=(batch, heads, length, wide))
    merged = layer.op(
        "Reshape",
        transpose(layer, mixed, [0, 2, 1, 3]),
        layer.ints([0, 0, heads * wide]),
        shape=(batch, length, heads * wide),
    )
    names = ["kernel", *(["bias"] if bias else [])]
    out = layer.weights(
        *names, child="output_dense", alias="attention_output", arrange={"kernel": lambda a: a.reshape(-1, a.shape[-1])}
    )
    y = layer.op("MatMul", merged, out[0], shape=(batch, length, known_dims(out[0])[-1]))
    result: ir.Value = layer.op("Add", y, out[1], shape=dims(y)) if bias else y
    return result


def _attention(layer: KerasLayer, call: LayerCall) -> ir.Value:
    """Dot-product attention of Luong: softmax(q kᵀ) v."""
    values = [layer.computed(v) for v in call.several()]
    config = layer.config
    refused = call.named(1, "mask") is not None or call.keywords.get("use_causal_mask") or layer.model.masked
    if config.get("score_mode", "dot") != "dot" or config.get("use_scale") or refused or not 2 <= len(values) <= 3:
        raise Unsupported
    query, value = values[:2]
    key = values[2] if len(values) == 3 else value
    if any(rank(v) != 3 for v in values) or call.keywords.get("return_attention_scores"):
        raise Unsupported
    batch, length, _ = known_dims(query)
    scores = layer.op("MatMul", query, transpose(layer, key, [0, 2, 1]), shape=(batch, length, known_dims(key)[1]))
    weights = layer.op("Softmax", scores, axis=-1, shape=dims(scores))
    result: ir.Value = layer.op("MatMul", weights, value, shape=(batch, length, known_dims(value)[-1]))
    return result


LAYERS: dict[str, Conversion] = {"MultiHeadAttention": _multi_head, "Attention": _attention}

__all__ = ["LAYERS", "np"]
