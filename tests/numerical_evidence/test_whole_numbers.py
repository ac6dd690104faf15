"""Whole numbers in a floating-point example (labels, counts) stay whole: what needs fractions is a note."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.exporting.inside.shown import examples_show
from analyzer.findings import Confidence, Level
from analyzer.graph import Graph, ValueRange
from analyzer.graph.model import SHOWN, SPAN, WHOLE
from analyzer.numerical.analysis import analyse
from analyzer.numerical.confirm.confirmation import ConfirmationBudget, Confirmer

N = helper.make_node
OPSET = {"opset_imports": [helper.make_opsetid("", 20)], "ir_version": 10}


@pytest.fixture(scope="module")
def workers() -> Iterator[Confirmer]:
    with Confirmer(ConfirmationBudget(search=4.0)) as confirmer:
        yield confirmer


@pytest.mark.parametrize(
    ("array", "whole"),
    [
        (np.array([[0.0], [2], [1], [1], [0]]), True),
        (np.array([-1.0, 3, 0, 2]), True),
        (np.arange(8.0), False),  # times, places: others stand between them
        (np.array([1.0, 2, 4, 8, 16, 32, 64]), False),  # in order
        (np.array([0.0, 1, 1, 0, 1]), False),  # a probability of each may stand in their place
        (np.full(6, 3.0), False),
        (np.array([2.0, 0, 1]), False),  # few
        (np.random.default_rng(0).standard_normal(20), False),
        (np.random.default_rng(0).standard_normal(20).astype(np.float32) * 1e9, False),  # no digits left
        (np.array([2, 0, 1, 1]), False),  # an integer type says so itself
    ],
)
def test_which_examples_hold_whole_numbers(array: Any, whole: bool) -> None:
    assert examples_show({"x": array})["whole"] == (["x"] if whole else [])


def review(workers: Confirmer, nodes: list[Any], example: list[float], declared: bool = False) -> list[tuple[Any, ...]]:
    """(rule, level, confidence) of a model of x, whose example is given, and of numbers z that nobody described."""
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [4, 1]) for n in "xzy"]
    model = ir.from_proto(helper.make_model(helper.make_graph(nodes, "g", values[:2], values[2:]), **OPSET))
    told = examples_show({"x": np.array(example, np.float32)})
    properties = model.graph.inputs[0].metadata_props
    if told["whole"]:
        properties[WHOLE] = "1"
    properties[SHOWN] = " ".join(map(repr, told["shown"]["x"]))
    properties[SPAN] = " ".join(map(repr, told["spans"]["x"]))
    inputs = {"x": InputSpec(range=ValueRange(0, 2))} if declared else {}
    target = TargetConfig(id="t", entry="t.py:build", inputs=inputs)
    found = analyse(Graph(model, "torch"), target, explain=False, confirmer=workers).findings
    return [(f.rule.removeprefix("numerical/"), f.level, f.confidence) for f in found if "gradient" not in f.rule]


def constant(name: str, array: Any) -> Any:
    data = np.asarray(array, np.float32)
    tensor = helper.make_tensor("value", TensorProto.FLOAT, data.shape, data.reshape(-1).tolist())
    return N("Constant", [], [name], value=tensor)


MATCHED = [
    constant("classes", [0, 0, 1, 1, 2, 2]),
    constant("inf", np.inf),
    constant("zero", 0.0),
    N("Equal", ["x", "classes"], ["mask"]),
    N("Where", ["mask", "z", "inf"], ["chosen"]),
    N("ReduceMin", ["chosen"], ["least"]),
    N("Sub", ["z", "least"], ["apart"]),
    N("Mul", ["apart", "zero"], ["y"]),
]
BETWEEN = [constant("half", 0.5), N("Sub", ["x", "half"], ["d"]), N("Reciprocal", ["d"], ["y"])]
AT_WHOLE = [constant("three", 3), N("Sub", ["x", "three"], ["d"]), N("Reciprocal", ["d"], ["y"])]
LABELS, REAL = [0.0, 2, 1, 1], [0.3, 2.1, 1.4, 1.2]
ERROR = (Level.ERROR, Confidence.CONFIRMED)
NOTE = (Level.NOTE, Confidence.CONFIRMED)


@pytest.mark.parametrize(
    ("nodes", "example", "found"),
    [
        (MATCHED, LABELS, [("extremum-of-infinity", *NOTE)]),
        (MATCHED, REAL, [("extremum-of-infinity", *ERROR)]),
        (MATCHED, [0.0, 3, 1, 1], [("extremum-of-infinity", *ERROR)]),  # a class that is not there
        (BETWEEN, LABELS, [("division-by-zero", *NOTE)]),
        (BETWEEN, REAL, [("division-by-zero", *ERROR)]),
        (AT_WHOLE, LABELS, [("division-by-zero", *ERROR)]),
        (AT_WHOLE, REAL, [("division-by-zero", *ERROR)]),
    ],
)
def test_what_fails_for_fractions_alone_is_a_note_where_the_example_holds_whole_numbers(
    workers: Confirmer, nodes: list[Any], example: list[float], found: list[tuple[Any, ...]]
) -> None:
    assert review(workers, nodes, example) == found


def test_a_declared_range_holds_fractions(workers: Confirmer) -> None:
    assert review(workers, MATCHED, LABELS, declared=True) == [("extremum-of-infinity", *ERROR)]
