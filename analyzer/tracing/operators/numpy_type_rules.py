"""NumPy's element types: `dtype`, the types in which two are computed, and questions about the type of an array."""

from __future__ import annotations

import numpy as np

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Api, ListV, Unknown, Value
from analyzer.tracing.operators.element_types import OBJECTS, array_type
from analyzer.tracing.operators.numpy_operands import array
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import Poly


def _not_known(op: Op) -> Value:
    """An element type that the program gives itself, and that is not followed."""
    return Unknown("an element type", "imprecise", "dtype", "object")


@operator("numpy.dtype", "dtype *rest")
def element_type(op: Op, dtype: Value, rest: tuple[Value, ...]) -> Value:
    """The type itself: a type and the class of its numbers have one name here, as `array.dtype` has it."""
    if isinstance(dtype, ListV) or type(dtype) is tuple:
        return _not_known(op)  # of several fields
    known = array_type(dtype)
    return Api(f"numpy.{known}") if known not in (None, OBJECTS) else _not_known(op)


@operator("numpy.result_type numpy.promote_types numpy.common_type numpy.find_common_type", "*operands")
def common(op: Op, operands: tuple[Value, ...]) -> Value:
    """Of arrays with axes and of types; what a single number adds differs between NumPy 1 and 2."""
    if op.short == "find_common_type":
        operands = tuple(v for given in operands for v in (given.items if isinstance(given, ListV) else [given]))
    names = []
    for value in operands:
        single = isinstance(value, (int, float, complex, Poly)) or (isinstance(value, Tensor) and not value.dims)
        names.append(None if single else value.dtype if isinstance(value, Tensor) else array_type(value))
    known = [name for name in names if name is not None and name != OBJECTS]
    if not names or len(known) < len(names):
        return _not_known(op)
    if op.short == "common_type":
        return _not_known(op) if any(not n.startswith(("float", "complex")) for n in known) else _promoted(op, known)
    return _promoted(op, known)


def _promoted(op: Op, names: list[str]) -> Value:
    try:
        return Api(f"numpy.{np.result_type(*names).name}")
    except TypeError:
        return _not_known(op)


@operator("numpy.iscomplexobj numpy.isrealobj", "x")
def is_complex(op: Op, x: Value) -> Value:
    """Whether its type is complex, whatever its elements are."""
    found = array(op, x)
    if isinstance(x, (bool, int, float, complex)):
        told: bool | None = isinstance(x, complex)
    else:
        told = None if found is None or found.dtype is None else found.dtype.startswith("complex")
    if told is None:
        return Unknown("a question for an element type", "imprecise", pytype="bool")
    return told == (op.short == "iscomplexobj")


@operator("numpy.min_scalar_type", "a")
def smallest(op: Op, a: Value) -> Value:
    return Api(f"numpy.{np.min_scalar_type(a).name}") if isinstance(a, (bool, int)) else _not_known(op)
