"""What can be known of values before a model runs: constants, and arithmetic on the small ones that serve as sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from analyzer.validity.architecture import Layer
from analyzer.validity.spec import TensorType
from analyzer.validity.specs.common import is_plain
from analyzer.validity.specs.element_types import onnx_dtype
from analyzer.validity.terms import (
    Term,
    all_of,
    any_of,
    equal,
    floor_div,
    maximum,
    minimum,
    mod,
    negate,
    product,
    unequal,
)

MAX_VALUES = 64  # elements of an integer constant that are followed as values
_ARITHMETIC = {
    "Add": lambda a, b: a + b, "AddV2": lambda a, b: a + b, "Sub": lambda a, b: a - b, "Mul": lambda a, b: a * b,
    "Div": floor_div, "FloorDiv": floor_div, "Mod": mod, "FloorMod": mod, "Max": maximum, "Min": minimum,
    "Maximum": maximum, "Minimum": minimum,
}  # fmt: skip
_COMPARISONS: Mapping[str, Callable[..., Any]] = {
    "Equal": equal, "NotEqual": unequal, "Greater": lambda a, b: a > b, "GreaterOrEqual": lambda a, b: a >= b,
    "GreaterEqual": lambda a, b: a >= b, "Less": lambda a, b: a < b, "LessOrEqual": lambda a, b: a <= b,
    "LessEqual": lambda a, b: a <= b, "And": all_of, "LogicalAnd": all_of, "Or": any_of, "LogicalOr": any_of,
}  # fmt: skip
_NEGATIONS = ("Not", "LogicalNot")
_FREE = {"Const", "Constant", "Placeholder", "PlaceholderWithDefault", "NoOp", "VariableV2", "VarHandleOp", "Variable"}


def constant_type(tensor: Any) -> TensorType:
    """The type of a constant, with its elements when they may serve as sizes or axes."""
    dtype = onnx_dtype(int(tensor.dtype))
    shape = tuple(int(d) for d in tensor.shape)
    value = None
    integers = dtype is not None and (dtype.startswith(("int", "uint")))
    if (integers and math.prod(shape) <= MAX_VALUES) or (dtype == "bool" and shape == ()):
        numbers = tuple(int(v) for v in tensor.numpy().reshape(-1))
        value = numbers if shape else numbers[0]
    return TensorType(shape, dtype, value=value)


def computed(
    layer: Layer, operands: Sequence[TensorType | None], types: Mapping[str, TensorType]
) -> tuple[TensorType, ...] | None:
    """Outputs of constants, and of arithmetic on small integer vectors that serve as shapes."""
    operator = layer.operator
    if operator in _FREE or (operator == "Identity" and not operands):
        return tuple(_constant_output(layer, types.get(name, TensorType())) for name in layer.outputs)
    if operator in _ARITHMETIC and len(operands) == 2:
        a, b = operands
        if a is not None and b is not None and a.value is not None and b.value is not None:
            rounded = operator == "Div" and (a.dtype or "").startswith(("float", "bfloat"))  # a true quotient
            value = None if rounded else _elementwise(_ARITHMETIC[operator], a.value, b.value)
            if value is not None:
                shape = (len(value),) if isinstance(value, tuple) else ()
                return (TensorType(shape, a.dtype or b.dtype, value=value),)
    if operator in _COMPARISONS or operator in _NEGATIONS:
        return _compared(operator, operands)
    if operator in ("ReduceProd", "Prod") and operands and operands[0] is not None:
        values = operands[0].value
        if isinstance(values, tuple) and not layer.hyperparameters.get("keepdims", operator == "ReduceProd"):
            return (TensorType((), operands[0].dtype, value=product(values)),)
    return None


def _compared(operator: str, operands: Sequence[TensorType | None]) -> tuple[TensorType, ...] | None:
    """Comparisons of known scalars, on which branches hang; None where a value or the answer is not known."""
    values = [_scalar(operand) for operand in operands]
    if None in values or len(values) != (1 if operator in _NEGATIONS else 2):
        return None
    if operator in _NEGATIONS:
        answer = negate(bool(values[0]))
    else:
        function = _COMPARISONS[operator]
        logical = operator in ("And", "LogicalAnd", "Or", "LogicalOr")
        answer = function(*(bool(v) for v in values)) if logical else function(*values)
    return (TensorType((), "bool", value=int(answer)),) if isinstance(answer, bool) else None


def _scalar(tensor: TensorType | None) -> Any:
    """The value of a scalar, and None of anything else: a vector compares to a vector."""
    return tensor.value if tensor is not None and tensor.shape == () and not isinstance(tensor.value, tuple) else None


def _constant_output(layer: Layer, stated: TensorType) -> TensorType:
    attributes = layer.hyperparameters
    tensor = attributes.get("value")
    if tensor is not None and hasattr(tensor, "numpy") and hasattr(tensor, "dtype"):
        return constant_type(tensor)
    if "value_int" in attributes:
        return TensorType((), "int64", value=int(attributes["value_int"]))
    if "value_ints" in attributes:
        values = tuple(int(v) for v in attributes["value_ints"])
        return TensorType((len(values),), "int64", value=values)
    for key, dtype in (("value_float", "float32"), ("value_string", "string")):
        if key in attributes:
            return TensorType((), dtype)
    for key, dtype in (("value_floats", "float32"), ("value_strings", "string")):
        if key in attributes:
            return TensorType((len(attributes[key]),), dtype)
    return stated


def _elementwise(function: Any, a: Any, b: Any) -> Any:
    left, right = (v if isinstance(v, tuple) else (v,) for v in (a, b))
    count = max(len(left), len(right))
    if len(left) not in (1, count) or len(right) not in (1, count):
        return None
    items = []
    for i in range(count):
        x, y = left[i % len(left)], right[i % len(right)]
        if function is floor_div and is_plain(x) and is_plain(y) and (y == 0 or (x < 0) != (y < 0)):
            return None  # ONNX truncates where we floor
        items.append(function(x, y))
    return tuple(items) if isinstance(a, tuple) or isinstance(b, tuple) else items[0]


def completed(own: TensorType, stated: TensorType | None) -> TensorType:
    """What a type found, with unknown parts from what the file states."""
    if stated is None or own.elements is not None:
        return own
    shape = own.shape
    if shape is None:
        shape = stated.shape
    elif stated.shape is not None and len(stated.shape) == len(shape):
        shape = tuple(
            s if s is not None and is_plain(s) and not is_plain(d) and _anonymous(d) else d
            for d, s in zip(shape, stated.shape, strict=True)
        )
    return TensorType(shape, own.dtype or stated.dtype, own.format, own.value, own.last)


def _anonymous(size: Term) -> bool:
    return "?" in str(size) if size is not None else True
