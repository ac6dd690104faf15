"""Failures that reach no result: every excuse holds in random runs, and what once was excused wrongly is found."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest
import torch
from build import Builder, rules, run
from excused_programs import check_excused, executed
from onnx import numpy_helper
from sampling import Tally

from analyzer.graph import Graph

SEEDS = range(150)


@pytest.mark.parametrize("block", range(5))
def test_what_is_excused_is_finite_and_inside_its_bounds_in_random_runs(block: int) -> None:
    tally = Tally(problems=[])
    for seed in SEEDS:
        check_excused(np.random.default_rng([block, seed]), 4, tally)
    assert tally.problems == []
    assert tally.flagged > 5


def failing(graph: Graph, ranges: dict[str, tuple[float, float]]) -> bool:
    return bool(rules(graph, ranges))


def test_what_a_quotient_says_of_an_infinite_limit() -> None:
    """A case that asks for -inf divided by what is below 0 had no bounds but NaN."""
    tally = Tally(problems=[])
    check_excused(np.random.default_rng([1387485592, 305, 1, 3]), 6, tally)
    assert tally.checks > 0
    assert tally.problems == []


@pytest.mark.parametrize("factor", [None, 2.0, 0.5])
def test_a_factor_before_the_bound_makes_no_difference(factor: float | None) -> None:
    b = Builder()
    scale = b.op("Div", b.const(1.0), b.op("ReduceL2", b.input("x", (3,)), keepdims=0))
    scale = scale if factor is None else b.op("Mul", b.const(factor), scale)
    assert not failing(b.graph(b.op("Min", scale, b.const(0.2))), {"x": (-1, 1)})


def test_a_quotient_is_replaced_where_its_denominator_is_0() -> None:
    b = Builder()
    x, y, zero = b.input("x", (3,)), b.input("y", (3,)), b.const(0.0)
    graph = b.graph(b.op("Where", b.op("Equal", y, zero), zero, b.op("Div", x, y)))
    assert not failing(graph, {"x": (-1, 1), "y": (-1, 1)})
    assert any("takes its other branch" in str(e) for e in run(graph, {"x": (-1, 1), "y": (-1, 1)}).excuses)
    wrong = Builder()
    x, y, zero = wrong.input("x", (3,)), wrong.input("y", (3,)), wrong.const(0.0)
    other = wrong.graph(wrong.op("Where", wrong.op("Equal", x, zero), zero, wrong.op("Div", x, y)))
    assert failing(other, {"x": (-1, 1), "y": (-1, 1)})


def softmax_of(masks: str) -> Graph:
    b = Builder()
    scores, minus, zero = b.input("s", (2, 3)), b.const(-np.inf), b.const(0.0)
    if masks == "draws":
        p = b.const(np.full((2, 3), 0.5))
        first, second = (b.op("Cast", b.op("Bernoulli", p), to=9) for _ in "ab")
    elif masks == "unnamed":
        first, second = (b.op("Not", b.input(n, (2, 3), "bool")) for n in "mn")
    else:
        values = [np.ones((2, 3), bool), np.ones((2, 3), bool)]
        values[1][0] = False
        first, second = (b.op("Constant", value=numpy_helper.from_array(v)) for v in values)
    rows = b.op("Softmax", b.op("Where", first, minus, scores), axis=-1, name="softmax")
    graph = b.graph(b.op("Where", first if masks == "same" else second, zero, rows))
    for node in graph.nodes() if masks == "unnamed" else ():
        node.name = None
        if node.op_type == "Not":
            node.outputs[0].name = None
    return graph


@pytest.mark.parametrize("masks", ["draws", "unnamed", "constants"])
def test_two_masks_are_not_one(masks: str) -> None:
    """Two draws, two values without names, and two constants of which the graph prints the same."""
    graph = softmax_of(masks)
    found = run(graph, {"s": (-1, 1)})
    assert [w.rule for w in found.warnings if not w.backward] == ["numerical/softmax-of-minus-infinity"]
    assert found.failed_rules == ()


def test_a_constant_mask_is_a_mask() -> None:
    assert not failing(softmax_of("same"), {"s": (-1, 1)})


def test_many_readers_are_looked_at_once_each() -> None:
    """Each level reads the one before twice: 2 ** 40 paths, 40 values."""
    b = Builder()
    x, zero = b.input("x", (3,)), b.const(0.0)
    value = b.op("Reciprocal", x)
    for _ in range(40):
        value = b.op("Add", value, value)
    graph = b.graph(b.op("Where", b.op("Greater", x, zero), value, zero))
    assert not failing(graph, {"x": (-1, 1)})


def test_a_bound_that_fails_with_it_is_no_bound() -> None:
    b = Builder()
    value = b.op("Log", b.op("Abs", b.input("x", (3,))), name="log")
    graph = b.graph(b.op("Max", b.op("Mul", value, b.const(3.0)), value))
    assert failing(graph, {"x": (-1, 1)})


def test_a_condition_that_rests_on_a_later_failure_excuses_nothing() -> None:
    """Where 1 / z is infinite the quotient is taken, and y may be 0 there."""
    b = Builder()
    y, z = b.input("y", (3,)), b.input("z", (3,))
    quotient = b.op("Div", y, y, name="div")
    taken = b.op("IsInf", b.op("Reciprocal", z))
    graph = b.graph(b.op("Where", taken, quotient, b.const(3.0)))
    assert rules(graph, {"y": (-1, 1), "z": (-1, 1)}) == [("division-by-zero", "div")]


def test_rows_of_nan_are_seen_by_what_asks_for_them() -> None:
    b = Builder()
    rows = b.op("Softmax", b.op("Where", b.input("m", (2, 3), "bool"), b.const(-np.inf), b.const(1.0)))
    graph = b.graph(b.op("Where", b.op("IsNaN", rows), b.const(7.0), rows))
    found = run(graph, {})
    assert found.excuses
    assert found.values[graph.graph.outputs[0]].high == 7


@pytest.mark.parametrize("added", [False, True])
def test_only_a_mask_that_is_selected_stops_the_gradient(added: bool) -> None:
    """Rows of NaN are dropped either way; an added mask hands the gradient of NaN on to the scores."""
    b = Builder()
    mask, scores, minus = b.input("m", (2, 3), "bool"), b.input("s", (2, 3)), b.const(-np.inf)
    masked = b.op("Where", mask, minus, b.const(0.0) if added else scores)
    rows = b.op("Softmax", b.op("Add", scores, masked) if added else masked, name="softmax")
    found = run(b.graph(b.op("Where", b.op("Not", mask), rows, b.const(0.0))), {"s": (-1, 1)})
    assert len(found.excuses) == 1
    assert [w.rule for w in found.warnings] == (["numerical/where-leaks-nan-gradient"] if added else [])
    s = torch.zeros(2, 3, requires_grad=True)
    m = torch.tensor([[True, True, True], [True, False, False]])
    shift = torch.where(m, torch.tensor(-torch.inf), 0.0 if added else s)
    torch.where(~m, torch.softmax(s + shift if added else shift, -1), 0.0).square().sum().backward()
    assert s.grad is not None
    assert bool(s.grad.isnan().any()) == added


@pytest.mark.parametrize("second", [False, True])
def test_every_result_of_the_operator_is_followed(second: bool) -> None:
    """TensorFlow's cross entropy gives the gradient besides."""
    b = Builder()
    logits = b.op("Where", b.input("m", (2, 3), "bool"), b.const(-np.inf), b.const(1.0))
    loss, gradient = b.op("SoftmaxCrossEntropyWithLogits", logits, b.input("p", (2, 3)), outputs=2)
    b.nodes[-1].domain = "tf"
    kept = [b.op("Where", b.op("IsNaN", v), b.const(7.0), v) for v in (loss, gradient)]
    graph = b.graph(kept[0], gradient if second else kept[1])
    assert failing(graph, {"p": (0, 1)}) == second
    found = run(graph, {"p": (0, 1)}).values[graph.graph.outputs[1]]
    assert second or found.high == 7


