"""No overflow stays hidden: half precision, products and loops are searched, and what a run reaches is shown."""

from __future__ import annotations

import gc
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.findings import Confidence, Finding, Level
from analyzer.graph import Graph, ValueRange
from analyzer.numerical.analysis import analyse
from analyzer.numerical.confirm import search
from analyzer.numerical.confirm.confirmation import ConfirmationBudget, Confirmer
from analyzer.numerical.confirm.extract import Leaf
from analyzer.numerical.confirm.objective import target_of
from analyzer.numerical.confirm.problem import SearchProblem
from analyzer.numerical.growth import exponential
from analyzer.numerical.hidden_overflows import far_below
from analyzer.numerical.result import Alarm, Interval

sys.path.append(str(Path(__file__).parents[1] / "numerical"))
from build import Builder

HALF = TensorProto.FLOAT16


@pytest.fixture(scope="module")
def workers() -> Iterator[Confirmer]:
    with Confirmer(ConfirmationBudget(search=4.0)) as confirmer:
        yield confirmer


def half(b: Builder) -> str:
    return str(b.op("Cast", b.input("x", (2, 8, 64)), to=HALF))


def doubling(b: Builder) -> str:
    infos = {n: helper.make_tensor_value_info(n, k, s) for n, k, s in (("i", 7, []), ("c", 9, []), ("s", 1, [4]))}
    made = [helper.make_tensor_value_info("c2", 9, []), helper.make_tensor_value_info("s2", 1, [4])]
    nodes = [helper.make_node("Identity", ["c"], ["c2"]), helper.make_node("Add", ["s", "s"], ["s2"], name="double")]
    body = helper.make_graph(nodes, "body", list(infos.values()), made)
    return str(b.op("Loop", b.const(200, np.int64), "", b.input("x", (4,)), body=body))


def zero_mask(b: Builder) -> str:
    h = half(b)
    low = b.op("Cast", b.const(-1e9), to=HALF)
    seen = b.op("Cast", b.op("Greater", h, b.const(0, np.float16)), to=HALF)
    return str(b.op("Add", h, b.op("Mul", low, seen)))


CASES: dict[str, Callable[[Builder], Any]] = {
    "MatMul": lambda b: b.op("MatMul", h := half(b), b.op("Transpose", h, perm=[0, 2, 1])),
    "Div": lambda b: b.op("Div", half(b), b.const(0.001, np.float16)),
    "CumSum": lambda b: b.op("CumSum", half(b), b.const(2, np.int64)),
    "CumProd": lambda b: b.op("CumProd", half(b), b.const(2, np.int64)),
    "ReduceProd": lambda b: b.op("ReduceProd", half(b)),
    "Mul": lambda b: b.op("Mul", b.op("Mul", h := half(b), h), h),
    "Cast": zero_mask,
    "Add": doubling,
}


def review(workers: Confirmer, make: Callable[[Builder], Any], lo: float, hi: float, declared: bool) -> list[Finding]:
    b = Builder()
    graph = b.graph(make(b), opset=26)
    inputs = {"x": InputSpec(range=ValueRange(lo, hi))} if declared else {}
    target = TargetConfig(id="t", path="m.onnx", inputs=inputs)
    return [
        f
        for f in analyse(graph, target, explain=False, confirmer=workers).findings
        if f.rule in ("numerical/overflow", "numerical/cast-overflow")
    ]


@pytest.mark.parametrize("op", CASES)
def test_an_overflow_that_a_run_reaches_is_shown(workers: Confirmer, op: str) -> None:
    found = review(workers, CASES[op], -2000, 2000, declared=True)
    (first, *_) = [f for f in found if f.op == op]
    assert (first.confidence, first.level) == (Confidence.CONFIRMED, Level.ERROR)


def unrolled(b: Builder) -> str:
    value = b.input("x", (4,))
    for _ in range(130):
        value = b.op("Add", value, value)
    return str(value)


def recurrent(b: Builder) -> str:
    weights = b.const(np.ones((1, 8, 4))), b.const(np.full((1, 8, 8), 0.5))
    how: dict[str, Any] = {"hidden_size": 8, "activations": ["Relu"]}
    return str(b.op("RNN", b.input("x", (90, 1, 4)), *weights, outputs=2, **how)[0])


@pytest.mark.parametrize("make", [unrolled, recurrent])
def test_what_grows_exponentially_from_inputs_alone_is_one_finding(
    workers: Confirmer, make: Callable[[Builder], Any]
) -> None:
    (found,) = review(workers, make, 0, 0, declared=False)
    assert (found.confidence, found.level) == (Confidence.CONFIRMED, Level.WARNING)
    further = any("further on: `Add_122`" in s for s in found.evidence.sentences)
    assert further == (make is unrolled)


