"""TensorFlow nodes -> `Graph`: operators under the domain ``tf``, variables and what a run feeds as graph inputs.

How attributes appear in the IR: types as ONNX's type numbers (0: resource or variant), shapes as integers with -1 for
unknown dimensions (absent if the rank is unknown), booleans as 0 and 1, lists of shapes as text (``2,-1``; ``?``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import onnx_ir as ir

from analyzer.graph import Graph, Role, set_layer, set_role
from analyzer.graph.model import INITIAL_VALUE, NAME
from analyzer.loading.files import shown
from analyzer.loading.limits import DEFAULT, Limits
from analyzer.loading.tensorflow_functions import expand, output_count
from analyzer.loading.tensorflow_loops import lift, ordered
from analyzer.loading.tensorflow_nodes import Attribute, Dims, GraphBody, Node, ParsedGraphDef, Tensor, reads
from analyzer.loading.tensorflow_operators import OpDef, dtype_of
from analyzer.loading.tensorflow_variables import VARIABLES, initial_values, trainable_variables
from analyzer.operators.registry import operator_named
from analyzer.problem import TargetProblem

DOMAIN = "tf"
SOURCE = "assay.source"  # on an input that an iterator or a queue feeds: the name of that iterator or queue
PLACEHOLDERS = frozenset((*operator_named("Placeholder").tf, *operator_named("PlaceholderWithDefault").tf))
FEEDS = frozenset(operator_named("Feed").tf)
_BOOKKEEPING = re.compile(r".*Summary(V2)?$|^(Save|Restore|Assert|Print|Write)\w*$")
_MAX_OUTPUTS = 65_536  # of one node; a hostile attribute may claim any number


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What a file tells beyond its nodes; all keys are names of variable nodes."""

    values: Mapping[str, ir.TensorProtocol] = field(default_factory=dict)
    trainable: frozenset[str] | None = None  # None: not told
    outputs: Mapping[str, Tensor] | None = None  # public name -> tensor that is a result
    inputs: Mapping[Tensor, str] = field(default_factory=dict)  # tensor that is fed -> public name


def convert(
    program: ParsedGraphDef,
    limits: Limits = DEFAULT,
    known: FileFacts | None = None,
    versions: Mapping[str, str] | None = None,
) -> Graph:
    """The graph of a GraphDef; with `known.outputs`, only of what those depend on.

    Raises:
        TargetProblem: undefined or duplicate names, cycles outside of loops, recursion, too many nodes.
    """
    known = known or FileFacts()
    body = expand(program, limits, list((known.outputs or {}).values()))
    _check_names(body.nodes, limits)
    lift(body)
    nodes = ordered(body.nodes)
    if known.outputs is not None:
        nodes = _needed(nodes, body.outputs)
    builder = _Builder(program, limits, known, body.outputs, {node.name for node in nodes})
    graph = builder.main_graph(nodes)
    model = ir.Model(graph, ir_version=10, producer_name="tensorflow")
    losses = tuple(v for v in _losses(nodes) if v in builder.names)
    facts = dict(versions or {})
    if program.producer:
        facts.setdefault("graphdef producer", str(program.producer))
    return Graph(model, "tensorflow", facts, losses)


def _check_names(nodes: list[Node], limits: Limits) -> None:
    seen: set[str] = set()
    for node in nodes:
        if node.name in seen:
            raise TargetProblem(f"two nodes are called '{shown(node.name)}'; the file is damaged.")
        if not node.name or not node.op:
            raise TargetProblem("a node has no name or no operator; the file is damaged.")
        if len(node.name) > limits.name_length or len(node.op) > limits.name_length:
            raise TargetProblem(f"the name '{shown(node.name)}' is too long.")
        seen.add(node.name)


def _needed(nodes: list[Node], targets: list[Tensor]) -> list[Node]:
    makers = {output: node for node in nodes for output in node.outputs or ()}
    by_name = {node.name: node for node in nodes}
    found: set[str] = set()
    stack = list(targets)
    while stack:
        tensor = stack.pop()
        node = makers.get(tensor) or by_name.get(tensor[0])
        if node is not None and node.name not in found:
            found.add(node.name)
            stack.extend(reads(node))
    return [node for node in nodes if node.name in found]


def value_name(tensor: Tensor) -> str:
    """The IR's name of a tensor: the node's for its first output, ``node:1`` for the second…"""
    return tensor[0] if tensor[1] == 0 else f"{tensor[0]}:{tensor[1]}"


