"""Keras layers are built for the last axis of their first input; later inputs must have the same."""

from __future__ import annotations

from analyzer.operators.declaration import BUILT_FOR_LAST_AXIS
from analyzer.operators.registry import layer_or_function
from analyzer.tracing.language.values import Layer, Value
from analyzer.tracing.operators.operands import items_of, tensor_of
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op
from analyzer.tracing.paths.tracer import Tracer

GATES = {"LSTM": 4, "GRU": 3, "SimpleRNN": 1}  # of recurrent layers and their cells


def is_cell(kind: str) -> bool:
    """Whether it is one of Keras's own cells, which are no layers to call by themselves."""
    return kind.endswith("Cell") and kind.removesuffix("Cell") in GATES


def build(tr: Tracer, layer: Layer, shape: Value, line: int) -> None:
    """``layer.build(shape)``: its weights have these sizes from here on."""
    size = (None, *items_of(shape))[-1]
    if _is_built_for_last_axis(layer):
        tr.touch(layer)
        layer.built.pop("last", None)
        if type(size) is int:
            layer.built["last"] = (size, line)


def _is_built_for_last_axis(layer: Layer) -> bool:
    kind = layer.name.rpartition(".")[2]
    operator = layer_or_function("keras", kind)
    if is_cell(kind):
        return True
    if operator is None or not operator.traits & BUILT_FOR_LAST_AXIS:
        return False
    return layer.args.get("axis") in (None, -1) and layer.args.get("data_format") in (None, "channels_last")


def check_built(op: Op, layer: Layer, value: Value) -> None:
    """Build the layer for the input, or fail if it was built for another."""
    if not _is_built_for_last_axis(layer):
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