def test_a_selection_of_rows_excuses_no_column() -> None:
    """TensorFlow's Select with a condition of one axis takes whole rows."""
    b = Builder()
    x, y = b.input("x", (3, 3)), b.input("y", (3,))
    zero = b.op("Equal", y, b.const(0.0))
    b.op("Select", zero, b.const(np.zeros((3, 3))), b.op("Div", x, y))
    b.nodes[-1].domain = "tf"
    assert failing(b.graph(b.nodes[-1].output[0]), {"x": (-1, 1), "y": (-1, 1)})


@pytest.mark.parametrize(("compared", "told"), [("y", False), ("x", True)])
def test_a_selection_of_elements_excuses_where_its_condition_says_so(compared: str, told: bool) -> None:
    """TensorFlow's Select with a condition for each element: what fails is not known when its rank is asked for."""
    b = Builder()
    x, y = b.input("x", (3, 1)), b.input("y", (3, 1))
    above = b.op("Greater", x if compared == "x" else y, b.const(0.0))
    quotient = b.op("Div", b.const(1.0), y)
    b.nodes[-1].domain, b.nodes[-1].op_type = "tf", "RealDiv"
    chosen = b.op("Select", above, quotient, b.const(np.zeros((3, 1))))
    b.nodes[-1].domain = "tf"
    graph = b.graph(chosen)
    for value in (quotient, chosen):
        next(v for n in graph.graph for v in n.outputs if v.name == value).shape = ir.Shape((3, 1))
    assert failing(graph, {"x": (-1, 1), "y": (-1, 1)}) == told


