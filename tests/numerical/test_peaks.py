"""Rows that reach something: sums of what is normalised in turns stay away from 0, and only those."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, rules, run
from containment import outside
from test_relations import engine

from analyzer.graph import Graph


def sinkhorn(*, softmax: bool = True, rows_first: bool = False, rounds: int = 4) -> Graph:
    """Shares normalised over rows and columns in turns."""
    b = Builder()
    x = b.input("x", (6, 5))
    q = b.op("Softmax", x, axis=1) if softmax else b.op("Sigmoid", x)
    for turn in range(rounds):
        axis = (turn + rows_first) % 2
        total = b.op("ReduceSum", q, b.const([1 - axis], np.int64), name=f"sum{turn}")
        q = b.op("Div", b.op("Div", q, total, name=f"div{turn}"), b.const(3.0))
    return b.graph(q)


SCORES = {"x": (-200, 200)}


def test_only_the_first_sum_over_samples_may_be_0() -> None:
    assert rules(sinkhorn(), SCORES) == [("division-by-zero", "div1")]
    assert rules(sinkhorn(), {"x": (-20, 20)}) == []


def test_without_a_softmax_each_direction_may_be_0_once() -> None:
    assert rules(sinkhorn(softmax=False), SCORES) == [("division-by-zero", "div0"), ("division-by-zero", "div1")]


def test_a_sum_over_other_axes_or_of_differences_proves_nothing() -> None:
    b = Builder()
    share = b.op("Softmax", b.input("x", (6, 5)), axis=1)
    over = b.op("ReduceSum", share, b.const([0], np.int64))
    less = b.op("ReduceSum", b.op("Sub", share, b.const(0.1)), b.const([1], np.int64))
    graph = b.graph(b.op("Reciprocal", over, name="columns"), b.op("Reciprocal", less, name="differences"))
    assert rules(graph, SCORES) == [("division-by-zero", "columns"), ("division-by-zero", "differences")]


def test_of_no_rows_the_sum_is_0() -> None:
    b = Builder()
    chosen = b.op("Compress", b.op("Softmax", b.input("x", (6, 5)), axis=1), b.input("c", (6,), "bool"), axis=0)
    share = b.op("Softmax", chosen, axis=1)
    graph = b.graph(b.op("Reciprocal", b.op("ReduceSum", share, keepdims=0), name="total"))
    assert rules(graph, {**SCORES, "c": (0, 1)}) == [("division-by-zero", "total")]


@pytest.mark.parametrize("softmax", [True, False])
def test_no_run_leaves_the_bounds(softmax: bool) -> None:
    graph, rng = sinkhorn(softmax=softmax), np.random.default_rng(0)
    found, session = run(graph, {"x": (-30, 30)}, everything=True).values, engine(graph)
    for scale in (30.0, 3.0, 0.0):
        (result,) = session.run(None, {"x": rng.uniform(-scale, scale, (6, 5)).astype(np.float32)})
        assert outside(found[graph.graph.outputs[0]], result) == ""


def tempered(*, power: float = -5.0, subtract: str = "ReduceMax", sharp: float = -0.2) -> Graph:
    """``max(1 + c (x - max x), 0) ** p`` over its sum: a softmax of heavier or lighter tails."""
    b = Builder()
    x = b.input("x", (6, 5))
    below = b.op("Sub", x, b.op(subtract, x, b.const([1], np.int64)))
    scaled = b.op("Relu", b.op("Add", b.op("Mul", below, b.const(sharp)), b.const(1.0)))
    weights = b.op("Pow", scaled, b.const(power))
    total = b.op("ReduceSum", weights, b.const([1], np.int64))
    return b.graph(b.op("Div", weights, total, name="share"))


def test_the_element_at_the_maximum_keeps_the_sum_away_from_0() -> None:
    wide = {"x": (-1e9, 1e9)}
    assert rules(tempered(), wide) == []
    assert rules(tempered(power=2.0, sharp=0.5), wide) == []
    assert rules(tempered(subtract="ReduceMean", power=2.0, sharp=0.5), wide) == [("division-by-zero", "share")]
    graph = tempered()
    found, session = run(graph, wide, everything=True).values, engine(graph)
    for scale in (1e9, 1.0, 0.0):
        x = np.random.default_rng(0).uniform(-scale, scale, (6, 5)).astype(np.float32)
        assert outside(found[graph.graph.outputs[0]], session.run(None, {"x": x})[0]) == ""


def hot(*, numbers: tuple[int, ...] = (0, 1, 2), axis: int = 1) -> Graph:
    """What is divided by the sum of one-hot rows, as PyTorch's exporter writes them."""
    b = Builder()
    labels = b.op("Unsqueeze", b.input("labels", (4,), "int64"), b.const([-1], np.int64))
    rows = b.op("Cast", b.op("Cast", b.op("Equal", labels, b.const(numbers, np.int64)), to=7), to=1)
    return b.graph(b.op("Reciprocal", b.op("ReduceSum", rows, b.const([axis], np.int64)), name="share"))


