"""Operators inside bodies: how a real run is made to tell of them.

A real run of the whole loop or branch is given one more result: whether, in any execution of the operator, its operands
were finite and its result was not. The operator itself and everything around it stay as the model has them.
"""

from __future__ import annotations

import onnx_ir as ir

from analyzer.numerical.confirm.infinities import Infinities
from analyzer.numerical.nesting import bodies, owners

FLOAT, BOOL = ir.DataType.FLOAT, ir.DataType.BOOL
SCALAR = ir.Shape([])
NARROW = (FLOAT, ir.DataType.FLOAT16, ir.DataType.BFLOAT16)  # casts to float32 that overflow nothing


def find(graph: ir.Graph, result: str) -> ir.Node | None:
    """The node, in any body, whose first output is called `result`."""
    for node in ir.traversal.RecursiveGraphIterator(graph):
        if node.outputs and node.outputs[0].name == result:
            return node
    return None


def with_event(model: ir.Model, result: str, infinite: Infinities) -> str | None:
    """Adds the telling result to an ONNX model and returns its name; None where that cannot be done.

    `infinite` tells where infinities are meant.
    """
    node = find(model.graph, result)
    if node is None or node.graph is model.graph:
        return None
    event = _event(node, infinite)
    if event is None:
        return None
    graph, known = node.graph, owners(model.graph)
    while isinstance(graph, ir.Graph) and graph is not model.graph:
        owner = known.get(graph)
        if owner is None:
            return None
        event = _outside(owner, graph, event)
        graph = owner.graph
    model.graph.outputs.append(event)
    return event.name


def _made(graph: ir.Graph, op: str, dtype: ir.DataType, *inputs: ir.Value, **given: int) -> ir.Value:
    """The result of a node appended to a body."""
    name = f"event_{op}_{len(graph)}"
    attributes = [ir.convenience.convert_attribute(k, v) for k, v in given.items()]
    node = ir.Node("", op, list(inputs), attributes, name=name, outputs=[ir.Value(name=name)])
    node.outputs[0].dtype = dtype
    graph.append(node)
    return node.outputs[0]


def _broken(graph: ir.Graph, value: ir.Value, infinite: bool) -> ir.Value:
    """How many elements of a value are not finite, as a float32 scalar."""
    wide = _made(graph, "Cast", FLOAT, value, to=int(FLOAT))
    bad = _made(graph, "IsNaN", BOOL, wide)
    if not infinite:
        bad = _made(graph, "Or", BOOL, bad, _made(graph, "IsInf", BOOL, wide))
    return _made(graph, "ReduceSum", FLOAT, _made(graph, "Cast", FLOAT, bad, to=int(FLOAT)), keepdims=0)


def _event(node: ir.Node, infinite: Infinities) -> ir.Value | None:
    """Above 0 if the operands of `node` are finite and its first result is not, else 0; a scalar."""
    graph = node.graph
    result = node.outputs[0]
    if not isinstance(graph, ir.Graph) or result.dtype not in (*NARROW, None):
        return None
    event = _broken(graph, result, infinite.passed_on)
    for operand in dict.fromkeys(v for v in node.inputs if v is not None):
        if operand.dtype is not None and operand.dtype not in NARROW:
            continue
        before = _made(graph, "Cast", BOOL, _broken(graph, operand, bool(infinite)), to=int(BOOL))
        clean = _made(graph, "Cast", FLOAT, _made(graph, "Not", BOOL, before), to=int(FLOAT))
        event = _made(graph, "Mul", FLOAT, event, clean)
    event.shape = SCALAR
    return event


def _outside(owner: ir.Node, graph: ir.Graph, event: ir.Value) -> ir.Value:
    """The event as one more output of the owner; a branch not taken and a loop without iterations tell 0."""
    graph.outputs.append(event)
    for other in bodies(owner):
        if other is graph:
            continue
        zero = ir.node("Constant", [], {"value": ir.tensor(0.0, dtype=FLOAT)})
        zero.outputs[0].name = f"{owner.outputs[0].name or 'owner'}_no_event"
        zero.outputs[0].dtype, zero.outputs[0].shape = FLOAT, SCALAR
        other.append(zero)
        other.outputs.append(zero.outputs[0])
    for name in ("scan_output_axes", "scan_output_directions"):
        if name in owner.attributes:
            owner.attributes[name] = ir.AttrInt64s(name, [*owner.attributes[name].value, 0])
    owner.resize_outputs(len(owner.outputs) + 1)
    seen = owner.outputs[-1]
    seen.name = f"{owner.outputs[0].name or 'owner'}_event"
    seen.dtype = FLOAT
    if owner.op_type not in ("Loop", "Scan"):
        seen.shape = SCALAR
        return seen
    outer = owner.graph
    assert isinstance(outer, ir.Graph)
    total = ir.node("ReduceSum", [seen], {"keepdims": 0})
    total.outputs[0].name = f"{seen.name}_total"
    total.outputs[0].dtype, total.outputs[0].shape = FLOAT, SCALAR
    outer.insert_after(owner, total)
    return total.outputs[0]