def test_the_sum_of_one_minus_zero_is_none_of_plus_zero() -> None:
    b = Builder()
    total = b.op("ReduceSum", b.op("Relu", b.input("x", (3, 1))), b.const([1], np.int64))
    graph = b.graph(b.op("Min", b.op("Reciprocal", total), b.const(0.2)))
    assert failing(graph, {"x": (-1, 1)})
    assert executed(graph, {"x": np.full((3, 1), -0.0, np.float32)})[0].min() == -np.inf


def test_half_precision_has_nothing_between_0_and_its_least_number() -> None:
    b = Builder()
    x, zero = b.input("x", (3,), "float16"), b.const(0, np.float16)
    graph = b.graph(b.op("Where", b.op("Equal", x, zero), zero, b.op("Div", b.const(1, np.float16), x)))
    assert not failing(graph, {"x": (-1, 1)})


@pytest.mark.parametrize("other", [False, True])
def test_elements_of_a_constant_denominator_are_chosen_by_its_own_condition(other: bool) -> None:
    """Where y > 0 takes x / y; another table's condition takes it where y is 0 as well."""
    b = Builder()
    y = b.op("Identity", b.const([[1.0, 0.0, 1.0]]))
    table = b.op("Identity", b.const([[1.0, 1.0, 0.0]])) if other else y
    quotient = b.op("Div", b.input("x", (2, 3)), y, name="div")
    graph = b.graph(b.op("Where", b.op("Greater", table, b.const(0.0)), quotient, b.const(0.0)))
    assert bool(failing(graph, {"x": (-1, 1)})) == other


def test_a_value_that_may_be_nan_is_in_none_of_the_cases() -> None:
    b = Builder()
    x, z = b.input("x", (3,)), b.input("z", (3,))
    lost = b.op("Div", b.const(0.0), z)  # excused: one reader asks whether it is NaN, the other leaves it out
    kept = b.op("Where", b.op("IsNaN", x), lost, x)
    chosen = b.op("Where", b.op("Not", b.op("IsNaN", lost)), b.const(-2.0), kept)
    graph = b.graph(b.op("Log", b.op("Abs", chosen), name="log"))
    assert rules(graph, {"x": (-2, 3), "z": (-3, 3)}) == [("log-of-nonpositive", "log")]
