"""Random graphs: whatever is confirmed fails in a run of its own, and what was proved safe is never made to fail."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.graph import Graph, ValueRange
from analyzer.numerical import Options, interpret
from analyzer.numerical.confirm.confirmation import ConfirmationBudget, Confirmer
from analyzer.numerical.confirm.objective import TARGETS
from analyzer.numerical.confirm.outcome import Confirmation
from analyzer.numerical.result import Alarm, Interval
from analyzer.operators.registry import operator_name

UNARY = ["Sigmoid", "Tanh", "Relu", "Softplus", "Neg", "Abs", "Exp", "Softmax", "Log", "Sqrt", "Reciprocal"]
BINARY = ["Add", "Sub", "Mul", "Max", "Min", "Div"]
RISKY = ["Log", "Sqrt", "Exp", "Reciprocal", "Div"]
RULES = {"Log": "log-of-nonpositive", "Sqrt": "sqrt-of-negative", "Exp": "exp-overflow", "Div": "division-by-zero",
         "Reciprocal": "division-by-zero"}  # fmt: skip
SEEDS = range(60)


def random_graph(rng: np.random.Generator) -> tuple[Graph, dict[str, ValueRange]]:
    """Half a dozen operators on one or two inputs, of which the last can fail."""
    ranges: dict[str, ValueRange] = {}
    values = []
    for name in ("x", "w")[: rng.integers(1, 3)]:
        lo = float(np.round(rng.choice([-100, -20, -3, -1, 0, 0.5]), 2))
        ranges[name] = ValueRange(lo, lo + float(rng.choice([0.5, 3, 30, 150])))
        values.append(name)
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [3]) for name in values]
    nodes, constants = [], []
    for i in range(int(rng.integers(3, 7))):
        last = i >= 2 and rng.random() < 0.3
        op = str(rng.choice(RISKY if last else UNARY + BINARY))
        recent = str(rng.choice(values[-2:]))
        given = [recent]
        if op in BINARY:
            if rng.random() < 0.6:
                number = np.asarray(rng.choice([1.0, 0.5, 2.0, 1e-6, -1.0, 17.0]), np.float32)
                constants.append(numpy_helper.from_array(number, f"c{i}"))
                given.append(f"c{i}")
            else:
                given.append(str(rng.choice(values)))
            if rng.random() < 0.5:
                given.reverse()
        nodes.append(helper.make_node(op, given, [f"v{i}"], name=f"n{i}"))
        values.append(f"v{i}")
    output = helper.make_tensor_value_info(values[-1], TensorProto.FLOAT, [3])
    graph = helper.make_graph(nodes, "g", inputs, [output], constants)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    return Graph(ir.from_proto(onnx.shape_inference.infer_shapes(proto))), ranges


def rerun(found: Confirmation) -> tuple[dict[str, np.ndarray], list[Any]]:
    """Every value of the confirmed slice, computed here, and its nodes."""
    model = onnx.load(found.work / "slice.onnx")
    names = [o for n in model.graph.node for o in n.output]
    known = {o.name for o in model.graph.output}
    model.graph.output.extend(onnx.ValueInfoProto(name=n) for n in names if n not in known)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    with np.load(found.work / "found.npz") as archive:
        leaves = {name: archive[name] for name in archive.files}
    values = dict(zip(names, session.run(names, leaves), strict=True))
    constants = {i.name: numpy_helper.to_array(i) for i in model.graph.initializer}
    return {**constants, **values, **leaves}, list(model.graph.node)


@pytest.fixture(scope="module")
def workers() -> Any:
    with Confirmer(ConfirmationBudget(search=1.0, attempts=3)) as confirmer:
        yield confirmer


@pytest.mark.parametrize("seed", SEEDS)
def test_confirmed_means_failed_and_proved_means_never_failing(seed: int, workers: Confirmer) -> None:
    graph, ranges = random_graph(np.random.default_rng(seed))
    warnings = interpret(graph, ranges, options=Options(everything=True)).warnings
    warned = {w.node for w in warnings}
    for warning in warnings:
        if warning.backward or warning.operand < 0 or operator_name(warning.node) not in TARGETS:
            continue
        found = workers.confirm(graph, warning, ranges, {}, workers.clock() + 30)
        if found is None:
            continue
        values, nodes = rerun(found)
        for name, given in ranges.items():
            if name in values:
                assert given.lo <= values[name].min() <= values[name].max() <= given.hi
        failing = [n for n in nodes if all(np.isfinite(values[i]).all() for i in n.input)
                   and not all(np.isfinite(values[o]).all() for o in n.output)]  # fmt: skip
        assert [n.name for n in failing] == [warning.node.name], "it failed, and nothing else did"
    for node in graph.graph:
        if node.op_type not in RULES or node in warned:
            continue
        operand = 1 if node.op_type == "Div" else 0
        fear = Alarm(f"numerical/{RULES[node.op_type]}", node, operand, Interval(0, 0), "", "float32")
        found = workers.confirm(graph, fear, ranges, {}, workers.clock() + 30)
        if found is not None:  # overflow of a quotient is another matter than a zero denominator
            values, nodes = rerun(found)
            suspect = next(n for n in nodes if n.name == node.name)
            assert node.op_type in ("Div", "Reciprocal"), found.sentence
            assert (values[suspect.input[operand]] != 0).all(), found.sentence
