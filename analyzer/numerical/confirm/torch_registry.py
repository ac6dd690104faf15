"""How operators become torch calls: one short function per operator, found by domain and name.

A handler gets the node, its operands as tensors (None where an optional one is missing) and the `Mode`, and returns one
tensor or a tuple. Under ``Mode(surrogate=True)`` saturated operators pass useful gradients; values are never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import onnx_ir as ir

from analyzer.operators.registry import declaration_of, declared, filled

Tensor = Any  # torch.Tensor; torch is imported lazily
Handler = Callable[[ir.Node, Sequence[Any], "Mode"], Any]


class UnsupportedOperator(Exception):
    """The slice holds an operator that this interpreter does not know; the search does without gradients."""


@dataclass(frozen=True, slots=True)
class Mode:
    surrogate: bool = True
    double: bool = False  # initializers and constants as float64


def op(onnx: str | Sequence[str] = (), tf: str | Sequence[str] = ()) -> Callable[[Handler], Handler]:
    """Registers a handler under the ONNX names `onnx` and the TensorFlow names `tf`."""

    def register(handler: Handler) -> Handler:
        for domain, names in (("", onnx), ("tf", tf)):
            for name in (names,) if isinstance(names, str) else names:
                filled(declaration_of(domain, name).references, (domain, name), handler)
        return handler

    return register


def handler_of(domain: str, op_type: str) -> Handler | None:
    """What computes a graph node of this type in torch, or None."""
    operator = declared(domain, op_type)
    return None if operator is None else operator.references.get((domain, op_type))


def attribute(node: ir.Node, name: str, default: Any = None) -> Any:
    """An attribute's plain value: numbers, strings, lists of them."""
    found = node.attributes.get(name)
    if found is None:
        return default
    value = found.value
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (list, tuple)):
        return [v.decode() if isinstance(v, bytes) else v for v in value]
    return value
