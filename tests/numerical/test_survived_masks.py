"""Layers that share a mask fail together: a run that survives the first softmax has no row of which all is hidden."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from build import Builder, bounds, rules, run
from programs import session as session_of

from analyzer.graph import Graph
from analyzer.numerical.transfer.survived_masks import hidden_by

RANGES = {"x": (-3.0, 3.0), "y": (-3.0, 3.0), "mask": (0.0, 1.0), "other": (0.0, 1.0)}
FAILS = "softmax-of-minus-infinity"


def session(graph: Graph) -> Any:
    return session_of(ir.to_proto(graph.model), False)


def hidden(b: Builder, scores: str, mask: str, how: str) -> str:
    """Scores (2, 2, 3, 4) of which a mask (2, 4) hides keys, as one batch of heads."""
    spread = b.op("Unsqueeze", b.op("Unsqueeze", mask, b.const([1], np.int64)), b.const([2], np.int64))
    if how == "filled":
        filled = b.op("Where", spread, b.const(-np.inf), scores)
    elif how == "kept":
        filled = b.op("Where", spread, scores, b.const(-np.inf))
    else:
        filled = b.op("Add", scores, b.op("Where", spread, b.const(-np.inf), b.const(0.0)))
    return str(b.op("Reshape", filled, b.const([4, 3, 4], np.int64)))


def two_layers(how: str, second: str = "mask") -> Builder:
    b = Builder()
    x, y = b.input("x", (2, 2, 3, 4)), b.input("y", (2, 2, 3, 4))
    masks = {name: b.input(name, (2, 4), "bool") for name in dict.fromkeys(("mask", second))}
    b.op("Softmax", hidden(b, x, masks["mask"], how), axis=-1, name="first")
    b.op("Softmax", hidden(b, y, masks[second], how), axis=-1, name="second")
    return b


@pytest.mark.parametrize("how", ["filled", "kept", "added"])
def test_a_shared_mask_fails_once(how: str) -> None:
    b = two_layers(how)
    assert rules(b.graph(f"v{len(b.nodes) - 1}_0"), RANGES) == [(FAILS, "first")]


def test_another_mask_fails_by_itself() -> None:
    b = two_layers("filled", "other")
    assert rules(b.graph(f"v{len(b.nodes) - 1}_0"), RANGES) == [(FAILS, "first"), (FAILS, "second")]


def test_the_same_mask_that_hides_the_rest_fails_by_itself() -> None:
    b = Builder()
    x, y, mask = b.input("x", (2, 2, 3, 4)), b.input("y", (2, 2, 3, 4)), b.input("mask", (2, 4), "bool")
    b.op("Softmax", hidden(b, x, mask, "filled"), axis=-1, name="first")
    graph = b.graph(b.op("Softmax", hidden(b, y, mask, "kept"), axis=-1, name="second"))
    assert rules(graph, RANGES) == [(FAILS, "first"), (FAILS, "second")]


@pytest.mark.parametrize("how", ["filled", "kept", "added"])
def test_the_second_fails_in_no_run_that_survives_the_first(how: str) -> None:
    b = two_layers(how)
    first, second = (n.output[0] for n in b.nodes if n.name in ("first", "second"))
    runs, rng, survived = session(b.graph(first, second)), np.random.default_rng(3), 0
    for _ in range(300):
        given = {n: rng.uniform(-3, 3, (2, 2, 3, 4)).astype(np.float32) for n in ("x", "y")}
        one, two = runs.run(None, {**given, "mask": rng.random((2, 4)) < rng.random()})
        if np.isfinite(one).all():
            survived += 1
            assert np.isfinite(two).all()
    assert 20 < survived < 300


def decayed(keep: np.ndarray) -> Builder:
    """Masks of decay, as retention has them: ``exp(where(keep, distance, inf) * decay)`` over its rows' roots."""
    b = Builder()
    places = np.arange(6, dtype=np.float32)
    distances = b.op("Sub", b.const(places[:, None]), b.const(places))
    masked = b.op("Where", b.const(keep, np.bool_), distances, b.const(np.inf))
    decay = b.const(np.array([-0.03, -0.016]).reshape(2, 1, 1))
    weights = b.op("Exp", b.op("Mul", masked, decay))
    total = b.op("Sqrt", b.op("ReduceSum", weights, b.const([-1], np.int64), keepdims=1))
    b.op("Div", weights, total, name="div")
    return b


