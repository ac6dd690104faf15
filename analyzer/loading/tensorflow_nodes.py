"""A TensorFlow graph as plain Python, between its files and the IR.

Functions are inlined and loops are lifted on this form; `tensorflow_graph` turns the result into ``onnx_ir``.
A tensor is a pair (node name, output index).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx_ir as ir

from analyzer.loading.files import shown, size_text
from analyzer.loading.limits import Limits
from analyzer.loading.tensorflow_operators import OpDef, dtype_of, operator, operator_from_proto
from analyzer.loading.tensorflow_schema import message_class
from analyzer.problem import TargetProblem

Tensor = tuple[str, int]
Dims = tuple[int | None, ...] | None  # None: unknown rank; a None dimension is unknown


@dataclass(slots=True)
class Attribute:
    """An attribute's value. `kind` is the field of TensorFlow's ``AttrValue`` (``i``, ``type``, ``list:i``…).

    Types are ONNX's, shapes `Dims`, strings text, tensors ``ir.TensorProtocol``, functions their names.
    One object may serve many nodes, so that its IR form (`converted`) is made once.
    """

    kind: str
    value: Any
    converted: dict[str, ir.Attr | None] = field(default_factory=dict)


@dataclass(slots=True)
class Node:
    """One operation. `outputs` overrides the tensors (name, 0), (name, 1)… that a node makes.

    `label` is the name a user knows, if it differs; `graphs` holds the bodies of lifted control flow.
    """

    name: str
    op: str
    inputs: list[Tensor]
    controls: list[str]
    attributes: dict[str, Attribute]
    label: str = ""
    outputs: list[Tensor] | None = None
    graphs: dict[str, GraphBody] | None = None


@dataclass(slots=True)
class GraphBody:
    """A graph with formal parameters: a function, a branch, the inside of a loop."""

    inputs: list[Tensor]
    nodes: list[Node]
    outputs: list[Tensor]

    def captures(self) -> list[Tensor]:
        """Tensors of enclosing graphs that this one reads, in order of first use."""
        made: set[str] = {name for name, _ in self.inputs}
        for node in self.nodes:
            made.add(node.name)
            made.update(name for name, _ in node.outputs or ())
        read = [*(t for n in self.nodes for t in reads(n)), *self.outputs]
        return [t for t in dict.fromkeys(read) if t[0] not in made]


def reads(node: Node) -> list[Tensor]:
    """All tensors a node depends on, those that its bodies capture included."""
    if not node.graphs:
        return node.inputs
    return [*node.inputs, *(t for body in node.graphs.values() for t in body.captures())]


@dataclass(slots=True)
class Argument:
    """A formal parameter of a function."""

    name: str
    dtype: ir.DataType
    attributes: dict[str, Attribute]


@dataclass(slots=True)
class FunctionDef:
    """A function of the library, its body with references as written (``node:output:index``)."""

    name: str
    arguments: list[Argument]
    results: list[str]  # references, in the order of the signature
    nodes: list[tuple[str, str, list[str], dict[str, Attribute]]]  # name, op, inputs, attributes


@dataclass(slots=True)
class ParsedGraphDef:
    """A GraphDef."""

    nodes: list[Node]
    functions: dict[str, FunctionDef]
    producer: int = 0
    operators: dict[str, OpDef] = field(default_factory=dict)  # of the file, for operators outside the registry

    def operator(self, name: str) -> OpDef | None:
        return operator(name) or self.operators.get(name)


def tensor_of(reference: str) -> Tensor:
    """``name`` or ``name:1`` -> (name, index)."""
    name, colon, index = reference.rpartition(":")
    if not colon:
        return reference, 0
    if not index.isascii() or not index.isdecimal() or len(index) > 9:
        raise TargetProblem(f"'{shown(reference)}' is not the name of a tensor.")
    return name, int(index)


def split_inputs(references: Iterable[str]) -> tuple[list[Tensor], list[str]]:
    """Data inputs and the names of control inputs (``^name``)."""
    data, controls = [], []
    for reference in references:
        if reference.startswith("^"):
            controls.append(reference[1:])
        else:
            data.append((reference, 0) if ":" not in reference else tensor_of(reference))
    return data, controls


def dims_of(proto: Any) -> Dims:
    """Dimensions of a ``TensorShapeProto``."""
    if proto.unknown_rank:
        return None
    return tuple(d.size if d.size >= 0 else None for d in proto.dim)


_LISTS = ("s", "i", "f", "b", "type", "shape", "tensor", "func")


def attribute_from_proto(proto: Any, limits: Limits) -> Attribute:
    """From an ``AttrValue`` message."""
    kind = proto.WhichOneof("value")
    if kind == "list":
        for name in _LISTS:
            values = getattr(proto.list, name)
            if values:
                return Attribute(f"list:{name}", [_plain(name, v, limits) for v in values])
        return Attribute("list:", [])
    if kind is None:
        return Attribute("none", None)
    return Attribute(kind, _plain(kind, getattr(proto, kind), limits))


def _plain(kind: str, value: Any, limits: Limits) -> Any:
    if kind == "type":
        return dtype_of(value)
    if kind == "shape":
        return dims_of(value)
    if kind == "s":
        if len(value) > limits.string_length:
            raise TargetProblem(f"A string attribute of {size_text(len(value))} is too long to be read.")
        return value.decode("utf-8", "backslashreplace")
    if kind == "tensor":
        return tensor_from_proto(value, limits)
    if kind == "func":
        return value.name
    return value


_FIELDS = {
    ir.DataType.FLOAT: "float_val", ir.DataType.DOUBLE: "double_val", ir.DataType.INT32: "int_val",
    ir.DataType.INT16: "int_val", ir.DataType.INT8: "int_val", ir.DataType.UINT8: "int_val",
    ir.DataType.UINT16: "int_val", ir.DataType.INT64: "int64_val", ir.DataType.BOOL: "bool_val",
    ir.DataType.UINT32: "uint32_val", ir.DataType.UINT64: "uint64_val", ir.DataType.FLOAT16: "half_val",
    ir.DataType.BFLOAT16: "half_val", ir.DataType.COMPLEX64: "scomplex_val", ir.DataType.COMPLEX128: "dcomplex_val",
    ir.DataType.INT4: "int_val", ir.DataType.UINT4: "int_val",
}  # fmt: skip


def tensor_from_proto(proto: Any, limits: Limits) -> ir.TensorProtocol | None:
    """A constant; None for resources and variants, which have no value.

    Raises:
        TargetProblem: its data do not fit its shape and type.
    """
    dtype, dims = dtype_of(proto.dtype), dims_of(proto.tensor_shape)
    if dtype is ir.DataType.UNDEFINED:
        return None
    if dims is None or None in dims or len(dims) > limits.rank:
        raise TargetProblem("A constant tensor has no definite shape; the file is damaged.")
    shape = tuple(int(d or 0) for d in dims)
    size = math.prod(shape)
    if dtype is ir.DataType.STRING:
        if size > max(4096, 2 * len(proto.string_val)) or size < len(proto.string_val):
            raise TargetProblem(f"A string tensor of shape {list(shape)} holds {len(proto.string_val)} strings.")
        strings = list(proto.string_val) or [b""]
        return ir.StringTensor(strings + strings[-1:] * (size - len(strings)) if size else [], shape=ir.Shape(shape))
    itemsize = dtype.numpy().itemsize
    if size * itemsize > limits.tensor_size:
        raise TargetProblem(f"A constant of shape {list(shape)} would take {size_text(size * itemsize)}.")
    content = proto.tensor_content
    if content:
        if len(content) != size * itemsize:
            raise TargetProblem(
                f"A constant of shape {list(shape)} and type {dtype.short_name()} needs {size * itemsize} bytes, "
                f"the file has {len(content)}."
            )
        array = np.frombuffer(content, dtype.numpy()).reshape(shape)
    else:
        array = _filled(proto, dtype, shape, size)
    return ir.Tensor(array, dtype=dtype)


def _filled(proto: Any, dtype: ir.DataType, shape: tuple[int, ...], size: int) -> np.ndarray:
    """From a ``*_val`` field, whose last value stands for all that are missing."""
    name = _FIELDS.get(dtype)
    if name is None and dtype.bitwidth == 8:
        values: Any = np.frombuffer(proto.float8_val, np.uint8).view(dtype.numpy())
    elif name is None:
        raise TargetProblem(f"A constant of type {dtype.name} has no data.")
    elif name == "half_val":
        values = np.asarray(proto.half_val, np.int64).astype(np.uint16).view(dtype.numpy())
    elif name in ("scomplex_val", "dcomplex_val"):
        parts = np.asarray(getattr(proto, name), np.float64)
        values = (parts[0 : len(parts) // 2 * 2 : 2] + 1j * parts[1::2]).astype(dtype.numpy())
    else:
        field_values = np.asarray(getattr(proto, name))
        values = field_values.astype(dtype.numpy()) if len(field_values) else np.zeros(0, dtype.numpy())
    if len(values) > size:
        raise TargetProblem(f"A constant of shape {list(shape)} has {len(values)} values.")
    if len(values) == size:
        return np.asarray(values).reshape(shape)
    last = values[-1] if len(values) else np.zeros((), dtype.numpy())[()]
    if len(values) <= 1:
        return np.broadcast_to(np.asarray(last, dtype.numpy()), shape)  # costs no memory, however large
    return np.concatenate([values, np.full(size - len(values), last, dtype.numpy())]).reshape(shape)


def program_from_proto(proto: Any, limits: Limits, seen: dict[bytes, Attribute] | None = None) -> ParsedGraphDef:
    """From a ``GraphDef`` message of the raw schema."""
    seen = {} if seen is None else seen
    nodes = []
    for node in proto.node:
        data, controls = split_inputs(node.input)
        nodes.append(Node(node.name, node.op, data, controls, _node_attributes(node, limits, seen)))
    program = ParsedGraphDef(nodes, {}, proto.versions.producer)
    add_library(program, proto.library, limits, seen)
    return program


def _node_attributes(node: Any, limits: Limits, seen: dict[bytes, Attribute]) -> dict[str, Attribute]:
    """Equal values become one object."""
    found = {}
    for entry in node.attr:
        data = entry.value
        attribute = seen.get(data)
        if attribute is None:
            attribute = attribute_from_proto(message_class("AttrValue").FromString(data), limits)
            if len(data) < 4096:
                seen[data] = attribute
        found[entry.key] = attribute
    return found


def add_library(program: ParsedGraphDef, library: Any, limits: Limits, seen: dict[bytes, Attribute]) -> None:
    """Add the functions of a ``FunctionDefLibrary`` message to `program`."""
    for proto in library.function:
        signature = proto.signature
        arguments = []
        for index, arg in enumerate(signature.input_arg):
            extra = {}
            if index in proto.arg_attr:
                extra = {key: attribute_from_proto(value, limits) for key, value in proto.arg_attr[index].attr.items()}
            arguments.append(Argument(arg.name, dtype_of(arg.type), extra))
        program.functions[signature.name] = FunctionDef(
            signature.name,
            arguments,
            [proto.ret.get(arg.name, arg.name) for arg in signature.output_arg],
            [(n.name, n.op, list(n.input), _node_attributes(n, limits, seen)) for n in proto.node_def],
        )
        program.operators[signature.name] = operator_from_proto(signature)