@pytest.mark.parametrize(
    ("own", "rules"), [(False, ["log-of-nonpositive"]), (True, ["log-of-nonpositive", "overflow"])]
)
def test_what_divides_by_a_value_that_fails_at_0_fails_with_it(workers: Confirmer, own: bool, rules: list[str]) -> None:
    """The logarithm's gradient is its reciprocal; what divides by another value has an overflow of its own."""
    b = Builder()
    x, y = b.input("x", (4,)), b.input("y", (4,))
    near = b.op("Max", y, b.const(1e-39))
    graph = b.graph(b.op("Add", b.op("Log", x), b.op("Div", b.const(1), near if own else x)), opset=20)
    declared = {name: InputSpec(range=ValueRange(0, 1)) for name in "xy"}
    target = TargetConfig(id="t", path="m.onnx", inputs=declared)
    found = analyse(graph, target, explain=False, confirmer=workers).findings
    assert sorted(f.rule.removeprefix("numerical/") for f in found) == rules
    log = next(f for f in found if f.op == "Log")
    assert any(s.startswith("Fails with it, further on: `Div") for s in log.evidence.sentences) is not own


@pytest.mark.parametrize(("layers", "squared"), [(9, True), (130, False), (9, False)])
def test_a_state_that_is_multiplied_by_itself_is_searched_though_weights_drive_it(
    workers: Confirmer, layers: int, squared: bool
) -> None:
    """Nine squares and 130 doublings of what a layer gives overflow; nine doublings do not, nor does a deep network."""
    weights = np.random.default_rng(0).standard_normal((4, 4)).astype(np.float32)
    b = Builder()
    kept = b.const(weights)
    value = b.op("MatMul", b.input("x", (2, 4)), kept)
    for _ in range(layers):
        value = b.op("Mul" if squared else "Add", value, value)
    graph = b.graph(value)
    graph = Graph(graph.model, "torch")
    found = analyse(graph, TargetConfig(id="t", entry="t.py:build"), explain=False, confirmer=workers).findings
    assert [f.rule for f in found] == (["numerical/overflow"] if squared or layers > 100 else [])


def test_a_deep_network_does_not_grow_with_its_input() -> None:
    b = Builder()
    value = b.input("x", (2, 4))
    for _ in range(40):
        value = b.op("Relu", b.op("MatMul", value, b.const(np.ones((4, 4)))))
    graph = b.graph(value)
    assert exponential(graph, {}) == frozenset()


def quotient(b: Builder) -> str:
    h, zero = half(b), b.const(0, np.float16)
    return str(b.op("Where", b.op("Equal", h, zero), zero, b.op("Div", b.const(100, np.float16), h)))


def limited(b: Builder) -> str:
    norm = b.op("ReduceL2", half(b), b.const([2], np.int64))
    return str(b.op("Min", b.op("Div", b.const(1, np.float16), norm), b.const(0.2, np.float16)))


@pytest.mark.parametrize(("make", "shown"), [(quotient, True), (limited, False)])
def test_an_excuse_holds_for_what_it_drops(workers: Confirmer, make: Callable[[Builder], Any], shown: bool) -> None:
    """A denominator that is not 0 may still be too small; a minimum drops every +inf."""
    assert [f.op for f in review(workers, make, -1, 1, declared=True)] == (["Div"] if shown else [])


@pytest.mark.parametrize("op", ["MatMul", "Div"])
def test_what_rests_on_a_range_that_nobody_stated_is_a_warning(workers: Confirmer, op: str) -> None:
    (found,) = review(workers, CASES[op], 0, 0, declared=False)
    assert (found.confidence, found.level) == (Confidence.CONFIRMED, Level.WARNING)


@pytest.mark.parametrize("op", ["MatMul", "Div", "Mul"])
def test_what_no_run_reaches_is_not_shown(workers: Confirmer, op: str) -> None:
    assert review(workers, CASES[op], -1, 1, declared=True) == []


def test_the_scores_of_an_attention_are_checked_in_its_dtype() -> None:
    from build import run

    b = Builder()
    q, k, v = (b.input(n, (1, 2, 8, 64), "float16") for n in "qkv")
    graph = b.graph(b.op("Attention", q, k, v), opset=23)
    assert [w.rule for w in run(graph, dict.fromkeys("qkv", (-200, 200))).overflows] == ["numerical/overflow"]
    assert run(graph, dict.fromkeys("qkv", (-10, 10))).overflows == ()
    masked = b.graph(b.op("Attention", q, k, v, b.const(np.full((8, 8), -60000), np.float16)), opset=23)
    assert [w.rule for w in run(masked, dict.fromkeys("qkv", (-60, 60))).overflows] == ["numerical/overflow"]
    assert run(masked, dict.fromkeys("qkv", (-10, 10))).overflows == ()


