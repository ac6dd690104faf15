"""Objects of `numpy.matrix`, where an array or a tensor is made of them."""

from __future__ import annotations

from analyzer.tracing.language.values import Object, Value

KIND = "numpy matrix"


def array_of(value: Value) -> Value:
    """The array that a matrix holds; anything else as it is."""
    return value.data["array"] if isinstance(value, Object) and value.kind == KIND else value
