"""The last part of a search: exact zeros, negative roundings, failures that reach a result, PyTorch's own kernels."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.findings import AnalysisResult, Confidence, Level
from analyzer.graph import Graph, ValueRange
from analyzer.numerical.analysis import analyse
from analyzer.numerical.confirm.confirmation import ConfirmationBudget, Confirmer

N = helper.make_node
RNG = np.random.default_rng(0)
W = RNG.standard_normal((4, 4)).astype(np.float32)


@pytest.fixture(scope="module")
def workers() -> Iterator[Confirmer]:
    with Confirmer(ConfirmationBudget(search=6.0)) as confirmer:
        yield confirmer


def review(
    workers: Confirmer, nodes: list[Any], folder: Path | None = None, bounds: tuple[float, float] = (-3, 3), **held: Any
) -> AnalysisResult:
    """The findings of a PyTorch model of x (2, 4), whose weights are `held` and whose loss is y."""
    kept = [numpy_helper.from_array(np.asarray(v), n) for n, v in held.items()]
    given = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 4])]
    made = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    graph = helper.make_graph(nodes, "g", given, made, kept)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    target = TargetConfig(id="t", entry="t.py:build", inputs={"x": InputSpec(range=ValueRange(*bounds))})
    model = Graph(ir.from_proto(proto), "torch", losses=("y",))
    return analyse(model, target, explain=False, confirmer=workers, output=folder)


ONE = N("Constant", [], ["one"], value_float=1.0)
LAYER = [ONE, N("MatMul", ["x", "w"], ["h"]), N("Sub", ["h", "one"], ["centred"])]
TOTAL = N("ReduceSum", ["made"], ["y"], keepdims=0)


@pytest.mark.parametrize("magnitude", ["Abs", "Mul"])
def test_an_element_is_brought_to_exactly_0(workers: Confirmer, magnitude: str) -> None:
    """sqrt(|h - 1|): the magnitude never changes its sign, h - 1 does. Four numbers meet one relation: a warning."""
    size = N("Abs", ["centred"], ["size"]) if magnitude == "Abs" else N("Mul", ["centred", "centred"], ["size"])
    nodes = [*LAYER, size, N("Sqrt", ["size"], ["made"]), TOTAL]
    (found,) = review(workers, nodes, w=W).findings
    assert (found.rule, found.confidence) == ("numerical/gradient-of-sqrt-at-zero", Confidence.CONFIRMED)
    assert found.level is Level.WARNING
    repaired = [*LAYER, size, N("Add", ["size", "one"], ["more"]), N("Sqrt", ["more"], ["made"]), TOTAL]
    assert review(workers, repaired, w=W).findings == ()


def test_a_sum_that_changes_its_sign_is_brought_to_exactly_0(workers: Confirmer) -> None:
    """x / (sum(h) + 1): of many numbers one last digit makes it exactly -1, which no data hold: a warning."""
    nodes = [
        ONE,
        N("MatMul", ["x", "w"], ["h"]),
        N("ReduceSum", ["h"], ["total"], keepdims=0),
        N("Add", ["total", "one"], ["below"]),
        N("Div", ["x", "below"], ["made"]),
        TOTAL,
    ]
    (found,) = review(workers, nodes, bounds=(-100, 100), w=W).findings
    assert (found.rule, found.confidence, found.level) == (
        "numerical/division-by-zero", Confidence.CONFIRMED, Level.WARNING,
    )  # fmt: skip


def test_a_cosine_exceeds_1_by_a_rounding(workers: Confirmer) -> None:
    """sqrt(1 - cos²) of rows of x and one direction: for some vectors it is negative."""
    unit = [
        N("ReduceL2", ["x", "last"], ["norm"]),
        N("Max", ["norm", "tiny"], ["length"]),
        N("Div", ["x", "length"], ["row"]),
        N("MatMul", ["row", "direction"], ["cosine"]),
        N("Mul", ["cosine", "cosine"], ["square"]),
        ONE,
        N("Sub", ["one", "square"], ["rest"]),
    ]
    direction = (W[0] / np.linalg.norm(W[0])).reshape(4, 1)
    held = {"last": np.array([-1], np.int64), "tiny": np.float32(1e-12), "direction": direction}
    found = {f.rule: f for f in review(workers, [*unit, N("Sqrt", ["rest"], ["made"]), TOTAL], **held).findings}
    assert found["numerical/sqrt-of-negative"].confidence is Confidence.CONFIRMED
    safe = [*unit, N("Max", ["rest", "tiny"], ["kept"]), N("Sqrt", ["kept"], ["made"]), TOTAL]
    assert "numerical/sqrt-of-negative" not in {f.rule for f in review(workers, safe, **held).findings}


def test_an_overflow_is_shown_where_it_reaches_a_result(workers: Confirmer) -> None:
    """A mask of -65504 x 2 overflows in every masked place; only a row without any other gives NaN."""
    nodes = [
        N("Cast", ["x"], ["hidden"], to=TensorProto.FLOAT16),
        N("Mul", ["hidden", "low"], ["once"]),
        N("Mul", ["once", "two"], ["mask"]),
        N("Softmax", ["mask"], ["share"], axis=-1),
        N("Cast", ["share"], ["made"], to=TensorProto.FLOAT),
        TOTAL,
    ]
    held = {"low": np.float16(-65504), "two": np.float16(2)}
    found = {f.rule: f for f in review(workers, nodes, bounds=(0, 1), **held).findings}
    assert found["numerical/overflow"].level is Level.ERROR


def test_what_onnx_runtime_has_no_kernel_for_runs_in_pytorch(workers: Confirmer, tmp_path: Path) -> None:
    nodes = [
        N("MatMul", ["x", "w"], ["h"]),
        N("Cast", ["h"], ["short"], to=TensorProto.BFLOAT16),
        N("Exp", ["short"], ["lifted"]),
        N("Cast", ["lifted"], ["made"], to=TensorProto.FLOAT),
        TOTAL,
    ]
    found = next(f for f in review(workers, nodes, tmp_path, bounds=(-90, 90), w=W).findings if f.op == "Exp")
    assert (found.rule, found.confidence) == ("numerical/exp-overflow", Confidence.CONFIRMED)
    assert found.reproducer is not None
    script = (tmp_path / found.reproducer).read_text()
    assert "PyTorch" in script
    assert "1 and 4 threads alike" in script
    ended = subprocess.run([sys.executable, tmp_path / found.reproducer], capture_output=True, text=True, check=False)
    assert ended.returncode == 1, ended.stdout
    assert "not finite" in ended.stdout


def test_a_reproducer_in_pytorch_does_not_ask_a_tracer_for_sizes(workers: Confirmer, tmp_path: Path) -> None:
    nodes = [
        N("MatMul", ["x", "w"], ["h"]),
        N("Shape", ["h"], ["size"]),
        N("Cast", ["h"], ["short"], to=TensorProto.BFLOAT16),
        N("Expand", ["short", "size"], ["wide"]),
        N("Exp", ["wide"], ["lifted"]),
        N("Cast", ["lifted"], ["made"], to=TensorProto.FLOAT),
        TOTAL,
    ]
    found = next(f for f in review(workers, nodes, tmp_path, bounds=(-90, 90), w=W).findings if f.op == "Exp")
    assert found.confidence is Confidence.CONFIRMED
    assert found.reproducer is not None
    ended = subprocess.run([sys.executable, tmp_path / found.reproducer], capture_output=True, text=True, check=False)
    assert ended.returncode == 1, ended.stdout


@pytest.mark.parametrize("epsilon", [1e-8, 1e-3])
def test_half_precision_is_run_as_pytorch_computes_it(workers: Confirmer, epsilon: float) -> None:
    """log(p + 1e-8): ONNX Runtime adds in float32, where the sum is not 0."""
    nodes = [
        N("MatMul", ["x", "w"], ["h"]),
        N("Sigmoid", ["h"], ["wide"]),
        N("Cast", ["wide"], ["p"], to=TensorProto.FLOAT16),
        N("Constant", [], ["number"], value_float=epsilon),
        N("Cast", ["number"], ["epsilon"], to=TensorProto.FLOAT16),
        N("Add", ["p", "epsilon"], ["more"]),
        N("Log", ["more"], ["log"]),
        N("Cast", ["log"], ["made"], to=TensorProto.FLOAT),
        TOTAL,
    ]
    found = [f for f in review(workers, nodes, bounds=(-90, 90), w=W).findings if f.op == "Log"]
    assert [f.confidence for f in found] == ([Confidence.CONFIRMED] if epsilon < 1e-4 else [])


def test_an_index_outside_its_table_ends_no_search(workers: Confirmer) -> None:
    """The range of an index behind arithmetic is not known; equal rows are found all the same."""
    held = {"table": np.arange(12, dtype=np.float32).reshape(3, 4)}
    nodes = [
        N("Constant", [], ["one"], value_ints=[1]),
        N("Mul", ["i", "one"], ["first"]),
        N("Gather", ["table", "first"], ["a"], axis=0),
        N("Sub", ["a", "x"], ["apart"]),
        N("Mul", ["apart", "apart"], ["squares"]),
        N("ReduceSum", ["squares"], ["sum"], keepdims=0),
        N("Sqrt", ["sum"], ["y"]),
    ]
    kept = [numpy_helper.from_array(np.asarray(v), n) for n, v in held.items()]
    given = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4]),
        helper.make_tensor_value_info("i", TensorProto.INT64, [1]),
    ]
    made = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    proto = helper.make_model(
        helper.make_graph(nodes, "g", given, made, kept), opset_imports=[helper.make_opsetid("", 20)], ir_version=10
    )
    target = TargetConfig(id="t", entry="t.py:build")
    found = analyse(Graph(ir.from_proto(proto), "torch", losses=("y",)), target, explain=False, confirmer=workers)
    assert [f.confidence for f in found.findings] == [Confidence.CONFIRMED]
