"""TensorFlow 2's functions: calls are inlined, While / If / Case get their functions as bodies."""

from __future__ import annotations

from collections.abc import Callable

from analyzer.loading.files import shown
from analyzer.loading.limits import Limits
from analyzer.loading.tensorflow_nodes import (
    Attribute,
    FunctionDef,
    GraphBody,
    Node,
    ParsedGraphDef,
    Tensor,
    split_inputs,
    tensor_of,
)
from analyzer.operators.registry import operator_named
from analyzer.problem import TargetProblem

CALLS = frozenset(operator_named("PartitionedCall").tf)
LOOPS = frozenset(operator_named("While").tf)
BRANCHES = frozenset(operator_named("If").tf)


def expand(program: ParsedGraphDef, limits: Limits, outputs: list[Tensor]) -> GraphBody:
    """The nodes of `program` with every call replaced by the body of its function, and what `outputs` became.

    A node of a function keeps its name where that is still free; otherwise it stands below the name of the call.

    Raises:
        TargetProblem: recursion, a missing function, or more nodes than `limits` allows.
    """
    nodes, resolve = _Expander(program, limits).expanded(program.nodes, 0)
    return GraphBody([], nodes, [resolve(tensor) for tensor in outputs])


class _Expander:
    def __init__(self, program: ParsedGraphDef, limits: Limits) -> None:
        self.program = program
        self.limits = limits
        self.used = {node.name for node in program.nodes}
        self.made = 0

    def expanded(self, nodes: list[Node], depth: int) -> tuple[list[Node], Callable[[Tensor], Tensor]]:
        if depth > self.limits.depth * 4:
            raise TargetProblem("its functions call each other too deeply, or without end.")
        result: list[Node] = []
        aliases: dict[Tensor, Tensor] = {}
        for node in nodes:
            self.made += 1
            if self.made > self.limits.nodes:
                raise TargetProblem(f"it has more than {self.limits.nodes} nodes once its functions are inlined.")
            called = self.called(node)
            if called is not None:
                body = self.body(called, node.name, depth + 1, node.inputs)
                result.extend(body.nodes)
                aliases.update({(node.name, i): output for i, output in enumerate(body.outputs)})
            else:
                self.give_bodies(node, depth)
                result.append(node)

        def resolve(tensor: Tensor) -> Tensor:
            for _ in range(len(aliases) + 1):
                if tensor not in aliases:
                    return tensor
                tensor = aliases[tensor]
            raise TargetProblem("a function returns a value that depends on itself; the file is damaged.")

        if aliases:
            substitute(result, resolve)
        return result, resolve

    def called(self, node: Node) -> FunctionDef | None:
        if node.op in CALLS:
            return self.function(node, "f")
        return self.program.functions.get(node.op)

    def function(self, node: Node, key: str) -> FunctionDef:
        attribute = node.attributes.get(key)
        return self.named(node, attribute.value if attribute is not None and attribute.kind == "func" else "")

    def named(self, node: Node, name: object) -> FunctionDef:
        function = self.program.functions.get(str(name))
        if function is None:
            raise TargetProblem(
                f"node '{shown(node.name)}' calls the function '{shown(name)}', which is not in the file."
            )
        return function

    def give_bodies(self, node: Node, depth: int) -> None:
        if node.op in LOOPS:
            node.graphs = {key: self.body(self.function(node, key), node.name, depth + 1) for key in ("cond", "body")}
            if any(len(body.inputs) != len(node.inputs) for body in node.graphs.values()):
                raise TargetProblem(
                    f"the loop '{shown(node.name)}' and its functions disagree on the number of values."
                )
            node.op = "While"
        elif node.op in BRANCHES:
            node.graphs = {
                key: self.body(self.function(node, key), node.name, depth + 1, node.inputs[1:])
                for key in ("then_branch", "else_branch")
            }
            node.op, node.inputs = "If", node.inputs[:1]
        elif node.op in ("Case", "StatelessCase"):
            names = node.attributes.get("branches", Attribute("none", None)).value or []
            node.graphs = {
                f"branch_{i}": self.body(self.named(node, name), node.name, depth + 1, node.inputs[1:])
                for i, name in enumerate(names)
            }
            node.op, node.inputs = "Case", node.inputs[:1]
        if node.graphs is not None:
            count = len(next(iter(node.graphs.values())).outputs) if node.op != "While" else len(node.inputs)
            node.outputs = [(node.name, i) for i in range(count)]
            node.attributes = {k: a for k, a in node.attributes.items() if not a.kind.endswith("func")}

    def body(self, function: FunctionDef, prefix: str, depth: int, actual: list[Tensor] | None = None) -> GraphBody:
        """The function's body; `actual` takes the place of its formal parameters, if given."""
        if actual is not None and len(actual) != len(function.arguments):
            raise TargetProblem(
                f"'{shown(prefix)}' passes {len(actual)} values to the function '{shown(function.name)}', "
                f"which takes {len(function.arguments)}."
            )
        scope: dict[str, Tensor] = {}
        formal: list[Tensor] = []
        for index, argument in enumerate(function.arguments):
            if actual is None:
                tensor = (self.fresh(argument.name, prefix), 0)
                formal.append(tensor)
            else:
                tensor = actual[index]
            scope[argument.name] = tensor
        names = {name: self.fresh(name, prefix) for name, _, _, _ in function.nodes}
        operations = {name: (op, attributes) for name, op, _, attributes in function.nodes}

        def resolve(reference: str) -> Tensor:
            name, _, rest = reference.partition(":")
            if not rest:
                return scope[name] if name in scope else (names.get(name, name), 0)
            output, _, index = rest.partition(":")
            if name not in operations:
                raise TargetProblem(
                    f"the function '{shown(function.name)}' reads '{shown(reference)}', which is not there."
                )
            return names[name], self.flat_index(*operations[name], output, index)

        nodes = []
        for name, op, inputs, attributes in function.nodes:
            data = [resolve(reference) for reference in inputs if not reference.startswith("^")]
            _, controls = split_inputs(reference for reference in inputs if reference.startswith("^"))
            nodes.append(Node(names[name], op, data, [names.get(c, c) for c in controls], dict(attributes)))
        nodes, alias = self.expanded(nodes, depth)
        return GraphBody(formal, nodes, [alias(resolve(reference)) for reference in function.results])

    def fresh(self, name: str, prefix: str) -> str:
        candidate, number = name, 0
        while candidate in self.used:
            number += 1
            candidate = f"{prefix}/{name}" if number == 1 else f"{prefix}/{name}_{number - 1}"
        if len(candidate) > self.limits.name_length:
            raise TargetProblem("the names of its nodes are too long.")
        self.used.add(candidate)
        return candidate

    def flat_index(self, op: str, attributes: dict[str, Attribute], output: str, index: str) -> int:
        """Position among all outputs of the tensor that is number `index` of the output argument `output`."""
        position = tensor_of(f":{index}")[1] if index else 0
        known = self.program.operator(op)
        if known is None:
            return position
        for argument in known.outputs:
            if argument.name == output:
                return position
            position += output_count(argument.count, argument.many, argument.dtype, attributes)
        return position


def output_count(count: str, many: bool, dtype: int | str, attributes: dict[str, Attribute]) -> int:
    """How many tensors an output argument stands for."""
    if many:
        attribute = attributes.get(str(dtype))
        return len(attribute.value) if attribute is not None and attribute.kind.startswith("list:") else 1
    if count:
        attribute = attributes.get(count)
        return min(max(attribute.value, 0), 65536) if attribute is not None and attribute.kind == "i" else 1
    return 1


def substitute(nodes: list[Node], resolve: Callable[[Tensor], Tensor]) -> None:
    """Replace every tensor that `nodes`, and the bodies in them, read."""
    for node in nodes:
        node.inputs = [resolve(tensor) for tensor in node.inputs]
        for body in (node.graphs or {}).values():
            body.outputs = [resolve(tensor) for tensor in body.outputs]
            substitute(body.nodes, resolve)
