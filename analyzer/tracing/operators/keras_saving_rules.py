"""Keras: models that a program saves, and loads again under the same name."""

from __future__ import annotations

from analyzer.tracing.language.values import Object, Value
from analyzer.tracing.operators.keras_configurations import Configured, copied_model
from analyzer.tracing.operators.keras_saved import saved_model
from analyzer.tracing.operators.table import Op, operator


@operator("keras.models.load_model keras.saving.load_model", "filepath *rest")
def loaded(op: Op, filepath: Value, rest: tuple[Value, ...]) -> Value:
    """The program's own model where it saved one; another may be any."""
    found = saved_model(op.tr, filepath)
    return op.tr.unknown("a model that is loaded", "data", pytype="object") if found is None else found


@operator("keras.models.model_from_json keras.models.model_from_config keras.models.model_from_yaml", "config *rest")
def told(op: Op, config: Value, rest: tuple[Value, ...]) -> Value:
    if isinstance(config, Configured) and isinstance(config.owner, Object) and not config.given:
        return copied_model(config.owner)
    return op.tr.unknown("a model of plain data", "data", pytype="object")
