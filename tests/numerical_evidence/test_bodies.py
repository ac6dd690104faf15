"""Operators inside branches, loops and scans are confirmed by a run of the whole, and mended in place."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.findings import Confidence, Finding
from analyzer.graph import Graph, ValueRange
from analyzer.numerical.analysis import analyse
from analyzer.numerical.confirm.confirmation import ConfirmationBudget, Confirmer

FLOAT, BOOL, INT64 = TensorProto.FLOAT, TensorProto.BOOL, TensorProto.INT64


def info(name: str, kind: int = FLOAT, shape: Any = ()) -> Any:
    return helper.make_tensor_value_info(name, kind, shape)


def model(nodes: list[Any], inputs: list[Any], outputs: list[Any], **constants: float) -> Graph:
    data = [numpy_helper.from_array(np.asarray(v, np.float32), k) for k, v in constants.items()]
    graph = helper.make_graph(nodes, "g", inputs, outputs, data)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    return Graph(ir.from_proto(proto))


def branch(operator: str = "Log", before: str = "Identity") -> Graph:
    """if x[0] > 0: operator(before(x - 1)) else: x"""
    then = helper.make_graph(
        [helper.make_node("Sub", ["x", "one"], ["d"]), helper.make_node(before, ["d"], ["b"]),
         helper.make_node(operator, ["b"], ["t"], name="inner")],
        "then", [], [info("t", shape=(2,))],
    )  # fmt: skip
    other = helper.make_graph([helper.make_node("Identity", ["x"], ["e"])], "else", [], [info("e", shape=(2,))])
    nodes = [
        helper.make_node("ReduceMax", ["x"], ["m"], keepdims=0),
        helper.make_node("Greater", ["m", "half"], ["c"]),
        helper.make_node("If", ["c"], ["y"], name="if", then_branch=then, else_branch=other),
    ]
    return model(nodes, [info("x", shape=(2,))], [info("y", shape=(2,))], one=1.0, half=0.5)


def loop(operator: str = "Log", *, nested: bool = False, shift: float = 0.25) -> Graph:
    """for i in range(4): y = operator(y) - shift (inside a branch that is always taken, if nested)"""
    step = [helper.make_node(operator, ["y"], ["s"], name="inner")]
    if nested:
        then = helper.make_graph(step, "then", [], [info("s", shape=(2,))])
        other = helper.make_graph([helper.make_node("Identity", ["y"], ["o"])], "else", [], [info("o", shape=(2,))])
        step = [
            helper.make_node("Cast", ["i"], ["number"], to=FLOAT),
            helper.make_node("Less", ["number", "big"], ["early"]),
            helper.make_node("If", ["early"], ["s2"], then_branch=then, else_branch=other),
        ]
    body = helper.make_graph(
        [*step, helper.make_node("Identity", ["go"], ["go_on"]),
         helper.make_node("Sub", ["s2" if nested else "s", "shift"], ["y_next"])],
        "body",
        [info("i", INT64), info("go", BOOL), info("y", shape=(2,))],
        [info("go_on", BOOL), info("y_next", shape=(2,))],
    )  # fmt: skip
    trips = numpy_helper.from_array(np.array(4, np.int64))
    nodes = [
        helper.make_node("Constant", [], ["n"], value=trips),
        helper.make_node("Loop", ["n", "", "x"], ["y_end"], body=body, name="loop"),
    ]
    return model(nodes, [info("x", shape=(2,))], [info("y_end", shape=(2,))], big=100.0, shift=shift)


def scan(*, roots: bool = False) -> Graph:
    """total = 0; for row in x: total = total + row; out.append(1 / total), or with `roots` sqrt(total) of squares"""
    last = ["Sqrt", "s_next"] if roots else ["Div", "ones", "s_next"]
    body = helper.make_graph(
        [
            helper.make_node("Mul", ["row", "row" if roots else "ones"], ["r"]),
            helper.make_node("Add", ["s", "r"], ["s_next"]),
            helper.make_node(last[0], last[1:], ["part"], name="inner"),
        ],
        "body",
        [info("s", shape=(2,)), info("row", shape=(2,))],
        [info("s_next", shape=(2,)), info("part", shape=(2,))],
    )
    nodes = [helper.make_node("Scan", ["start", "x"], ["end", "parts"], body=body, num_scan_inputs=1, name="scan")]
    outputs = [info("end", shape=(2,)), info("parts", shape=(3, 2))]
    graph = model(nodes, [info("x", shape=(3, 2))], outputs, ones=1.0, start=[0.0, 0.0])
    return graph


def tf_while(operator: str = "Log", *, idle: bool = False) -> Graph:
    """i = 0; y = x; while i < 3: y = operator(y) + 1; with `idle`, operator(|y|) is compared with 1 as well"""

    def value(name: str, dtype: ir.DataType, shape: tuple[int, ...] = ()) -> ir.Value:
        return ir.Value(name=name, type=ir.TensorType(dtype), shape=ir.Shape(shape))

    def constant(name: str, number: Any) -> ir.Node:
        node = ir.node("Const", [], {"value": ir.tensor(np.array(number))}, domain="tf", name=name)
        node.outputs[0].name = name
        node.outputs[0].dtype = ir.DataType.INT32 if isinstance(number, np.int32) else ir.DataType.FLOAT
        return node

    def apply(op: str, name: str, *operands: ir.Value, dtype: ir.DataType = ir.DataType.FLOAT) -> ir.Node:
        node = ir.node(op, list(operands), domain="tf", name=name)
        node.outputs[0].name, node.outputs[0].dtype = name, dtype
        return node

    whole, real = ir.DataType.INT32, ir.DataType.FLOAT
    i, y = value("ci", whole), value("cy", real, (2,))
    limit = constant("limit", np.int32(3))
    less = apply("Less", "less", i, limit.outputs[0], dtype=ir.DataType.BOOL)
    condition = ir.Graph([i, y], [less.outputs[0]], nodes=[limit, less], name="cond", opset_imports={"tf": 1})
    i, y = value("bi", whole), value("by", real, (2,))
    one, unit = constant("one", np.int32(1)), constant("unit", np.float32(1.0))
    nodes = [one, unit, apply("AddV2", "count", i, one.outputs[0], dtype=whole), apply(operator, "inner", y)]
    nodes.append(apply("AddV2", "next", nodes[3].outputs[0], unit.outputs[0]))
    if idle:
        nodes.append(apply("Abs", "magnitude", y))
        nodes.append(apply(operator, "idle", nodes[-1].outputs[0]))
        nodes.append(apply("Greater", "compared", nodes[-1].outputs[0], unit.outputs[0], dtype=ir.DataType.BOOL))
        chosen = [nodes[-1].outputs[0], nodes[4].outputs[0], nodes[3].outputs[0]]
        nodes.append(apply("SelectV2", "chosen", *chosen))
    outputs = [nodes[2].outputs[0], nodes[-1].outputs[0]]
    body = ir.Graph([i, y], outputs, nodes=nodes, name="body", opset_imports={"tf": 1})
    x, zero = value("x", real, (2,)), constant("zero", np.int32(0))
    attributes: dict[str, Any] = {"cond": condition, "body": body}
    run = ir.node("While", [zero.outputs[0], x], attributes, domain="tf", name="while", num_outputs=2)
    for output, name, dtype in zip(run.outputs, ("i_end", "y_end"), (whole, real), strict=True):
        output.name, output.dtype = name, dtype
    main = ir.Graph([x], [run.outputs[1]], nodes=[zero, run], name="g", opset_imports={"tf": 1, "": 20})
    return Graph(ir.Model(main, ir_version=10), framework="tensorflow")


@pytest.fixture(scope="module")
def workers() -> Confirmer:
    with Confirmer(ConfirmationBudget(search=6.0)) as confirmer:
        yield confirmer  # type: ignore[misc]


def finding(
    graph: Graph, lo: float, hi: float, workers: Confirmer, output: Path, *, backward: bool = False, node: str = "inner"
) -> Finding | None:
    target = TargetConfig(id="t", path="t.onnx", inputs={"x": InputSpec(range=ValueRange(lo, hi))})
    result = analyse(graph, target, output=output, confirmer=workers)
    found = [f for f in result.findings if f.node == node and f.evidence.data["backward"] == backward]
    return found[0] if found else None


CASES = {
    "branch": (branch, -2.0, 3.0),
    "loop": (loop, 2.0, 9.0),
    "branch in a loop": (lambda: loop(nested=True), 2.0, 9.0),
    "scan": (scan, -1.0, 1.0),
    "while": (tf_while, 0.5, 4.0),
}


@pytest.mark.parametrize("name", CASES)
def test_an_operator_in_a_body_is_confirmed_and_mended(name: str, workers: Confirmer, tmp_path: Path) -> None:
    build, lo, hi = CASES[name]
    found = finding(build(), lo, hi, workers, tmp_path)
    assert found is not None
    assert found.confidence is Confidence.CONFIRMED, found.evidence.sentences
    assert any(a.startswith("x in") for a in found.evidence.assumptions)
    assert found.suggestion is not None
    assert found.suggestion.proved
    assert "operand" in found.suggestion.description or "denominator" in found.suggestion.description
    assert found.reproducer is not None
    test = tmp_path / found.reproducer
    leaves = np.load(test.with_suffix(".npz").parent / (test.stem.removeprefix("reproduce_") + ".npz"))
    assert lo <= leaves["x"].min() <= leaves["x"].max() <= hi
    done = subprocess.run([sys.executable, "-I", test], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 1, done.stdout[-1500:] + done.stderr[-500:]
    assert "the operator in the body makes a value that is not finite" in done.stdout


GRADIENTS = {
    "branch": (lambda: branch("Sqrt", "Abs"), -2.0, 3.0),
    "loop": (lambda: loop("Sqrt", shift=-0.25), 0.0, 9.0),
    "branch in a loop": (lambda: loop("Sqrt", nested=True, shift=-0.25), 0.0, 9.0),
    "scan": (lambda: scan(roots=True), -1.0, 1.0),
    "while": (lambda: tf_while("Sqrt"), 0.0, 4.0),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_a_gradient_in_a_body_is_confirmed_and_mended(name: str, workers: Confirmer, tmp_path: Path) -> None:
    build, lo, hi = GRADIENTS[name]
    assert finding(build(), lo, hi, workers, tmp_path) is None
    found = finding(build(), lo, hi, workers, tmp_path, backward=True)
    assert found is not None
    assert found.rule == "numerical/gradient-of-sqrt-at-zero"
    assert found.confidence is Confidence.CONFIRMED, found.evidence.sentences
    assert found.suggestion is not None
    assert found.suggestion.proved
    assert found.reproducer is not None
    test = tmp_path / found.reproducer
    done = subprocess.run([sys.executable, "-I", test], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 1, done.stdout[-1500:] + done.stderr[-500:]
    assert "not finite" in done.stdout


def test_an_operator_in_a_body_that_no_gradient_passes_through_is_silent(workers: Confirmer, tmp_path: Path) -> None:
    """The idle root is only compared: no gradient passes through it, though it stands at 0 where the other's fails."""
    found = finding(tf_while("Sqrt", idle=True), 0.0, 4.0, workers, tmp_path, backward=True, node="idle")
    assert found is None
    other = finding(tf_while("Sqrt", idle=True), 0.0, 4.0, workers, tmp_path, backward=True)
    assert other is not None
    assert other.confidence is Confidence.CONFIRMED


