"""Unions of types: `list | None`."""

from __future__ import annotations

from analyzer.tracing.language.values import (
    Api,
    Class,
    Native,
    Object,
    Value,
)

UNION = "union of types"  # the kind of the object that `list | range` makes


def union_of(left: Value, right: Value) -> Object | None:
    """`int | None` of builtin types and classes of the source; None of anything else."""
    kinds: list[Value] = []
    for value in (left, right):
        if isinstance(value, Object) and value.kind == UNION:
            kinds += value.data["types"]
        elif value is None and not (left is None and right is None):
            kinds.append(Native("NoneType", lambda c: None))
        elif _is_type(value):
            kinds.append(value)
        else:
            return None
    return Object(UNION, data={"types": tuple(kinds)})


def _is_type(value: Value) -> bool:
    """Whether it is a type whose unions nothing but Python makes."""
    if isinstance(value, Class):
        return value.closed and not value.library_bases
    return isinstance(value, (Native, Api)) and value.name in (_TYPES if isinstance(value, Native) else _TENSOR_TYPES)


_TYPES = frozenset(("int", "float", "str", "bool", "list", "tuple", "dict", "set", "bytes", "slice", "range", "complex",
                    "frozenset", "type"))  # fmt: skip

_TENSOR_TYPES = frozenset(("torch.Tensor", "numpy.ndarray", "torch.nn.Module", "torch.nn.Parameter"))