class _Builder:
    def __init__(
        self, program: ParsedGraphDef, limits: Limits, known: FileFacts, results: list[Tensor], names: set[str]
    ) -> None:
        self.program = program
        self.limits = limits
        self.known = known
        self.told = results  # the tensors of `known.outputs`, calls inlined
        self.node_names = names
        self.layers: dict[str, str] = {}
        self.names: set[str] = set()  # of values

    def main_graph(self, nodes: list[Node]) -> ir.Graph:
        scope: dict[Tensor, ir.Value] = {}
        inputs: list[ir.Value] = []
        initializers: list[ir.Value] = []
        used = _used_outputs(nodes, self.told)
        trainable = trainable_variables(nodes) if self.known.trainable is None else self.known.trainable
        starts = initial_values(nodes)
        rest: list[Node] = []
        for node in nodes:
            if node.op in PLACEHOLDERS or (node.op in FEEDS and node.graphs is None):
                inputs.extend(self.fed(node, scope, used))
            elif node.op in VARIABLES:
                value = self.variable(node, trainable)
                scope[node.name, 0] = value
                if node.name in self.known.values:
                    value.const_value = self.known.values[node.name]
                    value.shape = ir.Shape(value.const_value.shape.numpy())
                    value.type = ir.TensorType(value.const_value.dtype)
                    initializers.append(value)
                else:
                    inputs.append(value)
                    if node.name in starts:
                        value.metadata_props[INITIAL_VALUE] = value_name(starts[node.name])
            else:
                rest.append(node)
        made = [self.node(node, scope, used) for node in rest]
        for (
            name,
            tensor,
        ) in starts.items():  # ``validate_shape=False``: the graph states none, the first run has this one
            held, start = scope.get((name, 0)), scope.get(tensor)
            if held is not None and held.shape is None and start is not None:
                held.shape = start.shape
        outputs = self.outputs(rest, scope)
        return ir.Graph(
            inputs, outputs, nodes=made, initializers=initializers, opset_imports={"": 20, DOMAIN: 1}, name="main"
        )

    def fed(self, node: Node, scope: dict[Tensor, ir.Value], used: dict[str, int]) -> list[ir.Value]:
        """Graph inputs for a node that a run feeds."""
        values = []
        for index, value in enumerate(self.results(node, used)):
            tensor = (node.name, index)
            scope[tensor] = value
            set_role(value, Role.INPUT)
            if tensor in self.known.inputs:
                value.metadata_props[NAME] = self.known.inputs[tensor]
            if node.op in FEEDS and node.inputs:
                value.metadata_props[SOURCE] = node.inputs[0][0]
            if node.op == "PlaceholderWithDefault" and node.inputs:
                value.metadata_props[INITIAL_VALUE] = value_name(node.inputs[0])
            values.append(value)
        return values

    def variable(self, node: Node, trainable: frozenset[str]) -> ir.Value:
        """What a variable holds; its handle, if it has one, stands for the same."""
        attribute = node.attributes.get("dtype")
        dtype = attribute.value if attribute is not None and attribute.kind == "type" else ir.DataType.UNDEFINED
        value = self.value((node.name, 0), dtype, _dims(node, "shape"))
        set_role(value, Role.PARAMETER if node.name in trainable else Role.STATE)
        return value

    def value(self, tensor: Tensor, dtype: ir.DataType, dims: Dims) -> ir.Value:
        name = value_name(tensor)
        self.names.add(name)
        kind = ir.TensorType(dtype) if dtype is not ir.DataType.UNDEFINED else None
        shape = ir.Shape(dims) if dims is not None and len(dims) <= self.limits.rank else None
        return ir.Value(name=name, type=kind, shape=shape)

    def results(self, node: Node, used: dict[str, int]) -> list[ir.Value]:
        operator = self.program.operator(node.op)
        dtypes = output_dtypes(node, operator)
        stated = node.attributes.get("_output_shapes") or (
            node.attributes.get("output_shapes") if node.op in FEEDS else None
        )
        shapes: Sequence[Dims] = stated.value if stated is not None and stated.kind == "list:shape" else ()
        if node.op in PLACEHOLDERS and not shapes:
            shapes = (_dims(node, "shape"),)
        tensors = node.outputs if node.outputs is not None else None
        count = len(tensors) if tensors is not None else max(len(dtypes), used.get(node.name, 0))
        if operator is None and node.graphs is None:
            count = max(count, 1)
        if count > _MAX_OUTPUTS:
            raise TargetProblem(f"node '{shown(node.name)}' would have {count} outputs; the file is damaged.")
        handle = ir.DataType.UNDEFINED  # of a variable or a list: the scalar that is stated is not what it holds
        return [
            self.value(
                tensors[i] if tensors is not None else (node.name, i),
                dtypes[i] if i < len(dtypes) else ir.DataType.UNDEFINED,
                shapes[i] if i < len(shapes) and (i >= len(dtypes) or dtypes[i] is not handle) else None,
            )
            for i in range(count)
        ]

    def node(self, node: Node, scope: dict[Tensor, ir.Value], used: dict[str, int]) -> ir.Node:
        inputs = []
        for tensor in node.inputs:
            value = scope.get(tensor)
            if value is None:
                raise TargetProblem(
                    f"node '{shown(node.name)}' reads '{shown(value_name(tensor))}', which nothing in the graph makes."
                )
            inputs.append(value)
        outputs = self.results(node, used)
        tensors = node.outputs if node.outputs is not None else [(node.name, i) for i in range(len(outputs))]
        attributes = []
        for key, attribute in node.attributes.items():
            if not key or key[0] == "_":
                continue
            if key in attribute.converted:
                converted = attribute.converted[key]
            else:
                converted = attribute.converted[key] = to_ir(key, attribute)
            if converted is not None:
                attributes.append(converted)
        attributes.extend(self.defaults(node))
        constant = node.attributes.get("value") if node.op == "Const" else None
        if constant is not None and constant.kind == "tensor" and constant.value is not None and outputs:
            outputs[0].const_value = constant.value
            outputs[0].shape = ir.Shape(constant.value.shape.numpy())
            outputs[0].type = ir.TensorType(constant.value.dtype)
        for key, body in (node.graphs or {}).items():
            graph = self.subgraph(node, key, body, scope, inputs)
            attributes.append(ir.AttrGraph(key, graph))
            if key in ("body", "then_branch", "branch_0"):
                for value, inner in zip(outputs, graph.outputs, strict=False):
                    value.type = inner.type
        made = ir.Node(DOMAIN, node.op, inputs, attributes, outputs=outputs, name=node.name)
        layer = self.layer(node.name)
        if layer:
            set_layer(made, layer)
        scope.update(zip(tensors, outputs, strict=True))
        return made

    def defaults(self, node: Node) -> list[ir.Attr]:
        """Attributes that the file leaves out because they have their default."""
        operator = self.program.operator(node.op)
        if operator is None:
            return []
        found = []
        for key, (kind, value) in operator.defaults.items():
            if key not in node.attributes and node.graphs is None:
                if kind == "type":
                    value = dtype_of(value)
                elif kind == "list:type":
                    value = [dtype_of(v) for v in value]
                attribute = to_ir(key, Attribute(kind, value))
                if attribute is not None:
                    found.append(attribute)
        return found

    def subgraph(
        self, node: Node, key: str, body: GraphBody, outer: dict[Tensor, ir.Value], actual: list[ir.Value]
    ) -> ir.Graph:
        scope = dict(outer)
        formal = []
        for index, tensor in enumerate(body.inputs):
            like = actual[index] if index < len(actual) else None
            value = self.value(tensor, ir.DataType.UNDEFINED, None)
            value.type = like.type if like is not None else None
            formal.append(value)
            scope[tensor] = value
        nodes = ordered(body.nodes)
        used = _used_outputs(nodes, body.outputs)
        made = [self.node(inner, scope, used) for inner in nodes]
        outputs = []
        for index, tensor in enumerate(body.outputs):
            if tensor not in scope:
                raise TargetProblem(
                    f"a body of '{shown(node.name)}' returns '{shown(value_name(tensor))}', which nothing makes."
                )
            result = scope[tensor]
            if result in outputs or result.graph is not None or result in formal or tensor in outer:
                # An output of a subgraph is a value of its own: one that nodes of this very subgraph make.
                copy = ir.Value(name=f"{node.name}/{key}:{index}", type=result.type, shape=result.shape)
                made.append(ir.Node(DOMAIN, "Identity", [result], outputs=[copy], name=f"{node.name}/{key}/{index}"))
                result = copy
            outputs.append(result)
        return ir.Graph(formal, outputs, nodes=made, name=f"{node.name}/{key}")

    def outputs(self, nodes: list[Node], scope: dict[Tensor, ir.Value]) -> list[ir.Value]:
        """The results: those told, else the tensors that nothing but bookkeeping reads."""
        if self.known.outputs is not None:
            found = []
            for public, tensor in zip(self.known.outputs, self.told, strict=True):
                if tensor not in scope:
                    raise TargetProblem(f"the output '{shown(value_name(tensor))}' is not in the graph.")
                value = scope[tensor]
                value.metadata_props.setdefault(NAME, public)
                found.append(value)
            return list(dict.fromkeys(found))

        read = {tensor for node in nodes if not _BOOKKEEPING.match(node.op) for tensor in reads(node)}
        found = []
        for node in nodes:
            if _BOOKKEEPING.match(node.op) or "Assign" in node.op or "Apply" in node.op or node.op == "Const":
                continue
            tensors = node.outputs if node.outputs is not None else [(node.name, 0)]
            for tensor in tensors:
                made = scope.get(tensor)
                if tensor not in read and made is not None and _is_numeric(made):
                    found.append(made)
        return found

    def layer(self, name: str) -> str:
        """The name scope a node stands in, scopes that are nodes themselves (``conv/kernel`` of a read) left out."""
        scope = name.rpartition("/")[0]
        known = self.layers.get(scope)
        if known is None:
            known = scope
            while known and known in self.node_names:
                known = known.rpartition("/")[0]
            known = _CALL_PREFIX.sub("", known)
            self.layers[scope] = known
        return known


