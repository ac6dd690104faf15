"""An ONNX model as a graph of named tensors: description, sub-models between any tensors, and a float64 twin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

from .contract import EngineError, node, tensor

FLOATS = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16)


class Portion(NamedTuple):
    """Consecutive nodes, by the tensors that they take and make, and the weights that stand beside the model."""

    inputs: list[str]
    outputs: list[str]
    weights: list[str]


class OnnxModel:
    """Indexes a model once so that sub-models cost only their own size.

    Weights in a file beside it stay there: `extract` reads those that a part needs, or refers to them.
    """

    def __init__(self, path: Path) -> None:
        self.proto: ModelProto = onnx.load(str(path), load_external_data=False)
        self.folder = path.parent
        graph = self.proto.graph
        self.external = any(i.data_location == TensorProto.EXTERNAL for i in graph.initializer)
        self.initializers = {i.name: i for i in graph.initializer}
        self.inputs = [i for i in graph.input if i.name not in self.initializers]
        self.declared = {i.name: i for i in self.inputs}
        self.outputs = [o.name for o in graph.output]
        self.producer = {name: index for index, n in enumerate(graph.node) for name in n.output if name}
        self.types = {v.name: v for v in (*graph.value_info, *graph.input, *graph.output)}
        self._infer_bfloat16()

    @property
    def weighs(self) -> int:
        """Bytes of its weights, wherever they are."""
        return sum(map(size_of, self.initializers.values()))

    @property
    def beside(self) -> list[Path]:
        """The files that hold weights."""
        stored = [i for i in self.proto.graph.initializer if i.data_location == TensorProto.EXTERNAL]
        names = {e.value for i in stored for e in i.external_data if e.key == "location"}
        return [(self.folder / name).resolve() for name in sorted(names)]

    def _infer_bfloat16(self) -> None:
        """A model with bfloat16 in it has to say where: what the file leaves open is inferred."""
        graph = self.proto.graph
        declared = {i.data_type for i in graph.initializer} | {
            v.type.tensor_type.elem_type for v in self.types.values()
        }
        cast = any(a.name == "to" and a.i == TensorProto.BFLOAT16 for n in graph.node for a in n.attribute)
        if TensorProto.BFLOAT16 in declared or cast:
            try:
                inferred = onnx.shape_inference.infer_shapes(self.proto).graph
            except Exception:  # a model that inference refuses: what it declares has to do
                return
            self.types = {v.name: v for v in inferred.value_info} | self.types

    def describe(self, alive: Sequence[str] | None = None) -> dict[str, Any]:
        """Nodes in the order of the file; `alive`: the tensors that the engine keeps, None for all."""
        nodes = []
        for index, n in enumerate(self.proto.graph.node):
            props = {p.key: p.value for p in n.metadata_props}
            nodes.append(
                node(
                    props.get("assay.name") or n.name or f"{n.op_type}_{index}",
                    f"{n.domain}::{n.op_type}" if n.domain not in ("", "ai.onnx") else n.op_type,
                    [i for i in _needs(n) if i and i not in self.initializers],
                    [o for o in n.output if o],
                    layer=props.get("assay.layer", ""),
                    layer_class=props.get("assay.layer_class", ""),
                    path=props.get("assay.path"),
                    line=int(props["assay.line"]) if props.get("assay.line", "").isdigit() else None,
                    attributes=attributes(n),
                )
            )
        return {
            "nodes": nodes,
            "inputs": [tensor(i.name, *_type(i)) for i in self.inputs],
            "outputs": [tensor(o.name, *_type(o)) for o in self.proto.graph.output],
            "alive": list(alive) if alive is not None else None,
            "dtypes": {n: _type(v)[0] for n, v in self.types.items()},
            "notes": [],
        }

    def weights(self) -> dict[str, np.ndarray]:
        return {}  # engines hold a copy of an ONNX file's weights that nothing can reach: there is no state to mutate

    def cut(self, inputs: Sequence[str], outputs: Sequence[str]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        raise EngineError("unreplayed", "ONNX models are cut by `extract`")

    def extract(self, feeds: Mapping[str, np.ndarray], fetches: Sequence[str], embed: bool = True) -> ModelProto:
        """The smallest sub-model that computes `fetches` from `feeds`; feeds take the arrays' dtypes and ranks.

        `embed` False: weights beside the model are referred to, relative to its folder.
        Raises EngineError when `feeds` do not suffice.
        """
        wanted, constants = self._needed(feeds, fetches)
        nodes = [self.proto.graph.node[index] for index in sorted(wanted)]
        used = {name for n in nodes for name in _needs(n)} | set(fetches)
        produced = {name for n in nodes for name in n.output}
        # A fetched tensor that is fed, or a weight, needs a node of its own to be an output.
        passed = [name for name in fetches if name not in produced or self.is_bfloat16(name)]
        inward = [name for name in feeds if name in used and self.is_bfloat16(name)]
        graph = helper.make_graph(
            [*(_cast(f"{n}/fed", n, TensorProto.BFLOAT16) for n in inward), *nodes, *map(self._pass, passed)],
            "extract",
            [self._input(name, array) for name, array in feeds.items() if name in used],
            [onnx.ValueInfoProto(name=f"{n}/fetched" if n in passed else n) for n in fetches],
            [embedded(self.initializers[n], self.folder) if embed else self.initializers[n] for n in sorted(constants)],
        )
        for output in graph.output:
            known = self.types.get(output.name)
            if known is not None and known.type.HasField("tensor_type"):
                output.type.tensor_type.elem_type = known.type.tensor_type.elem_type
        model = helper.make_model(graph, opset_imports=list(self.proto.opset_import), functions=self.proto.functions)
        model.ir_version = self.proto.ir_version
        return model

    def _needed(self, feeds: Mapping[str, np.ndarray], fetches: Sequence[str]) -> tuple[set[int], set[str]]:
        """The nodes that compute `fetches` from `feeds`, and the weights that they take."""
        wanted: set[int] = set()
        constants: set[str] = set()
        queue = list(fetches)
        while queue:
            name = queue.pop()
            if name in feeds or not name:
                continue
            if name in self.initializers:
                constants.add(name)
            elif name in self.producer:
                index = self.producer[name]
                if index not in wanted:
                    wanted.add(index)
                    queue.extend(_needs(self.proto.graph.node[index]))
            else:
                raise EngineError("unreplayed", f"tensor {name!r} can be computed from none of {sorted(feeds)}")
        return wanted, constants

    def portions(self, feeds: Mapping[str, np.ndarray], fetches: Sequence[str], limit: int) -> list[Portion]:
        """The nodes that compute `fetches` from `feeds`, in order, with not much more than `limit` bytes of weights in
        each portion."""
        wanted, constants = self._needed(feeds, fetches)
        found: list[Portion] = []
        size = 0
        for index in sorted(wanted):
            n = self.proto.graph.node[index]
            own = sum(size_of(self.initializers[i]) for i in _needs(n) if i in constants)
            size += own
            if size > limit or not found:
                found.append(Portion([], [], []))
                size = own
            found[-1].inputs.extend(i for i in _needs(n) if i and i not in constants)
            found[-1].outputs.extend(o for o in n.output if o)
            found[-1].weights.extend(i for i in _needs(n) if i in constants and self._is_mapped(i))
        passed = [n for n in fetches if n in constants]
        return [*found, *([Portion([], passed, [])] if passed else [])]

    def _is_mapped(self, name: str) -> bool:
        t = self.initializers[name]
        return t.data_location == TensorProto.EXTERNAL and t.data_type in (TensorProto.FLOAT, TensorProto.FLOAT16)

    def mapped(self, name: str) -> np.ndarray:
        """A portion's weight as the file holds it, unread."""
        return mapped(self.initializers[name], self.folder)

    def is_bfloat16(self, name: str) -> bool:
        """NumPy has no bfloat16, and engines hand it out as something else or not at all: such a tensor crosses the
        border of a part as float32, which holds it exactly."""
        known = self.types.get(name)
        return known is not None and known.type.tensor_type.elem_type == TensorProto.BFLOAT16

    @property
    def needs_carriers(self) -> bool:
        """Whether the whole model can be run from NumPy arrays only as a part with float32 at its borders."""
        return any(self.is_bfloat16(n) for n in (*self.declared, *self.outputs))

    def _pass(self, name: str) -> NodeProto:
        if self.is_bfloat16(name):
            return _cast(name, f"{name}/fetched", TensorProto.FLOAT)
        return helper.make_node("Identity", [name], [f"{name}/fetched"])

    def _input(self, name: str, array: np.ndarray) -> onnx.ValueInfoProto:
        if self.is_bfloat16(name):
            return helper.make_tensor_value_info(f"{name}/fed", TensorProto.FLOAT, list(array.shape))
        if name in self.declared:
            return self.declared[name]  # with its symbolic sizes, as the engine would get it
        known = self.types.get(name)
        if known is not None and known.type.tensor_type.elem_type:
            element = known.type.tensor_type.elem_type
        elif array.dtype.kind == "O":
            element = TensorProto.STRING
        else:
            element = helper.np_dtype_to_tensor_dtype(array.dtype)
        return helper.make_tensor_value_info(name, element, list(array.shape))


