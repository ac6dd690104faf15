"""Elementwise operators, selection by a mask, softmax and tensors of one value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import onnx_ir as ir

from analyzer.loading.torch_emitter import Emitter, Unsupported, static
from analyzer.loading.torch_operators.rule import Conversion


def _unary(op_type: str, **attributes: Any) -> Conversion:
    def convert(e: Emitter) -> ir.Value:
        x = e.cast(e.value("self" if e.has("self") else "input"), e.result.dtype)
        made: ir.Value = e.op(op_type, x, **attributes)
        return made

    return convert


def _parameter(op_type: str, **names: tuple[str, float]) -> Conversion:
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


def _binary(op_type: str) -> Conversion:
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


def _chain(*steps: str) -> Conversion:
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


def _clamp(low: str, high: str, defaults: tuple[Any, Any] = (None, None)) -> Conversion:
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


def _softmax(op_type: str) -> Conversion:
    def convert(e: Emitter) -> ir.Value:
        made: ir.Value = e.op(op_type, e.cast(e.value("self"), e.result.dtype), axis=int(e.arg("dim")))
        return made

    return convert


def _rsqrt(e: Emitter) -> ir.Value:
    made: ir.Value = e.op("Reciprocal", e.op("Sqrt", e.value("self")))
    return made


def _power(e: Emitter) -> ir.Value:
    base, exponent = (e.operation.arguments[n] for n in ("self", "exponent"))
    dtype = e.result.dtype
    pair = [e.cast(v, dtype) if isinstance(v, ir.Value) else e.constant(v, dtype) for v in (base, exponent)]
    made: ir.Value = e.op("Pow", *pair)
    return made


def _reversed_sub(e: Emitter) -> ir.Value:
    first, second = _operands(e)
    alpha = e.arg("alpha", 1)
    if alpha != 1:
        first = e.op("Mul", first, e.constant(alpha, first.dtype))
    made: ir.Value = e.op("Sub", second, first)
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


def _filled(value: float | None) -> Conversion:
    def convert(e: Emitter) -> ir.Value:
        shape = static(e.result)
        if math.prod(shape) > 1 << 24 or e.result.dtype is None:
            raise Unsupported
        fill = e.arg("fill_value") if value is None else value
        return e.constant(np.full(shape, fill), e.result.dtype)

    return convert


OPERATORS: dict[str, Conversion] = {
    **{name.lower(): _unary(name) for name in (
        "Relu", "Sigmoid", "Tanh", "Exp", "Log", "Sqrt", "Neg", "Abs", "Erf", "Sin", "Cos", "Tan", "Floor", "Ceil",
        "Round", "Reciprocal", "Sign", "Mish", "Selu", "HardSwish", "Asin", "Acos", "Atan",
    )},
    "log_sigmoid": _chain("Neg", "Softplus", "Neg"), "logical_not": _unary("Not"), "bitwise_not": _unary("Not"),
    "silu": _silu, "square": _square, "gelu": _gelu, "rsqrt": _rsqrt, "softplus": _softplus, "pow": _power,
    "elu": _parameter("Elu", alpha=("alpha", 1.0)),
    "leaky_relu": _parameter("LeakyRelu", alpha=("negative_slope", 0.01)),
    "hardsigmoid": _unary("HardSigmoid", alpha=1 / 6, beta=0.5),
    "hardtanh": _clamp("min_val", "max_val", (-1, 1)), "relu6": _clamp("_", "__", (0, 6)),
    "clamp.default": _clamp("min", "max"), "clamp_min.default": _clamp("min", "_"),
    "clamp_max.default": _clamp("_", "max"), "add": _binary("Add"), "sub": _binary("Sub"), "rsub": _reversed_sub,
    "mul": _binary("Mul"), "div": _binary("Div"), "maximum": _binary("Max"), "minimum": _binary("Min"),
    "eq": _binary("Equal"), "ne": _not_equal, "lt": _binary("Less"), "le": _binary("LessOrEqual"),
    "gt": _binary("Greater"), "ge": _binary("GreaterOrEqual"), "logical_and": _binary("And"),
    "logical_or": _binary("Or"), "softmax": _softmax("Softmax"), "_softmax": _softmax("Softmax"),
    "log_softmax": _softmax("LogSoftmax"), "_log_softmax": _softmax("LogSoftmax"), "where.self": _where,
    "masked_fill.Scalar": _masked_fill, "full": _filled(None), "zeros": _filled(0), "ones": _filled(1),
    "zeros_like": _filled(0), "ones_like": _filled(1),
}  # fmt: skip
OPERATORS |= {f"{name}_": OPERATORS[name] for name in ("relu", "silu", "hardtanh")}
