"""Which tensor of one model is which of another: by name first, then by structure. ONNX on both sides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from onnx import AttributeProto, GraphProto, ModelProto, NodeProto

from analyzer.differential.structure import Description

NUMBERED = re.compile(r"^(val|tmp|node|[A-Za-z]*)_?\d+$")  # a name that another export gives to something else


def aligned(head: GraphProto, base: GraphProto) -> dict[str, str]:
    """Names of tensors of `head` with those that they have in `base`, one to one.

    Inputs and outputs by name, else by position. Others by name where the operator is the same, or where the name is no
    mere number; then those that the same operator makes of tensors that are aligned already.
    """
    found: dict[str, str] = {}
    _pair(found, _inputs(head), _inputs(base))
    _pair(found, [o.name for o in head.output], [o.name for o in base.output])
    makers = {name: node for node in base.node for name in node.output if name}
    taken = set(found.values())
    for node in head.node:
        for name in node.output:
            twin = makers.get(name)
            if name in found or name in taken or twin is None:
                continue
            if twin.op_type == node.op_type or not NUMBERED.match(name):
                found[name] = name
                taken.add(name)
    stored = {i.name for i in base.initializer}
    shapes: dict[tuple[str, tuple[str, ...]], list[NodeProto]] = {}
    for twin in base.node:
        if not taken.intersection(twin.output):
            key = (twin.op_type, tuple(i for i in twin.input if i and i not in stored))
            shapes.setdefault(key, []).append(twin)
    kept = {i.name for i in head.initializer}
    for node in head.node:
        moving = [i for i in node.input if i and i not in kept]
        if not node.output or any(o in found for o in node.output) or any(i not in found for i in moving):
            continue
        twins = shapes.get((node.op_type, tuple(found[i] for i in moving)), [])
        if twins and moving:
            for mine, theirs in zip(node.output, twins.pop(0).output, strict=False):
                if mine and theirs and theirs not in taken:
                    found[mine] = theirs
                    taken.add(theirs)
    return found


def layer_outputs(structure: Description) -> dict[str, str]:
    """Layer -> the one tensor that leaves it, in the order of computation; operations without a layer are one each."""
    layers: dict[str, str] = {}
    for operation in structure.operations:
        layers |= dict.fromkeys(operation.outputs, operation.layer or operation.name)
    leaving = {
        i for o in structure.operations for i in o.inputs if i in layers and layers[i] != (o.layer or o.name)
    } | set(structure.outputs)
    found: dict[str, list[str]] = {}
    for tensor, layer in layers.items():
        if tensor in leaving:
            found.setdefault(layer, []).append(tensor)
    return {layer: tensors[0] for layer, tensors in found.items() if len(tensors) == 1}


def renamed(model: ModelProto, names: Mapping[str, str]) -> ModelProto:
    """A copy of `model` in which aligned tensors have their other names and all others a name of their own."""
    copy = ModelProto()
    copy.CopyFrom(model)
    _rename(copy.graph, names)
    return copy


def _rename(graph: GraphProto, names: Mapping[str, str]) -> None:
    def new(name: str) -> str:
        return names.get(name, f"head/{name}") if name else ""

    for value in (*graph.input, *graph.output, *graph.value_info, *graph.initializer):
        value.name = new(value.name)
    for sparse in graph.sparse_initializer:
        sparse.values.name = new(sparse.values.name)
    for node in graph.node:
        for values in (node.input, node.output):
            for index, name in enumerate(values):
                values[index] = new(name)
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                _rename(attribute.g, names)
            for inner in attribute.graphs:
                _rename(inner, names)


def _inputs(graph: GraphProto) -> list[str]:
    stored = {i.name for i in graph.initializer}
    return [i.name for i in graph.input if i.name not in stored]


def _pair(found: dict[str, str], mine: list[str], theirs: Iterable[str]) -> None:
    rest = [t for t in theirs if t not in mine]
    for name in mine:
        if name in theirs:
            found[name] = name
        elif rest:
            found[name] = rest.pop(0)