def mapped(t: TensorProto, folder: Path) -> np.ndarray:
    """The values of a tensor that stands beside the model, as its file holds them, unread.

    The library's own reader refuses files that several workers share by links.
    """
    told = {e.key: e.value for e in t.external_data}
    dtype = helper.tensor_dtype_to_np_dtype(t.data_type)
    shape = tuple(t.dims)
    if 0 in shape:
        return np.zeros(shape, dtype)
    return np.memmap(folder / told["location"], dtype, "c", int(told.get("offset", 0)), shape or (1,)).reshape(shape)


def embedded(t: TensorProto, folder: Path) -> TensorProto:
    """`t` with its values in it."""
    if t.data_location != TensorProto.EXTERNAL:
        return t
    told = {e.key: e.value for e in t.external_data}
    with (folder / told["location"]).open("rb") as stream:
        stream.seek(int(told.get("offset", 0)))
        raw = stream.read(int(told.get("length", -1)))
    return TensorProto(name=t.name, dims=t.dims, data_type=t.data_type, raw_data=raw)


def size_of(t: TensorProto) -> int:
    """Bytes of its values, wherever they are."""
    told = {e.key: e.value for e in t.external_data}
    return int(told["length"]) if "length" in told else t.ByteSize()


def attributes(n: NodeProto) -> dict[str, Any]:
    """Attributes as JSON; long ones and sub-graphs by their kind only."""
    found: dict[str, Any] = {}
    for a in n.attribute:
        if a.type in (AttributeProto.INT, AttributeProto.FLOAT, AttributeProto.INTS, AttributeProto.FLOATS):
            value = helper.get_attribute_value(a)
            found[a.name] = list(value)[:16] if isinstance(value, (list, tuple)) or hasattr(value, "__len__") else value
        elif a.type == AttributeProto.STRING:
            found[a.name] = a.s.decode("utf-8", "replace")[:64]
        else:
            found[a.name] = AttributeProto.AttributeType.Name(a.type).lower()
    return found


