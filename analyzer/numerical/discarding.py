"""Failures that a model discards: cast to integers, then chosen away by a `Where`, before any result.

The relative positions of T5 are so: ``log(position)`` is -inf at 0, is cast to an index and replaced by a selection. No
result and no gradient ever holds the failing value, so it must not block; it is still told.
"""

from __future__ import annotations

import onnx_ir as ir

from analyzer.graph import Graph

_SELECTIONS = ("Where", "Select", "SelectV2")
_INTEGERS = {d for d in ir.DataType if d.is_integer()}


def discarded(graph: Graph, node: ir.Node) -> bool:
    """Whether every path from `node` to a result leads through a cast to integers and then through a selection."""
    results = set(graph.graph.outputs)
    seen: set[tuple[ir.Value, bool]] = set()
    stack = [(value, False) for value in node.outputs]
    selected = False
    while stack:
        value, integer = stack.pop()
        if (value, integer) in seen:
            continue
        seen.add((value, integer))
        if value in results:
            return False
        for user, index in value.uses():
            if user.graph is not node.graph or any(
                a.type in (ir.AttributeType.GRAPH, ir.AttributeType.GRAPHS) for a in user.attributes.values()
            ):
                return False  # bodies of loops and branches are not followed
            if integer and user.op_type in _SELECTIONS and index > 0:
                selected = True
                continue
            stack += [(output, integer or _to_integers(user)) for output in user.outputs]
    return selected


def _to_integers(node: ir.Node) -> bool:
    if node.op_type != "Cast":
        return False
    to = node.attributes.get("to")
    return (ir.DataType(to.as_int()) if to is not None else node.outputs[0].dtype) in _INTEGERS
