"""Operators that change element types, and the names of element types."""

from __future__ import annotations

from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define


@define("onnx", "Bernoulli")
def onnx_bernoulli(case: Case, x: TensorType, *, dtype: Any = None, **_attributes: Any) -> TensorType:
    """ONNX Bernoulli: draws of the probabilities' shape, of the type `dtype` if it is given."""
    return TensorType(x.shape, onnx_dtype(dtype) if dtype is not None else x.dtype, x.format)


CAST_TARGET = Rule("cast-target", Category.ILLEGAL_VALUE, "`to` is {to}, which is no element type", ("to",))
SAME_WIDTH = Rule(
    "bit-width",
    Category.INCOMPATIBLE_ELEMENT_TYPE,
    "elements of {dtype} cannot be read as {target}: their widths differ",
    ("to",),
)


@define("onnx", "Cast", "CastLike")
def onnx_cast(
    case: Case, x: TensorType, like: TensorType | None = None, *, to: Any = None, **_others: Any
) -> TensorType:
    """ONNX Cast: `to` is an element type's number."""
    target = like.dtype if like is not None else onnx_dtype(to)
    case.require(CAST_TARGET, like is not None or target is not None, to=to)
    return TensorType(x.shape, target, x.format, x.value)


@define("onnx", "BitCast")
def onnx_bit_cast(case: Case, x: TensorType, *, to: Any) -> TensorType:
    """ONNX BitCast: the same bits under another type."""
    target = onnx_dtype(to)
    case.require(CAST_TARGET, target is not None and target != "string", to=to)
    widths = [_bits(t) for t in (x.dtype, target)]
    case.require(SAME_WIDTH, None in widths or widths[0] == widths[1], dtype=x.dtype, target=target)
    return TensorType(x.shape, target)


def _bits(dtype: str | None) -> int | None:
    """How many bits an element has, where NumPy's name says it."""
    if dtype in ("bool", "bfloat16"):
        return {"bool": 8, "bfloat16": 16}[dtype]
    digits = (dtype or "").removeprefix("u").lstrip("abcdefghijklmnopqrstuvwxyz")
    return int(digits) if digits.isdigit() else int(digits[0]) if digits[:1].isdigit() else None


def onnx_dtype(number: Any) -> str | None:
    """NumPy's name of ONNX's element type number."""
    names = {
        1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 8: "string", 9: "bool",
        10: "float16", 11: "float64", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128", 16: "bfloat16",
        17: "float8e4m3fn", 18: "float8e4m3fnuz", 19: "float8e5m2", 20: "float8e5m2fnuz", 21: "uint4", 22: "int4",
        23: "float4e2m1", 24: "float8e8m0", 25: "uint2", 26: "int2",
    }  # fmt: skip
    return names.get(number) if isinstance(number, int) else number