def opset_of(model: ModelProto) -> int:
    """Of the standard domain."""
    return max((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), default=1)


def _cast(source: str, result: str, to: int) -> NodeProto:
    return helper.make_node("Cast", [source], [result], to=to)


def _needs(n: NodeProto) -> list[str]:
    """Inputs of a node, with what its sub-graphs take from outside."""
    names = list(n.input)
    for a in n.attribute:
        for g in [a.g] if a.type == AttributeProto.GRAPH else list(a.graphs):
            names.extend(_captured(g))
    return names


def _captured(graph: GraphProto) -> Iterator[str]:
    local = {i.name for i in graph.input} | {i.name for i in graph.initializer}
    for n in graph.node:
        for name in _needs(n):
            if name and name not in local:
                yield name
        local.update(n.output)
    for output in graph.output:
        if output.name not in local:
            yield output.name


def _type(value: onnx.ValueInfoProto) -> tuple[str, list[Any]]:
    t = value.type.tensor_type
    if not t.elem_type:
        return "", []
    dtype = TensorProto.DataType.Name(t.elem_type).lower()
    names = {"float": "float32", "double": "float64", "string": "str"}
    shape = [d.dim_value if d.HasField("dim_value") else (d.dim_param or None) for d in t.shape.dim]
    return names.get(dtype, dtype), shape


def in_float64(model: ModelProto) -> ModelProto:
    """A twin of `model` in which every floating tensor is float64: weights, constants, casts and declared types."""
    twin = ModelProto()
    twin.CopyFrom(model)
    _widen(twin.graph)
    for function in twin.functions:
        for n in function.node:
            _widen_node(n)
    return twin


def _widen(graph: GraphProto) -> None:
    for initializer in graph.initializer:
        _widen_tensor(initializer)
    for value in (*graph.input, *graph.output, *graph.value_info):
        if value.type.tensor_type.elem_type in FLOATS:
            value.type.tensor_type.elem_type = TensorProto.DOUBLE
    for n in graph.node:
        _widen_node(n)


def _widen_node(n: NodeProto) -> None:
    for a in n.attribute:
        if a.type == AttributeProto.TENSOR:
            _widen_tensor(a.t)
        elif a.type == AttributeProto.GRAPH:
            _widen(a.g)
        elif a.type == AttributeProto.GRAPHS:
            for g in a.graphs:
                _widen(g)
        elif a.type == AttributeProto.INT and a.i in FLOATS and a.name in ("to", "dtype", "output_dtype"):
            a.i = TensorProto.DOUBLE
    if n.op_type == "Constant" and n.domain in ("", "ai.onnx"):
        for a in n.attribute:
            if a.name in ("value_float", "value_floats"):
                values = np.asarray([a.f] if a.name == "value_float" else list(a.floats), np.float64)
                array = values.reshape(() if a.name == "value_float" else (-1,))
                n.attribute.remove(a)
                n.attribute.append(helper.make_attribute("value", numpy_helper.from_array(array)))
                break


def _widen_tensor(t: TensorProto) -> None:
    if t.data_type in FLOATS:
        values = numpy_helper.to_array(t).astype(np.float64).tobytes()
        for held in ("float_data", "int32_data"):
            t.ClearField(held)
        t.data_type, t.raw_data = TensorProto.DOUBLE, values
