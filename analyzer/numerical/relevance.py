"""Which nodes of a graph matter: those that results, and operators that can fail, depend on."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import onnx_ir as ir

from analyzer.numerical.transfer.registry import TransferRule


def relevant(graph: ir.Graph, rule_of: Callable[[ir.Node], TransferRule | None]) -> list[ir.Node]:
    """In the order of the graph; an operator without a rule may fail."""
    nodes = list(graph)
    wanted: set[ir.Node] = set()
    stack: list[ir.Node] = []
    for node in nodes:
        rule = rule_of(node)
        if rule is None or rule.unsafe or rule.family == "control_flow":
            stack.append(node)
    for output in graph.outputs:
        producer = output.producer()
        if producer is not None:
            stack.append(producer)
    while stack:
        node = stack.pop()
        if node in wanted:
            continue
        wanted.add(node)
        for value in operands(node):
            producer = value.producer() if value is not None else None
            if producer is not None and producer not in wanted:
                stack.append(producer)
    return [n for n in nodes if n in wanted]


def operands(node: ir.Node) -> Iterator[ir.Value | None]:
    """Inputs of a node and what its subgraphs use from outside."""
    yield from node.inputs
    for attribute in node.attributes.values():
        if attribute.is_ref():
            continue
        if attribute.type == ir.AttributeType.GRAPH:
            yield from _captured(attribute.value)
        elif attribute.type == ir.AttributeType.GRAPHS:
            for graph in attribute.value:
                yield from _captured(graph)


def _captured(graph: ir.Graph) -> Iterator[ir.Value | None]:
    for node in graph:
        yield from operands(node)
    yield from graph.outputs
