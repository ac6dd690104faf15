"""Which models a program has saved, by the paths that it named."""

from __future__ import annotations

from analyzer.tracing.language.values import DictV, Object, Value
from analyzer.tracing.operators.keras_configurations import copied_model
from analyzer.tracing.paths.tracer import Tracer

_SAVED = "saved models"


def save_model(tr: Tracer, model: Value, path: Value) -> None:
    """A model of the tables is kept; any other leaves open what stands under the path."""
    held = tr.machine.setdefault(_SAVED, tr.unknown(_SAVED))
    table = held.attrs.setdefault("table", DictV({}, True))
    if isinstance(path, str):
        tr.touch(table)
        table.items[path] = copied_model(model) if isinstance(model, Object) else None


def saved_model(tr: Tracer, path: Value) -> Value:
    held = tr.machine.get(_SAVED)
    table = held.attrs.get("table") if held is not None else None
    found = table.items.get(path) if isinstance(table, DictV) and isinstance(path, str) else None
    return copied_model(found) if isinstance(found, Object) else None
