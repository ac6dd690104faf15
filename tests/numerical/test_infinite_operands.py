"""Operators with infinite or undefined operands: what real runs give is what the analysis allows or flags."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import onnxruntime
import pytest
import torch
from build import Builder, rules
from infinite_operands import floating, missed
from operator_catalogue import Operand, catalogue

from analyzer.graph import Graph
from analyzer.numerical.domain import dtypes

SEEDS, SHARDS = 1, 4
INF = np.inf
NAMES = ("float32", "float16", "float64")


def results(graph: Graph, **feeds: np.ndarray) -> list[np.ndarray]:
    session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    return [np.asarray(o) for o in session.run(None, feeds)]


@pytest.mark.parametrize("nan", [False, True])
@pytest.mark.parametrize("shard", range(SHARDS))
def test_runs_with_infinities_are_contained_or_flagged(shard: int, nan: bool) -> None:
    problems = []
    for index, case in enumerate(catalogue()):
        given = [o for o in case.operands if isinstance(o, Operand)]
        plain = all(o.dtype in NAMES or not dtypes.element_type(o.dtype).is_float for o in given)
        if index % SHARDS == shard and plain and any(floating(o) and o.within is None for o in given):
            problems += [p for seed in range(SEEDS) for p in missed(case, 1000 * seed + index, nan)]
    assert not problems, "\n".join(problems[:10])


@pytest.mark.parametrize("operator", ["Softmax", "LogSoftmax"])
@pytest.mark.parametrize(
    ("hidden", "inside", "safe"),
    [(INF, True, False), (-INF, False, False), (1e9, True, True), (-1e9, True, True)],
)
def test_a_row_with_infinity_has_no_softmax(operator: str, hidden: float, inside: bool, safe: bool) -> None:
    """`inside`: one element of the row alone makes it fail."""
    b = Builder()
    x, mask = b.input("x", (2, 3)), b.input("m", (2, 3), "bool")
    graph = b.graph(b.op(operator, b.op("Where", mask, b.const(hidden), x), name="softmax"))
    assert rules(graph, {"x": (-5, 5)}) == ([] if safe else [("softmax-of-minus-infinity", "softmax")])
    row = np.array([[True, False, False]] * 2) if inside else np.ones((2, 3), bool)
    (found,) = results(graph, x=np.ones((2, 3), np.float32), m=row)
    function = torch.softmax if operator == "Softmax" else torch.log_softmax
    real = function(torch.where(torch.tensor(row), hidden, 1.0).float(), -1)
    assert np.isnan(found).any() == (not safe)
    assert bool(real.isnan().any()) == (not safe)


@pytest.mark.parametrize("other", [False, True])
def test_infinity_in_one_place_spoils_the_whole_row(other: bool) -> None:
    """What replaces the element itself leaves its neighbours NaN; what replaces NaN leaves none."""
    b = Builder()
    x, mask = b.input("x", (2, 3)), b.input("m", (2, 3), "bool")
    p = b.op("Softmax", b.op("Where", mask, b.const(INF), x), name="softmax")
    chosen = b.op("IsNaN", p) if other else mask
    graph = b.graph(b.op("Where", chosen, b.const(0.0), p))
    assert rules(graph, {"x": (-5, 5)}) == ([] if other else [("softmax-of-minus-infinity", "softmax")])
    (found,) = results(graph, x=np.ones((2, 3), np.float32), m=np.array([[True, False, False]] * 2))
    assert np.isnan(found).any() == (not other)


@pytest.mark.parametrize("whole", [False, True])
def test_constants_of_infinity(whole: bool) -> None:
    b = Builder()
    x = b.input("x", (2, 3))
    added = b.const([INF, INF, INF] if whole else [0, 0, INF])
    graph = b.graph(b.op("Softmax", b.op("Add", x, added), name="softmax"))
    assert rules(graph, {"x": (-5, 5)}) == [("softmax-of-minus-infinity", "softmax")]


def test_a_softmin_takes_infinity_for_the_least() -> None:
    b = Builder()
    scores = b.op("Add", b.input("x", (2, 3)), b.const([0, 0, INF]))
    graph = b.graph(b.op("Softmax", b.op("Neg", scores), name="softmin"))
    assert rules(graph, {"x": (-5, 5)}) == []
    assert np.isfinite(results(graph, x=np.ones((2, 3), np.float32))[0]).all()


@pytest.mark.parametrize("bad", [INF, -INF])
def test_a_loss_over_rows_with_infinity(bad: float) -> None:
    b = Builder()
    x, labels, mask = b.input("x", (2, 3)), b.input("t", (2,), "int64"), b.input("m", (2, 3), "bool")
    scores = b.op("Where", mask, b.const(bad), x)
    graph = b.graph(b.op("SoftmaxCrossEntropyLoss", scores, labels, reduction="sum", name="loss"))
    assert rules(graph, {"x": (-5, 5), "t": (0, 2)}) == [("softmax-of-minus-infinity", "loss")]
    scores_of = torch.full((2, 3), bad)
    assert torch.nn.functional.cross_entropy(scores_of, torch.zeros(2, dtype=torch.int64)).isnan()


@pytest.mark.parametrize("where", ["query", "key", "mask above", "mask below", "nowhere"])
def test_attention_over_infinities(where: str) -> None:
    b = Builder()
    q, k, v = (b.input(n, (1, 1, 2, 4)) for n in "qkv")
    m = b.input("m", (2, 2), "bool")
    wide = b.input("wide", (1, 1, 2, 4), "bool")
    if where in ("query", "key"):
        hidden = b.op("Where", wide, b.const(INF), q if where == "query" else k)
        q, k = (hidden, k) if where == "query" else (q, hidden)
    by = {"mask above": INF, "mask below": -INF}.get(where, -1e4)
    mask = b.op("Where", m, b.const(by), b.const(0.0))
    graph = b.graph(b.op("Attention", q, k, v, mask, name="attention"), opset=23)
    found = rules(graph, dict.fromkeys("qkv", (-1, 1)))
    assert found == ([] if where == "nowhere" else [("softmax-of-minus-infinity", "attention")])


def test_an_infinity_belongs_to_the_case_at_its_end() -> None:
    """Cases by where ``log |x|`` lies have to hold minus infinity, which the condition asks for."""
    b = Builder()
    x, y = b.input("x", (3,)), b.input("y", (3,))
    least = b.op("Equal", b.op("Log", b.op("Abs", x)), b.const(-np.inf))
    chosen = b.op("Where", least, y, b.const(-0.5))
    graph = b.graph(b.op("Div", b.const(1.0), b.op("Mul", chosen, chosen), name="quotient"))
    assert ("division-by-zero", "quotient") in rules(graph, {"x": (-2.0, 3.0), "y": (-2.0, 3.0)})
