"""torch.nn.init: the numbers that its functions compute of shapes and names."""

from __future__ import annotations

import math

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import product

_GAINS = {"sigmoid": 1, "tanh": 5 / 3, "relu": math.sqrt(2), "selu": 3 / 4}
_LINEAR = frozenset(("linear", *(f"conv{t}{n}d" for t in ("", "_transpose") for n in (1, 2, 3))))


@operator("torch.nn.init.calculate_gain", "nonlinearity param=None")
def gain(op: Op, nonlinearity: Value, param: Value) -> Value:
    if nonlinearity in _LINEAR if isinstance(nonlinearity, str) else False:
        return 1
    if isinstance(nonlinearity, str) and nonlinearity in _GAINS:
        return _GAINS[nonlinearity]
    slope = 0.01 if param is None else param
    if nonlinearity == "leaky_relu" and isinstance(slope, (int, float)) and not isinstance(slope, bool):
        return math.sqrt(2.0 / (1 + slope**2))
    return op.tr.unknown("a gain", pytype="float")


@operator("torch.nn.init._calculate_fan_in_and_fan_out", "tensor")
def fans(op: Op, tensor: Value) -> Value:
    """(inputs, outputs) of a weight (outputs, inputs, *window), each for all places of the window."""
    if not isinstance(tensor, Tensor) or tensor.dims is None:
        return op.tr.unknown("inputs", pytype="int"), op.tr.unknown("outputs", pytype="int")
    if len(tensor.dims) < 2:
        told = f"a weight of shape {show_shape(tensor.dims)} has no inputs and outputs: two axes are needed"
        fail(op, "rank", told, (tensor,))
    window = product(tensor.dims[2:])
    return tensor.dims[1] * window, tensor.dims[0] * window


@operator("torch.nn.init._calculate_correct_fan", "tensor mode")
def one_fan(op: Op, tensor: Value, mode: Value) -> Value:
    inputs, outputs = fans(op, tensor)
    kind = mode.lower() if isinstance(mode, str) else ""
    return {"fan_in": inputs, "fan_out": outputs}.get(kind, op.tr.unknown("a fan", pytype="int"))