_CALL_PREFIX = re.compile(r"^(?:(?:Stateful)?PartitionedCall(?:_\d+)?(?:/|$))+")


def _is_numeric(value: ir.Value) -> bool:
    return value.dtype is not None and value.dtype not in (ir.DataType.STRING, ir.DataType.UNDEFINED)


def _dims(node: Node, key: str) -> Dims:
    attribute = node.attributes.get(key)
    return attribute.value if attribute is not None and attribute.kind == "shape" else None


def _used_outputs(nodes: list[Node], outputs: list[Tensor]) -> dict[str, int]:
    """Node name -> number of outputs that something reads, bodies included."""
    used: dict[str, int] = {}
    for node in nodes:
        for name, index in reads(node):
            if index >= used.get(name, 0):
                used[name] = index + 1
    for name, index in outputs:
        used[name] = max(used.get(name, 0), index + 1)
    return used


def output_dtypes(node: Node, operator: OpDef | None) -> list[ir.DataType]:
    """The types of all outputs, as the registry and the node's attributes say."""
    if operator is None:
        return []
    result: list[ir.DataType] = []
    for output in operator.outputs:
        if isinstance(output.dtype, int):
            kinds = [dtype_of(output.dtype)]
        else:
            attribute = node.attributes.get(output.dtype)
            if attribute is not None and attribute.kind in ("type", "list:type"):
                kinds = attribute.value if output.many else [attribute.value]
            elif output.dtype in operator.defaults and not output.many:
                kinds = [dtype_of(operator.defaults[output.dtype][1])]
            else:
                kinds = [ir.DataType.UNDEFINED]
        if output.count:
            kinds = kinds[:1] * output_count(output.count, False, 0, node.attributes)
        result.extend(kinds)
        if len(result) > _MAX_OUTPUTS:
            break
    return result


