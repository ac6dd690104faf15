"""Masks made of places by arithmetic, by padding and by thresholds that are elements of their row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from build import Builder, rules, run
from hypothesis import given
from hypothesis import strategies as st
from test_relations import engine

from analyzer.graph import Graph

EMPTY = "softmax-of-minus-infinity"
N = 12
RANGES: dict[str, Any] = {"x": (-50.0, 50.0), "mask": (0.0, 1.0), "t": (-50.0, 50.0)}


def whole(b: Builder, value: Any) -> str:
    return b.op("Cast", b.const(value, np.int64), to=7)


def masked(b: Builder, mask: str, x: str) -> Graph:
    scores = b.op("Div", b.op("Where", mask, x, b.const(-np.inf)), b.const(2.0))
    return b.graph(b.op("Softmax", scores, axis=-1))


def window(way: str) -> Graph:
    b = Builder()
    x = b.input("x", (2, N, N))
    rows, columns = b.const(np.arange(N)[:, None], np.int64), b.const(np.arange(N)[None], np.int64)
    apart = b.op("Sub", rows, columns)
    match way:
        case "behind":
            mask = b.op("And", b.op("GreaterOrEqual", apart, whole(b, 0)), b.op("Less", apart, whole(b, 4)))
        case "around":
            mask = b.op("LessOrEqual", b.op("Abs", apart), whole(b, 2))
        case "ahead":
            mask = b.op("Greater", b.op("Neg", apart), whole(b, -1))
        case "blocks":
            mask = b.op("Equal", b.op("Div", rows, whole(b, 4)), b.op("Div", columns, whole(b, 4)))
        case "every third":
            mask = b.op("Equal", b.op("Mod", apart, whole(b, 3)), whole(b, 0))
        case "weighed":
            mask = b.op("Greater", b.op("Mul", b.op("Add", apart, whole(b, 1)), whole(b, 2)), whole(b, 0))
        case "strictly behind":
            mask = b.op("Greater", apart, whole(b, 0))
        case "far":
            mask = b.op("Greater", b.op("Abs", apart), whole(b, 6))
        case "another third":
            mask = b.op("Equal", b.op("Mod", columns, whole(b, 3)), b.op("Mul", rows, whole(b, 0)))
            mask = b.op("And", mask, b.op("Greater", apart, whole(b, 0)))
        case "other blocks":
            mask = b.op(
                "Equal", b.op("Div", rows, whole(b, 4)), b.op("Add", b.op("Div", columns, whole(b, 4)), whole(b, 1))
            )
        case _:
            raise ValueError(way)
    return masked(b, mask, x)


SHOWN = ["behind", "around", "ahead", "blocks", "every third", "weighed"]
HIDDEN = ["strictly behind", "far", "another third", "other blocks"]


@pytest.mark.parametrize("way", SHOWN)
def test_places_that_are_computed_show_something_of_every_row(way: str) -> None:
    assert rules(window(way), RANGES) == []
    (result,) = engine(window(way)).run(None, {"x": np.zeros((2, N, N), np.float32)})
    assert np.isfinite(result).all()


@pytest.mark.parametrize("way", HIDDEN)
def test_places_that_are_computed_and_leave_out_a_row_are_told(way: str) -> None:
    assert EMPTY in {rule for rule, _ in rules(window(way), RANGES)}
    (result,) = engine(window(way)).run(None, {"x": np.zeros((2, N, N), np.float32)})
    assert np.isnan(result).any()


@pytest.mark.parametrize(("pads", "value", "safe"), [
    ([0, 1, 0, 0], True, True), ([0, 0, 0, 2], True, True), ([1, 1, 0, 0], True, True),
    ([0, 1, 0, 0], False, False), ([1, 0, 0, 0], True, False), ([0, 1, 0, -1], True, False),
])  # fmt: skip
def test_what_is_padded_with_true_is_somewhere_true(pads: list[int], value: bool, safe: bool) -> None:
    b = Builder()
    size = (2 + pads[0] + pads[2], 5 + pads[1] + pads[3])
    x, mask = b.input("x", size), b.input("mask", (2, 5), "bool")
    padded = b.op("Pad", mask, b.const(pads, np.int64), b.const(value, bool))
    assert [rule for rule, _ in rules(masked(b, padded, x), RANGES)] == ([] if safe else [EMPTY])


def threshold(question: str, of: str, *, largest: int = 1) -> Graph:
    b = Builder()
    x = b.input("x", (3, 6))
    values, _ = b.op("TopK", x, b.const([4], np.int64), outputs=2, axis=-1, largest=largest)
    last = b.op("Slice", values, b.const([3], np.int64), b.const([4], np.int64), b.const([1], np.int64))
    if of == "another":
        last = b.input("t", (3, 1))
    if of == "above":
        last = b.op("Add", last, b.const(1.0))
    compared = b.op(question, x, last)
    return masked(b, b.op("Not", compared) if question in ("Less", "Greater") else compared, x)


@pytest.mark.parametrize(("question", "largest"), [("Less", 1), ("Greater", 0), ("GreaterOrEqual", 1)])
def test_an_element_of_a_row_is_a_threshold_that_one_passes(question: str, largest: int) -> None:
    assert rules(threshold(question, "row", largest=largest), RANGES) == []


@pytest.mark.parametrize("of", ["another", "above"])
def test_another_threshold_may_hide_a_row(of: str) -> None:
    assert EMPTY in {rule for rule, _ in rules(threshold("Less", of), RANGES)}


def test_an_element_is_not_above_itself() -> None:
    b = Builder()
    x = b.input("x", (3, 6))
    top = b.op("ReduceMax", x, b.const([1], np.int64), keepdims=1)
    assert EMPTY in {rule for rule, _ in rules(masked(b, b.op("Greater", x, top), x), RANGES)}


NUMPY = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Mod": np.mod}


@given(seed=st.integers(0, 2**32 - 1))
def test_known_numbers_are_those_of_the_engine(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kind = rng.choice(["int64", "float32"])
    left = rng.integers(-9, 10, (3, 1)) * int(rng.choice([1, 10**6, 2**23 + 1]))
    right = rng.integers(1, 9, (1, 4)) * rng.choice([-1, 1], (1, 4))
    op = str(rng.choice(["Add", "Sub", "Mul", "Div", "Mod"] if kind == "int64" else ["Add", "Sub", "Mul"]))
    b = Builder()
    graph = b.graph(b.op(op, b.const(left, kind), b.const(right, kind)))
    known = run(graph, {}, everything=True).values[graph.graph.outputs[0]].data
    (result,) = engine(graph).run(None, {})
    assert known is None or np.array_equal(known, result)


@pytest.mark.parametrize(("kind", "safe"), [("apart", True), ("alike", True), ("never", False), ("unknown", False)])
def test_as_many_elements_as_a_known_mask_picks(kind: str, safe: bool) -> None:
    """What a mask of places leaves, in rows: their sums are not empty."""
    b = Builder()
    x = b.input("x", (N, N))
    places = b.op("Cast", b.op("Range", b.const(0.0), b.const(float(N)), b.const(1.0)), to=2)  # uint8
    column = b.op("Unsqueeze", places, b.const([1], np.int64))
    mask = b.op("Equal", column, places)
    if kind == "apart":
        mask = b.op("Not", mask)
    if kind == "never":
        mask = b.op("And", mask, b.op("Not", mask))
    if kind == "unknown":
        mask = b.op("Greater", x, b.const(0.0))
    picked = b.op("GatherND", x, b.op("Transpose", b.op("NonZero", mask), perm=[1, 0]))
    rows = b.op("Reshape", b.op("Exp", picked), b.const([N, -1], np.int64))
    total = b.op("ReduceSum", rows, b.const([1], np.int64), keepdims=0)
    graph = b.graph(b.op("Log", total, name="log"))
    assert rules(graph, {"x": (-20.0, 20.0)}) == ([] if safe else [("log-of-nonpositive", "log")])


def knots(rows: Any, apart: int, dtype: Any = np.float32, *, added: str = "") -> Graph:
    """Shares of the distance between knots of known rows, as bases of splines are computed."""
    b = Builder()
    grid = np.asarray(rows, dtype)
    size = grid.shape[1] - apart
    x, given = b.input("x", (grid.shape[0], size), np.dtype(dtype).name), b.const(grid, dtype)
    one = b.const([1], np.int64)
    later = b.op("Slice", given, b.const([apart], np.int64), b.const([size + apart], np.int64), one)
    sooner = b.op("Slice", given, b.const([0], np.int64), b.const([size], np.int64), one)
    wide = b.op("Sub", later, sooner)
    if added:
        wide = b.op("Add", later, b.op("Neg", b.input("w", (grid.shape[0], size), np.dtype(dtype).name)))
    return b.graph(b.op("Div", b.op("Sub", x, sooner), wide, name="share"))


EVEN = np.linspace(-2.2, 2.2, 12)[None].repeat(8, 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize("apart", [1, 3])
def test_known_knots_in_order_are_apart(apart: int, dtype: Any) -> None:
    for rows in (EVEN, -EVEN, np.sort(np.random.default_rng(0).normal(size=(5, 9)), 1) + 0.5 * np.arange(9)):
        assert rules(knots(rows, apart, dtype), RANGES) == []


def test_knots_that_meet_or_are_not_known_are_told() -> None:
    told = [("division-by-zero", "share")]
    met = np.sort(np.where(EVEN > 1.5, 1.4, EVEN), 1)
    assert rules(knots(met, 1), RANGES) == told
    assert rules(knots(np.where(np.arange(8)[:, None] == 3, EVEN[:, ::-1], EVEN), 3), RANGES) == told
    assert rules(knots(EVEN + 1e8, 1), RANGES) == told  # rounded to one number
    assert rules(knots(EVEN * 1e-40, 1, np.float64), RANGES) == []
    assert rules(knots(EVEN * 1e-38, 1), RANGES) == told  # engines may flush what is below the least normal number
    assert rules(knots(EVEN, 1, added="w"), {**RANGES, "w": (-2.2, 2.2)}) == told


@given(seed=st.integers(0, 2**32 - 1))
def test_no_known_difference_leaves_its_bounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    b = Builder()
    x = b.input("x", (3, 5))
    numbers = rng.normal(size=(2, 3, 5)) * 10.0 ** rng.integers(-6, 7)
    made = b.op(str(rng.choice(["Add", "Sub"])), b.const(numbers[0]), b.const(numbers[1][: rng.choice([1, 3])]))
    graph = b.graph(b.op("Add", b.op("Mul", x, b.const(0.0)), made))
    tensor = run(graph, RANGES, everything=True).values[graph.graph.outputs[0]]
    (result,) = engine(graph).run(None, {"x": np.zeros((3, 5), np.float32)})
    assert tensor.low <= result.min()
    assert result.max() <= tensor.high
