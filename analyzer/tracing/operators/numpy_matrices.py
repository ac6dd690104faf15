"""Objects that hold an array, `numpy.matrix` and pictures, where an array or a tensor is made of them."""

from __future__ import annotations

from analyzer.tracing.language.values import Object, Value
from analyzer.tracing.operators.pictures import PICTURE, array_of_picture

KIND = "numpy matrix"


def array_of(value: Value) -> Value:
    """The array that a matrix holds or a picture is; anything else as it is."""
    if isinstance(value, Object) and value.kind == PICTURE:
        return array_of_picture(value)
    return value.data["array"] if isinstance(value, Object) and value.kind == KIND else value
