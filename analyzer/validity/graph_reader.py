"""A `Graph` as an architecture: nodes become layers, declared sizes become terms, small constants become values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import onnx_ir as ir

from analyzer.configuration.config import TargetConfig
from analyzer.graph import Graph, display_name, layer_of, location_of
from analyzer.validity.architecture import Architecture, ModelLayer, Requirements, Subgraph
from analyzer.validity.constants import constant_type
from analyzer.validity.elaboration import elaborate
from analyzer.validity.spec import TensorType
from analyzer.validity.specs.common import is_plain
from analyzer.validity.specs.element_types import onnx_dtype
from analyzer.validity.terms import Term, equal, symbol


@dataclass(frozen=True)
class Reading:
    """An architecture read from a graph. `bounds` are the symbols' inclusive sizes; `declared` are those that the
    configuration states."""

    architecture: Architecture
    bounds: Mapping[str, tuple[int, int | None]]
    declared: frozenset[str]


def read_graph(graph: Graph, target: TargetConfig | None = None) -> Reading:
    """The architecture of a graph under a target's declared shapes and symbol sizes."""
    reader = _Reader(graph, target)
    return reader.read()


class _Reader:
    def __init__(self, graph: Graph, target: TargetConfig | None) -> None:
        self._graph = graph
        self._target = target
        self._bounds: dict[str, tuple[int, int | None]] = {}
        self._symbols = dict(target.symbols) if target else {}
        self._types: dict[str, TensorType] = {}
        self._names: dict[int, str] = {}
        self._taken: set[str] = set()

    def read(self) -> Reading:
        inputs: dict[str, TensorType] = {}
        graph = self._graph.graph
        fed = [v for v in graph.inputs if v.name not in graph.initializers]
        for position, value in enumerate(fed):
            inputs[self._name(value)] = self._input(value, position)
        for value in graph.initializers.values():
            inputs[self._name(value)] = self._constant(value)
        for node in graph:  # before any body is read: what stands outside keeps its name
            for value in node.outputs:
                self._name(value)
        layers = tuple(self._layers(graph))
        architecture = Architecture(self._graph.framework, inputs, layers, self._opset(), self._types)
        return Reading(architecture, self._bounds, frozenset(self._symbols))

    def _layers(self, graph: ir.Graph) -> Iterator[ModelLayer]:
        for index, node in enumerate(graph):
            yield self._layer(node, index)
            for value in node.outputs:
                self._types[self._name(value)] = self._stated(value)

    def _opset(self) -> tuple[int, ...] | None:
        version = self._graph.model.opset_imports.get("")
        return None if version is None else (version,)

    def _name(self, value: ir.Value) -> str:
        found = self._names.get(id(value))
        if found is None:
            found = value.name or f"value {len(self._names)}"
            if found in self._taken:  # a body may use a name anew
                found = f"{found} ({len(self._names)})"
            self._names[id(value)] = found
            self._taken.add(found)
        return found

    def _input(self, value: ir.Value, position: int) -> TensorType:
        stated = self._stated(value, given=True)
        declared = None
        if self._target and self._target.inputs:
            specs = self._target.inputs
            declared = specs.get(value.name or "")
            if declared is None and not set(specs) & {v.name for v in self._graph.graph.inputs}:
                declared = list(specs.values())[position] if position < len(specs) else None
        shape, dtype = stated.shape, stated.dtype
        if declared is not None and declared.shape is not None:
            shape = tuple(self._size(d) for d in declared.shape)
        if declared is not None and declared.dtype is not None:
            dtype = declared.dtype
        if shape is not None:
            shape = tuple(self._fresh(value, axis) if d is None else d for axis, d in enumerate(shape))
        return TensorType(shape, dtype)

    def _fresh(self, value: ir.Value, axis: int) -> Term:
        name = f"{self._name(value)}.shape[{axis}]"
        self._bounds[name] = (1, None)
        return symbol(name, 1)

    def _size(self, size: Any, given: bool = True) -> Term | None:
        if isinstance(size, int):
            return size
        text = str(size)
        if text.lstrip("-").isdigit():
            return int(text)
        if not text or text == "None" or not text.replace("_", "a").replace(".", "a").isalnum():
            return None
        if not given and text not in self._bounds and text not in self._symbols:
            return symbol(f"?{text}", 0)  # a size that data decide, such as the number of elements found
        low, high = self._symbols.get(text, (1, None))
        self._bounds[text] = (low, high)
        return low if low == high else symbol(text, low, high)

    def _stated(self, value: ir.Value, given: bool = False) -> TensorType:
        dtype = onnx_dtype(int(value.dtype)) if value.dtype is not None else None
        if value.shape is None:
            return TensorType(None, dtype)
        dims = []
        for d in value.shape:
            size = d if isinstance(d, int) else getattr(d, "value", None)
            dims.append(None if size is None else self._size(size, given))
        return TensorType(tuple(dims), dtype)

    def _constant(self, value: ir.Value) -> TensorType:
        stated = self._stated(value)
        tensor = value.const_value
        if tensor is None:
            return stated
        return constant_type(tensor)

    def _layer(self, node: ir.Node, index: int) -> ModelLayer:
        framework = {"": "onnx", "ai.onnx": "onnx", "tf": "tf"}.get(node.domain, node.domain)
        inputs = [None if v is None else self._name(v) for v in node.inputs]
        while inputs and inputs[-1] is None:
            inputs.pop()
        outputs = tuple(self._name(v) for v in node.outputs)
        name = display_name(node)
        return ModelLayer(
            name if name != node.op_type else f"{node.op_type} {index}",
            node.op_type,
            framework,
            tuple(inputs),
            outputs,
            attributes_of(node),
            location_of(node),
            layer_of(node),
            tuple(self._bodies(node)),
        )

    def _bodies(self, node: ir.Node) -> Iterator[Subgraph]:
        for name, attribute in node.attributes.items():
            if attribute.is_ref() or attribute.type is not ir.AttributeType.GRAPH:
                continue
            graph = attribute.as_graph()
            inputs = [v for v in graph.inputs if v.name not in graph.initializers]
            constants = {self._name(v): self._constant(v) for v in graph.initializers.values()}
            layers = tuple(self._layers(graph))
            yield Subgraph(
                name,
                tuple(self._name(v) for v in inputs),
                tuple(self._name(v) for v in graph.outputs),
                layers,
                constants,
            )


