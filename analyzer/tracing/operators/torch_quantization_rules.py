"""torch: whole numbers that stand for real ones, of the shape of what they were made of."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.operands import tensor_of
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import axis_of
from analyzer.validity.terms import equal


@operator(
    "torch.quantize_per_tensor torch.quantize_per_tensor_dynamic torch.fake_quantize_per_tensor_affine "
    "Tensor.dequantize Tensor.int_repr torch.int_repr",
    "input *rest",
)
def quantized(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    """One scale for all elements. A list of tensors becomes one of as many, whose shapes are left open."""
    source = tensor_of(op.tr, input, "torch")
    if source is None:
        return op.tr.unknown(f"{op.short}()", "imprecise")
    kinds = {"dequantize": "float32", "fake_quantize_per_tensor_affine": source.dtype}
    return Tensor(source.shape, kinds.get(op.short), "torch", site=op.where, sources=(source,))


@operator("torch.quantize_per_channel", "input scales zero_points axis *rest")
def quantized_by_channel(
    op: Op, input: Value, scales: Value, zero_points: Value, axis: Value, rest: tuple[Value, ...]
) -> Value:
    return _by_channel(op, input, scales, zero_points, axis, None)


@operator("torch.fake_quantize_per_channel_affine", "input scale zero_point axis *rest")
def imitated_by_channel(
    op: Op, input: Value, scale: Value, zero_point: Value, axis: Value, rest: tuple[Value, ...]
) -> Value:
    return _by_channel(op, input, scale, zero_point, axis, "")


def _by_channel(op: Op, input: Value, scale: Value, zero_point: Value, axis: Value, dtype: str | None) -> Value:
    """A scale and a zero for each place along the axis."""
    source = tensor_of(op.tr, input, "torch")
    if source is None:
        return op.tr.unknown(f"{op.short}()", "imprecise")
    if source.dims and isinstance(axis, int):
        at = axis_of(op, source, axis)
        for given in (scale, zero_point):
            found = tensor_of(op.tr, given, "torch")
            if at is None or found is None or found.dims is None:
                continue
            told = f"{show_shape(found.dims)} has not one for each of the {source.dims[at]} places of axis {axis}"
            if len(found.dims) != 1:
                fail(op, "rank", told, (source, found))
            require(op, equal(found.dims[0], source.dims[at]), "channels", told, (source, found))
    kind = source.dtype if dtype == "" else dtype
    return Tensor(source.shape, kind, "torch", site=op.where, sources=(source,))