def test_a_row_of_a_class_has_a_1() -> None:
    assert rules(hot(), {"labels": (0, 2)}) == []
    failing = [("division-by-zero", "share")]
    assert rules(hot(), {"labels": (0, 3)}) == failing
    assert rules(hot(numbers=(1, 2, 3)), {"labels": (0, 2)}) == failing
    assert rules(hot(axis=0), {"labels": (0, 2)}) == failing  # a class of which there is none


def sparsemax(
    *, shifted: bool = True, largest: int = 1, margin: float = 1.0, first: float = 1.0, **running: int
) -> Graph:
    """How many elements a sparse softmax keeps: those for which ``k x_k > sum of the k largest - 1``."""
    b = Builder()
    x = b.input("x", (3, 5))
    if shifted:
        x = b.op("Sub", x, b.op("ReduceMax", x, b.const([1], np.int64)))
    ranked, _ = b.op("TopK", x, b.const([5], np.int64), outputs=2, axis=1, largest=largest)
    sums = b.op("Sub", b.op("CumSum", ranked, b.const(1, np.int64), **running), b.const(margin))
    kept = b.op("Greater", b.op("Mul", b.const([first, 2, 3, 4, 5]), ranked), sums)
    size = b.op("ReduceSum", b.op("Cast", kept, to=1), b.const([1], np.int64))
    return b.graph(b.op("Reciprocal", size, name="share"))


def test_the_support_of_a_sparse_softmax_is_never_empty() -> None:
    assert rules(sparsemax(), SCORES) == []
    assert rules(sparsemax(margin=-1.0), SCORES) == [("division-by-zero", "share")]
    assert rules(sparsemax(shifted=False), {"x": (-2e9, 2e9)}) == [("division-by-zero", "share")]  # 1 is rounded away


def test_the_first_of_running_sums_is_the_first_element_whatever_is_added_up() -> None:
    failing = [("division-by-zero", "share")]
    assert rules(sparsemax(shifted=False), SCORES) == []
    assert rules(sparsemax(largest=0), SCORES) == []
    assert rules(sparsemax(shifted=False, first=1.5), SCORES) == failing
    assert rules(sparsemax(shifted=False, margin=-1e-3), SCORES) == failing
    assert rules(sparsemax(shifted=False, margin=1e-6), SCORES) == failing  # less than roundings
    assert rules(sparsemax(shifted=False, exclusive=1, margin=0.5), SCORES) == failing
    assert rules(sparsemax(shifted=False, reverse=1), SCORES) == failing


def test_no_sorted_or_running_value_leaves_its_part() -> None:
    graph, rng = sparsemax(), np.random.default_rng(3)
    found, session = run(graph, {"x": (-30, 30)}, everything=True).values, engine(graph)
    for scale in (30.0, 1.0, 0.1, 0.0):
        x = rng.uniform(-scale, scale, (3, 5)).astype(np.float32)
        (result,) = session.run(None, {"x": x})
        assert outside(found[graph.graph.outputs[0]], result) == ""


def similarity(
    *, rectified: bool = True, epsilon: float = 0.0, written: bool = False, mean: bool = True, axis: int = 0
) -> Graph:
    """The norm of the mean of rows that are divided by their norms, as one speaker's embedding is made of several."""
    b = Builder()
    x = b.input("x", (3, 8))
    x = b.op("Relu", x) if rectified else x
    along = b.const([1], np.int64)
    norm = b.op("ReduceL2", x, along)
    if written:
        norm = b.op("Sqrt", b.op("ReduceSum", b.op("Mul", x, x), along))
    norm = b.op("Add", norm, b.const(epsilon)) if epsilon else norm
    rows = b.op("Div", x, norm, name="rows")
    total = b.op("ReduceMean" if mean else "ReduceSum", rows, b.const([axis], np.int64), keepdims=0)
    if written:
        length = b.op("Sqrt", b.op("ReduceSum", b.op("Pow", total, b.const(2.0)), keepdims=0))
    else:
        length = b.op("ReduceL2", total, b.const([0], np.int64))
    return b.graph(b.op("Div", total, length, name="whole"), length)


