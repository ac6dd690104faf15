"""Functions of torch that give the elements of a view in a memory of their own: ``torch.transpose_copy``."""

from __future__ import annotations

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Api, Value
from analyzer.tracing.operators.strides import contiguous
from analyzer.tracing.operators.table import Op, operator


@operator(
    (
        "torch.transpose_copy torch.permute_copy torch.unsqueeze_copy torch.squeeze_copy torch.expand_copy "
        "torch.t_copy torch.narrow_copy torch.select_copy torch.diagonal_copy torch.unfold_copy torch.view_copy "
        "torch.detach_copy"
    ),
    "input *args",
)
def copied(op: Op, input: Value, args: tuple[Value, ...]) -> Value:
    found = call(op.tr, Api(op.name.removesuffix("_copy")), (input, *args), {}, op.node)
    if not isinstance(found, Tensor):
        return found
    copy = Tensor(found.shape, found.dtype, "torch", site=op.where, sources=(found,), graph=found.graph)
    copy.strides = contiguous(found.dims) if found.dims is not None else None
    return op.finish(copy)
