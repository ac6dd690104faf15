"""Classes of which a tensor is never an object, whether `isinstance` or `type(x) is` asks."""

from __future__ import annotations

from analyzer.tracing.imports.libraries import MARK
from analyzer.tracing.language.known_types import TYPE
from analyzer.tracing.language.packed_sequences import is_packed
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Api, Class, Unknown, Value

# Homes of classes of which no tensor is one.
NEVER_TENSORS = ("torch.nn.", "torch.optim.", "torch.utils.", "keras.preprocessing.", "keras.utils.", "keras.layers.",
                 "keras.models.", "keras.optimizers.")  # fmt: skip
_TENSORS_TOO = ("Parameter", "Buffer")


def names_packed(kind: Api) -> bool:
    """Whether it is PyTorch's class of packed sequences, by one of its names."""
    return kind.name.startswith("torch.nn.") and kind.name.endswith(".PackedSequence")


_ARRAYS = ("numpy.ndarray", "numpy.matrix", "numpy.recarray", "numpy.memmap", "numpy.ma.MaskedArray")
_OF_ARRAYS = ("__array_wrap__", "__array_ufunc__", "__array_function__")  # what functions of arrays ask


def adds_to_arrays(kind: Class) -> bool:
    """Whether it derives from NumPy's arrays, or NumPy's functions may give an object of it."""
    derived = not set(_ARRAYS).isdisjoint(kind.library_bases)
    return derived or any(kind.find(name) is not None for name in _OF_ARRAYS)


def may_be_array(kind: Value, other: Value) -> bool:
    """Whether one is the class of arrays, and the other a class that adds to it: which one an array has is not kept."""
    return any(
        isinstance(a, Api) and a.name == _ARRAYS[0]
        and ((isinstance(b, Class) and adds_to_arrays(b)) or (isinstance(b, Api) and b.name in _ARRAYS[1:]))
        for a, b in ((kind, other), (other, kind))
    )  # fmt: skip


def never_of_class(kind: Class) -> bool:
    """Whether no tensor is of a class of the source: what gives one of a library's own tensors gives no plain one."""
    if kind.path.startswith(MARK):
        return kind.closed
    return kind.closed and "torch.Tensor" not in kind.library_bases and not adds_to_arrays(kind)


def is_other_type(kind: Value, other: Value) -> bool:
    """Whether one is `type(tensor)`, and the other one a class to which the tensor does not belong."""
    if not isinstance(kind, Unknown) or kind.reason != TYPE or not kind.factors:
        return False
    if isinstance(other, Class):
        return never_of_class(other)
    if not isinstance(other, Api):
        return False
    value = kind.factors[0]
    if names_packed(other):
        return isinstance(value, Tensor) and is_packed(value) is False
    return other.name.startswith(NEVER_TENSORS) and not other.name.endswith(_TENSORS_TOO)
