"""Keras: layers and models told as plain data, and made of it again."""

from __future__ import annotations

from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.keras_configurations import deserialized, serialized
from analyzer.tracing.operators.table import Op, operator


@operator(
    "keras.layers.serialize keras.saving.serialize_keras_object keras.utils.serialize_keras_object "
    "keras.utils.legacy.serialize_keras_object",
    "layer *rest",
)
def told(op: Op, layer: Value, rest: tuple[Value, ...]) -> Value:
    found = serialized(op.tr, layer, op.node) if not rest else None
    return op.tr.unknown("a layer as plain data", "foreign") if found is None else found


@operator(
    "keras.layers.deserialize keras.saving.deserialize_keras_object keras.utils.deserialize_keras_object "
    "keras.utils.legacy.deserialize_keras_object",
    "config *rest",
)
def made_again(op: Op, config: Value, rest: tuple[Value, ...]) -> Value:
    found = deserialized(op.tr, config, op.node)
    return op.tr.unknown("a layer of plain data", "foreign") if found is None else found
