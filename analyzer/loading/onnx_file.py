"""ONNX files: parsed, checked against themselves, never executed. External data stay inside the model's folder."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx
import onnx_ir as ir
from google.protobuf.message import DecodeError

from analyzer.graph import Graph
from analyzer.graph.model import TRAINED
from analyzer.loading.files import check_file, inside, out_of_memory, read_file, shown, size_text
from analyzer.loading.formats import is_onnx_text
from analyzer.loading.limits import DEFAULT, Limits
from analyzer.problem import TargetProblem


def read_onnx(path: Path, limits: Limits = DEFAULT) -> Graph:
    """The graph of an ``.onnx`` file in binary or text form.

    Raises:
        TargetProblem: damaged, truncated, over a limit, or with external data that are missing, too short or elsewhere.
    """
    data = read_file(path, limits)
    name = shown(path)
    proto = onnx.ModelProto()
    try:
        if is_onnx_text(data[:4096]):
            proto = _parse_text(data, limits)
        else:
            proto.ParseFromString(data)
    except (DecodeError, UnicodeDecodeError) as error:
        if out_of_memory(error):
            raise MemoryError from None
        raise TargetProblem(f"{name} is not a valid ONNX model; it is damaged or cut off ({error}).") from None
    except onnx.parser.ParseError as error:
        raise TargetProblem(f"{name} is not valid ONNX text: {shown(error, 200)}.") from None
    except TargetProblem as error:
        raise TargetProblem(f"{name}: {error}") from None
    del data
    try:
        return graph_from_proto(proto, path.parent, limits)
    except TargetProblem as error:
        raise TargetProblem(f"{name}: {error}") from None


def graph_from_proto(proto: Any, folder: Path | None, limits: Limits = DEFAULT) -> Graph:
    """Check a ``ModelProto`` and make its graph; external data are looked for in `folder`, refused if it is None.

    Raises:
        TargetProblem: without the file's name, which callers put in front.
    """
    if not proto.HasField("graph") or not (proto.graph.node or proto.graph.output):
        raise TargetProblem("there is no graph in it; it is not an ONNX model, or it is cut off.")
    _Checker(folder, limits).model(proto)
    _forget_maps(proto.graph)
    try:
        model = ir.from_proto(proto)
        _attach(model, folder)
        for graph in model.graphs():
            _check_graph(graph)
        for function in model.functions.values():
            _check_graph(function.graph)
        _sort(model)
    except TargetProblem:
        raise
    except Exception as error:  # onnx_ir gives many kinds; none may reach the user as a traceback
        raise TargetProblem(f"it is not a valid ONNX model: {_reason(error)}.") from None
    if proto.training_info:
        model.metadata_props[TRAINED] = "1"
    versions = {"onnx ir": str(proto.ir_version)}
    for opset in proto.opset_import:
        versions[f"opset {opset.domain or 'ai.onnx'}"] = str(opset.version)
    if proto.producer_name:
        versions["producer"] = shown(f"{proto.producer_name} {proto.producer_version}".strip())
    return Graph(model, "torch" if proto.producer_name == "pytorch" else "onnx", versions)


def _parse_text(data: bytes, limits: Limits) -> Any:
    if len(data) > limits.text_size:
        raise TargetProblem("the text form is too large; save the model in binary form.")
    text = data.decode("utf-8")
    depth = deepest = 0
    for character in text:
        depth += (character in "{[(<") - (character in "}])>")
        deepest = max(deepest, depth)
    if deepest > 4 * limits.depth:
        raise TargetProblem("it is nested too deeply.")
    return onnx.parser.parse_model(text)


def _reason(error: BaseException) -> str:
    """The innermost cause in one line."""
    while error.__cause__ is not None:
        error = error.__cause__
    text = " ".join(str(error).split()) or type(error).__name__
    return shown(text, 200).rstrip(".")


class _Checker:
    """Walks the messages before anything is built from them."""

    def __init__(self, folder: Path | None, limits: Limits) -> None:
        self.folder = folder
        self.limits = limits
        self.nodes = 0
        self.tensors = 0
        self.sizes: dict[str, int] = {}  # external files seen

    def model(self, proto: Any) -> None:
        self.strings(proto.metadata_props)
        self.graph(proto.graph, 0)
        for function in proto.functions:
            self.node_list(function.node, 1)
            for attribute in function.attribute_proto:
                self.attribute(attribute, 1)
        self.inlined(proto)

    def inlined(self, proto: Any) -> None:
        """Functions that call others twice each double with every step, and one that calls itself has no end."""
        bodies = {(f.domain, f.name): f.node for f in proto.functions}
        sizes: dict[tuple[str, str], int | None] = {}

        def size(nodes: Any, depth: int) -> int:
            if depth > 4 * self.limits.depth:
                raise TargetProblem("its functions are nested too deeply.")
            total = 0
            for node in nodes:
                called = (node.domain, node.op_type)
                if called in bodies and called not in sizes:
                    sizes[called] = None
                    sizes[called] = size(bodies[called], depth + 1)
                more = sizes[called] if called in bodies else 1
                if more is None:
                    raise TargetProblem(f"the function '{shown(node.op_type, 60)}' calls itself.")
                total += more
                for attribute in node.attribute:
                    for graph in (*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs):
                        total += size(graph.node, depth + 1)
                if total > self.limits.nodes:
                    raise TargetProblem(f"it has more than {self.limits.nodes} nodes once its functions are inlined.")
            return total

        if bodies:
            size(proto.graph.node, 0)

    def graph(self, proto: Any, depth: int) -> None:
        if depth > self.limits.depth:
            raise TargetProblem(f"its graphs are nested more than {self.limits.depth} deep.")
        self.name(proto.name)
        for tensor in proto.initializer:
            if not tensor.name:
                raise TargetProblem("an initializer has no name; the file is damaged.")
            self.tensor(tensor)
        for sparse in proto.sparse_initializer:
            self.tensor(sparse.values)
            self.tensor(sparse.indices)
        for values in (proto.input, proto.output, proto.value_info):
            for value in values:
                self.name(value.name)
        self.node_list(proto.node, depth)

    def node_list(self, nodes: Any, depth: int) -> None:
        self.nodes += len(nodes)
        if self.nodes > self.limits.nodes:
            raise TargetProblem(f"it has more than {self.limits.nodes} nodes.")
        for node in nodes:
            if not node.op_type:
                raise TargetProblem(f"the node '{shown(node.name)}' has no operator; the file is damaged.")
            for text in (node.name, node.op_type, node.domain, *node.input, *node.output):
                self.name(text)
            for attribute in node.attribute:
                self.attribute(attribute, depth)
            self.strings(node.metadata_props)

    def attribute(self, proto: Any, depth: int) -> None:
        self.name(proto.name)
        if len(proto.s) > self.limits.string_length or sum(map(len, proto.strings)) > self.limits.string_length:
            raise TargetProblem(f"the attribute '{shown(proto.name)}' is a string that is too long.")
        if proto.HasField("t"):
            self.tensor(proto.t)
        for tensor in proto.tensors:
            self.tensor(tensor)
        for sparse in (*([proto.sparse_tensor] if proto.HasField("sparse_tensor") else []), *proto.sparse_tensors):
            self.tensor(sparse.values)
            self.tensor(sparse.indices)
        if proto.HasField("g"):
            self.graph(proto.g, depth + 1)
        for graph in proto.graphs:
            self.graph(graph, depth + 1)

    def name(self, text: str | bytes) -> None:
        if not isinstance(text, str):  # as protobuf gives what is not UTF-8
            raise TargetProblem("a name in it is not text in UTF-8; the file is damaged.")
        if len(text) > self.limits.name_length:
            raise TargetProblem(f"the name '{shown(text, 60)}' is {len(text)} characters long.")

    def strings(self, entries: Any) -> None:
        if not all(isinstance(text, str) for entry in entries for text in (entry.key, entry.value)):
            raise TargetProblem("its metadata are not text in UTF-8; the file is damaged.")
        if sum(len(e.key) + len(e.value) for e in entries) > self.limits.string_length:
            raise TargetProblem("its metadata are too long.")

    def tensor(self, proto: Any) -> None:
        self.tensors += 1
        name = shown(proto.name) or "a tensor"
        if self.tensors > self.limits.tensors:
            raise TargetProblem(f"it has more than {self.limits.tensors} tensors.")
        self.name(proto.name)
        try:
            dtype = ir.DataType(proto.data_type)
        except ValueError:
            raise TargetProblem(f"the tensor '{name}' has the unknown type {proto.data_type}.") from None
        if len(proto.dims) > self.limits.rank or any(d < 0 for d in proto.dims):
            raise TargetProblem(f"the tensor '{name}' has an impossible shape; the file is damaged.")
        size = math.prod(proto.dims)
        if dtype is ir.DataType.UNDEFINED:
            raise TargetProblem(f"the tensor '{name}' has no type; the file is damaged.")
        if dtype is ir.DataType.STRING:
            if not proto.external_data and size != len(proto.string_data):
                raise TargetProblem(
                    f"the tensor '{name}' holds {len(proto.string_data)} strings, its shape says {size}."
                )
            return
        needed = math.ceil(size * dtype.itemsize)
        if needed > self.limits.tensor_size:
            raise TargetProblem(f"the tensor '{name}' would take {size_text(needed)}.")
        if proto.data_location == onnx.TensorProto.EXTERNAL or proto.external_data:
            self.external(proto, name, needed)
        elif proto.HasField("raw_data"):
            if len(proto.raw_data) != needed:
                raise TargetProblem(
                    f"the tensor '{name}' has {len(proto.raw_data)} bytes of data, its shape and type need {needed}."
                )
        else:
            self.values(proto, dtype, name, size)

    def values(self, proto: Any, dtype: ir.DataType, name: str, size: int) -> None:
        field = _FIELDS.get(dtype, "int32_data")
        values = getattr(proto, field)
        per_element = 2 if dtype in (ir.DataType.COMPLEX64, ir.DataType.COMPLEX128) else 1
        expected = size * per_element
        if dtype.bitwidth < 8:
            expected = math.ceil(size / (8 // dtype.bitwidth)) if 8 % dtype.bitwidth == 0 else size
        if len(values) != expected and not (dtype.bitwidth < 8 and len(values) == size):
            raise TargetProblem(f"the tensor '{name}' has {len(values)} values, its shape needs {expected}.")

    def external(self, proto: Any, name: str, needed: int) -> None:
        entries = {entry.key: entry.value for entry in proto.external_data}
        location = entries.get("location", "")
        what = f"the tensor '{name}'"
        if self.folder is None:
            raise TargetProblem(f"{what} keeps its data in another file, which cannot be followed here.")
        path = inside(self.folder, location, what)
        if location not in self.sizes:
            self.sizes[location] = check_file(path, self.limits.weights_size).st_size
        try:
            offset = int(entries.get("offset") or 0)
            length = int(entries["length"]) if entries.get("length") else needed
        except ValueError:
            raise TargetProblem(f"{what} has an offset or a length that is not a number.") from None
        if offset < 0 or length != needed or offset + length > self.sizes[location]:
            raise TargetProblem(
                f"{what} needs {needed} bytes at {offset} of '{shown(location)}', which has {self.sizes[location]}."
            )


_FIELDS = {
    ir.DataType.FLOAT: "float_data", ir.DataType.COMPLEX64: "float_data", ir.DataType.DOUBLE: "double_data",
    ir.DataType.COMPLEX128: "double_data", ir.DataType.INT64: "int64_data", ir.DataType.UINT32: "uint64_data",
    ir.DataType.UINT64: "uint64_data",
}  # fmt: skip


def _forget_maps(graph: Any) -> None:
    """Leave the types of dictionaries open, which the `ZipMap` of a classifier gives: `onnx_ir` has none for them."""
    for value in (*graph.input, *graph.output, *graph.value_info):
        kind = value.type
        while kind.WhichOneof("value") in ("sequence_type", "optional_type"):
            kind = getattr(kind, kind.WhichOneof("value")).elem_type
        if kind.WhichOneof("value") == "map_type":
            value.ClearField("type")
    for node in graph.node:
        for attribute in node.attribute:
            for inner in (*attribute.graphs, *([attribute.g] if attribute.HasField("g") else ())):
                _forget_maps(inner)


def _attach(model: ir.Model, folder: Path | None) -> None:
    """Tell external tensors where their files are; they are mapped when first read."""
    if folder is not None:
        ir.external_data.set_base_dir(model.graph, str(folder.resolve()))


def map_external(model: ir.Model) -> None:
    """Map all external initializers and forget their files, which may be gone afterwards."""
    for graph in model.graphs():
        for value in graph.initializers.values():
            held = value.const_value
            if isinstance(held, ir.ExternalTensor):
                value.const_value = ir.Tensor(held.numpy(), dtype=held.dtype, name=held.name)


def _check_graph(graph: ir.Graph) -> None:
    """Every value that is read must be made somewhere."""
    for node in graph:
        for value in node.inputs:
            if value is not None and not _is_made(value):
                raise TargetProblem(
                    f"the node '{shown(node.name or node.op_type)}' reads '{shown(value.name)}', which nothing makes."
                )
    for value in graph.outputs:
        if not _is_made(value):
            raise TargetProblem(f"the output '{shown(value.name)}' is made by no node.")


def _is_made(value: ir.Value) -> bool:
    return value.producer() is not None or value.is_graph_input() or value.is_initializer() or not value.name


def _sort(model: ir.Model) -> None:
    """ONNX wants topological order; sort what is not, which fails for cycles."""
    for graph in _with_functions(model):
        seen: set[int] = set()
        for node in graph:
            if any(
                v is not None and v.producer() is not None and _same(v, graph) and id(v.producer()) not in seen
                for v in node.inputs
            ):
                try:
                    graph.sort()
                except ValueError:
                    raise TargetProblem("its nodes depend on each other in a cycle.") from None
                break
            seen.add(id(node))


def _same(value: ir.Value, graph: ir.Graph) -> bool:
    producer = value.producer()
    return producer is not None and producer.graph is graph


def _with_functions(model: ir.Model) -> Iterator[ir.Graph]:
    yield from model.graphs()
    for function in model.functions.values():
        yield function.graph
