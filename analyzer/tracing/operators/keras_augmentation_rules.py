"""Keras: layers that change pictures at random and keep their shape."""

from __future__ import annotations

from analyzer.tracing.language.values import Layer, Value
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import like, tensor

_KEEPING = ("Brightness", "Contrast", "Flip", "Rotation", "Translation", "Zoom")
_NAMES = [f"keras.layers.Random{name}" for name in _KEEPING]


@operator(" ".join(f"{name}.__init__" for name in _NAMES), "*args")
def augmenting_arguments(op: Op, args: tuple[Value, ...]) -> Value:
    return None


@operator(" ".join(f"{name}.__call__" for name in _NAMES), "layer inputs *rest")
def augmented(op: Op, layer: Layer, inputs: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, inputs)
    return unknown_tensor(op, "tf") if source is None else like(op, source, source.shape, tags=source.tags)
