"""torch.nn.utils.parametrize: tensors of a module that other modules compute."""

from __future__ import annotations

from analyzer.tracing.language.evaluation import call, get_attribute
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Instance, Layer, Value
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import equal


@operator("torch.nn.utils.parametrize.register_parametrization", "module tensor_name parametrization unsafe=False")
def registered(op: Op, module: Value, tensor_name: Value, parametrization: Value, unsafe: Value) -> Value:
    """The tensor is computed once, and must have the shape that it had; `unsafe` lets it have another."""
    if isinstance(module, (Instance, Layer)) and isinstance(tensor_name, str):
        before = get_attribute(op.tr, module, tensor_name)
        if isinstance(before, Tensor):
            after = _computed(op, before, parametrization)
            if unsafe is False:
                _demand_the_shape(op, before, after)
            elif isinstance(module, Instance):
                op.tr.touch(module)
                module.attrs[tensor_name] = after
    op.tr.forget([module])
    if isinstance(module, Layer):
        op.tr.touch(module)
        module.attrs["parametrizations"] = op.tr.unknown("parametrizations", "imprecise")
    return module


def _computed(op: Op, tensor: Tensor, parametrization: Value) -> Value:
    """What it gives for the tensor, or for what its inverse makes of it."""
    given: Value = Tensor(tensor.shape, tensor.dtype, "torch", site=op.where, name=tensor.name, sources=(tensor,))
    if isinstance(parametrization, Instance) and parametrization.cls.find("right_inverse") is not None:
        given = call(op.tr, get_attribute(op.tr, parametrization, "right_inverse"), (given,), {}, op.node)
    return call(op.tr, parametrization, (given,), {}, op.node)


def _demand_the_shape(op: Op, before: Tensor, after: Value) -> None:
    if not isinstance(after, Tensor) or before.dims is None or after.dims is None:
        return
    same = len(before.dims) == len(after.dims)
    if not same or any(equal(a, b) is False for a, b in zip(before.dims, after.dims, strict=True)):
        told = f"the parametrization makes {show_shape(after.dims)} of a tensor of shape {show_shape(before.dims)}"
        fail(op, "shape", told, (before, after))
