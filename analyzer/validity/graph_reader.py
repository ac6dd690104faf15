"""A `Graph` as an architecture: nodes become layers, declared sizes become terms, small constants become values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import onnx_ir as ir

from analyzer.config import TargetConfig
from analyzer.graph import Graph, display_name, layer_of, location_of
from analyzer.validity import onnx_schema
from analyzer.validity.architecture import Architecture, Layer, Program, Step, elaborate
from analyzer.validity.registry import spec as find_spec
from analyzer.validity.spec import Spec, TensorType
from analyzer.validity.specs.common import is_plain
from analyzer.validity.specs.elementwise import onnx_dtype
from analyzer.validity.terms import Term, equal, floor_div, maximum, minimum, mod, product, symbol

MAX_VALUES = 64  # elements of an integer constant that are followed as values
_ARITHMETIC = {
    "Add": lambda a, b: a + b, "AddV2": lambda a, b: a + b, "Sub": lambda a, b: a - b, "Mul": lambda a, b: a * b,
    "Div": floor_div, "FloorDiv": floor_div, "Mod": mod, "FloorMod": mod, "Max": maximum, "Min": minimum,
    "Maximum": maximum, "Minimum": minimum,
}  # fmt: skip
_FREE = {"Const", "Constant", "Placeholder", "PlaceholderWithDefault", "NoOp", "VariableV2", "VarHandleOp", "Variable"}


@dataclass(frozen=True)
class Reading:
    """An architecture read from a graph. `bounds` are the symbols' inclusive sizes; `declared` are those that the
    configuration states. `nodes` finds a layer's node; `types` are the element types and shapes the file states."""

    architecture: Architecture
    bounds: Mapping[str, tuple[int, int | None]]
    declared: frozenset[str]
    nodes: Mapping[str, ir.Node] = field(default_factory=dict)
    types: Mapping[str, TensorType] = field(default_factory=dict)


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

    def read(self) -> Reading:
        inputs: dict[str, TensorType] = {}
        graph = self._graph.graph
        fed = [v for v in graph.inputs if v.name not in graph.initializers]
        for position, value in enumerate(fed):
            inputs[self._name(value)] = self._input(value, position)
        for name, value in graph.initializers.items():
            inputs[name] = self._constant(value)
            self._names[id(value)] = name
        layers: list[Layer] = []
        nodes: dict[str, ir.Node] = {}
        for index, node in enumerate(graph):
            layer = self._layer(node, index)
            layers.append(layer)
            nodes[layer.outputs[0] if layer.outputs else layer.name] = node
            for value in node.outputs:
                self._types[self._name(value)] = self._stated(value)
        architecture = Architecture(self._graph.framework, inputs, tuple(layers), self._opset())
        return Reading(architecture, self._bounds, frozenset(self._symbols), nodes, self._types)

    def _opset(self) -> tuple[int, ...] | None:
        version = self._graph.model.opset_imports.get("")
        return None if version is None else (version,)

    def _name(self, value: ir.Value) -> str:
        if id(value) not in self._names:
            self._names[id(value)] = value.name or f"value {len(self._names)}"
        return self._names[id(value)]

    def _input(self, value: ir.Value, position: int) -> TensorType:
        stated = self._stated(value)
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

    def _size(self, size: Any) -> Term | None:
        if isinstance(size, int):
            return size
        text = str(size)
        if text.lstrip("-").isdigit():
            return int(text)
        if not text or text == "None" or not text.replace("_", "a").replace(".", "a").isalnum():
            return None
        low, high = self._symbols.get(text, (1, None))
        self._bounds[text] = (low, high)
        return low if low == high else symbol(text, low, high)

    def _stated(self, value: ir.Value) -> TensorType:
        dtype = onnx_dtype(int(value.dtype)) if value.dtype is not None else None
        if value.shape is None:
            return TensorType(None, dtype)
        dims = []
        for d in value.shape:
            size = d if isinstance(d, int) else getattr(d, "value", None)
            dims.append(None if size is None else self._size(size))
        return TensorType(tuple(dims), dtype)

    def _constant(self, value: ir.Value) -> TensorType:
        stated = self._stated(value)
        tensor = value.const_value
        if tensor is None:
            return stated
        return constant_type(tensor)

    def _layer(self, node: ir.Node, index: int) -> Layer:
        framework = {"": "onnx", "ai.onnx": "onnx", "tf": "tf"}.get(node.domain, node.domain)
        inputs = [None if v is None else self._name(v) for v in node.inputs]
        while inputs and inputs[-1] is None:
            inputs.pop()
        outputs = tuple(self._name(v) for v in node.outputs)
        name = display_name(node)
        return Layer(
            name if name != node.op_type else f"{node.op_type} {index}",
            node.op_type,
            framework,
            tuple(inputs),
            outputs,
            attributes_of(node),
            location_of(node),
            layer_of(node),
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


def constant_type(tensor: Any) -> TensorType:
    """The type of a constant, with its elements when they may serve as sizes or axes."""
    dtype = onnx_dtype(int(tensor.dtype))
    shape = tuple(int(d) for d in tensor.shape)
    value = None
    integers = dtype is not None and (dtype.startswith(("int", "uint")))
    if integers and math.prod(shape) <= MAX_VALUES:
        numbers = tuple(int(v) for v in tensor.numpy().reshape(-1))
        value = numbers if shape else numbers[0]
    return TensorType(shape, dtype, value=value)


def program_of(reading: Reading) -> Program:
    """Run the types of all nodes, and the ONNX schemas; stated shapes fill what the types do not know."""
    schema_steps: list[Step] = []
    stated = {layer.outputs: layer.hyperparameters for layer in reading.architecture.layers}

    def find(operator: str, framework: str) -> Spec | None:
        return find_spec(operator, framework)

    def propagate(layer: Layer, operands: list[TensorType | None]) -> tuple[TensorType, ...] | None:
        if layer.framework == "onnx":
            opset = (reading.architecture.version or (21,))[0]
            attributes = stated[layer.outputs]
            for requirement in onnx_schema.violations(layer.operator, opset, operands, attributes):
                schema_steps.append(Step(layer, requirement))
        return computed(layer, operands, reading.types)

    def rename(layer: Layer, outputs: tuple[TensorType, ...]) -> tuple[TensorType, ...]:
        filled = []
        for index, name in enumerate(layer.outputs):
            own = outputs[index] if index < len(outputs) else TensorType()
            filled.append(completed(own, reading.types.get(name)))
        return tuple(filled)

    adapted = Architecture(
        reading.architecture.framework,
        reading.architecture.inputs,
        tuple(_adapted(layer) for layer in reading.architecture.layers),
        reading.architecture.version,
    )
    program = elaborate(adapted, structural=False, find=find, propagate=propagate, rename=rename)
    if not schema_steps:
        return program
    order = {id(layer): i for i, layer in enumerate(adapted.layers)}
    steps = sorted([*schema_steps, *program.steps], key=lambda s: order[id(s.layer)])
    return Program(tuple(steps), program.advisories, program.values, program.unknown, program.undecided)


def _adapted(layer: Layer) -> Layer:
    """Attributes that the type's function does not name are dropped; the schema has judged them."""
    found = find_spec(layer.operator, layer.framework)
    if found is None:
        return layer
    attributes = dict(layer.hyperparameters)
    if layer.framework == "onnx":
        if layer.operator == "Split":
            attributes["outputs"] = len(layer.outputs)
        elif layer.operator == "ConstantOfShape" and "value" in attributes:
            attributes["dtype"] = onnx_dtype(int(attributes.pop("value").dtype))
        elif layer.operator == "RandomNormalLike":
            attributes.pop("shape", None)
    import inspect

    parameters = inspect.signature(found.transfer).parameters.values()
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters):
        return _with(layer, attributes)
    return _with(layer, {k: v for k, v in attributes.items() if k in found.defaults})


