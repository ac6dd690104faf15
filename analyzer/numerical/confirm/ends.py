"""What a gradient is taken of: the losses or results behind an operator."""

from __future__ import annotations

import onnx_ir as ir

from analyzer.graph import Graph
from analyzer.numerical.result import Alarm
from analyzer.operators.conditions import GRADIENT_OF_INFINITE_FACTOR, WHERE_LEAKS
from analyzer.operators.registry import operator_name


def ends_of(graph: Graph, warning: Alarm) -> tuple[str, ...]:
    """What to take the gradient of: the losses behind the node, or the selection that discards its value."""
    if not warning.backward:
        return ()
    losses = reached(warning.node, graph.losses)
    if losses or warning.rule not in (WHERE_LEAKS, GRADIENT_OF_INFINITE_FACTOR):
        return losses
    level, seen = [warning.node] if warning.rule == WHERE_LEAKS else [], set()
    while level:
        seen.update(level)
        readers = [use.node for node in level for value in node.outputs for use in value.uses()]
        for reader in readers:
            if operator_name(reader) == "Where" and reader.outputs[0].name:
                return (reader.outputs[0].name,)
        level = [r for r in dict.fromkeys(readers) if r not in seen]
    return reached(warning.node, tuple(v.name for v in graph.graph.outputs if v.name))


def reached(node: ir.Node, ends: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the values called `ends` that depend on the node: only their gradients pass through it."""
    seen: set[ir.Node] = set()
    found = set()
    stack = [node]
    while stack:
        current = stack.pop()
        if current in seen:
            continue
        seen.add(current)
        for value in current.outputs:
            found.add(value.name)
            stack.extend(use.node for use in value.uses())
    return tuple(name for name in ends if name in found)