def test_an_attention_that_overflows_is_shown(workers: Confirmer) -> None:
    def attention(b: Builder) -> Any:
        q = b.op("Reshape", half(b), b.const([2, 1, 8, 64], np.int64))
        return b.op("Attention", q, q, q)

    (found,) = review(workers, attention, -300, 300, declared=True)
    assert (found.op, found.confidence, found.level) == ("Attention", Confidence.CONFIRMED, Level.ERROR)


def test_what_is_kept_of_a_graph_goes_with_it(workers: Confirmer) -> None:
    """Python gives the place of a graph that is gone to the next one."""
    levels = [f.level for op in ("MatMul", "Cast", "Div") * 3 for f in review(workers, CASES[op], -2000, 2000, True)]
    assert set(levels) == {Level.ERROR}
    gc.collect()
    assert len(workers._whole) == 0


class Fruitless(Confirmer):
    """Every search spends all the time that it has, six seconds at most, and finds nothing."""

    spent: float = 0.0
    asked: int = 0

    def clock(self) -> float:
        return self.spent

    def confirm(
        self, graph: Any, warning: Any, ranges: Any, symbols: Any, deadline: float, weighed_in: Any = ()
    ) -> None:
        self.asked += 1
        self.spent += min(6.0, deadline - self.spent)


def test_layers_of_half_precision_share_the_time_of_a_few_searches() -> None:
    """A transformer has three such operators a layer: each at the price of a warning took a minute for all."""
    b = Builder()
    h = half(b)
    for _ in range(8):
        h = b.op("Mul", h, b.op("Transpose", b.op("Transpose", h, perm=[0, 2, 1]), perm=[0, 2, 1]))
        h = b.op("Clip", h, b.const(-1000, np.float16), b.const(1000, np.float16))
    confirmer = Fruitless()
    with confirmer:
        found = analyse(b.graph(h), TargetConfig(id="t", entry="t.py:build"), explain=False, confirmer=confirmer)
        assert found.findings == ()
        assert confirmer.asked > 4
        assert confirmer.spent <= 12.1


def large_product(factor: float) -> SearchProblem:
    """A matrix product in half precision whose result is at most 640 times `factor`."""
    values = [helper.make_tensor_value_info(n, HALF, [4, 16] if n == "x" else [16, 4]) for n in "xw"]
    made = helper.make_tensor_value_info("y", HALF, [4, 4])
    model = helper.make_model(helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g", values, [made]))
    x = Leaf("x", (4, 16), "FLOAT16", -10.0, 10.0)
    w = Leaf("w", (16, 4), "FLOAT16", -4.0 * factor, 4.0 * factor, "parameter", np.zeros((16, 4), np.float16), True)
    problem = SearchProblem(ir.from_proto(model), (x, w), ("x", "w"), ("y",), target_of("MatMul", -1, False))
    return replace(problem, far_below=65504.0**0.75)


@pytest.mark.parametrize(("factor", "most", "found"), [(1.0, 3, False), (40.0, 12, False), (200.0, 12, True)])
def test_a_search_that_stays_far_from_an_overflow_makes_no_other_start(
    factor: float, most: int, found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    descents = []
    descend = search._descend
    monkeypatch.setattr(search, "_descend", lambda *a: descents.append(a) or descend(*a))
    points = list(search.candidates(large_product(factor), 0, math.inf))
    assert bool(points) is found
    assert len(descents) <= most
    assert found or len({str(a[1:3]) for a in descents}) == len(descents)  # no descent twice


@pytest.mark.parametrize("op", ["Div", "ReduceMean", "CumSum", "Attention", "Exp"])
def test_the_size_of_a_result_tells_nothing_where_it_is_no_sum_or_product(op: str) -> None:
    b = Builder()
    x = b.input("x", (4, 4))
    graph = b.graph(b.op(op, x, x, name="made"), b.op("Mul", x, x, name="product"))
    overflows = (
        Alarm("numerical/overflow", n, -1, Interval(0.0, math.inf, False), "", "float16") for n in list(graph.graph)[:2]
    )
    assert [far_below(graph, w) > 0 for w in overflows] == [False, True]