def to_ir(key: str, attribute: Attribute) -> ir.Attr | None:
    """The IR's form of an attribute; None for what says nothing (an unknown shape, a resource)."""
    kind, value = attribute.kind, attribute.value
    if kind in ("i", "b", "type"):
        return ir.AttrInt64(key, int(value))
    if kind == "f":
        return ir.AttrFloat32(key, value)
    if kind in ("s", "func"):
        return ir.AttrString(key, value)
    if kind == "shape":
        return None if value is None else ir.AttrInt64s(key, [-1 if d is None else d for d in value])
    if kind == "tensor":
        return None if value is None else ir.AttrTensor(key, value)
    if kind in ("list:", "list:i", "list:b", "list:type"):
        return ir.AttrInt64s(key, [int(v) for v in value])
    if kind == "list:f":
        return ir.AttrFloat32s(key, value)
    if kind in ("list:s", "list:func"):
        return ir.AttrStrings(key, value)
    if kind == "list:shape":
        return ir.AttrStrings(key, [_shape_text(dims) for dims in value])
    if kind == "list:tensor":
        return ir.AttrTensors(key, [tensor for tensor in value if tensor is not None])
    return None


def _shape_text(dims: Dims) -> str:
    return "?" if dims is None else ",".join("-1" if d is None else str(d) for d in dims)


_SEED = re.compile(r"^((?:.*/)?gradients(?:_\d+)?)/(?:Fill|grad_ys_0)$")


def _losses(nodes: list[Node]) -> list[str]:
    """What ``tf.gradients`` differentiates: the first gradient node carries the name of the loss's operation."""
    seeds = {node.name: match.group(1) for node in nodes if (match := _SEED.match(node.name))}
    names = {node.name for node in nodes}
    found: dict[str, None] = {}
    for node in nodes:
        for name, _ in node.inputs:
            scope = seeds.get(name)
            if scope is None or not node.name.startswith(f"{scope}/"):
                continue
            operation = node.name[len(scope) + 1 :].rpartition("_grad/")[0]
            if operation in names:
                found[operation] = None
    return list(found)
