"""Torch's exported programs (``.pt2``) -> `Graph`. The graph is JSON in a zip and the weights are raw bytes: nothing is
unpickled, nothing imported.

The schema is that of ``torch/_export/serde/schema.py``. Operators with a rule in `torch_operators` become ONNX nodes;
the others keep their names under the domain ``aten``, with shapes, layers and source lines.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import onnx_ir as ir

from analyzer.findings import Location
from analyzer.graph import Graph, Role, set_layer, set_location, set_role
from analyzer.graph.model import NAME
from analyzer.loading.archives import open_archive
from analyzer.loading.exported_program import SCALAR_TYPES, Layout, tensors, whole
from analyzer.loading.files import shown
from analyzer.loading.json_text import read_json
from analyzer.loading.limits import DEFAULT, Limits
from analyzer.loading.torch_emitter import DOMAIN, OPSET, Emitter, OperatorCall, Unsupported
from analyzer.loading.torch_operators import OPERATORS
from analyzer.loading.weight import Weight, lazy_tensor
from analyzer.problem import TargetProblem


def read_program(path: Path, limits: Limits = DEFAULT) -> Graph:
    """The graph of an exported program.

    Raises:
        TargetProblem: damaged, or weights that do not fit their description.
    """
    with open_archive(path, limits) as archive:
        layout = Layout.of(archive)
        name = layout.program
        program = read_json(archive.read(name, limits.json_size), f"'{shown(name)}' in {shown(path)}", limits)
        try:
            found = {**tensors(archive, layout, "weights", limits), **tensors(archive, layout, "constants", limits)}
            weights = {key: tensor.weight() for key, tensor in found.items()}
            return _ProgramReader(program, weights, path, limits).graph()
        except TargetProblem as error:
            raise TargetProblem(f"{shown(path)}: {error}") from None
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
            # Free-form JSON: a missing or misplaced piece shows itself wherever it is used.
            raise TargetProblem(
                f"{shown(path)} has a damaged program ({type(error).__name__}: {shown(error)})."
            ) from None


def _dtype(number: Any) -> ir.DataType:
    return ir.DataType[SCALAR_TYPES[number]] if number in SCALAR_TYPES else ir.DataType.UNDEFINED


_SYMBOL = re.compile(r"^(?:Symbol\('(\w{1,64})'.*\)|(\w{1,64}))$")


def _dimension(size: Mapping[str, Any]) -> int | str | None:
    """A size, the name of a symbol, or None for an expression."""
    if "as_int" in size:
        return whole(size)
    match = _SYMBOL.match(str(size.get("as_expr", {}).get("expr_str", "")))
    return (match.group(1) or match.group(2)) if match is not None else None


class _ProgramReader:
    def __init__(self, program: Mapping[str, Any], weights: Mapping[str, Weight], path: Path, limits: Limits) -> None:
        module = program["graph_module"]
        self.version = str(program.get("torch_version") or "")
        self.code = module["graph"]
        self.signature = module["signature"]
        self.weights = weights
        self.limits = limits
        self.root = next((folder for folder in path.resolve().parents if (folder / ".git").exists()), None)
        self.values: dict[str, ir.Value] = {}
        self.nodes: list[ir.Node] = []

    def graph(self) -> Graph:
        if len(self.code["nodes"]) > self.limits.nodes or len(self.code["tensor_values"]) > self.limits.nodes:
            raise TargetProblem(f"it has more than {self.limits.nodes} nodes.")
        inputs, initializers = self.arguments()
        for node in self.code["nodes"]:
            self.node(node)
        outputs: list[ir.Value] = []
        for spec in self.signature["output_specs"]:
            name = (
                _tensor_name(next(iter(spec.values()))["arg"])
                if "user_output" in spec or "loss_output" in spec
                else None
            )
            if name is None:
                continue
            value = self.values[name]
            if value in outputs or value.producer() is None:
                copy = ir.Value(name=f"{name}_output_{len(outputs)}", type=value.type, shape=value.shape)
                self.nodes.append(ir.Node("", "Identity", [value], outputs=[copy], name=copy.name))
                value = copy
            outputs.append(value)
        if not outputs:
            raise TargetProblem("it returns no tensors.")
        graph = ir.Graph(
            inputs,
            outputs,
            nodes=self.nodes,
            initializers=initializers,
            opset_imports={"": OPSET, DOMAIN: 1},
            name="main",
        )
        model = ir.Model(graph, ir_version=10, producer_name="pytorch", producer_version=self.version or None)
        return Graph(model, "torch", {"torch": shown(self.version)} if self.version else {})

    def value(self, name: str) -> ir.Value:
        meta = self.code["tensor_values"].get(name)
        value = ir.Value(name=name)
        if meta is not None:
            dtype = _dtype(meta["dtype"])
            value.type = ir.TensorType(dtype) if dtype is not ir.DataType.UNDEFINED else None
            if len(meta["sizes"]) > self.limits.rank:
                raise TargetProblem(f"the tensor '{shown(name)}' has too many dimensions.")
            value.shape = ir.Shape([_dimension(size) for size in meta["sizes"]])
        self.values[name] = value
        return value

    def arguments(self) -> tuple[list[ir.Value], list[ir.Value]]:
        """Graph inputs and initializers, named as the module names them."""
        inputs, initializers = [], []
        for spec in self.signature["input_specs"]:
            ((kind, content),) = spec.items()
            name = _tensor_name(content["arg"])
            if name is None:
                continue
            value = self.value(name)
            own = content.get("parameter_name") or content.get("buffer_name") or content.get("tensor_constant_name")
            role = {"user_input": Role.INPUT, "parameter": Role.PARAMETER}.get(kind, Role.STATE)
            if own is not None:
                value.name = str(own)
            set_role(value, role)
            weight = self.weights.get(str(own))
            if weight is not None and value.shape is not None and list(weight.shape) != list(value.shape):
                raise TargetProblem(f"the weight '{shown(own)}' has another shape than the program says.")
            if weight is not None:
                value.const_value = lazy_tensor(weight, str(own))
                value.type = ir.TensorType(weight.dtype)
                initializers.append(value)
            else:
                inputs.append(value)
        return inputs, initializers

    def node(self, node: Mapping[str, Any]) -> None:
        target = str(node["target"])
        arguments = {str(a.get("name") or i): self.argument(a["arg"]) for i, a in enumerate(node["inputs"])}
        names = [n for output in node["outputs"] for n in _tensor_names(output)]
        if not names:
            return  # sizes and checks of symbols
        match = re.match(r"^torch\.ops\.(\w+)\.(\w+)\.(\w+)$", target)
        label = f"{match.group(1)}.{match.group(2)}" if match else target
        results = [self.value(name) for name in names]
        emitter = Emitter(OperatorCall(names[0], arguments, results), names[0])
        rule = OPERATORS.get(f"{label}.{match.group(3)}" if match else "") or OPERATORS.get(label)
        try:
            if rule is None:
                raise Unsupported
            made = rule(emitter)
            found = list(made) if isinstance(made, list | tuple) else [made]
            if len(found) < len(results):
                raise Unsupported
            self.nodes.extend(emitter.finished(found))
        except (Unsupported, KeyError, TypeError, ValueError, IndexError, AttributeError):
            # A rule that meets what it does not expect gives up: the operator stays as it is, unknown.
            self.unlink(emitter.nodes)
            results = [self.value(name) for name in names]
            emitter = Emitter(OperatorCall(names[0], arguments, results), names[0])
            self.nodes.append(emitter.opaque(match.group(2) if match else target, match.group(3) if match else ""))
        self.describe(emitter.nodes, node.get("metadata") or {}, names[0], target)

    @staticmethod
    def unlink(nodes: list[ir.Node]) -> None:
        for node in nodes:
            for index in range(len(node.inputs)):
                node.replace_input_with(index, None)

    def argument(self, arg: Any) -> Any:
        """A value, a list of values, or plain data; symbolic numbers become None."""
        if not isinstance(arg, dict) or len(arg) != 1:
            return None
        ((kind, content),) = arg.items()
        if kind == "as_tensor":
            return self.values[content["name"]]
        if kind == "as_tensors":
            return [self.values[item["name"]] for item in content]
        if kind == "as_optional_tensor":
            return self.argument(content)
        if kind == "as_optional_tensors":
            return [self.argument(item) for item in content]
        if kind in ("as_sym_int", "as_sym_float", "as_sym_bool"):
            return content.get("as_int", content.get("as_float", content.get("as_bool")))
        if kind == "as_sym_ints":
            return [item.get("as_int") for item in content]
        if kind in ("as_int", "as_ints", "as_float", "as_floats", "as_bool", "as_bools", "as_string", "as_strings"):
            return content
        if kind == "as_scalar_type":
            return _dtype(content)
        return None

    def describe(self, nodes: list[ir.Node], metadata: Mapping[str, Any], name: str, target: str) -> None:
        """Layer, source line and the name a user knows: module path and operator."""
        stack = [
            entry.split(",") for entry in str(metadata.get("nn_module_stack", "")).split(";") if entry.count(",") >= 2
        ]
        layer, kind = (stack[-1][1], stack[-1][-1].rpartition(".")[2]) if stack else ("", "")
        location = self.location(str(metadata.get("stack_trace", "")))
        for node in nodes:
            if layer or kind:
                set_layer(node, layer, kind)
            if location is not None:
                set_location(node, location)
            node.metadata_props[NAME] = f"{layer}.{name}" if layer else name

    def location(self, trace: str) -> Location | None:
        """The innermost frame that is a file of the repository the program lies in."""
        if self.root is None:
            return None
        for file, line in reversed(re.findall(r'File "([^"\n]{1,1024})", line (\d{1,9})', trace)):
            path = _within(self.root, file)
            if path is not None:
                return Location(path, int(line))
        return None


def _tensor_name(arg: Mapping[str, Any]) -> str | None:
    """The name in an argument of a signature, whichever way it is wrapped."""
    if "as_tensor" in arg:
        arg = arg["as_tensor"]
    name = arg.get("name")
    return str(name) if name is not None else None


def _tensor_names(output: Mapping[str, Any]) -> Iterator[str]:
    if "as_tensor" in output:
        yield str(output["as_tensor"]["name"])
    for item in output.get("as_tensors") or ():
        yield str(item["name"])


@functools.lru_cache(4096)
def _within(root: Path, file: str) -> str | None:
    """The repository's file that an exporting machine called `file`: the longest ending that exists here."""
    parts = [p for p in file.split("/") if p not in ("", ".", "..")]
    if "site-packages" in parts or "dist-packages" in parts:
        return None
    for start in range(len(parts)):
        candidate = "/".join(parts[start:])
        if (root / candidate).is_file():
            return candidate
    return None
