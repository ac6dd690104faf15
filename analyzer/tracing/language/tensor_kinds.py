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


def never_of_class(kind: Class) -> bool:
    """Whether no tensor is of a class of the source: what gives one of a library's own tensors gives no plain one."""
    return kind.closed and (kind.path.startswith(MARK) or "torch.Tensor" not in kind.library_bases)


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
