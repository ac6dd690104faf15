"""torch: operators that write into a tensor, whose shape stays, and fills where a mask says."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import any_of, equal


@operator(
    "torch.Tensor.add_ torch.Tensor.sub_ torch.Tensor.mul_ torch.Tensor.div_ torch.Tensor.copy_ "
    "torch.Tensor.masked_fill_",
    "input other *rest",
)
def written(op: Op, input: Value, other: Value, rest: tuple[Value, ...]) -> Value:
    """What is written stretches to the tensor, never the tensor to it."""
    return _stretched(op, input, other) if isinstance(input, Tensor) else unknown_tensor(op, "torch")


@operator("torch.Tensor.addcmul_ torch.Tensor.addcdiv_ torch.Tensor.lerp_", "input tensor1|end tensor2|weight *rest")
def written_of_two(op: Op, input: Value, tensor1: Value, tensor2: Value, rest: tuple[Value, ...]) -> Value:
    if not isinstance(input, Tensor):
        return unknown_tensor(op, "torch")
    return _stretched(op, input, broadcast(op, op.short, tensor1, tensor2, "torch"))


@operator("torch.Tensor.fill_diagonal_", "input fill_value wrap=False")
def diagonal(op: Op, input: Value, fill_value: Value, wrap: Value) -> Value:
    """A matrix may have any sizes, a tensor of more axes has one size along all of them."""
    if not isinstance(input, Tensor):
        return unknown_tensor(op, "torch")
    if input.dims is not None and len(input.dims) < 2:
        fail(op, "rank", f"a tensor of shape {show_shape(input.dims)} has no diagonal", (input,))
    if input.dims is not None and len(input.dims) > 2:
        for size in input.dims[1:]:
            sentence = f"all sizes of {show_shape(input.dims)} must be equal"
            require(op, equal(size, input.dims[0]), "equal", sentence, (input,))
    return input


def _stretched(op: Op, input: Tensor, other: Value) -> Value:
    if isinstance(other, Tensor) and other.dims is not None and input.dims is not None:
        what = "mask" if op.short == "masked_fill_" else "operand"
        sentence = f"the {what} {show_shape(other.dims)} does not stretch to the tensor {show_shape(input.dims)}"
        if len(other.dims) > len(input.dims):
            fail(op, "stretch", sentence, (input, other))
        for have, wanted in zip(reversed(other.dims), reversed(input.dims), strict=False):
            require(op, any_of(equal(have, wanted), equal(have, 1)), "stretch", sentence, (input, other))
    return input


@operator("torch.Tensor.masked_fill torch.masked_fill", "input mask value")
def masked(op: Op, input: Value, mask: Value, value: Value) -> Value:
    """Mask and tensor are broadcast against each other."""
    if not isinstance(input, Tensor) or not isinstance(mask, Tensor) or mask.dims is None or input.dims is None:
        return input if isinstance(input, Tensor) else unknown_tensor(op, "torch")
    result = broadcast(op, "+", input, Tensor(mask.dims, input.dtype, "torch", site=mask.site, name=mask.name), "torch")
    return result if isinstance(result, Tensor) else input
