"""Inputs whose first axis counts the samples of a batch: those that a layer reads row by row."""

from __future__ import annotations

import onnx_ir as ir

from analyzer.graph import Role, role_of
from analyzer.operators.declaration import CONVERTS, ELEMENTWISE, IDENTITY, RESHAPES, Trait
from analyzer.operators.registry import traits_of

MOST_VALUES = 64  # looked at for one input
FAR = 4  # nodes between a weight and the layer that reads it: a transposition, a cast


def read_by_layer(value: ir.Value) -> bool:
    """Whether a product or convolution with a trained weight reads an input, or what is computed of it row by row."""
    stack, seen = [value], {value}
    while stack and len(seen) < MOST_VALUES:
        current = stack.pop()
        for use in current.uses():
            node = use.node
            if traits_of(node) & Trait.CONTRACTION and use.idx == 0:
                if any(_is_weight(other) for other in node.inputs[1:]):
                    return True
            elif (result := _same_rows(node, current)) is not None and result not in seen:
                seen.add(result)
                stack.append(result)
    return False


def keeps_rows(node: ir.Node) -> bool:
    """Whether a node gives each row what it computes of that row alone, where it leaves their number as it is."""
    return bool(traits_of(node) & (IDENTITY | CONVERTS | RESHAPES | ELEMENTWISE))


def _same_rows(node: ir.Node, operand: ir.Value) -> ir.Value | None:
    """The result of a node that keeps the rows of an operand along the first axis."""
    if not keeps_rows(node) or not node.outputs:
        return None
    before, after = operand.shape, node.outputs[0].shape
    if before is None or after is None or not len(before) or not len(after) or before[0] != after[0]:
        return None
    return node.outputs[0]


def _is_weight(value: ir.Value | None) -> bool:
    for _ in range(FAR):
        if value is None:
            return False
        producer = value.producer()
        if producer is None:
            return role_of(value) is Role.PARAMETER
        value = producer.inputs[0] if producer.inputs else None
    return False
