"""Failures that ask several numbers of an input to meet one exact relation, and those that data may be at."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.numerical.confirm.extract import Leaf
from analyzer.numerical.confirm.objective import ZERO
from analyzer.numerical.confirm.position import bound_by, witnesses
from analyzer.numerical.confirm.problem import SearchProblem
from analyzer.numerical.confirm.search import TorchTrials
from analyzer.numerical.confirm.trials import RunVerdict

N = helper.make_node
RNG = np.random.default_rng(0)
X = RNG.uniform(-90, 90, (2, 4)).astype(np.float32)
W = RNG.standard_normal((4, 1)).astype(np.float32)
CONSTANTS = {
    "one": 1.0,
    "third": 0.3,
    "guard": 1e-7,
    "none": 0.0,
    "fifth": 5.0,
    "first": [0],
    "second": [1],
    "axis": [1],
}


def trials_of(*nodes: Any) -> TorchTrials:
    """Of the reciprocal of `d`, which the nodes compute of x and w."""
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 4]),
        helper.make_tensor_value_info("w", TensorProto.FLOAT, [4, 1]),
    ]
    fixed = [
        numpy_helper.from_array(np.asarray(v, np.int64 if isinstance(v, list) else np.float32), n)
        for n, v in CONSTANTS.items()
    ]
    graph = helper.make_graph(
        [*nodes, N("Reciprocal", ["d"], ["y"])],
        "g",
        inputs,
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        fixed,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    leaves = (
        Leaf("x", (2, 4), "FLOAT", -100.0, 100.0),
        Leaf("w", (4, 1), "FLOAT", -5.0, 5.0, "parameter", W, True),
    )
    return TorchTrials(SearchProblem(ir.from_proto(model), leaves, ("d",), ("y",), (0, ZERO)))


def at(trials: TorchTrials, x: np.ndarray) -> dict[str, Any]:
    point = {leaf.name: trials.made(leaf, value) for leaf, value in zip(trials.leaves, (x, W), strict=True)}
    assert trials.verdict(point) is RunVerdict.FAILS
    return point


PLANE = (N("MatMul", ["x", "w"], ["p"]), N("Add", ["p", "one"], ["d"]))
SPREAD = (
    N("ReduceMax", ["x", "axis"], ["most"]),
    N("ReduceMin", ["x", "axis"], ["least"]),
    N("Sub", ["most", "least"], ["d"]),
)
PAIR = (
    N("Gather", ["x", "first"], ["a"]),
    N("Gather", ["x", "second"], ["b"]),
    N("Sub", ["a", "b"], ["ab"]),
    N("ReduceL2", ["ab"], ["d"]),
)
NUMBER = (N("Sub", ["x", "third"], ["d"]),)
SPHERE = (N("Mul", ["x", "x"], ["xx"]), N("ReduceSum", ["xx", "axis"], ["s"]), N("Sub", ["s", "one"], ["d"]))
SUM = (N("ReduceSum", ["x", "axis"], ["d"]),)


def test_several_numbers_in_one_exact_relation_are_told() -> None:
    trials = trials_of(*PLANE)
    (found, *_) = witnesses(trials, 0, math.inf)
    assert found.related == ("x",)


def constant() -> np.ndarray:
    return np.vstack([np.full(4, 7.3), X[1]])


def blank() -> np.ndarray:
    return np.vstack([np.zeros(4), X[1]])


def equal() -> np.ndarray:
    return np.vstack([X[0], X[0]])


def number() -> np.ndarray:
    return np.where(np.arange(8).reshape(2, 4) == 5, 0.3, X)


def of_norm_1() -> np.ndarray:
    return np.vstack([[0.6, 0.8, 0.0, 0.0], X[1]])


def whole() -> np.ndarray:
    return np.vstack([[3.0, -5.0, 4.0, -2.0], X[1]])


@pytest.mark.parametrize(
    ("nodes", "x"),
    [(SPREAD, constant), (SUM, blank), (PAIR, equal), (NUMBER, number), (SPHERE, of_norm_1), (SUM, whole)],
)
def test_what_data_hold_is_no_relation(nodes: tuple[Any, ...], x: Any) -> None:
    """A constant or blank row, an equal pair, one number, a row of norm 1, whole numbers."""
    trials = trials_of(*nodes)
    assert bound_by(trials, at(trials, x()), 0) == ()


def test_a_number_that_takes_a_guard_back_is_a_relation() -> None:
    trials = trials_of(N("ReduceSum", ["x", "axis"], ["s"]), N("Add", ["s", "guard"], ["d"]))
    x = np.where(np.arange(8).reshape(2, 4) == 5, -np.float32(1e-7), 0.0)
    assert bound_by(trials, at(trials, x), 0) == ("x",)
    assert bound_by(trials, at(trials, np.vstack([np.full(4, -np.float32(1e-7) / 4), X[1]])), 0) == ("x",)


def test_numbers_beside_0_all_of_which_fail_are_none() -> None:
    """``1 / x ** 5`` where x is not 0: a 0 itself is read as another number."""
    zero = N("Equal", ["x", "none"], ["is"]), N("Where", ["is", "one", "x"], ["v"])
    trials = trials_of(*zero, N("Pow", ["v", "fifth"], ["d"]))
    x = np.where(np.arange(8).reshape(2, 4) == 5, 1e-12, X)
    assert bound_by(trials, at(trials, x), 0) == ()


def test_a_sum_of_fractions_that_is_0_is_a_relation() -> None:
    trials = trials_of(*SUM)
    assert bound_by(trials, at(trials, np.vstack([[0.25, 1.5, -0.5, -1.25], X[1]])), 0) == ("x",)


def test_equal_numbers_move_together_and_past_no_end() -> None:
    trials = trials_of(*PAIR)
    moved = at(trials, np.full((2, 4), 100.0))
    assert bound_by(trials, moved, 0) == ()
