"""Class numbers compared with those of classes: a match in each row where every number is there, and a mismatch."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import onnxruntime
import pytest
from build import Builder, rules

from analyzer.graph import Graph, ValueRange
from analyzer.numerical.interpreter import interpret

INF = float("inf")
RANGES = {"x": (-5.0, 5.0), "label": (0.0, 2.0)}


def nearest(classes: list[float], dtype: str, *, matched: bool, across: bool = False) -> Graph:
    """The least of x over the places whose class is the row's label, or is another one."""
    b = Builder()
    count = len(classes)
    x = b.input("x", (count, 3) if across else (3, count))
    label = b.input("label", (1, 3) if across else (3, 1), dtype)
    held: Any = np.array(classes, np.dtype(dtype))
    mask = b.op("Equal", label, b.const(held[:, None] if across else held, np.dtype(dtype).type))
    if not matched:
        mask = b.op("Not", mask)
    chosen = b.op("Where", mask, x, b.const(INF))
    return b.graph(b.op("ReduceMin", chosen, b.const([0 if across else 1], np.int64), name="least"))


@pytest.mark.parametrize(
    ("classes", "matched", "safe"),
    [
        ([0, 0, 1, 1, 2, 2], True, True),
        ([2, 0, 1], True, True),
        ([0, 0, 1, 1], True, False),  # nothing belongs to the class 2
        ([0, 0, 1, 2], False, True),
        ([1, 1, 1], False, False),
        ([1, 1, 1], True, False),
    ],
)
@pytest.mark.parametrize("across", [False, True])
def test_a_label_among_classes_has_a_match_in_its_row(
    classes: list[float], matched: bool, safe: bool, across: bool
) -> None:
    graph = nearest(classes, "int64", matched=matched, across=across)
    assert rules(graph, RANGES) == ([] if safe else [("extremum-of-infinity", "least")])
    session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    made = []
    for label in range(3):
        rows = np.full((1, 3) if across else (3, 1), label, np.int64)
        feeds = {"x": np.ones((len(classes), 3) if across else (3, len(classes)), np.float32), "label": rows}
        made.append(bool(np.isfinite(np.asarray(session.run(None, feeds)[0])).all()))
    assert all(made) == safe


def test_a_number_between_two_classes_matches_none_but_differs_from_one() -> None:
    classes = [0.0, 0, 1, 1, 2, 2]
    assert rules(nearest(classes, "float32", matched=True), RANGES) == [("extremum-of-infinity", "least")]
    assert rules(nearest(classes, "float32", matched=False), RANGES) == []


@pytest.mark.parametrize(("whole", "found"), [(True, 0), (False, 1)])
def test_a_float_that_is_assumed_to_be_whole_matches(whole: bool, found: int) -> None:
    graph = nearest([0.0, 1, 2], "float32", matched=True)
    ranges = {"x": ValueRange(-5, 5), "label": ValueRange(0, 2, whole=whole)}
    assert len(interpret(graph, ranges).warnings) == found
