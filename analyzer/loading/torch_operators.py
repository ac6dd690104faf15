"""Torch's operators as ONNX nodes, by family. Some are listed with their overload; defaults are the schema's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx_ir as ir

from analyzer.loading.torch_emitter import Emitter, Unsupported, sizes, static

Rule = Callable[[Emitter], Any]


def _unary(op_type: str, **attributes: Any) -> Rule:
    def convert(e: Emitter) -> ir.Value:
        x = e.cast(e.value("self" if e.has("self") else "input"), e.result.dtype)
        made: ir.Value = e.op(op_type, x, **attributes)
        return made

    return convert


def _parameter(op_type: str, **names: tuple[str, float]) -> Rule:
    """A unary operator with attributes that the call gives: ONNX's name = (torch's name, default)."""

    def convert(e: Emitter) -> ir.Value:
        attributes: dict[str, Any] = {k: float(e.arg(theirs, default)) for k, (theirs, default) in names.items()}
        made: ir.Value = e.op(op_type, e.value("self" if e.has("self") else "input"), **attributes)
        return made

    return convert


def _operands(e: Emitter) -> tuple[ir.Value, ir.Value]:
    """Both operands in the type in which torch computes."""
    pair = [e.operation.arguments[n] for n in ("self", "other")]
    tensors = [v for v in pair if isinstance(v, ir.Value)]
    dtype = e.result.dtype
    if dtype is ir.DataType.BOOL:
        kinds = [v.dtype.numpy() for v in tensors if v.dtype is not None]
        number = [v for v in pair if isinstance(v, float)]
        common = np.result_type(*kinds, *([np.float32] if number and kinds[0].kind != "f" else []))
        dtype = ir.DataType.from_numpy(common)
    made = [e.cast(v, dtype) if isinstance(v, ir.Value) else e.constant(v, dtype) for v in pair]
    return made[0], made[1]


def _binary(op_type: str) -> Rule:
    def convert(e: Emitter) -> ir.Value:
        first, second = _operands(e)
        alpha = e.arg("alpha", 1)
        if alpha != 1:
            second = e.op("Mul", second, e.constant(alpha, second.dtype))
        if e.arg("rounding_mode") is not None:
            raise Unsupported
        made: ir.Value = e.op(op_type, first, second)
        return made

    return convert


def _not_equal(e: Emitter) -> ir.Value:
    made: ir.Value = e.op("Not", e.op("Equal", *_operands(e)))
    return made


def _chain(*steps: str) -> Rule:
    def convert(e: Emitter) -> ir.Value:
        value = e.cast(e.value("self"), e.result.dtype)
        for step in steps:
            value = e.op(step, value)
        return value

    return convert


def _silu(e: Emitter) -> ir.Value:
    x = e.value("self")
    made: ir.Value = e.op("Mul", x, e.op("Sigmoid", x))
    return made


def _square(e: Emitter) -> ir.Value:
    x = e.value("self")
    made: ir.Value = e.op("Mul", x, x)
    return made


def _gelu(e: Emitter) -> ir.Value:
    made: ir.Value = e.op("Gelu", e.value("self"), approximate=str(e.arg("approximate", "none")))
    return made


def _clamp(low: str, high: str, defaults: tuple[Any, Any] = (None, None)) -> Rule:
    def convert(e: Emitter) -> ir.Value:
        x = e.cast(e.value("self"), e.result.dtype)
        bounds = [e.arg(name, default) for name, default in zip((low, high), defaults, strict=True)]
        if any(isinstance(b, ir.Value) for b in bounds):
            raise Unsupported
        made: ir.Value = e.op("Clip", x, *(e.constant(b, x.dtype) if b is not None else None for b in bounds))
        return made

    return convert


def _softplus(e: Emitter) -> ir.Value:
    if e.arg("beta", 1) != 1:
        raise Unsupported
    made: ir.Value = e.op("Softplus", e.value("self"))
    return made


def _softmax(op_type: str) -> Rule:
    def convert(e: Emitter) -> ir.Value:
        made: ir.Value = e.op(op_type, e.cast(e.value("self"), e.result.dtype), axis=int(e.arg("dim")))
        return made

    return convert


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


def _pool(op_type: str, spatial: int) -> Rule:
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


def _adaptive_average(spatial: int) -> Rule:
    def convert(e: Emitter) -> ir.Value:
        if any(s != 1 for s in _spread(e.arg("output_size"), spatial)):
            raise Unsupported
        rank = len(sizes(e.value("self")))
        made: ir.Value = e.op("ReduceMean", e.value("self"), e.ints(list(range(rank - spatial, rank))), keepdims=1)
        return made

    return convert


def _reduce(op_type: str) -> Rule:
    def convert(e: Emitter) -> ir.Value:
        x = e.cast(e.value("self"), e.result.dtype)
        axes = e.arg("dim")
        axes = [axes] if type(axes) is int else list(axes or [])
        keep = int(bool(e.arg("keepdim", False)))
        made: ir.Value = e.op(op_type, x, *([e.ints(axes)] if axes else []), keepdims=keep)
        return made

    return convert


def _reshape(e: Emitter) -> ir.Value:
    """To the result's shape, which may have one symbol."""
    target = e.shape
    if target.count(None) > 1:
        before = sizes(e.value("self"))
        # Leading symbols that stay where they are can be copied.
        copied = next(
            (i for i, (a, b) in enumerate(zip(before, target, strict=False)) if a is not None or b is not None), 0
        )
        names = [str(d) for d in (e.value("self").shape or ())][:copied]
        if target[copied:].count(None) > 1 or names != [str(d) for d in (e.result.shape or ())][:copied]:
            raise Unsupported
        numbers = [0] * copied + [-1 if d is None else d for d in target[copied:]]
    else:
        numbers = [-1 if d is None else d for d in target]
    if 0 in target:
        raise Unsupported
    made: ir.Value = e.op("Reshape", e.value("self"), e.ints(numbers))
    return made


