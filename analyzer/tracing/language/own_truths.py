"""Python's truth of an object whose class says it itself, by `__bool__` or else by `__len__`."""

from __future__ import annotations

import ast

from analyzer.tracing.language.comparisons import compare
from analyzer.tracing.language.evaluation import call, get_attribute, seen
from analyzer.tracing.language.values import Bound, Function, Instance, Value
from analyzer.tracing.paths.tracer import Tracer


def own_truth(tr: Tracer, value: Value) -> Value:
    """What the object's method says of its truth; any other value as it is."""
    value = seen(value)
    if not isinstance(value, Instance):
        return value
    for name in ("__bool__", "__len__"):
        found = value.cls.find(name)
        if found is None:
            continue
        if not isinstance(found[0], Function) or not isinstance(method := get_attribute(tr, value, name), Bound):
            return value
        told = call(tr, method, (), {})
        return told if name == "__bool__" else compare(tr, ast.NotEq, told, 0)
    return value
