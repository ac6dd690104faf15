"""The table of Keras by which names in configurations stand for what a program registered."""

from __future__ import annotations

from analyzer.tracing.language.values import Api, DictV, Function, Value
from analyzer.tracing.paths.tracer import Tracer

_TABLE = "custom objects of Keras"


def custom_objects(tr: Tracer) -> DictV:
    """One for the whole program, open: packages register theirs when they are imported."""
    held = tr.machine.setdefault(_TABLE, tr.unknown(_TABLE))
    found = held.attrs.setdefault("table", DictV({}, True))
    assert isinstance(found, DictV)
    return found


def registered(tr: Tracer, name: Value) -> Value | None:
    """What the program registered under the name; None where it registered nothing."""
    held = tr.machine.get(_TABLE)
    table = held.attrs.get("table") if held is not None else None
    if not isinstance(table, DictV) or not isinstance(name, str) or table.lost:
        return None
    short = name.rpartition(">")[2]
    found = table.items.get(name)
    return found if found is not None or short == name else table.items.get(short)


def named(value: Value) -> str | None:
    """Under which name a class or function is registered."""
    name = (
        getattr(value, "name", None) if isinstance(value, (Function, Api)) or type(value).__name__ == "Class" else None
    )
    return name.rpartition(".")[2] if isinstance(name, str) else None
