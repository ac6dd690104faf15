"""What rules for torch's operators are written with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx_ir as ir

from analyzer.loading.keras_builder import RESULT_TYPES, Unsupported, ir_attributes

DOMAIN = "aten"
OPSET = 20  # an operator set that every engine compared here runs


@dataclass(frozen=True, slots=True)
class OperatorCall:
    """One call: its arguments by the names of the operator's schema, and the values it makes."""

    name: str
    arguments: Mapping[str, Any]
    results: Sequence[ir.Value]


class Emitter:
    """Collects the ONNX nodes of one operation."""

    def __init__(self, operation: OperatorCall, prefix: str) -> None:
        self.operation = operation
        self.prefix = prefix
        self.nodes: list[ir.Node] = []

    def arg(self, name: str, default: Any = None) -> Any:
        """Plain data; `default` if the call leaves it to the schema."""
        return self.operation.arguments.get(name, default)

    def has(self, name: str) -> bool:
        return self.operation.arguments.get(name) is not None

    def value(self, name: str) -> ir.Value:
        """A tensor; numbers become constants of the result's type."""
        found = self.operation.arguments[name]
        if isinstance(found, bool | int | float):
            return self.constant(found, self.result.dtype)
        if not isinstance(found, ir.Value):
            raise Unsupported
        return found

    @property
    def result(self) -> ir.Value:
        return self.operation.results[0]

    @property
    def shape(self) -> list[int | None]:
        """The result's dimensions, symbols as None."""
        return sizes(self.result)

    def op(self, op_type: str, *inputs: ir.Value | None, outputs: int = 1, like: Any = None, **attributes: Any) -> Any:
        """An ONNX node, typed as its first input; a value, or a list if `outputs` > 1."""
        name = f"{self.prefix}_{op_type}_{len(self.nodes)}"
        first = next((v for v in inputs if v is not None), None)
        dtype = RESULT_TYPES.get(op_type) or (first.dtype if first is not None else None)
        if op_type == "Cast":
            dtype = ir.DataType(attributes["to"])
        values = [
            ir.Value(name=name if i == 0 else f"{name}_{i}", type=ir.TensorType(dtype) if dtype is not None else None)
            for i in range(outputs)
        ]
        if like is not None:
            values[0].shape = like.shape
        self.nodes.append(ir.Node("", op_type, inputs, ir_attributes(attributes), outputs=values, name=name))
        return values[0] if outputs == 1 else values

    def constant(self, value: Any, dtype: ir.DataType | None = None) -> ir.Value:
        array = np.asarray(value, dtype.numpy() if dtype is not None else None)
        name = f"{self.prefix}_constant_{len(self.nodes)}"
        tensor = ir.Tensor(array, name=name)
        output = ir.Value(name=name, type=ir.TensorType(tensor.dtype), shape=ir.Shape(array.shape), const_value=tensor)
        self.nodes.append(ir.Node("", "Constant", [], [ir.AttrTensor("value", tensor)], outputs=[output], name=name))
        return output

    def ints(self, values: Sequence[int]) -> ir.Value:
        if not all(type(v) is int for v in values):
            raise Unsupported
        return self.constant(list(values), ir.DataType.INT64)

    def cast(self, value: ir.Value, dtype: ir.DataType | None) -> ir.Value:
        if value.dtype == dtype or dtype is None:
            return value
        made: ir.Value = self.op("Cast", value, to=int(dtype), like=value)
        return made

    def finished(self, made: list[ir.Value]) -> list[ir.Node]:
        """The nodes, with the operation's results standing for the values that the rule made."""
        own = {v for node in self.nodes for v in node.outputs}
        renamed: dict[ir.Value, ir.Value] = {}
        for value, result in zip(made, self.operation.results, strict=False):
            if value not in own or value in renamed:
                value = self.op("Identity", value)
            renamed[value] = result
        self.nodes = [self._renamed(node, renamed) for node in self.nodes]
        return self.nodes

    @staticmethod
    def _renamed(node: ir.Node, renamed: dict[ir.Value, ir.Value]) -> ir.Node:
        if not any(v in renamed for v in node.outputs):
            return node
        outputs = [renamed.get(v) or ir.Value(name=v.name, type=v.type, shape=v.shape) for v in node.outputs]
        attributes = list(node.attributes.values())
        copy = ir.Node(node.domain, node.op_type, node.inputs, attributes, outputs=outputs, name=node.name)
        for before, after in zip(node.outputs, outputs, strict=True):
            before.replace_all_uses_with(after)
            if before.const_value is not None:
                after.const_value = before.const_value
        for index in range(len(node.inputs)):
            node.replace_input_with(index, None)
        return copy

    def opaque(self, op_type: str, overload: str) -> ir.Node:
        """The operation as it is, for operators without a rule."""
        inputs: list[ir.Value] = []
        plain: dict[str, Any] = {}
        for name, value in self.operation.arguments.items():
            if isinstance(value, ir.Value):
                inputs.append(value)
            elif isinstance(value, list) and any(isinstance(v, ir.Value) for v in value):
                inputs.extend(v for v in value if isinstance(v, ir.Value))
            elif isinstance(value, ir.DataType):
                plain[name] = int(value)
            elif value is not None:
                plain[name] = value
        if overload and overload != "default":
            plain["overload"] = overload
        node = ir.Node(
            DOMAIN,
            op_type,
            inputs,
            ir_attributes(plain),
            outputs=list(self.operation.results),
            name=f"node_{self.prefix}",
        )
        self.nodes = [node]
        return node


def sizes(value: ir.Value) -> list[int | None]:
    """Dimensions, symbols as None."""
    if value.shape is None:
        raise Unsupported
    return [d if isinstance(d, int) else None for d in value.shape]


def static(value: ir.Value) -> list[int]:
    """Dimensions that are all known."""
    found = sizes(value)
    if None in found:
        raise Unsupported
    return [int(d or 0) for d in found]


__all__ = ["DOMAIN", "OPSET", "Emitter", "OperatorCall", "Unsupported", "sizes", "static"]
