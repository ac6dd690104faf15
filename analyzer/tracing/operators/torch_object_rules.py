"""PyTorch: tensors as objects of a class that inherits from `torch.Tensor`."""

from __future__ import annotations

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.tensor_objects import constructed, is_parameter_class, made, tensor_in
from analyzer.tracing.language.values import Api, Class, Value
from analyzer.tracing.operators.operands import tensor_of
from analyzer.tracing.operators.table import Op, operator


@operator("torch.Tensor.as_subclass torch.Tensor._make_subclass", "first second *rest")
def as_subclass(op: Op, first: Value, second: Value, rest: tuple[Value, ...]) -> Value:
    data, cls = (first, second) if op.name.endswith("as_subclass") else (second, first)
    source = tensor_in(data) or tensor_of(op.tr, data, "torch")
    if isinstance(cls, Api) and source is not None:
        return source
    if is_parameter_class(cls) and source is not None:
        source = call(op.tr, Api("torch.nn.Parameter"), (source, *rest[:1]), {})
    return made(op.tr, cls, source) if isinstance(cls, Class) else op.tr.unknown("a tensor of a class")


@operator("torch.Tensor._make_wrapper_subclass", "cls size *rest")
def wrapper(op: Op, cls: Value, size: Value, rest: tuple[Value, ...]) -> Value:
    if not isinstance(cls, Class):
        return op.tr.unknown("a tensor of a class")
    return made(op.tr, cls, call(op.tr, Api("torch.empty"), (size,), {}))


@operator("torch.Tensor.__new__", "cls *data")
def new(op: Op, cls: Value, data: tuple[Value, ...]) -> Value:
    if not isinstance(cls, Class):
        return op.tr.unknown("a tensor of a class")
    return constructed(op.tr, cls, data, dict(op.extra.items()))
