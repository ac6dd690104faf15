"""Formulas as they stand in a graph: ``1 - x``, ``sum(exp(x))``, a softmax written by hand."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import onnx_ir as ir

from analyzer.numerical.constants import constant_array
from analyzer.operators.declaration import IDENTITY
from analyzer.operators.registry import operator_name, traits_of

Found = TypeVar("Found")


class FormulaGone(Exception):
    """The formula that a change mends does not stand in this copy of the graph."""


def present(found: Found | None) -> Found:
    """What was found; raises FormulaGone where nothing was."""
    if found is None:
        raise FormulaGone
    return found


def source_of(value: ir.Value | None) -> ir.Node | None:
    """The node behind a value, through identities."""
    node = value.producer() if value is not None else None
    while node is not None and traits_of(node) & IDENTITY:
        value = node.inputs[0]
        node = value.producer() if value is not None else None
    return node


def operand(node: ir.Node, position: int = 0) -> ir.Value:
    return present(node.inputs[position])


def own_readers(value: ir.Value) -> list[ir.Node]:
    """Readers of a value but for the gradients that training adds, behind identities."""
    found = []
    for use in value.uses():
        if (use.node.name or "").startswith("gradients"):
            continue
        found += own_readers(use.node.outputs[0]) if traits_of(use.node) & IDENTITY else [use.node]
    return found


def number(value: ir.Value | None) -> float | None:
    """The one number that a constant holds."""
    array = constant_array(value)
    return float(array.reshape(-1)[0]) if array is not None and array.size == 1 else None


def sub_one(node: ir.Node | None) -> ir.Value | None:
    """x of ``1 - x``, the 1 possibly with an epsilon that is lost or not."""
    if node is None or node.op_type != "Sub":
        return None
    first = number(node.inputs[0])
    return node.inputs[1] if first is not None and abs(first - 1) < 1e-4 else None


def plus_one(node: ir.Node | None) -> ir.Value | None:
    """x of ``1 + x``."""
    if node is None or operator_name(node) != "Add":
        return None
    for i in (0, 1):
        if number(node.inputs[i]) == 1.0:
            return node.inputs[1 - i]
    return None


def axes_of(node: ir.Node) -> tuple[list[int], bool] | None:
    """Constant axes of a reduction, and whether they are kept."""
    keep = node.attributes.get("keep_dims" if node.domain == "tf" else "keepdims")
    kept = bool(keep.value) if keep is not None else node.domain != "tf"
    if "axes" in node.attributes:
        return [int(a) for a in node.attributes["axes"].value], kept
    if len(node.inputs) < 2 or node.inputs[1] is None:
        return [], kept
    axes = constant_array(node.inputs[1])
    return None if axes is None else ([int(a) for a in axes.reshape(-1)], kept)


def sum_of_exp(node: ir.Node | None) -> tuple[ir.Value, list[int], bool] | None:
    """x, axes, keep of ``sum(exp(x))``."""
    if node is None or operator_name(node) != "ReduceSum":
        return None
    inner, axes = source_of(node.inputs[0]), axes_of(node)
    if inner is None or inner.op_type != "Exp" or axes is None:
        return None
    return operand(inner), *axes


def hand_softmax(node: ir.Node) -> tuple[ir.Value, list[int]] | None:
    """x and axes of ``exp(x) / sum(exp(x))``."""
    if operator_name(node) != "Div" or len(node.inputs) != 2:
        return None
    top, below = source_of(node.inputs[0]), node.inputs[1]
    found = sum_of_exp(source_of(below))
    if found is None:
        step = source_of(below)
        if step is not None and operator_name(step) in ("Reshape", "Unsqueeze", "Tile", "Expand"):
            found = sum_of_exp(source_of(step.inputs[0]))
    if top is None or top.op_type != "Exp" or found is None or found[0] is not top.inputs[0]:
        return None
    return found[0], found[1]


def minus_infinity(value: ir.Value | None) -> bool:
    """Whether a value is a constant of minus infinity, of whatever shape."""
    array = constant_array(value)
    node = source_of(value)
    if array is None and node is not None and node.op_type in ("Fill", "Expand", "ConstantOfShape", "CastLike", "Cast"):
        array = constant_array(node.inputs[1 if node.op_type == "Fill" else 0])
    return array is not None and array.size > 0 and bool(np.all(np.isneginf(np.asarray(array, np.float64))))
