"""`__qualname__` of functions and classes."""

from __future__ import annotations

from analyzer.tracing.language.values import Class, Function, Value
from analyzer.tracing.paths.tracer import Tracer


def qualified_name(tr: Tracer, value: Function | Class) -> Value:
    """Known of what stands in a module, and of methods of a class that does; of all else a text."""
    around = value.scope if isinstance(value, Function) else value.scope.parent
    if around is not None and around is not value.scope.globals:
        return tr.unknown("attribute __qualname__", pytype="str")
    owner = value.owner if isinstance(value, Function) else None
    return f"{owner.name}.{value.name}" if owner is not None else value.name
