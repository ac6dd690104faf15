"""Failures that a bound or a test for NaN throws away: none on the way forward, and what takes their place counts."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, bounds, rules, run

from analyzer.graph import Graph
from analyzer.graph.model import FX_NODE


def leaks(graph: Graph, ranges: dict[str, tuple[float, float]]) -> list[str]:
    """Operators that fail on the way back alone."""
    assert rules(graph, ranges) == []
    return [w.node.name or "" for w in run(graph, ranges).warnings if w.rule == "numerical/where-leaks-nan-gradient"]


def test_a_clipped_global_norm_is_finite_at_zero() -> None:
    b = Builder()
    norm = b.op("Sqrt", b.op("ReduceSumSquare", b.input("x", (3,)), keepdims=0))
    scale = b.op("Min", b.op("Div", b.const(1.0), norm, name="div"), b.const(0.2))
    graph = b.graph(scale)
    assert leaks(graph, {"x": (-5, 5)}) == ["div"]
    assert bounds(graph, {"x": (-5, 5)})[1] == pytest.approx(0.2)


def test_the_bound_of_a_logarithm_is_among_its_results() -> None:
    b = Builder()
    limited = b.op("Max", b.op("Log", b.input("p", (3,)), name="log"), b.const(-300.0))
    assert leaks(b.graph(limited), {"p": (0, 1)}) == ["log"]
    low, high = bounds(b.graph(limited), {"p": (0, 1)})
    assert low <= -300
    assert high == 0


@pytest.mark.parametrize("bound", ["Min", "Add"])
def test_a_logarithm_bounded_on_the_other_side_still_fails(bound: str) -> None:
    b = Builder()
    graph = b.graph(b.op(bound, b.op("Log", b.input("p", (3,)), name="log"), b.const(-0.5)))
    assert rules(graph, {"p": (0, 1)}) == [("log-of-nonpositive", "log")]


def test_a_logarithm_of_negative_numbers_is_not_bounded_by_a_maximum() -> None:
    b = Builder()
    graph = b.graph(b.op("Max", b.op("Log", b.input("p", (3,)), name="log"), b.const(-300.0)))
    assert ("log-of-nonpositive", "log") in rules(graph, {"p": (-1, 1)})


def replaced(test: str, **how: int) -> Builder:
    b = Builder()
    x, y = b.input("x", (3,)), b.input("y", (3,))
    quotient = b.op("Div", x, y, name="div")
    b.op("Where", b.op(test, quotient, **how), b.const(7.0), quotient)
    return b


def test_a_test_for_nan_alone_lets_infinity_through() -> None:
    graph = replaced("IsNaN").graph("v2_0")
    assert rules(graph, {"x": (-1, 1), "y": (0, 1)}) == [("division-by-zero", "div")]


def test_what_takes_the_place_of_nan_and_infinity_is_seen() -> None:
    b = replaced("IsNaN")
    finite = b.op("Clip", "v2_0", b.const(-9.0), b.const(9.0))
    graph = b.graph(finite)
    assert leaks(graph, {"x": (-1, 1), "y": (0, 1)}) == ["div"]
    assert bounds(graph, {"x": (-1, 1), "y": (0, 1)}) == (-9, 9)
    small = bounds(graph, {"x": (0, 0), "y": (0, 1)})
    assert small[0] <= 0
    assert small[1] >= 7


def test_infinite_degrees_replaced_by_zero() -> None:
    b = Builder()
    degree = b.op("Pow", b.input("d", (3,)), b.const(-0.5), name="pow")
    kept = b.op("Where", b.op("Equal", degree, b.const(np.inf)), b.const(0.0), degree)
    graph = b.graph(b.op("Mul", kept, b.const(2.0)))
    assert leaks(graph, {"d": (0, 4)}) == ["pow"]
    low, high = bounds(graph, {"d": (0, 4)})
    assert low == 0
    assert np.isfinite(high)


@pytest.mark.parametrize(("call", "safe"), [("scaled_dot_product_attention", True), ("softmax", False)])
def test_attention_of_pytorch_gives_0_to_a_row_without_keys(call: str, safe: bool) -> None:
    b = Builder()
    masked = b.op("Where", b.input("m", (3,), "bool"), b.input("s", (2, 3)), b.const(-np.inf))
    graph = b.graph(b.op("Softmax", masked, axis=-1, name="softmax"))
    for node in graph.nodes():
        node.metadata_props[FX_NODE] = f"%one : call_function[target=torch.ops.aten.{call}.default](args = ())"
    assert rules(graph, {"s": (-5, 5)}) == ([] if safe else [("softmax-of-minus-infinity", "softmax")])


@pytest.mark.parametrize(("upper", "k", "safe"), [(1, 1, True), (1, 0, False), (0, -1, True), (0, 0, False)])
def test_rows_of_a_causal_mask_keep_an_element(upper: int, k: int, safe: bool) -> None:
    b = Builder()
    full = b.op("Expand", b.const(-np.inf), b.const([4, 4], np.int64))
    mask = b.op("Trilu", full, b.const(k, np.int64), upper=upper)
    graph = b.graph(b.op("Softmax", b.op("Add", b.input("s", (2, 4, 4)), mask), axis=-1, name="softmax"))
    assert rules(graph, {"s": (-5, 5)}) == ([] if safe else [("softmax-of-minus-infinity", "softmax")])


def test_a_selection_that_is_certain_is_its_branch() -> None:
    """TensorFlow's logsumexp replaces a maximum that is not finite by 0."""
    b = Builder()
    x, axis = b.input("x", (3, 4)), b.const([1], np.int64)
    most = b.op("ReduceMax", x, axis)
    shown = b.op("Where", b.op("Not", b.op("IsInf", most)), most, b.const(0.0))
    total = b.op("ReduceSum", b.op("Exp", b.op("Sub", x, shown)), axis)
    assert rules(b.graph(b.op("Log", total)), {"x": (-100, 100)}) == []


def test_a_bound_that_takes_its_type_from_the_failing_value_is_a_bound() -> None:
    b = Builder()
    quotient = b.op("Reciprocal", b.op("Abs", b.input("x", (3,))), name="reciprocal")
    bound = b.op("CastLike", b.const(0.2), quotient)
    graph = b.graph(b.op("Clip", quotient, "", bound))
    assert leaks(graph, {"x": (-5, 5)}) == ["reciprocal"]


@pytest.mark.parametrize(("lowest", "failing"), [(0, []), (-1, [("log-of-nonpositive", "log")])])
def test_what_has_the_probability_0_is_never_drawn(lowest: float, failing: list[tuple[str, str]]) -> None:
    """Exporters write ``torch.multinomial(p)`` as ``Multinomial(Log(p))``: -inf there is a 0 in the program."""
    b = Builder()
    drawn = b.op("Multinomial", b.op("Log", b.input("p", (2, 3)), name="log"), sample_size=1)
    graph = b.graph(b.op("Cast", drawn, to=1))
    assert rules(graph, {"p": (lowest, 1)}) == failing
    assert [w.rule for w in run(graph, {"p": (0, 1)}).warnings] == []
