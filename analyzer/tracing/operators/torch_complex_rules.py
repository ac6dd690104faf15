"""torch: complex numbers as pairs of real ones along the last axis, as rotary position embeddings use them."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import equal


@operator("torch.view_as_complex", "input")
def view_as_complex(op: Op, input: Value) -> Value:
    """[…, 2] -> […]."""
    found = tensor_of(op.tr, input, "torch")
    if found is None or found.dims is None:
        return unknown_tensor(op, "torch")
    sentence = f"the last dimension of {show_shape(found.dims)} must be 2: a real and an imaginary part"
    if not found.dims:
        fail(op, "complex-pairs", sentence, (found,))
    require(op, equal(found.dims[-1], 2), "complex-pairs", sentence, (found,))
    return Tensor(found.dims[:-1], None, "torch", site=op.where, sources=(found,))


@operator("torch.view_as_real", "input")
def view_as_real(op: Op, input: Value) -> Value:
    """[…] -> […, 2]."""
    found = tensor_of(op.tr, input, "torch")
    if found is None or found.dims is None:
        return unknown_tensor(op, "torch")
    return Tensor((*found.dims, 2), None, "torch", site=op.where, sources=(found,))


@operator("torch.polar", "abs angle")
def polar(op: Op, abs: Value, angle: Value) -> Value:
    return of_parts(op, abs, angle)


@operator("torch.complex", "real imag")
def of_parts(op: Op, real: Value, imag: Value) -> Value:
    found = broadcast(op, "*", real, imag, "torch")
    if not isinstance(found, Tensor):
        return found
    return Tensor(found.shape, None, "torch", site=op.where, sources=(found,))


@operator("Tensor.type_as", "input other")
def type_as(op: Op, input: Value, other: Value) -> Value:
    found, like = tensor_of(op.tr, input, "torch"), tensor_of(op.tr, other, "torch")
    if found is None:
        return unknown_tensor(op, "torch")
    dtype = like.dtype if like is not None else None
    return Tensor(found.shape, dtype, "torch", site=op.where, sources=(found,), tags=found.tags)
