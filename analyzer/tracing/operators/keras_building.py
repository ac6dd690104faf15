"""Keras layers are built for the last axis of their first input; later inputs must have the same."""

from __future__ import annotations

from analyzer.operators.declaration import BUILT_FOR_LAST_AXIS
from analyzer.operators.registry import layer_or_function
from analyzer.tracing.language.values import Layer, Value
from analyzer.tracing.operators.operands import tensor_of
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op


def check_built(op: Op, layer: Layer, value: Value) -> None:
    """Build the layer for the input, or fail if it was built for another."""
    operator = layer_or_function("keras", layer.name.rpartition(".")[2])
    if operator is None or not operator.traits & BUILT_FOR_LAST_AXIS:
        return
    if layer.args.get("axis") not in (None, -1) or layer.args.get("data_format") not in (None, "channels_last"):
        return
    tensor = tensor_of(op.tr, value, "tf")
    size = tensor.dims[-1] if tensor is not None and tensor.dims else None
    if tensor is None or not isinstance(size, int):
        return
    before = layer.built.get("last")
    if isinstance(before, tuple) and before[0] != size:
        sentence = f"the layer was built for {before[0]} features at line {before[1]} and now receives {size}"
        fail(op, "built-for", sentence, (tensor,))
    if before is None:
        op.tr.touch(layer)
        layer.built["last"] = (size, op.where.line)