EMBEDDINGS = {"x": (-100, 100)}


@pytest.mark.parametrize("written", [False, True])
@pytest.mark.parametrize("mean", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
def test_rows_of_norm_1_that_are_not_negative_do_not_cancel(written: bool, mean: bool, axis: int) -> None:
    assert rules(similarity(written=written, mean=mean, axis=axis), EMBEDDINGS) == [("division-by-zero", "rows")]


@pytest.mark.parametrize("options", [{"rectified": False}, {"epsilon": 1e-5}])
def test_rows_that_may_cancel_or_be_0_prove_nothing(options: dict) -> None:
    assert ("division-by-zero", "whole") in rules(similarity(**options), EMBEDDINGS)


@pytest.mark.parametrize("written", [False, True])
@pytest.mark.parametrize("mean", [False, True])
def test_no_run_has_a_shorter_mean_than_is_said(written: bool, mean: bool) -> None:
    """At random, and where rows have one element, equal elements, different ones each, or nearly underflow."""
    graph, rng = similarity(written=written, mean=mean), np.random.default_rng(0)
    found, session = run(graph, EMBEDDINGS, everything=True).values, engine(graph)
    apart = np.zeros((3, 8), np.float32)
    apart[np.arange(3), np.arange(3)] = 1
    points = [apart, np.ones((3, 8)), apart * 100, apart * 1e-18, apart * 2e-19, np.full((3, 8), 1e-18)]
    points += [rng.uniform(-s, s, (3, 8)) + rng.choice([0, s]) for s in (100, 1, 1e-3, 1e-12, 1e-18) for _ in range(40)]
    least, seen = np.inf, 0
    for x in points:
        whole, length = session.run(None, {"x": np.clip(x, -100, 100).astype(np.float32)})
        if np.isfinite(whole).all():
            seen += 1
            least = min(least, float(length.min()))
            for output, value in zip(graph.graph.outputs, (whole, length), strict=True):
                assert outside(found[output], value) == ""
    assert seen > 100
    assert 0 < found[graph.graph.outputs[1]].low <= least < (1 if mean else 3)


def test_shares_of_what_is_always_0_fail_once_and_no_rule_raises() -> None:
    b = Builder()
    nothing = b.op("Relu", b.op("Neg", b.op("Relu", b.input("x", (6, 2)))))
    axis = b.const([1], np.int64)
    share = b.op("Div", nothing, b.op("ReduceSum", nothing, axis), name="first")
    again = b.op("Div", share, b.op("ReduceSum", share, axis), name="second")
    found = run(b.graph(again), SCORES)
    assert [w.node.name for w in found.warnings if w.root is None] == ["first"]
    assert not found.failed_rules


def classes_met(depth: int = 3) -> Graph:
    """One over the number of classes of which some label is, as losses of proxies have it."""
    b = Builder()
    labels = b.input("labels", (6,), "int64")
    rows = b.op("OneHot", labels, b.const(depth, np.int64), b.const([0.0, 1.0]), axis=-1)
    counts = b.op("ReduceSum", rows, b.const([0], np.int64), keepdims=0)
    met = b.op("Not", b.op("Equal", counts, b.const(0.0)))
    total = b.op("ReduceSum", b.op("Cast", met, to=1), b.const([0], np.int64), keepdims=0)
    return b.graph(b.op("Reciprocal", total, name="share"))


def test_some_class_has_a_label_unless_labels_lie_outside() -> None:
    assert rules(classes_met(), {"labels": (0, 2)}) == []
    assert rules(classes_met(), {"labels": (0, 3)}) == [("division-by-zero", "share")]
    assert rules(classes_met(2), {"labels": (0, 2)}) == [("division-by-zero", "share")]


@pytest.mark.parametrize("seed", range(3))
def test_no_run_of_classes_leaves_the_bounds(seed: int) -> None:
    graph = classes_met()
    known = run(graph, {"labels": (0, 2)}, everything=True).values[graph.graph.outputs[0]]
    labels = np.random.default_rng(seed).integers(0, 3, 6) if seed else np.full(6, 1)
    (result,) = engine(graph).run(None, {"labels": labels})
    assert outside(known, result) == ""


def extreme_of_sums(axis: int, over: list[int] | None, *, op: str = "ReduceMax", signed: bool = False) -> Graph:
    """1 / extreme of the sums of a softmax over rows, along `axis`."""
    b = Builder()
    share = b.op("Softmax", b.input("x", (2, 6, 5)), axis=2)
    share = b.op("Sub", share, b.const(0.3)) if signed else b.op("Abs", share)
    sums = b.op("ReduceSum", share, b.const([axis], np.int64), keepdims=0)
    extreme = b.op(op, sums, *([] if over is None else [b.const(over, np.int64)]), name="extreme")
    return b.graph(b.op("Reciprocal", extreme, name="last"))


@pytest.mark.parametrize(("axis", "over"), [(1, None), (1, [1]), (2, None), (1, [0, 1])])
def test_the_greatest_sum_of_columns_is_no_less_than_the_greatest_share(axis: int, over: list[int] | None) -> None:
    """The first scaling of an iterated pseudo-inverse: each row has an element of a fifth or more."""
    graph = extreme_of_sums(axis, over)
    assert rules(graph, SCORES) == []
    rng = np.random.default_rng(3)
    tensor = run(graph, SCORES, everything=True).values[graph.graph.outputs[0]]
    for scale in (1, 30, 200):
        x = rng.uniform(-scale, scale, (2, 6, 5)).astype(np.float32)
        assert not outside(tensor, engine(graph).run(None, {"x": x})[0])


def test_smallest_sums_other_axes_and_differences_may_be_0() -> None:
    told = [("division-by-zero", "last")]
    assert rules(extreme_of_sums(1, None, op="ReduceMin"), SCORES) == told
    assert rules(extreme_of_sums(1, [0]), SCORES) == told
    assert rules(extreme_of_sums(1, None, signed=True), SCORES) == told


def greatest_kept(*, compare: str = "GreaterOrEqual", limit: str = "least of the first", axis: int = 1) -> Graph:
    """Shares of which those below some element of their row are set to 0, over what is left of their sum."""
    b = Builder()
    share = b.op("Softmax", b.input("x", (3, 9)), axis=1)
    first, _ = b.op("TopK", share, b.const([4], np.int64), outputs=2, axis=1)
    along = b.const([axis], np.int64)
    if limit == "least of the first":
        least = b.op("ReduceMin", first, b.const([1], np.int64))
    else:
        least = b.op("ReduceMax", share, along) if limit == "greatest" else b.op("Mul", b.input("y", (3, 1)), share)
    keeps = compare in ("GreaterOrEqual", "Greater", "LessOrEqual, turned")
    name, _, turned = compare.partition(",")
    condition = b.op(name, *((least, share) if turned else (share, least)))
    sides = (share, b.const(0.0)) if keeps else (b.const(0.0), share)
    total = b.op("ReduceSum", b.op("Where", condition, *sides), b.const([1], np.int64))
    return b.graph(b.op("Reciprocal", total, name="share"))


WIDE = {**SCORES, "y": (0, 2)}


@pytest.mark.parametrize("compare", ["GreaterOrEqual", "LessOrEqual, turned", "Less", "Greater, turned"])
def test_the_greatest_of_a_row_is_not_below_any_of_it(compare: str) -> None:
    graph = greatest_kept(compare=compare)
    assert rules(graph, WIDE) == []
    assert rules(greatest_kept(compare=compare, limit="greatest"), WIDE) == []
    found, session = run(graph, {"x": (-30, 30)}, everything=True).values, engine(graph)
    for scale in (30.0, 1.0, 0.0):
        x = np.random.default_rng(0).uniform(-scale, scale, (3, 9)).astype(np.float32)
        assert outside(found[graph.graph.outputs[0]], session.run(None, {"x": x})[0]) == ""


def test_what_may_set_a_whole_row_to_0_proves_nothing() -> None:
    unsafe = [("division-by-zero", "share")]
    assert rules(greatest_kept(compare="Greater"), WIDE) == unsafe  # of equal shares none is greater
    assert rules(greatest_kept(compare="LessOrEqual"), WIDE) == unsafe
    assert rules(greatest_kept(limit="another"), WIDE) == unsafe
    assert rules(greatest_kept(limit="greatest", axis=0), WIDE) == unsafe
