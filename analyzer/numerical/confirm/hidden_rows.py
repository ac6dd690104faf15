"""PyTorch's own attention in the slices that are run: a row of scores that is hidden whole has weights of 0.

The form of its export gives NaN there, which no run of the model does: neither for its results nor for its gradients.
"""

from __future__ import annotations

import math
from typing import Any

import onnx_ir as ir

from analyzer.graph.model import in_torch_attention
from analyzer.numerical.confirm.extract import Slice

AXES_GIVEN = 18  # the ONNX version from which on a reduction takes its axes as an operand
LIKE_OTHERS = 15  # and the one from which on a number is given another value's type; a softmax has one axis by then


def with_hidden_rows(piece: Slice) -> Slice:
    """The slice in which such rows are 0, but for a softmax that is itself the operator under suspicion."""
    version = piece.model.graph.opset_imports.get("", 0)
    nodes = ir.traversal.RecursiveGraphIterator(piece.model.graph) if version >= LIKE_OTHERS else ()
    for node in [n for n in nodes if _attends(n)]:
        if node.outputs[0].name not in piece.outputs:
            _hide(node, version)
    return piece


def _attends(node: ir.Node) -> bool:
    return node.op_type == "Softmax" and not node.domain and in_torch_attention(node)


def _hide(node: ir.Node, version: int) -> None:
    """Puts ``where(all(x == -inf), 0, softmax(where(all(x == -inf), 0, x)))`` in the place of ``softmax(x)``."""
    scores, weights, main = node.inputs[0], node.outputs[0], node.graph
    if scores is None or not isinstance(main, ir.Graph):
        return
    stem = f"{weights.name}_hidden"
    made: list[ir.Node] = []

    def put(operator: str, *operands: ir.Value, **given: Any) -> ir.Value:
        attributes = [ir.convenience.convert_attribute(k, v) for k, v in given.items()]
        name = f"{stem}_{len(made)}"
        made.append(ir.Node("", operator, operands, attributes, name=name, outputs=[ir.Value(name=name)]))
        return made[-1].outputs[0]

    def number(value: float) -> ir.Value:
        return put("CastLike", put("Constant", value=ir.tensor(value, dtype=ir.DataType.FLOAT)), scores)

    axis = node.attributes["axis"].as_int() if "axis" in node.attributes else -1
    each = put("Cast", put("Equal", scores, number(-math.inf)), to=int(ir.DataType.INT32))
    if version < AXES_GIVEN:
        least = put("ReduceMin", each, axes=[axis], keepdims=1)
    else:
        least = put("ReduceMin", each, put("Constant", value=ir.tensor([axis], dtype=ir.DataType.INT64)), keepdims=1)
    hidden, zero = put("Cast", least, to=int(ir.DataType.BOOL)), number(0.0)
    shown = put("Where", hidden, zero, scores)
    main.insert_before(node, made)
    node.replace_input_with(0, shown)
    result = ir.Value(name=weights.name, type=weights.type, shape=weights.shape)
    weights.replace_all_uses_with(result, replace_graph_outputs=True)
    weights.name = f"{stem}_weights"
    main.insert_after(node, ir.Node("", "Where", [hidden, zero, weights], name=stem, outputs=[result]))
