"""What is asked of element types: their limits, the kinds to which they belong, the bytes of an element."""

from __future__ import annotations

import numpy as np

from analyzer.tracing.language.known_types import value_of
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Api, ListV, Value
from analyzer.tracing.operators.element_types import array_type, dtype_name, item_size
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import Poly

_LIMITS = ("max", "min", "eps", "tiny", "smallest_normal", "bits", "resolution")


@operator("torch.finfo torch.iinfo numpy.finfo numpy.iinfo tf.experimental.numpy.finfo", "type=None")
def number_limits(op: Op, type: Value) -> Value:
    """Numbers whose value depends on the element type."""
    limits = op.tr.unknown(op.short, "data", op.short, "object")
    whole = op.short == "iinfo"
    kind = dtype_name(type) if op.name.startswith("torch") else array_type(type)
    known = np.dtype(kind).kind if kind is not None and kind not in ("bfloat16", "string") else ""
    told = (np.iinfo(kind) if whole else np.finfo(kind)) if kind and known in ("iu" if whole else "f") else None
    for name in _LIMITS:
        number = getattr(told, name, None)
        if number is None:
            number = value_of("int" if whole or name == "bits" else "float", f"`{name}` of a type", "data", name)
        limits.attrs[name] = number if not isinstance(number, np.generic) else number.item()
    return limits


_KINDS = {
    "numpy.floating": "f", "numpy.integer": "iu", "numpy.signedinteger": "i", "numpy.unsignedinteger": "u",
    "numpy.number": "iufc", "numpy.complexfloating": "c", "numpy.inexact": "fc", "numpy.bool_": "b",
}  # fmt: skip


@operator("numpy.issubdtype", "arg1 arg2")
def belongs(op: Op, arg1: Value, arg2: Value) -> Value:
    """Whether a type is of one of NumPy's kinds of numbers."""
    kind = array_type(arg1) if isinstance(arg1, (Api, str)) else None
    asked = _KINDS.get(arg2.name) if isinstance(arg2, Api) else None
    if kind is None or asked is None or kind in ("bfloat16", "string"):
        return op.tr.unknown("result of numpy.issubdtype", "data", "issubdtype()", "bool")
    return np.dtype(kind).kind in asked


@operator("numpy.isscalar", "element")
def is_scalar(op: Op, element: Value) -> Value:
    if isinstance(element, (bool, int, float, complex, str, bytes, Poly)):
        return True
    plain = element is None or isinstance(element, ListV) or type(element) is tuple
    if plain or (isinstance(element, Tensor) and (element.framework != "numpy" or bool(element.dims))):
        return False
    return op.tr.unknown("result of numpy.isscalar", "data", "isscalar()", "bool")


@operator("torch.Tensor.element_size", "input")
def element_size(op: Op, input: Value) -> Value:
    size = item_size(input.dtype) if isinstance(input, Tensor) else None
    return op.tr.unknown("bytes of an element", "data", "element_size()", "int") if size is None else size
