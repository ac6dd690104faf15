"""Types and values of what a file states: constants, variables and placeholders."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from analyzer.operators.declaration import SOURCE
from analyzer.operators.registry import names
from analyzer.validity.architecture import ModelLayer
from analyzer.validity.carrying import MAX_VALUES
from analyzer.validity.exact_numbers import number_of
from analyzer.validity.spec import TensorType
from analyzer.validity.specs.common import is_plain
from analyzer.validity.specs.element_types import onnx_dtype

Outputs = tuple[TensorType, ...]
# Those that `given` answers for; the default of a placeholder is an operand that says nothing of what is fed.
_GIVEN = frozenset((*names("onnx", SOURCE), *names("tf", SOURCE), "PlaceholderWithDefault"))


def constant_type(tensor: Any) -> TensorType:
    """The type of a constant, with its elements when they may serve as sizes or axes."""
    dtype = onnx_dtype(int(tensor.dtype))
    shape = tuple(int(d) for d in tensor.shape)
    value = None
    if dtype is not None and dtype.startswith(("int", "uint", "bool", "float")) and math.prod(shape) <= MAX_VALUES:
        convert = number_of if dtype.startswith("float") else int
        numbers = tuple(convert(v) for v in tensor.numpy().reshape(-1))
        value = None if None in numbers else numbers if shape else numbers[0]
    return TensorType(shape, dtype, value=value)


def given(layer: ModelLayer, operands: Sequence[TensorType | None], types: Mapping[str, TensorType]) -> Outputs | None:
    """The outputs of an operator without operands: constants, variables, placeholders; None of any other."""
    operator = layer.operator
    if operator in _GIVEN or (operator == "Identity" and not operands):
        return tuple(_constant_output(layer, types.get(name, TensorType())) for name in layer.outputs)
    return None


def _constant_output(layer: ModelLayer, stated: TensorType) -> TensorType:
    attributes = layer.hyperparameters
    tensor = attributes.get("value")
    if tensor is not None and hasattr(tensor, "numpy") and hasattr(tensor, "dtype"):
        return constant_type(tensor)
    if "value_int" in attributes:
        return TensorType((), "int64", value=int(attributes["value_int"]))
    if "value_ints" in attributes:
        values = tuple(int(v) for v in attributes["value_ints"])
        return TensorType((len(values),), "int64", value=values)
    if "value_float" in attributes:
        return TensorType((), "float32", value=number_of(attributes["value_float"]))
    if "value_string" in attributes:
        return TensorType((), "string")
    if "value_floats" in attributes:
        floats = tuple(number_of(v) for v in attributes["value_floats"])
        return TensorType((len(floats),), "float32", value=None if None in floats else floats)
    if "value_strings" in attributes:
        return TensorType((len(attributes["value_strings"]),), "string")
    return stated


def completed(own: TensorType, stated: TensorType | None) -> TensorType:
    """What a type found, with unknown parts from what the file states."""
    if stated is None or own.elements is not None:
        return own
    shape = own.shape
    if shape is None:
        shape = stated.shape
    elif stated.shape is not None and len(stated.shape) == len(shape):
        shape = tuple(
            s if s is not None and is_plain(s) and not is_plain(d) and ("?" in str(d) if d is not None else True) else d
            for d, s in zip(shape, stated.shape, strict=True)
        )
    return TensorType(shape, own.dtype or stated.dtype, own.format, own.value, own.last)
