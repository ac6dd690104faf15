"""What TensorFlow's operator registry says of outputs and of attributes that a file may leave out.

A GraphDef does not say how many outputs a node has, nor their types, and functions refer to outputs by name. The table
``tensorflow_operators.json`` holds these facts for the operators of TensorFlow's registry; it is made by
``python -m scripts.tensorflow_tables``.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import onnx_ir as ir

# TensorFlow's DataType -> ONNX's; what ONNX lacks (resource, variant, reference to nothing) is UNDEFINED.
_DTYPES = {
    1: "FLOAT", 2: "DOUBLE", 3: "INT32", 4: "UINT8", 5: "INT16", 6: "INT8", 7: "STRING", 8: "COMPLEX64", 9: "INT64",
    10: "BOOL", 11: "INT8", 12: "UINT8", 13: "INT32", 14: "BFLOAT16", 15: "INT16", 16: "UINT16", 17: "UINT16",
    18: "COMPLEX128", 19: "FLOAT16", 22: "UINT32", 23: "UINT64", 24: "FLOAT8E5M2", 25: "FLOAT8E4M3FN",
    26: "FLOAT8E4M3FNUZ", 28: "FLOAT8E5M2FNUZ", 29: "INT4", 30: "UINT4",
}  # fmt: skip
DTYPES = {number: ir.DataType[name] for number, name in _DTYPES.items()}
REFERENCE = 100  # DT_FLOAT_REF is DT_FLOAT + 100


def dtype_of(number: int) -> ir.DataType:
    """ONNX's type for TensorFlow's `number`; references count as what they refer to."""
    return DTYPES.get(number - REFERENCE if number > REFERENCE else number, ir.DataType.UNDEFINED)


@dataclass(frozen=True, slots=True)
class Output:
    """One output argument.

    `dtype` is a fixed type (TensorFlow's number), or the attribute that holds the type, or the list of types if `many`;
    `count` names the attribute that holds the number of tensors.
    """

    name: str
    dtype: int | str
    count: str = ""
    many: bool = False


@dataclass(frozen=True, slots=True)
class OpDef:
    outputs: tuple[Output, ...]
    defaults: dict[str, tuple[str, Any]] = field(default_factory=dict)  # name -> (kind, value)


@functools.cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(Path(__file__).with_name("tensorflow_operators.json").read_text("utf-8"))
    return table


@functools.cache
def operator(name: str) -> OpDef | None:
    """What the registry knows of the operator `name`, or None."""
    if name not in _table():
        return None
    outputs, defaults = _table()[name]
    return OpDef(tuple(Output(*output) for output in outputs), {key: (kind, value) for key, kind, value in defaults})


def operator_from_proto(proto: Any) -> OpDef:
    """From an ``OpDef`` message, TensorFlow's own or the one read from a file."""
    outputs = tuple(
        Output(a.name, a.type_list_attr or a.type_attr or int(a.type), a.number_attr, bool(a.type_list_attr))
        for a in proto.output_arg
    )
    return OpDef(outputs, dict(_defaults(proto.attr)))


def _defaults(attributes: Iterable[Any]) -> Iterable[tuple[str, tuple[str, Any]]]:
    for attribute in attributes:
        kind = attribute.default_value.WhichOneof("value")
        if kind in ("i", "f", "b", "type"):
            yield attribute.name, (kind, getattr(attribute.default_value, kind))
        elif kind == "s":
            yield attribute.name, (kind, attribute.default_value.s.decode("utf-8", "replace"))
        elif kind == "list" and attribute.type in ("list(int)", "list(float)", "list(type)"):
            name = {"list(int)": "i", "list(float)": "f", "list(type)": "type"}[attribute.type]
            yield attribute.name, (f"list:{name}", list(getattr(attribute.default_value.list, name)))
