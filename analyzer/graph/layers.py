"""A model's operators grouped into the layers a person knows, as data for pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import onnx_ir as ir

from analyzer.findings import LayerGraph, LayerNode, Location
from analyzer.graph.model import Graph, display_name, layer_class_of, layer_of, location_of

MAX_LAYERS = 400  # boxes of a drawing that a person still reads, folded


@dataclass
class _NodeGroup:
    label: str
    moves: bool = False  # an operator in it depends on an input of the model
    kinds: list[str] = field(default_factory=list)
    last: ir.Node | None = None
    location: Location | None = None


Shapes = Mapping[str, tuple[int | str | None, ...]]


def layer_graph(
    graph: Graph, intervals: Mapping[str, tuple[float, float]] | None = None, shapes: Shapes | None = None
) -> LayerGraph:
    """One node a layer, or an operator where the source knows no layers; chains are folded beyond `MAX_LAYERS`.

    `intervals` and `shapes` map value names to what the numerical analysis found. A constant that an exporter computed
    once for many layers is no path of data: an edge leaves an operator that depends on no input only where its whole
    layer depends on none (a table of positions).
    """
    depth = _depth_that_fits(graph)
    groups: dict[str, _NodeGroup] = {}
    group_of: dict[int, str] = {}
    moving: set[int] = {id(value) for value in graph.graph.inputs}
    edges: dict[tuple[str, str], bool] = {}  # from which group to which; whether what flows depends on an input
    for position, node in enumerate(graph.graph):
        key = _key(node, position, depth)
        group = groups.setdefault(key, _NodeGroup(_label(node, depth)))
        group.kinds.append(node.op_type)
        group.last = node
        group.location = group.location or location_of(node)
        group_of[id(node)] = key
        if any(id(value) in moving for value in node.inputs) or _draws_or_loops(node):
            group.moves = True
            moving.update(id(value) for value in node.outputs)
        for value in node.inputs:
            producer = value.producer() if value is not None else None
            source = group_of.get(id(producer))
            if source is not None and source != key:
                edges[source, key] = edges.get((source, key), False) or id(value) in moving
    names = {key: f"l{number}" for number, key in enumerate(groups)}
    nodes = tuple(_layer(names[key], group, intervals or {}, shapes or {}) for key, group in groups.items())
    return LayerGraph(
        nodes, tuple((names[a], names[b]) for (a, b), moves in edges.items() if moves or not groups[a].moves)
    )


def _draws_or_loops(node: ir.Node) -> bool:
    """Whether its outputs move though no input says so: random draws, and graphs inside that read values of outside."""
    has_graph = any(a.type in (ir.AttributeType.GRAPH, ir.AttributeType.GRAPHS) for a in node.attributes.values())
    return has_graph or (not node.inputs and node.op_type != "Constant")


def _key(node: ir.Node, position: int, depth: int | None) -> str:
    layer = layer_of(node)
    if not layer:
        return f"operator {position}" if depth is None else f"part {position // max(1, -depth)}"
    return "layer " + (layer if depth is None else _cut(layer, depth))


def _label(node: ir.Node, depth: int | None) -> str:
    layer = layer_of(node)
    return (layer if depth is None else _cut(layer, depth)) if layer else display_name(node)


def _cut(layer: str, depth: int) -> str:
    separator = "/" if "/" in layer else "."
    return separator.join(layer.split(separator)[: max(1, depth)])


def _depth_that_fits(graph: Graph) -> int | None:
    """How many parts of a layer's path to keep so that at most `MAX_LAYERS` groups remain; None keeps all."""
    nodes = list(graph.graph)
    if len({_key(node, i, None) for i, node in enumerate(nodes)}) <= MAX_LAYERS:
        return None
    for depth in (6, 5, 4, 3, 2, 1):
        if len({_key(node, i, depth) for i, node in enumerate(nodes)}) <= MAX_LAYERS:
            return depth
    return -(-len(nodes) // MAX_LAYERS) * -1


def _layer(name: str, group: _NodeGroup, intervals: Mapping[str, tuple[float, float]], shapes: Shapes) -> LayerNode:
    output = group.last.outputs[0] if group.last is not None and group.last.outputs else None
    bounds = intervals.get(output.name or "") if output is not None else None
    kind = (layer_class_of(group.last) if group.last is not None else "") or group.kinds[-1]
    return LayerNode(
        id=name,
        label=group.label,
        kind=kind,
        operators=len(group.kinds),
        shape=shape_text(output, shapes) if output is not None else "",
        interval=f"[{bounds[0]:.4g}, {bounds[1]:.4g}]" if bounds else "",
        location=group.location,
    )


def shape_text(value: ir.Value, inferred: Shapes) -> str:
    """`batch × 3 × 224 × 224`, or empty when the rank is unknown; "scalar" for rank 0."""
    dimensions: tuple[object, ...] | None = inferred.get(value.name or "")
    if dimensions is None:
        if value.shape is None:
            return ""
        dimensions = tuple(d.value if isinstance(d, ir.SymbolicDim) else d for d in value.shape)
    return " × ".join("?" if d is None else str(d) for d in dimensions) or "scalar"