def _with(layer: Layer, attributes: Mapping[str, Any]) -> Layer:
    return Layer(
        layer.name, layer.operator, layer.framework, layer.inputs, layer.outputs, attributes, layer.location, layer.node
    )


def computed(
    layer: Layer, operands: Sequence[TensorType | None], types: Mapping[str, TensorType]
) -> tuple[TensorType, ...] | None:
    """Outputs of constants, and of arithmetic on small integer vectors that serve as shapes."""
    operator = layer.operator
    if operator in _FREE or (operator == "Identity" and not operands):
        return tuple(_constant_output(layer, types.get(name, TensorType())) for name in layer.outputs)
    if operator in _ARITHMETIC and len(operands) == 2:
        a, b = operands
        if a is not None and b is not None and a.value is not None and b.value is not None:
            value = _elementwise(_ARITHMETIC[operator], a.value, b.value)
            if value is not None:
                shape = (len(value),) if isinstance(value, tuple) else ()
                return (TensorType(shape, a.dtype or b.dtype, value=value),)
    if operator in ("ReduceProd", "Prod") and operands and operands[0] is not None:
        values = operands[0].value
        if isinstance(values, tuple) and not layer.hyperparameters.get("keepdims", operator == "ReduceProd"):
            return (TensorType((), operands[0].dtype, value=product(values)),)
    return None


