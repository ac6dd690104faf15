"""Data that a graph holds: initializers, constants, and what is computed from nothing else (often left unfolded)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import onnx_ir as ir

LARGEST = 1 << 12  # elements of a folded expression
DEEPEST = 6  # operators between a constant and where it is read: shapes are computed in fewer

Fold = Callable[[ir.Node, list[np.ndarray]], np.ndarray]


def _cast(node: ir.Node, operands: list[np.ndarray]) -> np.ndarray:
    attribute = node.attributes.get("DstT" if node.domain == "tf" else "to")
    if attribute is None:
        return operands[0]
    return operands[0].astype(ir.DataType(int(attribute.value)).numpy())


def _cast_like(node: ir.Node, operands: list[np.ndarray]) -> np.ndarray:
    dtype = node.outputs[0].dtype or (node.inputs[1].dtype if node.inputs[1] is not None else None)
    return operands[0].astype(dtype.numpy()) if dtype is not None else operands[0]


def _unsqueeze(node: ir.Node, operands: list[np.ndarray]) -> np.ndarray:
    if len(operands) > 1:
        return np.expand_dims(operands[0], tuple(int(a) for a in operands[1].reshape(-1)))
    axes = node.attributes.get("axes")
    return np.expand_dims(operands[0], tuple(int(a) for a in axes.value)) if axes is not None else operands[0]


def _squeeze(node: ir.Node, operands: list[np.ndarray]) -> np.ndarray:
    return operands[0].reshape(()) if operands[0].size == 1 and len(operands) == 1 else np.squeeze(operands[0])


FOLDS: Mapping[str, Fold] = {
    "Identity": lambda node, given: given[0],
    "StopGradient": lambda node, given: given[0],
    "Cast": _cast,
    "CastLike": _cast_like,
    "Reshape": lambda node, operands: operands[0].reshape([int(n) for n in operands[1].reshape(-1)]),
    "Unsqueeze": _unsqueeze,
    "ExpandDims": _unsqueeze,
    "Squeeze": _squeeze,
    "Neg": lambda node, given: -given[0],
    "Add": lambda node, given: given[0] + given[1],
    "AddV2": lambda node, given: given[0] + given[1],
    "Sub": lambda node, given: given[0] - given[1],
    "Mul": lambda node, given: given[0] * given[1],
}


def constant_array(value: ir.Value | None, depth: int = DEEPEST) -> np.ndarray | None:
    """A value's data where it is a constant, an initializer, or computed from such alone; None otherwise."""
    if value is None:
        return None
    if value.const_value is not None and not value.is_graph_input():
        return value.const_value.numpy()
    producer = value.producer()
    if producer is None:
        return None
    if producer.op_type in ("Constant", "Const"):
        return _stated(producer)
    fold = FOLDS.get(producer.op_type)
    if fold is None or depth == 0 or producer.domain not in ("", "ai.onnx", "tf"):
        return None
    operands: list[np.ndarray] = []
    for operand in producer.inputs[:1] if producer.op_type == "CastLike" else producer.inputs:
        array = constant_array(operand, depth - 1)
        if array is None or array.size > LARGEST:
            return None
        operands.append(array)
    try:
        with np.errstate(all="ignore"):
            return np.asarray(fold(producer, operands))
    except (ValueError, TypeError, IndexError, KeyError):
        return None


def _stated(node: ir.Node) -> np.ndarray | None:
    """The data in a constant node's attribute, in whichever of ONNX's spellings."""
    for name, attribute in node.attributes.items():
        data: Any = attribute.value
        if name == "value" and hasattr(data, "numpy"):
            array: np.ndarray = data.numpy()
            return array
        if name in ("value_float", "value_floats"):
            return np.asarray(data, np.float32)
        if name in ("value_int", "value_ints"):
            return np.asarray(data, np.int64)
    return None
