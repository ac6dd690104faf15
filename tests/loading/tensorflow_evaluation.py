"""Runs a loaded TensorFlow graph operator by operator with TensorFlow's own kernels, loops by their bodies.

Independent of the loader's tables: names and kinds of arguments come from TensorFlow's registry.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx_ir as ir
import tensorflow as tf
from tensorflow.python.eager import context, execute
from tensorflow.python.framework import op_def_registry

from analyzer.graph import Graph
from analyzer.loading.tensorflow_operators import DTYPES

_TYPES = {int(onnx): number for number, onnx in reversed(DTYPES.items())}


def evaluate(graph: Graph, feeds: Mapping[str, Any], wanted: list[str] | None = None) -> dict[str, np.ndarray]:
    """All values of the main graph (or those `wanted`), from values for its inputs."""
    scope: dict[ir.Value, Any] = {v: tf.constant(feeds[v.name]) for v in graph.graph.inputs if v.name in feeds}
    for value in graph.graph.initializers.values():
        scope[value] = tf.constant(np.asarray(value.const_value.numpy()))
    _run(graph.graph, scope, _needed(graph.graph, wanted))
    return {v.name: t.numpy() for v, t in scope.items() if wanted is None or v.name in wanted}


def _needed(graph: ir.Graph, wanted: list[str] | None) -> set[ir.Node] | None:
    if wanted is None:
        return None
    stack = [v for node in graph for v in node.outputs if v.name in wanted]
    found: set[ir.Node] = set()
    while stack:
        node = stack.pop().producer()
        if node is not None and node not in found:
            found.add(node)
            stack.extend(v for v in node.inputs if v is not None)
            for attribute in node.attributes.values():
                if attribute.type is ir.AttributeType.GRAPH:
                    stack.extend(v for n in ir.traversal.RecursiveGraphIterator(attribute.value) for v in n.inputs if v)
                    stack.extend(attribute.value.outputs)
    return found


def _run(graph: ir.Graph, scope: dict[ir.Value, Any], only: set[ir.Node] | None = None) -> None:
    for node in graph:
        if only is None or node in only:
            for value, result in zip(node.outputs, _apply(node, scope), strict=False):
                scope[value] = result


def _body(graph: ir.Graph, scope: dict[ir.Value, Any], arguments: list[Any]) -> list[Any]:
    inner = {**scope, **dict(zip(graph.inputs, arguments, strict=True))}
    _run(graph, inner)
    return [inner[v] for v in graph.outputs]


def _apply(node: ir.Node, scope: dict[ir.Value, Any]) -> list[Any]:
    inputs = [scope[v] for v in node.inputs]
    attributes = node.attributes
    if node.op_type == "While":
        cond, body = attributes["cond"].as_graph(), attributes["body"].as_graph()
        for _ in range(10_000):
            if not _body(cond, scope, inputs)[0].numpy():
                return inputs
            inputs = _body(body, scope, inputs)
        raise AssertionError("the loop does not end")
    if node.op_type == "If":
        return _body(attributes["then_branch" if inputs[0].numpy() else "else_branch"].as_graph(), scope, [])
    if node.op_type == "Case":
        branches = [
            attributes[f"branch_{i}"].as_graph() for i in range(sum(k.startswith("branch_") for k in attributes))
        ]
        index = int(inputs[0])
        return _body(branches[index if 0 <= index < len(branches) else -1], scope, [])
    if node.op_type == "Const":
        tensor = attributes["value"].as_tensor()
        data = tensor.numpy()
        if tensor.dtype == ir.DataType.STRING:
            data = data.astype(object)
        return [tf.constant(data, dtype=tf.as_dtype(_TYPES[int(tensor.dtype)]))]
    if node.op_type in ("ReadVariableOp", "Identity"):
        return inputs[:1]
    if node.op_type == "ResourceGather":
        return [tf.gather(inputs[0], inputs[1])]
    if node.op_type in ("NoOp", "Assert"):
        return []
    definition = op_def_registry.get(node.op_type)
    pairs = [(a.name, _plain(a.type, attributes[a.name])) for a in definition.attr if a.name in attributes]
    flat = tuple(part for pair in pairs for part in pair)
    found = execute.execute(node.op_type, len(node.outputs), inputs, flat, context.context())
    return list(found) if isinstance(found, list | tuple) else [found]


def _plain(kind: str, attribute: ir.Attr) -> Any:
    value = attribute.value
    if kind == "type":
        return _TYPES[value]
    if kind == "list(type)":
        return [_TYPES[v] for v in value]
    if kind == "bool":
        return bool(value)
    if kind == "shape":
        return [None if d == -1 else d for d in value]
    if kind.startswith("list"):
        return list(value)
    return value
