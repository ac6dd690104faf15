"""Which values and nodes matter."""

from __future__ import annotations

import onnx_ir as ir
from onnx import TensorProto
from onnx.helper import make_graph, make_node, make_tensor_value_info

from analyzer.numerical.relevance import operands, relevant
from analyzer.numerical.transfer.registry import rules


def read(nodes: list[object], inputs: str, outputs: str) -> ir.Graph:
    infos = [[make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in names.split()] for names in (inputs, outputs)]
    return ir.from_proto(make_graph(nodes, "g", *infos))


def branch(nodes: list[object], output: str) -> object:
    return make_graph(nodes, "branch", [], [make_tensor_value_info(output, TensorProto.FLOAT, [2])])


def test_a_branch_reads_what_it_uses_from_outside() -> None:
    """The bodies of nested branches count as well."""
    plain = branch([make_node("Identity", ["z"], ["b"])], "b")
    inner = make_node("If", ["c"], ["d"], then_branch=branch([make_node("Neg", ["y"], ["a"])], "a"), else_branch=plain)
    other = branch([make_node("Identity", ["x"], ["e"])], "e")
    outer = make_node("If", ["c"], ["f"], name="outer", then_branch=branch([inner], "d"), else_branch=other)
    graph = read([outer], "c x y z", "f")
    found = {v.name for v in operands(graph.node("outer")) if v is not None and v.producer() is None}
    assert found == {"c", "x", "y", "z"}


def test_a_list_of_bodies_is_read_and_other_attributes_are_not() -> None:
    bodies = [branch([make_node("Neg", [name], [f"_{name}"])], f"_{name}") for name in ("x", "y")]
    node = make_node("Mystery", ["c"], ["f"], name="m", domain="com.example", bodies=bodies, axes=[1, 2])
    graph = read([node], "c x y", "f")
    assert {v.name for v in operands(graph.node("m")) if v is not None and v.producer() is None} == {"c", "x", "y"}
    reference = ir.RefAttr("bodies", "outer", ir.AttributeType.GRAPHS)
    assert list(operands(ir.node("Mystery", [], attributes={"bodies": reference}))) == []


def test_what_no_result_needs_and_cannot_fail_is_left_out() -> None:
    simple = [make_node(op, ["x"], [op.lower()], name=op) for op in ("Sin", "Neg", "Abs", "Log")]
    passing = [branch([make_node("Identity", [name], [f"_{name}"])], f"_{name}") for name in ("sin", "x")]
    chosen = make_node("If", ["x"], ["i"], name="If", then_branch=passing[0], else_branch=passing[1])
    unknown = make_node("Mystery", ["x"], ["m"], name="Mystery", domain="com.example")
    graph = read([*simple, chosen, unknown], "x", "neg")
    known = rules()
    kept = relevant(graph, lambda node: known.get((node.domain, node.op_type)))
    assert [n.name for n in kept] == ["Sin", "Neg", "Log", "If", "Mystery"]
