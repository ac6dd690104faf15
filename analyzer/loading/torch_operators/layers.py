"""Products, convolutions, normalisations, pools, embeddings and attention."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import onnx_ir as ir

from analyzer.loading.torch_emitter import Emitter, Unsupported, sizes, static
from analyzer.loading.torch_operators.rule import Conversion


def _matmul(e: Emitter) -> ir.Value:
    made: ir.Value = e.op("MatMul", e.value("self"), e.value("other" if e.has("other") else "mat2"))
    return made


def _linear(e: Emitter) -> ir.Value:
    weight = e.value("weight")
    made: ir.Value = e.op("MatMul", e.value("input"), e.op("Transpose", weight, perm=[1, 0]))
    return e.op("Add", made, e.value("bias")) if e.has("bias") else made


def _addmm(e: Emitter) -> ir.Value:
    made: ir.Value = e.op(
        "Gemm", e.value("mat1"), e.value("mat2"), e.value("self"),
        alpha=float(e.arg("alpha", 1)), beta=float(e.arg("beta", 1)),
    )  # fmt: skip
    return made


def _einsum(e: Emitter) -> ir.Value:
    made: ir.Value = e.op("Einsum", *e.arg("tensors"), equation=str(e.arg("equation")))
    return made


def _spread(values: Any, count: int) -> list[int]:
    found: list[int] = list(values) if isinstance(values, list | tuple) else [values]
    return found * count if len(found) == 1 else found


def _conv(e: Emitter) -> ir.Value:
    x, weight = e.value("input"), e.value("weight")
    size = static(weight)[2:]
    padding = e.arg("padding", [0])
    attributes: dict[str, Any] = {}
    if padding == "same":
        raise Unsupported
    pads = [0] * len(size) if padding == "valid" else _spread(padding, len(size))
    bias = [e.value("bias")] if e.has("bias") else []
    made: ir.Value = e.op(
        "Conv", x, weight, *bias, kernel_shape=size, strides=_spread(e.arg("stride", [1]), len(size)), pads=pads * 2,
        dilations=_spread(e.arg("dilation", [1]), len(size)), group=int(e.arg("groups", 1)), **attributes,
    )  # fmt: skip
    return made


def _conv_transpose(e: Emitter) -> ir.Value:
    x, weight = e.value("input"), e.value("weight")
    size = static(weight)[2:]
    bias = [e.value("bias")] if e.has("bias") else []
    made: ir.Value = e.op(
        "ConvTranspose", x, weight, *bias, kernel_shape=size, strides=_spread(e.arg("stride", [1]), len(size)),
        pads=_spread(e.arg("padding", [0]), len(size)) * 2, dilations=_spread(e.arg("dilation", [1]), len(size)),
        output_padding=_spread(e.arg("output_padding", [0]), len(size)), group=int(e.arg("groups", 1)),
    )  # fmt: skip
    return made


def _batch_norm(e: Emitter) -> ir.Value:
    if e.arg("training") or not e.has("running_mean"):
        raise Unsupported
    x, mean = e.value("input"), e.value("running_mean")
    channels = static(mean)[0]
    weight = e.value("weight") if e.has("weight") else e.constant(np.ones(channels), x.dtype)
    bias = e.value("bias") if e.has("bias") else e.constant(np.zeros(channels), x.dtype)
    made: ir.Value = e.op(
        "BatchNormalization", x, weight, bias, mean, e.value("running_var"), epsilon=float(e.arg("eps", 1e-5))
    )
    return made


def _layer_norm(e: Emitter) -> ir.Value:
    x, shape = e.value("input"), list(e.arg("normalized_shape"))
    weight = e.value("weight") if e.has("weight") else e.constant(np.ones(shape), x.dtype)
    bias = [e.value("bias")] if e.has("bias") else []
    made: ir.Value = e.op("LayerNormalization", x, weight, *bias, axis=-len(shape), epsilon=float(e.arg("eps", 1e-5)))
    return made


def _group_norm(e: Emitter) -> ir.Value:
    x, groups = e.value("input"), int(e.arg("num_groups"))
    grouped = e.op("Reshape", x, e.ints([0, groups, -1]))
    ones, zeros = e.constant(np.ones(groups), x.dtype), e.constant(np.zeros(groups), x.dtype)
    y = e.op("InstanceNormalization", grouped, ones, zeros, epsilon=float(e.arg("eps", 1e-5)))
    y = e.op("Reshape", y, _shape_of(e, x))
    spread = e.ints([-1, *[1] * (len(sizes(x)) - 2)])
    for name, op_type in (("weight", "Mul"), ("bias", "Add")):
        if e.has(name):
            y = e.op(op_type, y, e.op("Reshape", e.value(name), spread))
    made: ir.Value = y
    return made


def _shape_of(e: Emitter, x: ir.Value) -> ir.Value:
    made: ir.Value = e.op("Shape", x)
    made.type = ir.TensorType(ir.DataType.INT64)
    return made


def _pool(op_type: str, spatial: int) -> Conversion:
    def convert(e: Emitter) -> ir.Value:
        size = _spread(e.arg("kernel_size"), spatial)
        strides = _spread(e.arg("stride") or size, spatial)
        attributes: dict[str, Any] = {"ceil_mode": int(bool(e.arg("ceil_mode", False)))}
        if op_type == "AveragePool":
            attributes["count_include_pad"] = int(bool(e.arg("count_include_pad", True)))
            if e.arg("divisor_override") is not None:
                raise Unsupported
        else:
            attributes["dilations"] = _spread(e.arg("dilation", [1]), spatial)
        pads = _spread(e.arg("padding", [0]), spatial) * 2
        made: ir.Value = e.op(op_type, e.value("self"), kernel_shape=size, strides=strides, pads=pads, **attributes)
        return made

    return convert


def _adaptive_average(spatial: int) -> Conversion:
    def convert(e: Emitter) -> ir.Value:
        if any(s != 1 for s in _spread(e.arg("output_size"), spatial)):
            raise Unsupported
        rank = len(sizes(e.value("self")))
        made: ir.Value = e.op("ReduceMean", e.value("self"), e.ints(list(range(rank - spatial, rank))), keepdims=1)
        return made

    return convert


def _embedding(e: Emitter) -> ir.Value:
    made: ir.Value = e.op("Gather", e.value("weight"), e.value("indices"), axis=0)
    return made


def _attention(e: Emitter) -> ir.Value:
    """softmax(q kᵀ · scale + mask) v, without dropout."""
    q, k, v = e.value("query"), e.value("key"), e.value("value")
    if e.arg("dropout_p", 0.0) or e.arg("enable_gqa"):
        raise Unsupported
    width, rank = sizes(q)[-1], len(sizes(q))
    scale = e.arg("scale")
    if scale is None:
        scale = 1 / math.sqrt(int(width or 0))
    order = [*range(rank - 2), rank - 1, rank - 2]
    scores = e.op("MatMul", e.op("Mul", q, e.constant(scale, q.dtype)), e.op("Transpose", k, perm=order))
    if e.arg("is_causal"):
        length, others = sizes(q)[-2], sizes(k)[-2]
        if length is None or others is None:
            raise Unsupported
        scores = e.op("Add", scores, e.constant(np.triu(np.full((length, others), -np.inf), 1), q.dtype))
    elif e.has("attn_mask"):
        mask = e.value("attn_mask")
        if mask.dtype is ir.DataType.BOOL:
            zero, low = e.constant(0.0, q.dtype), e.constant(-np.inf, q.dtype)
            mask = e.op("Where", mask, zero, low)
            mask.type = q.type
        scores = e.op("Add", scores, mask)
    made: ir.Value = e.op("MatMul", e.op("Softmax", scores, axis=-1), v)
    return made


OPERATORS: dict[str, Conversion] = {
    "matmul": _matmul, "mm": _matmul, "bmm": _matmul, "linear": _linear, "addmm": _addmm, "einsum": _einsum,
    "conv1d": _conv, "conv2d": _conv, "conv3d": _conv, "conv_transpose1d": _conv_transpose,
    "conv_transpose2d": _conv_transpose, "batch_norm": _batch_norm, "layer_norm": _layer_norm,
    "group_norm": _group_norm, "max_pool1d": _pool("MaxPool", 1), "max_pool2d": _pool("MaxPool", 2),
    "max_pool3d": _pool("MaxPool", 3), "avg_pool1d": _pool("AveragePool", 1), "avg_pool2d": _pool("AveragePool", 2),
    "avg_pool3d": _pool("AveragePool", 3), "adaptive_avg_pool1d": _adaptive_average(1),
    "adaptive_avg_pool2d": _adaptive_average(2), "embedding": _embedding,
    "scaled_dot_product_attention": _attention,
}  # fmt: skip
