"""How operators become torch calls: one short function per operator, found by domain and name.

A handler gets the node, its operands as tensors (None where an optional one is missing) and the `Mode`, and returns one
tensor or a tuple. Under ``Mode(surrogate=True)`` saturated operators pass useful gradients; values are never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import onnx_ir as ir

Tensor = Any  # torch.Tensor; torch is imported lazily
Handler = Callable[[ir.Node, Sequence[Any], "Mode"], Any]

HANDLERS: dict[tuple[str, str], Handler] = {}


class Unsupported(Exception):
    """The slice holds an operator that this interpreter does not know; the search does without gradients."""


@dataclass(frozen=True, slots=True)
class Mode:
    surrogate: bool = True
    double: bool = False  # initializers and constants as float64


def op(onnx: str | Sequence[str] = (), tf: str | Sequence[str] = ()) -> Callable[[Handler], Handler]:
    """Registers a handler under the ONNX names `onnx` and the TensorFlow names `tf`."""

    def register(handler: Handler) -> Handler:
        for name in (onnx,) if isinstance(onnx, str) else onnx:
            HANDLERS["", name] = handler
        for name in (tf,) if isinstance(tf, str) else tf:
            HANDLERS["tf", name] = handler
        return handler

    return register


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


def run(model: ir.Model, leaves: Mapping[str, Tensor], mode: Mode) -> dict[str, Tensor]:
    """Every value of the model's main graph for the given leaves.

    Raises `Unsupported` for an operator without a handler; whatever torch raises for shapes that do not fit.
    """
    import analyzer.numerical.confirm.torch_operators  # noqa: F401  (fills HANDLERS)
    from analyzer.numerical.confirm.torch_dtypes import from_numpy

    values: dict[str, Tensor] = dict(leaves)
    for name, initializer in model.graph.initializers.items():
        if name not in values and initializer.const_value is not None:
            values[name] = _exact(from_numpy(initializer.const_value.numpy()), mode)
    for node in model.graph:
        handler = HANDLERS.get((node.domain or "", node.op_type))
        if handler is None:
            raise Unsupported(f"{node.domain or 'onnx'}.{node.op_type}")
        operands = [values[v.name or ""] if v is not None else None for v in node.inputs]
        results = handler(node, operands, mode)
        if not isinstance(results, (tuple, list)):
            results = (results,)
        constant = mode.double and node.op_type in ("Const", "Constant")
        for value, result in zip(node.outputs, results, strict=False):
            if value.name:
                values[value.name] = _exact(result, mode) if constant else result
    return values


def _exact(tensor: Tensor, mode: Mode) -> Tensor:
    return tensor.double() if mode.double and tensor.is_floating_point() else tensor
