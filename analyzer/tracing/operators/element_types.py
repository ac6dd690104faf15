"""Names of element types: ``torch.float32``, ``"int64"``, ``int``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Api, Class, Value
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import product

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


def asked_array_type(value: Value, otherwise: str | None) -> str | None:
    """The same for NumPy."""
    return otherwise if value is None else array_type(value)


OBJECTS = "object"  # the element type of NumPy's arrays of anything, of texts and of records
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
    if not kind.isnative:
        return None  # the same numbers, but another type: not equal to the one of that name
    return kind.name if kind.kind in "biufc" else OBJECTS if kind.kind in "OSUV" else None


def item_size(dtype: str | None) -> int | None:
    """How many bytes an element takes."""
    if dtype in (None, "string", OBJECTS):
        return None
    return 2 if dtype == "bfloat16" else np.dtype(dtype).itemsize


FACTS = ("is_floating_point", "is_complex", "is_floating", "is_integer", "is_bool", "name", "base_dtype",
         "as_numpy_dtype", "size", "itemsize", "type")  # fmt: skip


def _of_tensorflow(kind: str, name: str) -> Value:
    if name == "name":
        return kind
    if name == "base_dtype":
        return Api(f"tf.{kind}")
    if name == "size":
        return item_size(kind)
    return Api(f"numpy.{kind}") if kind not in ("string", "bfloat16") else None


_PLAINLY = frozenset(("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                      "uint64", "bool", "complex64", "complex128"))  # fmt: skip


def is_type_named(value: Value, text: Value) -> bool | None:
    """Whether an element type is equal to a text; None where that is not known.

    TensorFlow's are equal to their names, and so are NumPy's, but not the classes of NumPy's numbers, which have the
    same names here; PyTorch's are equal to no text.
    """
    known = dtype_name(value) if isinstance(value, Api) else None
    if known is None or not isinstance(text, str):
        return None
    home = value.name.partition(".")[0]
    if home == "torch":
        return False
    if text not in _PLAINLY or known not in _PLAINLY or home not in ("tf", "numpy"):
        return None
    return (True if home == "tf" else None) if text == known else False


_HOMES = ("torch", "tf", "numpy", "keras", "jax", "builtins")


def are_equal_types(left: Api, right: Api) -> bool | None:
    """Whether two names that are not one are equal element types; None where one is of a library that is not known."""
    names, homes = (dtype_name(left), dtype_name(right)), {v.name.partition(".")[0] for v in (left, right)}
    if None not in names:
        return homes == {"tf", "numpy"} and names[0] == names[1]
    return None if names != (None, None) and not homes <= set(_HOMES) else False


def numpy_type(x: Tensor, y: Tensor) -> str | None:
    """The element type in which NumPy computes on two arrays; None where it is not known.

    What one without axes makes of another type differs between NumPy 1, which asks for its value, and NumPy 2.
    """
    if x.dtype == y.dtype:
        return x.dtype
    return joined_type((x, y)) if x.dims and y.dims else None


def joined_type(parts: Sequence[Tensor]) -> str | None:
    """The element type of the array that NumPy joins of arrays of one rank; None where it is not known."""
    kinds = {part.dtype for part in parts}
    if len(kinds) == 1 or None in kinds:
        return kinds.pop() if len(kinds) == 1 else None
    try:
        return np.result_type(*sorted(kind for kind in kinds if kind is not None)).name
    except TypeError:
        return None


def bytes_of(value: Tensor, name: str) -> Value:
    """`itemsize` and `nbytes` of a tensor; None where they are not known."""
    size = item_size(value.dtype)
    if size is None or (name == "nbytes" and value.dims is None):
        return None
    return size if name == "itemsize" else product(value.dims or ()) * size


def floating_of(dtype: str | None) -> str | None:
    """Of a result that is floating: the default type, which is not known, where the operand is of whole numbers."""
    return None if (dtype or "").startswith(("int", "uint", "bool")) else dtype


def real_of(dtype: str | None) -> str | None:
    """Of an absolute value or a norm: half of a complex number."""
    return {"complex64": "float32", "complex128": "float64", "complex32": "float16"}.get(dtype or "", dtype)


def fact_of_type(value: Api, name: str) -> Value:
    """An attribute such as ``torch.float32.is_floating_point``; None where it is none of an element type."""
    known = dtype_name(value)
    if known is None or name not in FACTS:
        return None
    home = value.name.partition(".")[0]
    if name == "type":  # the class of its numbers, which has the same name here
        return value if home == "numpy" else None
    if name == "itemsize":
        return item_size(known) if home != "tf" else None
    if name in ("name", "base_dtype", "as_numpy_dtype", "size"):
        return _of_tensorflow(known, name) if home == "tf" else known if name == "name" and home == "numpy" else None
    kinds = {"is_bool": ("bool",), "is_integer": ("int", "uint"), "is_complex": ("complex",)}
    return known.startswith(kinds.get(name, ("float", "bfloat")))