def test_a_constant_mask_that_leaves_each_row_an_element() -> None:
    b = decayed(np.tril(np.ones((6, 6), bool)))
    graph = b.graph(f"v{len(b.nodes) - 1}_0")
    assert rules(graph, {}) == []
    low, high = bounds(graph, {})
    assert low <= 0 < 0.4 < high


def test_a_constant_mask_that_leaves_one_row_nothing() -> None:
    b = decayed(np.tril(np.ones((6, 6), bool), -1))
    assert ("division-by-zero", "div") in rules(b.graph(f"v{len(b.nodes) - 1}_0"), {})


def test_choices_of_known_operands_are_as_runs_have_them() -> None:
    rng = np.random.default_rng(5)
    for _ in range(40):
        b = Builder()
        keep = rng.random((4, 5)) < 0.5
        chosen = b.op(
            "Where",
            b.const(keep, np.bool_),
            b.const(rng.normal(size=(4, 5))),
            b.const(rng.choice([-np.inf, np.inf, 2.0])),
        )
        scaled = b.op("Mul", chosen, b.const(rng.choice([-1.0, 1.0], (3, 1, 1)) * rng.uniform(0.5, 2.0)))
        graph = b.graph(b.op("Tanh", scaled))
        found = run(graph, {}, everything=True).values[graph.graph.outputs[0]]
        (result,) = session(graph).run(None, {})
        assert found.low <= result.min()
        assert result.max() <= found.high
        for least, most, axes in found.facts.get("attained", ()):
            some = (result >= least - 1e-6) & (result <= most + 1e-6)
            assert np.any(some, axis=tuple(axes)).all()


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_a_cross_entropy_is_not_negative(reduction: str) -> None:
    b = Builder()
    x, labels = b.input("x", (2, 3, 4, 4)), b.input("labels", (2, 4, 4), "int64")
    graph = b.graph(b.op("SoftmaxCrossEntropyLoss", x, labels, reduction=reduction, ignore_index=255))
    ranges = {"x": (-2000.0, 2000.0), "labels": (0, 2)}
    low, high = bounds(graph, ranges)
    assert low == 0
    assert high >= 4000
    runs, rng = session(graph), np.random.default_rng(1)
    for _ in range(50):
        scores = (rng.normal(size=(2, 3, 4, 4)) * 10.0 ** rng.uniform(-8, 3)).astype(np.float32)
        (loss,) = runs.run(None, {"x": scores, "labels": rng.integers(0, 3, (2, 4, 4))})
        assert loss.min() >= 0


def test_weights_of_either_sign_make_it_negative() -> None:
    b = Builder()
    x, labels = b.input("x", (2, 3)), b.input("labels", (2,), "int64")
    graph = b.graph(b.op("SoftmaxCrossEntropyLoss", x, labels, b.const([1.0, -1.0, 1.0]), reduction="none"))
    assert bounds(graph, {"x": (-20.0, 20.0), "labels": (0, 2)})[0] <= -40


def sources(b: Builder) -> list[Any]:
    """What hides the scores of each softmax."""
    found = run(b.graph(f"v{len(b.nodes) - 1}_0"), RANGES)
    return [hidden_by(x) for v, x in found.values.items() if any(u.node.op_type == "Softmax" for u in v.uses())]


@pytest.mark.parametrize("how", ["filled", "kept", "added"])
def test_scores_that_the_same_mask_hides_are_told(how: str) -> None:
    first, second = sources(two_layers(how))
    assert first
    assert first == second


@pytest.mark.parametrize("how", ["filled", "added"])
def test_scores_of_different_masks_are_told_apart(how: str) -> None:
    first, second = sources(two_layers(how, "other"))
    assert all((first, second))
    assert first != second


def test_scores_that_more_hides_are_told_apart() -> None:
    b = Builder()
    x, y, mask = b.input("x", (2, 2, 3, 4)), b.input("y", (2, 2, 3, 4)), b.input("mask", (2, 4), "bool")
    b.op("Softmax", hidden(b, x, mask, "filled"), axis=-1, name="first")
    more = b.op("Where", b.op("Greater", y, b.const(1.0)), b.const(-np.inf), y)
    b.op("Softmax", hidden(b, more, mask, "filled"), axis=-1, name="second")
    first, second = sources(b)
    assert all((first, second))
    assert first != second
