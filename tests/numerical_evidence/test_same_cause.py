"""What no run shows is told with the failure whose mend makes it safe, and only with that one."""

from __future__ import annotations

from pathlib import Path

import pytest
from onnx import TensorProto, helper

from analyzer.configuration.config import TargetConfig
from analyzer.graph import Graph
from analyzer.numerical.assumptions import Assumption, as_ranges, assume
from analyzer.numerical.interpreter import interpret
from analyzer.numerical.repair.repair import Repair, repair
from analyzer.numerical.result import Alarm, Options
from analyzer.numerical.same_cause import mended_with

N = helper.make_node
Case = tuple[Graph, list[Assumption], list[Alarm]]


def logarithm(factor: bool, tmp_path: Path) -> Case:
    """``log(1 / (1 + exp(-x)))``, the operand times an input where there is a `factor`."""
    import onnx_ir as ir

    nodes = [
        N("Neg", ["x"], ["n"]),
        N("Exp", ["n"], ["e"], name="exp"),
        N("Constant", [], ["one"], value_float=1.0),
        N("Add", ["e", "one"], ["s"]),
        N("Reciprocal", ["s"], ["r"], name="reciprocal"),
        N("Mul", ["r", "k"], ["m"]) if factor else N("Identity", ["r"], ["m"]),
        N("Log", ["m"], ["y"], name="log"),
    ]
    given = [helper.make_tensor_value_info(v, TensorProto.FLOAT, [4]) for v in ("x", "k")]
    made = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    graph = Graph(ir.from_proto(helper.make_model(helper.make_graph(nodes, "g", given, made), ir_version=10)), "torch")
    assumptions = assume(graph, TargetConfig("t", entry="m.py:build"))
    found = interpret(graph, as_ranges(assumptions), options=Options())
    return graph, list(assumptions), [w for w in found.warnings if not w.backward]


@pytest.mark.parametrize(("factor", "told"), [(False, ["log"]), (True, [])])
def test_a_logarithm_behind_an_exponential_that_overflows(factor: bool, told: list[str], tmp_path: Path) -> None:
    graph, assumptions, warnings = logarithm(factor, tmp_path)
    (first,) = (w for w in warnings if w.node.name == "exp")
    left = [w for w in warnings if w is not first]
    assert [w.node.name for w in left] == ["log"]
    mend = repair(graph, first, assumptions, Options(), tmp_path, None, None)
    assert isinstance(mend, Repair)
    found = mended_with(graph, left, [(first, mend)], {id(first)}, assumptions, Options())
    assert [w.node.name for w in left if id(w) in found] == told
    assert all(cause is first for cause in found.values())
    assert mended_with(graph, left, [(first, mend)], (), assumptions, Options()) == {}  # no run shows that one either
