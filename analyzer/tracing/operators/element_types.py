"""Names of element types: ``torch.float32``, ``"int64"``, ``int``."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Api, Class, Value
from analyzer.tracing.paths.tracer import Tracer

_NAMES = {
    "float": "float32", "float32": "float32", "float64": "float64", "double": "float64", "half": "float16",
    "float16": "float16",
    "bfloat16": "bfloat16", "long": "int64", "int64": "int64", "int": "int32", "int32": "int32", "bool": "bool",
    "bool_": "bool",
    "uint8": "uint8", "int8": "int8", "int16": "int16", "string": "string", "str": "string", "complex64": "complex64",
    "complex128": "complex128", "cfloat": "complex64", "cdouble": "complex128", "short": "int16", "uint16": "uint16",
    "uint32": "uint32", "uint64": "uint64",
    "LongTensor": "int64", "FloatTensor": "float32", "IntTensor": "int32",
}  # fmt: skip


def dtype_name(value: Value) -> str | None:
    """The element type that a value such as ``torch.float32``, ``"int64"`` or ``int`` stands for, or None."""
    if isinstance(value, Api):
        head, _, last = value.name.rpartition(".")
        return _NAMES.get(last) if head in ("torch", "tf", "numpy", "jax.numpy", "tf.dtypes") else None
    if isinstance(value, str):
        return _NAMES.get(value)
    name: Any = getattr(value, "name", None)
    return {"float": "float32", "int": "int64", "bool": "bool"}.get(name) if type(value).__name__ == "Native" else None


def default_float(tr: Tracer) -> str | None:
    """The floating type of new tensors where none is asked for; None where the program has set one."""
    return None if "floatx" in tr.machine else "float32"


def asked_type(value: Value, otherwise: str | None) -> str | None:
    """The element type that a call asks for; `otherwise` where it asks for none, None where it is not known which."""
    return otherwise if value is None else dtype_name(value)


OBJECTS = "object"  # the element type of NumPy's arrays of anything
_HOLDERS = ("torch.Tensor", "numpy.ndarray", "numpy.object_", "tf.Tensor", "tf.Variable")


def array_type(value: Value) -> str | None:
    """The same for NumPy, whose ``float`` has 64 bits, and which takes codes such as ``"f4"`` as names.

    Of a class that is none of numbers or text it makes an array of objects.
    """
    if isinstance(value, Class) and value.closed and not value.library_bases:
        return OBJECTS
    if isinstance(value, Api) and value.name in _HOLDERS:
        return OBJECTS
    name = value if isinstance(value, str) else getattr(value, "name", "") if type(value).__name__ == "Native" else ""
    if not name:
        return dtype_name(value)
    if name in ("list", "tuple", "dict", "set") and not isinstance(value, str):
        return OBJECTS
    try:
        kind = np.dtype(name)
    except TypeError:
        return None
    return kind.name if kind.kind in "biufcO" else None


def item_size(dtype: str | None) -> int | None:
    """How many bytes an element takes."""
    if dtype is None or dtype == "string":
        return None
    return 2 if dtype == "bfloat16" else np.dtype(dtype).itemsize


def numpy_type(x: Tensor, y: Tensor) -> str | None:
    """The element type in which NumPy computes on two arrays; None where it is not known.

    What one without axes makes of another type differs between NumPy 1, which asks for its value, and NumPy 2.
    """
    if x.dtype == y.dtype:
        return x.dtype
    if x.dtype is None or y.dtype is None or not x.dims or not y.dims:
        return None
    try:
        return np.result_type(x.dtype, y.dtype).name
    except TypeError:
        return None


def floating_of(dtype: str | None) -> str | None:
    """Of a result that is floating: the default type, which is not known, where the operand is of whole numbers."""
    return None if (dtype or "").startswith(("int", "uint", "bool")) else dtype


def real_of(dtype: str | None) -> str | None:
    """Of an absolute value or a norm: half of a complex number."""
    return {"complex64": "float32", "complex128": "float64", "complex32": "float16"}.get(dtype or "", dtype)


def fact_of_type(value: Api, name: str) -> bool | None:
    """An attribute such as ``torch.float32.is_floating_point``; None where the value is no element type."""
    known = dtype_name(value)
    if known is None:
        return None
    kinds = {"is_bool": ("bool",), "is_integer": ("int", "uint"), "is_complex": ("complex",)}
    return known.startswith(kinds.get(name, ("float", "bfloat")))
