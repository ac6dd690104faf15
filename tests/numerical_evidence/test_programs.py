"""A program that has its constants computed once: it says what a run of every node says."""

from __future__ import annotations

import onnx
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper

from analyzer.numerical.confirm.torch_evaluation import OperatorTrace, PreparedModel, run
from analyzer.numerical.confirm.torch_registry import Mode

torch = pytest.importorskip("torch")


def model(constant: float) -> ir.Model:
    """log(constant) + x, and its half."""
    nodes = [
        helper.make_node("Constant", [], ["c"], value=helper.make_tensor("c", TensorProto.FLOAT, [], [constant])),
        helper.make_node("Log", ["c"], ["l"], name="log"),
        helper.make_node("Add", ["l", "x"], ["y"], name="add"),
        helper.make_node("Mul", ["y", "half"], ["z"], name="mul"),
    ]
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in "xz"]
    half = helper.make_tensor("half", TensorProto.FLOAT, [], [0.5])
    made = helper.make_model(helper.make_graph(nodes, "g", ends[:1], ends[1:], [half]))
    onnx.checker.check_model(made)
    return ir.from_proto(made)


def test_constants_are_computed_once_and_the_results_are_the_same() -> None:
    made = model(2.0)
    folded = PreparedModel(made, ["x"], "z")
    assert [step.node.op_type for step in folded.prepared(made.graph)[1]] == ["Add", "Mul"]
    for x in (torch.tensor([1.0, -3.0]), torch.tensor([torch.inf, 0.0])):
        first, second = (run(program, {"x": x}, Mode(surrogate=False)) for program in (PreparedModel(made), folded))
        assert first.keys() == second.keys()
        assert all(torch.equal(first[name], second[name]) for name in first)


def test_a_constant_that_fails_is_still_told_by_each_run() -> None:
    made = model(0.0)
    for program in (PreparedModel(made), PreparedModel(made, ["x"], "z")):
        trace = OperatorTrace("z")
        run(program, {"x": torch.ones(2)}, Mode(surrogate=False), trace)
        assert trace.earlier == "log"


def test_what_is_watched_and_what_is_searched_stays() -> None:
    made = model(2.0)
    trace = OperatorTrace("l")
    run(PreparedModel(made, ["x"], "l"), {"x": torch.ones(2)}, Mode(surrogate=False), trace)
    assert len(trace.executions) == 1
    given = run(PreparedModel(made, ["x", "half"], "z"), {"x": torch.ones(2), "half": torch.tensor(2.0)}, Mode())
    assert torch.equal(given["z"], 2 * given["y"])


def test_doubled_constants() -> None:
    made = model(2.0)
    assert (
        run(PreparedModel(made), {"x": torch.ones(2, dtype=torch.float64)}, Mode(double=True))["z"].dtype
        == torch.float64
    )
