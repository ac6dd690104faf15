"""torch: functions that normalise, whose parameters have an element a channel or the normalised shape."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require, require_shape
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_keeping_rules import same_shape
from analyzer.tracing.operators.torch_operands import cast, shape_argument
from analyzer.validity.terms import equal, product


@operator(
    "torch.nn.functional.batch_norm",
    "input running_mean running_var weight=None bias=None training=False *rest",
)
def batch_norm(
    op: Op,
    input: Value,
    running_mean: Value,
    running_var: Value,
    weight: Value,
    bias: Value,
    training: Value,
    rest: tuple[Value, ...],
) -> Value:
    if training is False and (running_mean is None or running_var is None):
        fail(op, "statistics", "outside training it needs running_mean and running_var, which are None")
    return _by_channel(op, input, weight, bias, running_mean, running_var)


@operator("torch.batch_norm", "input weight bias running_mean running_var *rest")
@operator(
    "torch.nn.functional.instance_norm",
    "input running_mean=None running_var=None weight=None bias=None *rest",
)
def by_channel(
    op: Op,
    input: Value,
    running_mean: Value,
    running_var: Value,
    weight: Value,
    bias: Value,
    rest: tuple[Value, ...],
) -> Value:
    return _by_channel(op, input, weight, bias, running_mean, running_var)


def _by_channel(op: Op, input: Value, weight: Value, bias: Value, mean: Value, variance: Value) -> Value:
    found = tensor_of(op.tr, input, "torch")
    if found is None:
        return unknown_tensor(op, "torch")
    if {type(mean), type(variance)} == {Tensor, type(None)}:
        fail(op, "statistics", "running_mean and running_var are given together or not at all", (found,))
    if found.dims is not None and len(found.dims) > 1:
        given = {"weight": weight, "bias": bias, "running_mean": mean, "running_var": variance}
        _demand_channels(op, found, given)
    return Tensor(found.shape, found.dtype, "torch", site=op.where, sources=(found,), graph=found.graph)


def _demand_channels(op: Op, input: Tensor, parameters: dict[str, Value]) -> None:
    """Each parameter that is given has an element for each channel of the input."""
    assert input.dims is not None
    for name, value in parameters.items():
        parameter = tensor_of(op.tr, value, "torch") if value is not None else None
        if parameter is None or parameter.dims is None:
            continue
        channels, size = input.dims[1], product(parameter.dims)
        sentence = f"{name} has {size} elements but the input has {channels} channels (shape {show_shape(input.dims)})"
        require(op, equal(size, channels), "size", sentence, (input, parameter))


@operator("torch.nn.functional.layer_norm", "input normalized_shape weight=None bias=None *rest")
def layer_norm(
    op: Op, input: Value, normalized_shape: Value, weight: Value, bias: Value, rest: tuple[Value, ...]
) -> Value:
    x = tensor_of(op.tr, input, "torch")
    kind = {} if x is None or x.dtype is None else {"dtype": x.dtype}  # any floating type is taken
    result = apply(op, "torch", "LayerNorm", (input,), {"normalized_shape": normalized_shape, **kind})
    _demand_shape(op, normalized_shape, {"weight": weight, "bias": bias})
    return result


@operator("torch.nn.functional.rms_norm", "input normalized_shape weight=None *rest")
def rms_norm(op: Op, input: Value, normalized_shape: Value, weight: Value, rest: tuple[Value, ...]) -> Value:
    x = tensor_of(op.tr, input, "torch")
    if x is None:
        return unknown_tensor(op, "torch")
    hyper = {"normalized_shape": normalized_shape}
    result = apply(op, "torch", "LayerNorm", (cast(x, None),), hyper, dtype=x.dtype)
    _demand_shape(op, normalized_shape, {"weight": weight})
    return result


def _demand_shape(op: Op, normalized_shape: Value, parameters: dict[str, Value]) -> None:
    """Each parameter that is given has the normalised shape."""
    demanded = shape_argument(op, (normalized_shape,))
    for name, value in parameters.items():
        parameter = tensor_of(op.tr, value, "torch") if value is not None else None
        if demanded is None or parameter is None or parameter.dims is None:
            continue
        sentence = f"{name} has the shape {show_shape(parameter.dims)} but {show_shape(demanded)} is normalised"
        require_shape(op, parameter, demanded, "shape", sentence)


@operator("torch.nn.functional.group_norm", "input num_groups weight=None bias=None *rest")
def group_norm(op: Op, input: Value, num_groups: Value, weight: Value, bias: Value, rest: tuple[Value, ...]) -> Value:
    found = tensor_of(op.tr, input, "torch")
    if found is None or found.dims is None or len(found.dims) < 2:
        return same_shape(op, input, ())
    _demand_channels(op, found, {"weight": weight, "bias": bias})
    return apply(op, "torch", "GroupNorm", (input,), {"num_groups": num_groups, "num_channels": found.dims[1]})
