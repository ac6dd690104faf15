"""A maximum of what a mask has hidden whole is -inf: told where a run makes it, and nowhere else."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import onnxruntime
import pytest
from build import Builder, rules

from analyzer.graph import Graph

INF = float("inf")
AXIS = [1]


def results(graph: Graph, **feeds: np.ndarray) -> list[np.ndarray]:
    session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    return [np.asarray(o) for o in session.run(None, feeds)]


def reduced(b: Builder, x: str, operator: str, **given: Any) -> str:
    made: str = b.op(operator, x, b.const(AXIS, np.int64), name="reduced", **given)
    return made


@pytest.mark.parametrize(
    ("operator", "hidden", "safe"),
    [
        ("ReduceMax", -INF, False),
        ("ReduceLogSumExp", -INF, False),
        ("ReduceMin", INF, False),
        ("ReduceMax", -1e9, True),
        ("ReduceLogSumExp", -1e9, True),
        ("ReduceMin", 1e9, True),
        ("ReduceMin", -1e9, True),
    ],
)
def test_a_row_that_is_hidden_whole(operator: str, hidden: float, safe: bool) -> None:
    b = Builder()
    x, mask = b.input("x", (2, 3)), b.input("m", (2, 3), "bool")
    graph = b.graph(reduced(b, b.op("Where", mask, b.const(hidden), x), operator))
    assert rules(graph, {"x": (-5, 5)}) == ([] if safe else [("extremum-of-infinity", "reduced")])
    (made,) = results(graph, x=np.ones((2, 3), np.float32), m=np.ones((2, 3), bool))
    assert bool(np.isfinite(made).all()) == safe


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("operator", ["ReduceMax", "ReduceLogSumExp"])
def test_a_causal_mask_leaves_each_row_an_element(operator: str, strict: bool) -> None:
    b = Builder()
    x = b.input("x", (4, 4))
    kept = np.tril(np.ones((4, 4), bool), -1 if strict else 0)
    graph = b.graph(reduced(b, b.op("Add", x, b.const(np.where(kept, 0, -INF))), operator))
    assert rules(graph, {"x": (-9, 9)}) == ([("extremum-of-infinity", "reduced")] if strict else [])
    (made,) = results(graph, x=np.ones((4, 4), np.float32))
    assert bool(np.isfinite(made).all()) != strict


@pytest.mark.parametrize(
    ("after", "safe"), [("replaced", True), ("bounded", True), ("negated", False), ("bounded above", False)]
)
def test_what_replaces_the_infinity_excuses_it(after: str, safe: bool) -> None:
    b = Builder()
    x, mask = b.input("x", (2, 3)), b.input("m", (2, 3), "bool")
    largest = reduced(b, b.op("Where", mask, b.const(-INF), x), "ReduceMax", keepdims=0)
    if after == "replaced":
        made = b.op("Where", b.op("IsInf", largest), b.const(0.0), largest)
    elif after == "bounded":
        made = b.op("Clip", largest, b.const(-9.0), b.const(9.0))
    else:
        made = b.op("Neg", largest) if after == "negated" else b.op("Min", largest, b.const(9.0))
    graph = b.graph(made)
    assert rules(graph, {"x": (-5, 5)}) == ([] if safe else [("extremum-of-infinity", "reduced")])
    (found,) = results(graph, x=np.ones((2, 3), np.float32), m=np.ones((2, 3), bool))
    assert bool(np.isfinite(found).all()) == safe


@pytest.mark.parametrize("operator", ["ReduceMax", "ReduceMin", "ReduceLogSumExp"])
def test_weights_without_bounds_and_numbers_without_infinities_are_not_accused(operator: str) -> None:
    b = Builder()
    x = b.input("x", (2, 3))
    graph = b.graph(reduced(b, x, operator))
    assert rules(graph, {}) == []
