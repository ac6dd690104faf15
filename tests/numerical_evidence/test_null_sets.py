"""Zeros of polynomials of trained weights have no volume; what conditions, rectifiers and rounding make of them may."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.findings import Finding, Level
from analyzer.graph import Graph, ValueRange
from analyzer.numerical.analysis import analyse

N = helper.make_node
W = np.random.default_rng(0).standard_normal((4, 4)).astype(np.float32)
START = {"a": 0.5, "b": 0.7, "c": 0.3, "d": 0.9, "w": W}


def constant(name: str, value: Any, dtype: Any = np.float32) -> Any:
    return N("Constant", [], [name], value=numpy_helper.from_array(np.asarray(value, dtype)))


def review(nodes: list[Any], reader: str = "Div", start: dict[str, Any] = START, kind: Any = np.float32) -> Finding:
    """The finding about ``x / s`` (or log(s)) in a model whose weights are trained, without any run."""
    last = [N("Div", ["x", "s"], ["y"])] if reader == "Div" else [N(reader, ["s"], ["l"]), N("Mul", ["x", "l"], ["y"])]
    read = {n for node in nodes for n in node.input}
    used = [numpy_helper.from_array(np.asarray(v, kind), n) for n, v in start.items() if n in read]
    number = helper.np_dtype_to_tensor_dtype(np.dtype(kind))
    inputs = [helper.make_tensor_value_info("x", number, [2, 4])]
    if "ids" in read:
        inputs.append(helper.make_tensor_value_info("ids", TensorProto.INT64, [4]))
    outputs = [helper.make_tensor_value_info("y", number, None)]
    graph = helper.make_graph([*nodes, *last], "g", inputs, outputs, used)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    target = TargetConfig(id="t", entry="t.py:build", inputs={"x": InputSpec(range=ValueRange(-1, 1))})
    found = analyse(Graph(ir.from_proto(proto), "torch"), target, confirm=False, explain=False).findings
    return next(f for f in found if not f.evidence.data["backward"])


POLYNOMIALS: dict[str, list[Any]] = {
    "ab - cd": [N("Mul", ["a", "b"], ["p"]), N("Mul", ["c", "d"], ["q"]), N("Sub", ["p", "q"], ["s"])],
    "ab + c": [N("Mul", ["a", "b"], ["p"]), N("Add", ["p", "c"], ["s"])],
    "a ** 3 - b": [constant("three", 3.0), N("Pow", ["a", "three"], ["p"]), N("Sub", ["p", "b"], ["s"])],
    "det(w)": [N("Det", ["w"], ["s"])],
    "det(w w')": [N("Transpose", ["w"], ["t"]), N("MatMul", ["w", "t"], ["p"]), N("Det", ["p"], ["s"])],
    "sum(w)": [N("ReduceSum", ["w"], ["s"], keepdims=0)],
    "norm(w)": [N("ReduceL2", ["w"], ["s"], keepdims=0)],
    "|a| norm(w)": [N("Abs", ["a"], ["p"]), N("ReduceL2", ["w"], ["q"], keepdims=0), N("Mul", ["p", "q"], ["s"])],
    "rows": [N("ReduceSum", ["w", "one"], ["r"], keepdims=0), N("Gather", ["r", "ids"], ["s"])],
}


@pytest.mark.parametrize("form", POLYNOMIALS)
def test_zeros_of_a_polynomial_of_weights_are_a_note(form: str) -> None:
    nodes = POLYNOMIALS[form]
    found = review([constant("one", [1], np.int64), *nodes] if form == "rows" else nodes)
    assert found.level is Level.NOTE
    assert any("only where a polynomial of" in s for s in found.evidence.sentences)
    assert all(any(f"`{n}`" in s for s in found.evidence.sentences) for n in START if any(n in m.input for m in nodes))


WITH_VOLUME: dict[str, list[Any]] = {
    "a (a > b)": [N("Greater", ["a", "b"], ["g"]), N("Cast", ["g"], ["m"], to=1), N("Mul", ["a", "m"], ["s"])],
    "relu(a)": [N("Relu", ["a"], ["s"])],
    "round(a) - b": [N("Round", ["a"], ["p"]), N("Mul", ["p", "b"], ["s"])],
    "|a| - a": [N("Abs", ["a"], ["p"]), N("Sub", ["p", "a"], ["s"])],
    "max(w) - w": [N("ReduceMax", ["w"], ["p"]), N("Sub", ["p", "w"], ["s"])],
    "ab - ab": [N("Mul", ["a", "b"], ["p"]), N("Mul", ["b", "a"], ["q"]), N("Sub", ["p", "q"], ["s"])],
    "(a + b)(a - b) - aa + bb": [
        N("Add", ["a", "b"], ["e"]),
        N("Sub", ["a", "b"], ["f"]),
        N("Mul", ["e", "f"], ["g"]),
        N("Mul", ["a", "a"], ["aa"]),
        N("Mul", ["b", "b"], ["bb"]),
        N("Sub", ["aa", "bb"], ["h"]),
        N("Sub", ["g", "h"], ["s"]),
    ],
    "a + 1e8 - 1e8": [constant("far", 1e8), N("Add", ["a", "far"], ["p"]), N("Sub", ["p", "far"], ["s"])],
    "(a 1e-30) (b 1e-30)": [
        constant("small", 1e-30),
        N("Mul", ["a", "small"], ["p"]),
        N("Mul", ["b", "small"], ["q"]),
        N("Mul", ["p", "q"], ["s"]),
    ],
    "rows less others": [N("Gather", ["w", "ids"], ["p"]), N("Sub", ["p", "w"], ["s"])],
    "chosen by weights": [
        N("ArgMax", ["w"], ["i"], axis=0),
        N("GatherElements", ["w", "i"], ["p"], axis=0),
        N("Sub", ["p", "w"], ["s"]),
    ],
    "of data": [N("Mul", ["x", "a"], ["p"]), N("Add", ["p", "b"], ["s"])],
    "a triangle": [N("Trilu", ["w"], ["s"], upper=0)],
}


@pytest.mark.parametrize("form", WITH_VOLUME)
def test_what_may_be_0_on_a_volume_stays(form: str) -> None:
    assert review(WITH_VOLUME[form]).level is Level.ERROR


def test_a_logarithm_of_a_polynomial_fails_below_0_too() -> None:
    assert review(POLYNOMIALS["ab - cd"], "Log").level is Level.ERROR
    squares = [N("ReduceSumSquare", ["w"], ["s"], keepdims=0)]
    assert review(squares, "Log").level is Level.NOTE


def test_a_polynomial_that_starts_at_0_stays() -> None:
    """The first step of training divides by the determinant of a matrix of zeros."""
    assert review(POLYNOMIALS["det(w)"], start={"w": np.zeros((4, 4))}).level is Level.ERROR


@pytest.mark.parametrize("form", ["ab + c", "det(w)", "norm(w)", "a ** 3 - b"])
def test_weights_of_double_precision_are_alike(form: str) -> None:
    nodes = [constant("three", 3.0, np.float64), *POLYNOMIALS[form][1:]] if form == "a ** 3 - b" else POLYNOMIALS[form]
    assert review(nodes, kind=np.float64).level is Level.NOTE


def test_what_double_precision_computes_as_0_stays() -> None:
    far = [constant("far", 1e17, np.float64), N("Add", ["a", "far"], ["p"]), N("Sub", ["p", "far"], ["s"])]
    assert review(far, kind=np.float64).level is Level.ERROR
    assert review(WITH_VOLUME["ab - ab"], kind=np.float64).level is Level.ERROR
    assert review(POLYNOMIALS["det(w)"], start={"w": np.zeros((4, 4))}, kind=np.float64).level is Level.ERROR


def test_one_question_leaves_the_graph_as_it_was() -> None:
    """A weight that divides twice is asked about twice."""
    nodes = [N("Gather", ["w", "first"], ["p"]), N("Gather", ["w", "second"], ["q"])]
    nodes = [constant("first", 0, np.int64), constant("second", 1, np.int64), *nodes]
    nodes += [N("Div", ["x", "p"], ["y1"]), N("Div", ["y1", "q"], ["y"])]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 4])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    weights = [numpy_helper.from_array(W, "w")]
    proto = helper.make_model(
        helper.make_graph(nodes, "g", inputs, outputs, weights),
        opset_imports=[helper.make_opsetid("", 20)],
        ir_version=10,
    )
    graph = Graph(ir.from_proto(proto), "torch")
    target = TargetConfig(id="t", entry="t.py:build", inputs={"x": InputSpec(range=ValueRange(-1, 1))})
    found = analyse(graph, target, confirm=False, explain=False).findings
    assert [f.level for f in found if not f.evidence.data["backward"]] == [Level.NOTE, Level.NOTE]
    assert graph.graph.initializers["w"].dtype is ir.DataType.FLOAT


def test_weights_of_half_precision_stay() -> None:
    assert review(POLYNOMIALS["ab + c"], kind=np.float16).level is Level.ERROR


@pytest.mark.parametrize(
    ("function", "volume"),
    [
        (lambda a, b: a * b - b + a, False),
        (lambda a, b: a * (a > b), True),
        (lambda a, b: torch.relu(a), True),
        (lambda a, b: (a + 1e8) - 1e8, True),
        (lambda a, b: (a * 1e-30) * (b * 1e-30), True),
    ],
)
def test_what_torch_computes_at_random_weights(function: Callable[[Any, Any], Any], volume: bool) -> None:
    a, b = torch.empty(2, 1000).uniform_(-1, 1, generator=torch.Generator().manual_seed(0))
    assert bool((function(a, b) == 0).any()) == volume
