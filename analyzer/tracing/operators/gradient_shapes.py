"""The gradient with which a way back begins: torch takes only one of the shape of what it is a gradient of."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import ListV, Value
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op
from analyzer.validity.terms import equal


def demand_same_shape(op: Op, output: Value, gradient: Value) -> None:
    """`output.backward(gradient)`: nothing is stretched."""
    if not isinstance(output, Tensor) or not isinstance(gradient, Tensor) or "nested" in output.tags:
        return
    if output.dims is None or gradient.dims is None or gradient.framework != "torch":
        return
    told = f"the gradient has the shape {show_shape(gradient.dims)} and the output {show_shape(output.dims)}"
    if len(output.dims) != len(gradient.dims):
        fail(op, "gradient-shape", told, (output, gradient))
    for own, given in zip(output.dims, gradient.dims, strict=True):
        require(op, equal(own, given), "gradient-shape", told, (output, gradient))


def demand_same_shapes(op: Op, outputs: Value, gradients: Value) -> None:
    """The same of several outputs, or of one alone."""
    own, given = _several(outputs), _several(gradients)
    if own is not None and given is not None and len(own) == len(given):
        for output, gradient in zip(own, given, strict=True):
            demand_same_shape(op, output, gradient)


def _several(value: Value) -> Sequence[Value] | None:
    if isinstance(value, Tensor):
        return (value,)
    if isinstance(value, ListV):
        return None if value.open else value.items
    return value if type(value) is tuple else None