def _constant_output(layer: Layer, stated: TensorType) -> TensorType:
    attributes = layer.hyperparameters
    tensor = attributes.get("value")
    if tensor is not None and hasattr(tensor, "numpy") and hasattr(tensor, "dtype"):
        return constant_type(tensor)
    if "value_int" in attributes:
        return TensorType((), "int64", value=int(attributes["value_int"]))
    if "value_ints" in attributes:
        values = tuple(int(v) for v in attributes["value_ints"])
        return TensorType((len(values),), "int64", value=values)
    for key, dtype in (("value_float", "float32"), ("value_string", "string")):
        if key in attributes:
            return TensorType((), dtype)
    for key, dtype in (("value_floats", "float32"), ("value_strings", "string")):
        if key in attributes:
            return TensorType((len(attributes[key]),), dtype)
    return stated


def _elementwise(function: Any, a: Any, b: Any) -> Any:
    left, right = (v if isinstance(v, tuple) else (v,) for v in (a, b))
    count = max(len(left), len(right))
    if len(left) not in (1, count) or len(right) not in (1, count):
        return None
    items = []
    for i in range(count):
        x, y = left[i % len(left)], right[i % len(right)]
        if function is floor_div and is_plain(x) and is_plain(y) and (y == 0 or (x < 0) != (y < 0)):
            return None  # ONNX truncates where we floor
        items.append(function(x, y))
    return tuple(items) if isinstance(a, tuple) or isinstance(b, tuple) else items[0]


def completed(own: TensorType, stated: TensorType | None) -> TensorType:
    """What a type found, with unknown parts from what the file states."""
    if stated is None:
        return own
    shape = own.shape
    if shape is None:
        shape = stated.shape
    elif stated.shape is not None and len(stated.shape) == len(shape):
        shape = tuple(
            s if s is not None and is_plain(s) and not is_plain(d) and _anonymous(d) else d
            for d, s in zip(shape, stated.shape, strict=True)
        )
    return TensorType(shape, own.dtype or stated.dtype, own.format, own.value, own.last)


def _anonymous(size: Term) -> bool:
    return "?" in str(size) if size is not None else True


def contradictions(program: Program, reading: Reading) -> list[tuple[str, TensorType, TensorType]]:
    """Values whose stated type certainly differs from the one that the operators give."""
    found = []
    last = {name for layer in reading.architecture.layers for name in layer.outputs}
    for name, stated in reading.types.items():
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
