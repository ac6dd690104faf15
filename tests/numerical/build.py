"""Small graphs written as expressions, for tests of the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
from onnx import TensorProto, helper, numpy_helper

from analyzer.graph import Graph, ValueRange
from analyzer.numerical import Interpretation, Options, interpret
from analyzer.numerical.domain.tensor import AbstractTensor

TYPES = {
    "float32": TensorProto.FLOAT,
    "float64": TensorProto.DOUBLE,
    "float16": TensorProto.FLOAT16,
    "int64": TensorProto.INT64,
    "bool": TensorProto.BOOL,
}


class Builder:
    """`b = Builder(); x = b.input("x", (3,)); y = b.op("Exp", x)`: value names are strings."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.inputs: list[Any] = []
        self.initializers: list[Any] = []

    def input(self, name: str, shape: tuple[Any, ...], dtype: str = "float32") -> str:
        self.inputs.append(helper.make_tensor_value_info(name, TYPES[dtype], shape))
        return name

    def const(self, value: Any, dtype: Any = np.float32) -> str:
        name = f"c{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(value, dtype=dtype), name))
        return name

    def op(self, op: str, *inputs: str, name: str = "", outputs: int = 1, **attributes: Any) -> Any:
        outs = [f"v{len(self.nodes)}_{k}" for k in range(outputs)]
        self.nodes.append(
            helper.make_node(op, list(inputs), outs, name=name or f"{op}_{len(self.nodes)}", **attributes)
        )
        return outs[0] if outputs == 1 else outs

    def graph(self, *outputs: str, opset: int = 20) -> Graph:
        infos = [helper.make_empty_tensor_value_info(o) for o in outputs]
        proto = helper.make_graph(self.nodes, "g", self.inputs, infos, self.initializers)
        model = helper.make_model(proto, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
        return Graph(ir.from_proto(model))


def run(graph: Graph, ranges: dict[str, tuple[float, float] | AbstractTensor], **options: Any) -> Interpretation:
    assumptions = {
        k: r if isinstance(r, AbstractTensor) else ValueRange(float(r[0]), float(r[1])) for k, r in ranges.items()
    }
    return interpret(graph, assumptions, options=Options(**options))


def bounds(graph: Graph, ranges: dict[str, Any], **options: Any) -> tuple[float, float]:
    """Overall bounds of the first output."""
    tensor = run(graph, ranges, everything=True, **options).values[graph.graph.outputs[0]]
    return tensor.low, tensor.high


def rules(graph: Graph, ranges: dict[str, Any], **options: Any) -> list[tuple[str, str]]:
    """(rule, node) of every forward warning."""
    found = run(graph, ranges, **options).warnings
    return [(w.rule.removeprefix("numerical/"), w.node.name or "") for w in found if not w.backward]
