"""Tensors and arrays over bytes that a program holds or reads: vectors, of as many elements as the bytes are."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.element_types import asked_array_type, dtype_name
from analyzer.tracing.operators.numpy_operands import unknown
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.table import Op, operator

_BYTES = {
    "float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "int64": 8, "int32": 4, "int16": 2, "int8": 1, "uint8": 1,
    "uint16": 2, "uint32": 4, "uint64": 8, "bool": 1, "complex64": 8, "complex128": 16,
}  # fmt: skip


@operator("torch.frombuffer", "buffer *rest dtype=None count=-1 offset=0")
def tensor_over(op: Op, buffer: Value, rest: tuple[Value, ...], dtype: Value, count: Value, offset: Value) -> Value:
    kind = dtype_name(dtype)
    if kind is None:
        return unknown_tensor(op, "torch")
    return Tensor((_length(op, buffer, kind, count, offset),), kind, "torch", site=op.where)


@operator("numpy.frombuffer", "buffer dtype=None count=-1 offset=0 *rest")
def array_over(op: Op, buffer: Value, dtype: Value, count: Value, offset: Value, rest: tuple[Value, ...]) -> Value:
    """A type may be an array itself, which adds axes: one that is no plain type leaves the shape open."""
    kind = asked_array_type(dtype, "float64")
    if kind not in _BYTES:
        return unknown(op)
    return Tensor((_length(op, buffer, kind, count, offset),), kind, "numpy", site=op.where)


def _length(op: Op, buffer: Value, kind: str, count: Value, offset: Value) -> Any:
    """As many elements as are asked for, or as there is room for behind the offset."""
    asked = op.tr.term_of(count)
    if asked is not None and not (isinstance(asked, int) and asked < 0):
        return asked
    whole = isinstance(buffer, bytes) and isinstance(offset, int) and kind in _BYTES and asked is not None
    return (len(buffer) - offset) // _BYTES[kind] if whole else op.tr.fresh("elements", "unknown", 0)
