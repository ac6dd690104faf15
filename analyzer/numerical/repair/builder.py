"""Nodes of a change, made in the graph's own operators and dtype in front of the node that they replace."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir

DTYPES = {
    "float32": ir.DataType.FLOAT,
    "float64": ir.DataType.DOUBLE,
    "float16": ir.DataType.FLOAT16,
    "bfloat16": ir.DataType.BFLOAT16,
    "int32": ir.DataType.INT32,
    "int64": ir.DataType.INT64,
}


class Builder:
    """Makes nodes in front of the anchor, in its domain and dtype."""

    def __init__(self, graph: ir.Graph, anchor: ir.Node, dtype: str) -> None:
        self.graph, self.anchor = graph, anchor
        self.dtype = DTYPES[dtype]
        self.stem = f"{anchor.outputs[0].name}_repair"  # no two changes of a graph make nodes of one name
        self.made: list[ir.Node] = []

    def constant(self, value: float | list[int]) -> ir.Value:
        whole = np.int32 if self.anchor.domain == "tf" else np.int64
        kind = self.dtype.numpy() if isinstance(value, float) else whole
        tensor = ir.tensor(np.asarray(value, kind), name=f"{self.stem}_{len(self.graph.initializers)}")
        made = ir.Value(
            name=tensor.name,
            shape=ir.Shape(list(tensor.shape.numpy())),
            type=ir.TensorType(tensor.dtype),
            const_value=tensor,
        )
        self.graph.register_initializer(made)
        return made

    def apply(
        self, onnx: str, *operands: ir.Value, tf: str = "", like: ir.Value | None = None, **given: Any
    ) -> ir.Value:
        tensorflow = self.anchor.domain == "tf"
        attributes = [ir.convenience.convert_attribute(k, v) for k, v in given.items()]
        name = f"{self.stem}_{onnx}_{len(self.made)}"
        node = ir.Node(
            "tf" if tensorflow else "",
            (tf or onnx) if tensorflow else onnx,
            list(operands),
            attributes,
            name=name,
            outputs=[ir.Value(name=name)],
        )
        result = node.outputs[0]
        result.dtype = self.dtype
        model = like if like is not None else self.anchor.outputs[0]
        result.shape = model.shape
        self.graph.insert_before(self.anchor, node)
        self.made.append(node)
        return result

    def reduce(self, name: str, x: ir.Value, axes: list[int], keep: bool) -> ir.Value:
        """``ReduceMax`` and the like over constant axes."""
        shape = None
        if x.shape is not None and keep:
            size = len(x.shape)
            marked = {a % size for a in axes} if axes else set(range(size))
            shape = ir.Shape([1 if i in marked else d for i, d in enumerate(x.shape)])
        if self.anchor.domain == "tf":
            flags: dict[str, Any] = {"keep_dims": int(keep)}
            result = self.apply(name, x, self.constant(axes), tf=name.removeprefix("Reduce"), **flags)
        else:
            operands = (x, self.constant(axes)) if axes else (x,)
            result = self.apply(name, *operands, keepdims=int(keep))
        result.shape = shape
        return result

    def again(self, node: ir.Node, position: int, operand: ir.Value, before: ir.Node | None = None) -> ir.Value:
        """The operator of `node` once more, with one operand replaced."""
        operands = [operand if i == position else v for i, v in enumerate(node.inputs)]
        name = f"{self.stem}_{node.op_type}_again"
        made = ir.Node(
            node.domain,
            node.op_type,
            operands,
            list(node.attributes.values()),
            name=name,
            outputs=[ir.Value(name=name)],
        )
        if node.outputs[0].dtype is not None:
            made.outputs[0].dtype = node.outputs[0].dtype
        made.outputs[0].shape = node.outputs[0].shape
        self.graph.insert_before(before or node, made)
        self.made.append(made)
        return made.outputs[0]