def _same(e: Emitter) -> ir.Value:
    if e.arg("train") or e.arg("training"):
        raise Unsupported
    x = e.value("self" if e.has("self") else "input")
    made: ir.Value = e.op("Identity", x) if x.dtype == e.result.dtype else e.cast(x, e.result.dtype)
    return made


def _transpose(e: Emitter) -> ir.Value:
    x = e.value("self")
    rank = len(sizes(x))
    order = list(range(rank))
    if e.has("dims"):
        order = [d % rank for d in e.arg("dims")]
    else:
        a, b = e.arg("dim0", 0) % rank, e.arg("dim1", 1) % rank
        order[a], order[b] = order[b], order[a]
    made: ir.Value = e.op("Transpose", x, perm=order)
    return made


def _unsqueeze(e: Emitter) -> ir.Value:
    made: ir.Value = e.op("Unsqueeze", e.value("self"), e.ints([e.arg("dim")]))
    return made


def _squeeze(e: Emitter) -> ir.Value:
    x, axes = e.value("self"), e.arg("dim")
    rank = len(sizes(x))
    axes = [a % rank for a in ([axes] if type(axes) is int else axes)]
    gone = [a for a in axes if sizes(x)[a] == 1]
    made: ir.Value = e.op("Squeeze", x, e.ints(gone)) if gone else e.op("Identity", x)
    return made


def _expand(e: Emitter) -> ir.Value:
    x = e.value("self")
    before = [1] * (len(e.shape) - len(sizes(x))) + sizes(x)
    if any(b is None and a is not None for a, b in zip(before, e.shape, strict=True)):
        raise Unsupported
    made: ir.Value = e.op("Expand", x, e.ints([1 if d is None else d for d in e.shape]))
    return made