def attributes_of(node: ir.Node) -> dict[str, Any]:
    """A node's attributes as plain values, without graphs; TensorFlow's types get NumPy's names."""
    found: dict[str, Any] = {}
    for name, attribute in node.attributes.items():
        if attribute.is_ref() or attribute.type in (ir.AttributeType.GRAPH, ir.AttributeType.GRAPHS):
            continue
        value = attribute.value
        if attribute.type in (ir.AttributeType.TENSOR, ir.AttributeType.SPARSE_TENSOR):
            found[name] = value
        elif isinstance(value, (list, tuple)):
            found[name] = tuple(value)
        else:
            found[name] = value
    if node.domain == "tf":
        for key in ("DstT", "out_type", "output_type", "dtype", "T"):
            if isinstance(found.get(key), int):
                found[key] = onnx_dtype(int(found[key]))
    return found


def without_results(architecture: Architecture) -> Architecture:
    """For a space over a graph: what the file states of computed values holds for its own sizes only."""
    made = {name for layer in architecture.layers if any(layer.inputs) for name in layer.outputs}
    return replace(architecture, stated={n: t for n, t in architecture.stated.items() if n not in made})


def program_of(reading: Reading) -> Requirements:
    """Run the types of all nodes and the ONNX schemas; stated shapes fill what the types do not know."""
    return elaborate(reading.architecture, structural=False)


def contradictions(program: Requirements, reading: Reading) -> list[tuple[str, TensorType, TensorType]]:
    """Values whose stated type certainly differs from the one that the operators give."""
    found = []
    last = {name for layer in reading.architecture.layers for name in layer.outputs}
    for name, stated in reading.architecture.stated.items():
        own = program.values.get(name)
        if name not in last or own is None:
            continue
        if None not in (own.dtype, stated.dtype) and own.dtype != stated.dtype:
            found.append((name, own, stated))
            continue
        if own.shape is None or stated.shape is None:
            continue
        if len(own.shape) != len(stated.shape):
            found.append((name, own, stated))
            continue
        pairs = zip(own.shape, stated.shape, strict=True)
        if any(
            a is not None and b is not None and is_plain(a) and is_plain(b) and equal(a, b) is False for a, b in pairs
        ):
            found.append((name, own, stated))
    return found
