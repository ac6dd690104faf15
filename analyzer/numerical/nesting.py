"""Which node runs a body: branches, loops and scans hold graphs of their own."""

from __future__ import annotations

import onnx_ir as ir


def bodies(node: ir.Node) -> list[ir.Graph]:
    """The graphs among a node's attributes."""
    found = []
    for attribute in node.attributes.values():
        if attribute.is_ref():
            continue
        if attribute.type == ir.AttributeType.GRAPH:
            found.append(attribute.as_graph())
        elif attribute.type == ir.AttributeType.GRAPHS:
            found.extend(attribute.as_graphs())
    return found


def owners(main: ir.Graph) -> dict[ir.Graph, ir.Node]:
    """The node that each body below `main` belongs to."""
    return {body: node for node in ir.traversal.RecursiveGraphIterator(main) for body in bodies(node)}


def owner_of(node: ir.Node, main: ir.Graph) -> ir.Node | None:
    """The node of the main graph whose bodies hold `node`, or itself; None for a node of neither."""
    if node.graph is main:
        return node
    known = owners(main)
    current: ir.Node | None = node
    while current is not None and current.graph is not main:
        graph = current.graph
        current = known.get(graph) if isinstance(graph, ir.Graph) else None
    return current