def _slice(e: Emitter) -> ir.Value:
    axis, step = e.arg("dim", 0), e.arg("step", 1)
    start, end = e.arg("start", 0), e.arg("end", np.iinfo(np.int64).max)
    start, end = 0 if start is None and not _given(e, "start") else start, end
    if end is None and sizes(e.value("self"))[axis] is None and sizes(e.result)[axis] is None and start == 0:
        end = np.iinfo(np.int64).max if str(e.value("self").shape) == str(e.result.shape) else None
    bounds = [int(start), int(np.clip(end, -(2**62), 2**62))]
    made: ir.Value = e.op("Slice", e.value("self"), *(e.ints([v]) for v in (*bounds, axis, step)))
    return made


def _given(e: Emitter, name: str) -> bool:
    return name in e.operation.arguments


def _select(e: Emitter) -> ir.Value:
    index = e.constant(int(e.arg("index")), ir.DataType.INT64)
    made: ir.Value = e.op("Gather", e.value("self"), index, axis=int(e.arg("dim")))
    return made


def _concatenate(e: Emitter) -> ir.Value:
    values = [e.cast(v, e.result.dtype) for v in e.arg("tensors")]
    made: ir.Value = e.op("Concat", *values, axis=int(e.arg("dim", 0)))
    return made


def _stack(e: Emitter) -> ir.Value:
    axis = e.ints([int(e.arg("dim", 0))])
    values = [e.op("Unsqueeze", v, axis) for v in e.arg("tensors")]
    made: ir.Value = e.op("Concat", *values, axis=int(e.arg("dim", 0)))
    return made


def _split(e: Emitter) -> Any:
    axis = int(e.arg("dim", 0))
    parts = [sizes(v)[axis] for v in e.operation.results]
    if None in parts:
        raise Unsupported
    made = e.op("Split", e.value("self"), e.ints([int(p or 0) for p in parts]), axis=axis, outputs=len(parts))
    return made if isinstance(made, list) else [made]


def _embedding(e: Emitter) -> ir.Value:
    made: ir.Value = e.op("Gather", e.value("weight"), e.value("indices"), axis=0)
    return made


def _where(e: Emitter) -> ir.Value:
    pair = [e.cast(e.value(n), e.result.dtype) for n in ("self", "other")]
    made: ir.Value = e.op("Where", e.value("condition"), *pair)
    made.type = pair[0].type
    return made


def _masked_fill(e: Emitter) -> ir.Value:
    x, fill = e.value("self"), e.arg("value")
    if isinstance(fill, ir.Value):
        raise Unsupported
    made: ir.Value = e.op("Where", e.value("mask"), e.constant(fill, x.dtype), x)
    made.type = x.type
    return made


def _filled(value: float | None) -> Rule:
    def convert(e: Emitter) -> ir.Value:
        shape = static(e.result)
        if math.prod(shape) > 1 << 24 or e.result.dtype is None:
            raise Unsupported
        fill = e.arg("fill_value") if value is None else value
        return e.constant(np.full(shape, fill), e.result.dtype)

    return convert


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


def _rsqrt(e: Emitter) -> ir.Value:
    made: ir.Value = e.op("Reciprocal", e.op("Sqrt", e.value("self")))
    return made