@pytest.mark.parametrize("name", GRADIENTS)
def test_a_gradient_in_a_body_that_no_run_reaches_is_not_reported(
    name: str, workers: Confirmer, tmp_path: Path
) -> None:
    """Away from the edge the same bodies are silent."""
    if name == "scan":  # a sum of squares of [0.5, 1] is above 0
        graph, lo, hi = scan(roots=True), 0.5, 1.0
    else:
        graph, lo, hi = GRADIENTS[name][0](), 2.0, 3.0
    assert finding(graph, lo, hi, workers, tmp_path, backward=True) is None


def test_what_no_run_reaches_is_not_confirmed(workers: Confirmer, tmp_path: Path) -> None:
    """The loop's second logarithm has an operand above 0 for every start in the range: bounds alone cannot tell."""
    assert finding(branch(), 1.5, 3.0, workers, tmp_path) is None
    found = finding(scan(), 0.5, 1.0, workers, tmp_path)
    assert found is None or found.confidence is Confidence.POSSIBLE


def test_a_failure_before_the_body_does_not_confirm_the_body(workers: Confirmer, tmp_path: Path) -> None:
    """The square root's operand is NaN wherever it would fail: the logarithm before it is at fault."""
    body = helper.make_graph(
        [
            helper.make_node("Log", ["y"], ["l"], name="first"),
            helper.make_node("Mul", ["l", "nothing"], ["z"]),
            helper.make_node("Sqrt", ["z"], ["r"], name="inner"),
            helper.make_node("Identity", ["go"], ["go_on"]),
        ],
        "body",
        [info("i", INT64), info("go", BOOL), info("y", shape=(2,))],
        [info("go_on", BOOL), info("r", shape=(2,))],
    )
    trips = numpy_helper.from_array(np.array(1, np.int64))
    nodes = [
        helper.make_node("Constant", [], ["n"], value=trips),
        helper.make_node("Loop", ["n", "", "x"], ["y_end"], body=body, name="loop"),
    ]
    graph = model(nodes, [info("x", shape=(2,))], [info("y_end", shape=(2,))], nothing=0.0)
    found = finding(graph, -1.0, 1.0, workers, tmp_path)
    assert found is None or found.confidence is Confidence.POSSIBLE
