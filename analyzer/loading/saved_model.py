"""SavedModel folders -> the graph of the serving signature, variables with their values, without TensorFlow.

Variables are found as TensorFlow finds them: a signature's captured handles are objects of the saved object graph,
whose paths from the root are those of the checkpoint's object graph; in TensorFlow 1 a variable's name is its key.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import onnx_ir as ir
from google.protobuf.message import DecodeError

from analyzer.graph import Graph
from analyzer.loading import pbtxt
from analyzer.loading.files import read_file, shown
from analyzer.loading.graphdef import enumerator
from analyzer.loading.limits import DEFAULT, Limits
from analyzer.loading.tensor_bundle import OBJECT_GRAPH, read_entries
from analyzer.loading.tensorflow_functions import CALLS
from analyzer.loading.tensorflow_graph import FileFacts, convert
from analyzer.loading.tensorflow_nodes import Attribute, Node, ParsedGraphDef, Tensor, program_from_proto, tensor_of
from analyzer.loading.tensorflow_operators import dtype_of, operator_from_proto
from analyzer.loading.tensorflow_schema import message_class
from analyzer.loading.tensorflow_variables import VARIABLES
from analyzer.loading.weight import Weight, lazy_tensor
from analyzer.problem import TargetProblem

_PREFERRED = ("serving_default", "serve", "predict", "default")
_FUNCTIONS = ("serving_default", "serve", "__call__", "call", "predict", "forward")


def read_saved_model(path: Path, limits: Limits = DEFAULT) -> Graph:
    """The graph of the folder `path` (or of a ``saved_model.pb`` given by itself).

    Raises:
        TargetProblem: damaged, or without a signature or function.
    """
    file = path
    if path.is_dir():
        file = next((path / n for n in ("saved_model.pb", "saved_model.pbtxt") if (path / n).exists()), path)
    meta = _meta_graph(file, limits)
    try:
        program = program_from_proto(meta.graph_def, limits)
        for definition in meta.meta_info_def.stripped_op_list.op:
            program.operators.setdefault(definition.name, operator_from_proto(definition))
        inputs, outputs = _signature(meta) or _function(meta, program)
        variables = _Variables(meta, program, file.parent / "variables" / "variables.index", limits)
        known = FileFacts(variables.values(), variables.trainable(), outputs, inputs)
        versions = {"tensorflow": shown(meta.meta_info_def.tensorflow_version)}
        return convert(program, limits, known, versions if meta.meta_info_def.tensorflow_version else {})
    except DecodeError as error:
        raise TargetProblem(f"{shown(file)} is damaged ({shown(error)}).") from None
    except TargetProblem as error:
        raise TargetProblem(str(error) if str(file.parent) in str(error) else f"{shown(file)}: {error}") from None


def read_program(path: Path, limits: Limits = DEFAULT) -> ParsedGraphDef:
    """The nodes and functions alone.

    Raises:
        TargetProblem: damaged.
    """
    file = next((path / n for n in ("saved_model.pb", "saved_model.pbtxt") if (path / n).exists()), path)
    try:
        return program_from_proto(_meta_graph(file, limits).graph_def, limits)
    except DecodeError as error:
        raise TargetProblem(f"{shown(file)} is damaged ({shown(error)}).") from None


def _meta_graph(file: Path, limits: Limits) -> Any:
    data = read_file(file, limits)
    try:
        if file.suffix == ".pbtxt":
            if len(data) > limits.text_size:
                raise TargetProblem(f"{shown(file)} is too large in text form; save it in binary form.")
            data = pbtxt.parse(data.decode("utf-8"), message_class("SavedModel")(), enumerator).SerializeToString()
        saved = message_class("SavedModel", raw=True).FromString(data)
    except (DecodeError, pbtxt.TextProblem, UnicodeDecodeError) as error:
        raise TargetProblem(
            f"{shown(file)} is not a valid SavedModel; it is damaged or cut off ({shown(error)})."
        ) from None
    if not saved.meta_graphs:
        raise TargetProblem(f"{shown(file)} has no graph in it; it is damaged or cut off.")
    serving = [meta for meta in saved.meta_graphs if "serve" in meta.meta_info_def.tags]
    return serving[0] if serving else saved.meta_graphs[0]


Signature = tuple[dict[Tensor, str], dict[str, Tensor]]


def _signature(meta: Any) -> Signature | None:
    """The inputs and outputs of the signature to analyse, by their public names."""
    names = [n for n in meta.signature_def if not n.startswith("__saved_model") and meta.signature_def[n].outputs]
    if not names:
        return None
    name = next((n for n in _PREFERRED if n in names), sorted(names)[0])
    signature = meta.signature_def[name]
    inputs = {tensor_of(signature.inputs[key].name): key for key in sorted(signature.inputs)}
    outputs = {key: tensor_of(signature.outputs[key].name) for key in sorted(signature.outputs)}
    return inputs, outputs


def _function(meta: Any, program: ParsedGraphDef) -> Signature:
    """Without a signature: a call of the model's own function is added to the graph.

    Raises:
        TargetProblem: there is none.
    """
    objects = meta.object_graph_def.nodes
    named = [
        (c.local_name, objects[c.node_id].function.concrete_functions)
        for o in objects
        for c in o.children
        if 0 <= c.node_id < len(objects) and objects[c.node_id].HasField("function")
    ]
    concrete = [f for wanted in _FUNCTIONS for name, functions in named if name == wanted for f in functions]
    concrete += [f for name, functions in named if not name.startswith("_") for f in functions]
    name = next((f for f in concrete if f in program.functions), None)
    if name is None:
        raise TargetProblem("there is neither a signature nor a function in it; save the model with `signatures=`.")
    function = program.functions[name]
    bound = list(meta.object_graph_def.concrete_functions[name].bound_inputs)
    arguments: list[Tensor] = []
    inputs: dict[Tensor, str] = {}
    free = len(function.arguments) - len(bound)
    used = {node.name for node in program.nodes}
    for index, argument in enumerate(function.arguments):
        label = argument.name
        if index >= free and 0 <= bound[index - free] < len(objects):
            label = objects[bound[index - free]].variable.name or label
        while label in used:
            label += "_"
        used.add(label)
        if index >= free:
            variable = objects[bound[index - free]].variable if 0 <= bound[index - free] < len(objects) else None
            kind = Attribute("type", dtype_of(variable.dtype) if variable is not None else ir.DataType.UNDEFINED)
            program.nodes.append(Node(label, "VarHandleOp", [], [], {"dtype": kind}))
        else:
            attributes = {"dtype": Attribute("type", argument.dtype)}
            shapes = argument.attributes.get("_output_shapes")
            if shapes is not None and shapes.kind == "list:shape" and shapes.value:
                attributes["shape"] = Attribute("shape", shapes.value[0])
            user = argument.attributes.get("_user_specified_name")
            program.nodes.append(Node(label, "Placeholder", [], [], attributes))
            inputs[label, 0] = str(user.value) if user is not None else argument.name
        arguments.append((label, 0))
    call = "call"
    while call in used:
        call += "_"
    program.nodes.append(
        Node(call, "StatefulPartitionedCall", arguments, [], {"f": Attribute("func", name)}),
    )
    return inputs, {f"output_{i}": (call, i) for i in range(len(function.results))}


class _Variables:
    """Which variable nodes hold what."""

    def __init__(self, meta: Any, program: ParsedGraphDef, index: Path, limits: Limits) -> None:
        self.meta = meta
        self.program = program
        self.nodes = {node.name: node for node in program.nodes if node.op in VARIABLES}
        self.entries: dict[str, Weight] = {}
        if self.nodes and index.is_file():
            self.entries = read_entries(index, limits)
        self.objects = self._objects()

    def _objects(self) -> dict[str, int]:
        """Variable node -> its number in the saved object graph, by the handles that calls capture."""
        found: dict[str, int] = {}
        concrete = self.meta.object_graph_def.concrete_functions
        for node in self.program.nodes:
            name = node.attributes["f"].value if node.op in CALLS and "f" in node.attributes else node.op
            if name in concrete:
                bound = list(concrete[name].bound_inputs)
                for (source, _), number in zip(node.inputs[len(node.inputs) - len(bound) :], bound, strict=False):
                    if source in self.nodes:
                        found[source] = number
        return found

    def values(self) -> dict[str, ir.TensorProtocol]:
        """Variable node -> its value, read when it is looked at."""
        keys = self._keys()
        found: dict[str, ir.TensorProtocol] = {}
        for name, node in self.nodes.items():
            shared = node.attributes.get("shared_name")
            candidates = (keys.get(self.objects.get(name, -1)), str(shared.value) if shared else None, name)
            key = next((k for k in candidates if k in self.entries), None)
            if key is not None:
                found[name] = lazy_tensor(self.entries[key], name)
        return found

    def _keys(self) -> Mapping[int, str]:
        """Object's number -> key in the checkpoint; both object graphs are walked side by side from their roots."""
        if OBJECT_GRAPH not in self.entries:
            return {}
        text = self.entries[OBJECT_GRAPH].array().reshape(-1)
        tracked = message_class("TrackableObjectGraph").FromString(text[0] if len(text) else b"").nodes
        saved = self.meta.object_graph_def.nodes
        found: dict[int, str] = {}
        seen: set[tuple[int, int]] = set()
        stack = [(0, 0)]
        while stack:
            pair = stack.pop()
            mine, theirs = pair
            if pair in seen or not (0 <= mine < len(saved) and 0 <= theirs < len(tracked)):
                continue
            seen.add(pair)
            if saved[mine].HasField("variable"):
                for attribute in tracked[theirs].attributes:
                    found.setdefault(mine, attribute.checkpoint_key)
            children = {c.local_name: c.node_id for c in tracked[theirs].children}
            stack.extend((c.node_id, children[c.local_name]) for c in saved[mine].children if c.local_name in children)
        return found

    def trainable(self) -> frozenset[str] | None:
        """Names of the trainable variables' nodes, or None if the file does not tell."""
        objects = self.meta.object_graph_def.nodes
        if objects:
            by_name = {o.variable.name: o.variable.trainable for o in objects if o.HasField("variable")}
            return frozenset(
                name
                for name in self.nodes
                if (
                    objects[self.objects[name]].variable.trainable
                    if 0 <= self.objects.get(name, -1) < len(objects)
                    else by_name.get(name, True)
                )
            )
        if "trainable_variables" not in self.meta.collection_def:
            return None
        definitions = self.meta.collection_def["trainable_variables"].bytes_list.value
        names = (message_class("VariableDef").FromString(d).variable_name for d in definitions)
        return frozenset(name.partition(":")[0] for name in names)