OPERATORS: dict[str, Rule] = {
    f"aten.{name}": rule
    for name, rule in {
        **{name.lower(): _unary(name) for name in (
            "Relu", "Sigmoid", "Tanh", "Exp", "Log", "Sqrt", "Neg", "Abs", "Erf", "Sin", "Cos", "Tan", "Floor", "Ceil",
            "Round", "Reciprocal", "Sign", "Mish", "Selu", "HardSwish", "Asin", "Acos", "Atan",
        )},
        "log_sigmoid": _chain("Neg", "Softplus", "Neg"), "logical_not": _unary("Not"), "bitwise_not": _unary("Not"),
        "silu": _silu, "square": _square, "gelu": _gelu, "rsqrt": _rsqrt, "softplus": _softplus,
        "elu": _parameter("Elu", alpha=("alpha", 1.0)),
        "leaky_relu": _parameter("LeakyRelu", alpha=("negative_slope", 0.01)),
        "hardsigmoid": _unary("HardSigmoid", alpha=1 / 6, beta=0.5),
        "hardtanh": _clamp("min_val", "max_val", (-1, 1)), "relu6": _clamp("_", "__", (0, 6)),
        "clamp.default": _clamp("min", "max"), "clamp_min.default": _clamp("min", "_"),
        "clamp_max.default": _clamp("_", "max"), "add": _binary("Add"), "sub": _binary("Sub"), "mul": _binary("Mul"),
        "div": _binary("Div"), "maximum": _binary("Max"), "minimum": _binary("Min"), "eq": _binary("Equal"),
        "ne": _not_equal, "lt": _binary("Less"), "le": _binary("LessOrEqual"), "gt": _binary("Greater"),
        "ge": _binary("GreaterOrEqual"), "logical_and": _binary("And"), "logical_or": _binary("Or"),
        "softmax": _softmax("Softmax"), "_softmax": _softmax("Softmax"), "log_softmax": _softmax("LogSoftmax"),
        "_log_softmax": _softmax("LogSoftmax"), "matmul": _matmul, "mm": _matmul, "bmm": _matmul, "linear": _linear,
        "addmm": _addmm, "einsum": _einsum, "conv1d": _conv, "conv2d": _conv, "conv3d": _conv,
        "conv_transpose1d": _conv_transpose, "conv_transpose2d": _conv_transpose, "batch_norm": _batch_norm,
        "layer_norm": _layer_norm, "group_norm": _group_norm, "max_pool1d": _pool("MaxPool", 1),
        "max_pool2d": _pool("MaxPool", 2), "max_pool3d": _pool("MaxPool", 3), "avg_pool1d": _pool("AveragePool", 1),
        "avg_pool2d": _pool("AveragePool", 2), "avg_pool3d": _pool("AveragePool", 3),
        "adaptive_avg_pool1d": _adaptive_average(1), "adaptive_avg_pool2d": _adaptive_average(2),
        "mean": _reduce("ReduceMean"), "sum": _reduce("ReduceSum"), "amax": _reduce("ReduceMax"),
        "amin": _reduce("ReduceMin"), "max.default": _reduce("ReduceMax"), "min.default": _reduce("ReduceMin"),
        "reshape": _reshape, "view": _reshape, "_unsafe_view": _reshape, "flatten": _reshape, "unflatten": _reshape,
        "unsqueeze": _unsqueeze, "squeeze.dim": _squeeze, "squeeze.dims": _squeeze, "transpose": _transpose,
        "permute": _transpose, "t": _transpose, "expand": _expand, "slice": _slice, "select": _select,
        "cat": _concatenate, "concat": _concatenate, "stack": _stack, "split": _split, "split_with_sizes": _split,
        "chunk": _split, "embedding": _embedding, "where.self": _where, "masked_fill.Scalar": _masked_fill,
        "full": _filled(None), "zeros": _filled(0), "ones": _filled(1), "zeros_like": _filled(0),
        "ones_like": _filled(1), "scaled_dot_product_attention": _attention,
        **dict.fromkeys((
            "contiguous", "clone", "alias", "detach", "detach_", "lift_fresh_copy", "dropout", "dropout_", "to",
            "_to_copy", "type_as", "float", "feature_dropout",
        ), _same),
    }.items()
}  # fmt: skip
OPERATORS |= {
    f"{name}_": rule for name, rule in OPERATORS.items() if name in ("aten.relu", "aten.silu", "aten.hardtanh")
}


def _power(e: Emitter) -> ir.Value:
    base, exponent = (e.operation.arguments[n] for n in ("self", "exponent"))
    dtype = e.result.dtype
    pair = [e.cast(v, dtype) if isinstance(v, ir.Value) else e.constant(v, dtype) for v in (base, exponent)]
    made: ir.Value = e.op("Pow", *pair)
    return made


OPERATORS["aten.pow"] = _power


def _reversed_sub(e: Emitter) -> ir.Value:
    first, second = _operands(e)
    alpha = e.arg("alpha", 1)
    if alpha != 1:
        first = e.op("Mul", first, e.constant(alpha, first.dtype))
    made: ir.Value = e.op("Sub", second, first)
    return made


OPERATORS["aten.rsub"] = _reversed_sub
