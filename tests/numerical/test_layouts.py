"""Relations survive concatenation, splitting, slicing, gathering and reordering; defective twins are found."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, bounds, rules

from analyzer.numerical import Partitioning

RANGE = {"x": (-50, 50), "y": (-50, 50)}


def positive(b: Builder, value: str) -> str:
    """log(value + 1): safe only if value > -1 is known."""
    return str(b.op("Log", b.op("Add", value, b.const(1.0)), name="log"))


def inputs() -> tuple[Builder, str, str]:
    b = Builder()
    return b, b.input("x", ("n", 4)), b.input("y", ("n", 4))


def test_blocks_of_a_concatenation_cancel_one_by_one() -> None:
    b, x, y = inputs()
    first = b.op("Concat", b.op("Relu", x), b.op("Relu", y), axis=1)
    for second, expected in (((x, y), []), ((y, x), [("log-of-nonpositive", "log")])):
        c = Builder()
        c.__dict__.update({k: list(v) for k, v in b.__dict__.items()})
        difference = c.op("Sub", first, c.op("Concat", *second, axis=1))
        assert rules(c.graph(positive(c, difference)), RANGE) == expected


def test_partitions_are_what_proves_it() -> None:
    b, x, y = inputs()
    both = b.op("Sub", b.op("Concat", b.op("Relu", x), y, axis=1), b.op("Concat", x, y, axis=1))
    graph = b.graph(positive(b, both))
    assert rules(graph, RANGE) == []
    assert rules(graph, RANGE, partitioning=Partitioning.SMASH) == [("log-of-nonpositive", "log")]


@pytest.mark.parametrize("parts", [2, 12])
def test_splitting_what_was_joined(parts: int) -> None:
    b = Builder()
    names = [b.input(f"x{i}", ("n", 1)) for i in range(parts)]
    rectified = b.op("Split", b.op("Relu", b.op("Concat", *names, axis=1)), axis=1, outputs=parts, num_outputs=parts)
    difference = b.op("Sub", rectified[1], names[1])
    ranges = dict.fromkeys(names, (-50, 50))
    assert rules(b.graph(positive(b, difference)), ranges) == []
    c = Builder()
    names = [c.input(f"x{i}", ("n", 1)) for i in range(parts)]
    rectified = c.op("Split", c.op("Relu", c.op("Concat", *names, axis=1)), axis=1, outputs=parts, num_outputs=parts)
    wrong = c.op("Sub", rectified[1], names[0])
    assert rules(c.graph(positive(c, wrong)), ranges) == [("log-of-nonpositive", "log")]


def rearranged(b: Builder, how: str, value: str) -> str:
    if how == "transpose":
        return str(b.op("Transpose", value, perm=[1, 0]))
    if how == "reshape":
        return str(b.op("Reshape", value, b.const([-1], np.int64)))
    if how == "gather":
        return str(b.op("Gather", value, b.const([2, 0], np.int64), axis=1))
    if how == "slice":
        return str(b.op("Slice", value, b.const([1], np.int64), b.const([3], np.int64), b.const([1], np.int64)))
    if how == "unsqueeze":
        return str(b.op("Unsqueeze", value, b.const([1], np.int64)))
    return str(b.op("Tile", value, b.const([2, 1], np.int64)))


HOW = ["transpose", "reshape", "gather", "slice", "unsqueeze", "tile"]


@pytest.mark.parametrize("how", HOW)
def test_affine_forms_survive_rearrangement(how: str) -> None:
    b, x, y = inputs()
    total = b.op("Add", b.op("Relu", x), y)
    difference = b.op("Sub", rearranged(b, how, total), rearranged(b, how, b.op("Add", x, y)))
    low, high = bounds(b.graph(difference), RANGE)
    assert low == pytest.approx(0, abs=1e-3)
    assert high == pytest.approx(50, abs=1e-3)


@pytest.mark.parametrize("how", HOW)
def test_another_arrangement_is_another_value(how: str) -> None:
    b, x, y = inputs()
    other = {"transpose": "reshape", "gather": "slice"}.get(how, how)
    first, second = rearranged(b, how, b.op("Relu", x)), rearranged(b, other, y if other == how else x)
    if other != how:
        first, second = b.op("ReduceMax", first, keepdims=0), b.op("ReduceMax", second, keepdims=0)
    low, _ = bounds(b.graph(b.op("Sub", first, second)), RANGE)
    assert low <= -50


def test_a_broadcast_variable_is_told_apart_after_reordering() -> None:
    """relu(row) added to two matrices of unlike shape: the reshaped sums do not cancel."""
    b = Builder()
    row, a, c = b.input("row", (2,)), b.input("a", (3, 2)), b.input("c", (2, 3, 2))
    wanted = b.const([6], np.int64)
    first = b.op("Sub", b.op("Reshape", b.op("Add", row, a), wanted), b.op("Reshape", a, wanted))
    tall = b.op("Reshape", b.op("Sub", b.op("Add", row, c), c), b.const([2, 6], np.int64))
    last = b.op("Gather", tall, b.const([0, 0, 0, 0, 0, 0], np.int64), axis=1)
    low, high = bounds(b.graph(b.op("Sub", first, last)), {"row": (-1, 1), "a": (0, 1), "c": (0, 1)})
    assert low <= -2
    assert high >= 2


def test_part_of_a_gathered_stack() -> None:
    b, x, y = inputs()
    stack = b.op(
        "Concat", b.op("Unsqueeze", x, b.const([0], np.int64)), b.op("Unsqueeze", y, b.const([0], np.int64)), axis=0
    )
    first = b.op("Gather", b.op("Exp", b.op("Neg", b.op("Abs", stack))), b.const(1, np.int64), axis=0)
    total = b.op("Add", first, b.op("Sub", b.op("Exp", b.op("Neg", b.op("Abs", y))), first))
    assert rules(b.graph(b.op("Reciprocal", b.op("Add", total, b.const(1e-3)))), RANGE) == []


def test_softmax_by_hand_over_one_part_of_a_mixture_head() -> None:
    """The logits are part of a wide layer, as in mixture density networks."""
    b, x, y = inputs()
    wide = b.op("Concat", b.op("Tanh", y), x, axis=1)
    logits = b.op("Slice", wide, b.const([4], np.int64), b.const([8], np.int64), b.const([1], np.int64))
    shifted = b.op("Sub", logits, b.op("ReduceMax", logits, b.const([1], np.int64)))
    e = b.op("Exp", shifted)
    weights = b.op("Div", e, b.op("ReduceSum", e, b.const([1], np.int64)))
    assert rules(b.graph(weights), {"x": (-1e4, 1e4), "y": (-1e4, 1e4)}) == []


def test_draws_without_operands_end_the_search() -> None:
    b, x, _ = inputs()
    noise = b.op("RandomUniform", shape=[4])
    joined = b.op("Concat", b.op("Add", x, noise), x, axis=1)
    graph = b.graph(b.op("Log", joined, name="log"))
    assert rules(graph, {"x": (0, 1)}) == [("log-of-nonpositive", "log")]
