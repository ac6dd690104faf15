"""torch.nn.utils and torch.optim.swa_utils: all parameters of a module at once."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.evaluation import call, get_attribute, iterate
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Api, Instance, Layer, ListV, Value
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import product


def _elements_of(op: Op, parameters: Value) -> tuple[Any, str | None] | None:
    """How many numbers tensors hold together, and their type; None where one is not known."""
    if not isinstance(parameters, ListV) and type(parameters) is not tuple:
        parameters = ListV([], True) if not hasattr(parameters, "items") else parameters
    items, endless = iterate(op.tr, parameters, op.node)
    found = [] if endless else list(items)
    if not found or not all(isinstance(p, Tensor) and p.dims is not None for p in found):
        return None
    kinds = {p.dtype for p in found}
    return sum((product(p.dims) for p in found), 0), kinds.pop() if len(kinds) == 1 else None


@operator("torch.nn.utils.parameters_to_vector", "parameters")
def to_vector(op: Op, parameters: Value) -> Value:
    told = _elements_of(op, parameters)
    return unknown_tensor(op, "torch") if told is None else Tensor((told[0],), told[1], "torch", site=op.where)


@operator("torch.nn.utils.vector_to_parameters", "vec parameters")
def from_vector(op: Op, vec: Value, parameters: Value) -> Value:
    """Each parameter takes its part, so there must be enough."""
    told = _elements_of(op, parameters)
    if told is not None and isinstance(vec, Tensor) and vec.dims is not None:
        size = product(vec.dims)
        if isinstance(size, int) and isinstance(told[0], int) and size < told[0]:
            sentence = f"a vector of shape {show_shape(vec.dims)} is too short for parameters of {told[0]} numbers"
            fail(op, "size", sentence, (vec,))
    return None


@operator("torch.optim.swa_utils.AveragedModel", "model *rest")
def averaged(op: Op, model: Value, rest: tuple[Value, ...]) -> Value:
    """A copy of a model, which stands in it as `module`, and is called as it is."""
    return call(op.tr, Api("torch.nn.DataParallel"), (model,), {}) if isinstance(model, (Layer, Instance)) else None


@operator("torch.nn.utils.skip_init", "module_cls *args")
def without_values(op: Op, module_cls: Value, args: tuple[Value, ...]) -> Value:
    return call(op.tr, module_cls, args, dict(op.extra))


@operator("torch.nn.utils.fuse_conv_bn_eval torch.nn.utils.fuse_linear_bn_eval", "first bn *rest")
def fused(op: Op, first: Value, bn: Value, rest: tuple[Value, ...]) -> Value:
    """A layer as the first one, with a bias; both must have as many channels."""
    widths = [get_attribute(op.tr, part, "weight") for part in (first, bn) if isinstance(part, Layer)]
    known = [w.dims[0] for w in widths if isinstance(w, Tensor) and w.dims and isinstance(w.dims[0], int)]
    if len(known) == 2 and known[0] != known[1] and "Transpose" not in first.name:
        fail(op, "channels", f"a layer of {known[0]} channels is joined with a norm of {known[1]}", ())
    return first


@operator(
    "torch.nn.utils.convert_conv2d_weight_memory_format torch.nn.utils.convert_conv3d_weight_memory_format",
    "module memory_format",
)
def laid_out(op: Op, module: Value, memory_format: Value) -> Value:
    return module
