"""A mask that is set in one place of each row at most hides no row of two elements or more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from build import Builder, rules, run
from test_relations import engine

from analyzer.graph import Graph

FAILS = {"softmax-of-minus-infinity", "extremum-of-infinity"}
RANGES = {"x": (-50.0, 50.0), "label": (0.0, 9.0)}
INT64, FLOAT16, FLOAT, BOOL = 7, 10, 1, 9


def places(b: Builder, n: int, way: str, label: str) -> str:
    """A mask (3, n) of the place of each row's label."""
    numbers: Any = np.arange(n)
    column = b.op("Unsqueeze", label, b.const([1], np.int64))
    if way == "one hot":
        return b.op("OneHot", label, b.const(n, np.int64), b.const([0, 1], np.int64))
    if way == "alike":
        numbers = numbers // 2
    if way == "range":
        row = b.op("Range", *(b.const(v, np.int64) for v in (0, n, 1)))
    elif way == "coarse":  # float16 does not tell them apart
        column = b.op("Cast", column, to=FLOAT16)
        row = b.op("Cast", b.op("Range", *(b.const(v, np.int64) for v in (4096, 4096 + n, 1))), to=FLOAT16)
    else:
        row = b.const(numbers, np.int64)
    if way == "unlike":
        return b.op("Not", b.op("Equal", column, row))
    return b.op("Equal", column, row)


def passed(b: Builder, mask: str, how: str) -> str:
    match how:
        case "whole":
            return b.op("Cast", b.op("Cast", mask, to=INT64), to=BOOL)
        case "compared":
            return b.op("Greater", b.op("Cast", mask, to=FLOAT), b.const(0.5))
        case "twice":
            return b.op("Not", b.op("Not", b.op("Cast", mask, to=BOOL)))
    return b.op("Cast", mask, to=BOOL)


def filled(n: int, way: str, how: str = "", *, reader: str = "ReduceLogSumExp", kept: bool = False) -> Graph:
    b = Builder()
    x, label = b.input("x", (3, n)), b.input("label", (3,), "int64")
    mask, hidden = passed(b, places(b, n, way, label), how), b.const(-np.inf)
    if kept:
        rest = b.op("Where", b.op("Not", mask), x, hidden)
    else:
        rest = b.op("Where", mask, hidden, x)
    rest = b.op("Div", rest, b.const(2.0))
    if reader == "Softmax":
        return b.graph(b.op("Softmax", rest, axis=-1))
    return b.graph(b.op(reader, rest, b.const([1], np.int64), keepdims=0))


@pytest.mark.parametrize("reader", ["ReduceLogSumExp", "ReduceMax", "Softmax"])
@pytest.mark.parametrize("how", ["", "whole", "compared", "twice"])
@pytest.mark.parametrize("way", ["numbers", "range", "one hot"])
def test_one_hidden_element_leaves_the_others(way: str, how: str, reader: str) -> None:
    assert rules(filled(5, way, how, reader=reader), RANGES) == []
    assert rules(filled(5, way, how, reader=reader, kept=True), RANGES) == []


@pytest.mark.parametrize(("n", "way"), [(1, "numbers"), (1, "one hot"), (2, "alike"), (5, "unlike"), (2, "coarse")])
def test_rows_that_a_mask_may_hide_are_told(n: int, way: str) -> None:
    ranges = {**RANGES, "label": (4000.0, 4200.0)} if way == "coarse" else RANGES
    assert {rule for rule, _ in rules(filled(n, way), ranges)} & FAILS


def test_what_is_left_bounds_the_greatest() -> None:
    graph = filled(5, "numbers", reader="ReduceMax")
    found = run(graph, RANGES, everything=True).values[graph.graph.outputs[0]]
    assert (found.low, found.high) == (-25, 25)


def test_unlike_numbers_are_somewhere_unlike() -> None:
    b = Builder()
    label = b.op("Unsqueeze", b.input("label", (3,), "int64"), b.const([1], np.int64))
    mask = b.op("NotEqual", label, b.const(np.arange(4), np.int64), domain="tf")
    total = b.op("ReduceSum", b.op("Cast", mask, to=FLOAT), b.const([1], np.int64), keepdims=0)
    assert rules(b.graph(b.op("Log", total)), RANGES) == []


@pytest.mark.parametrize("seed", range(30))
def test_no_run_of_what_is_proved_fails(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 5))
    ways, hows = ["numbers", "range", "one hot", "alike", "unlike"], ["", "whole", "compared", "twice"]
    graph = filled(n, str(rng.choice(ways)), str(rng.choice(hows)), kept=bool(rng.integers(2)))
    if rules(graph, RANGES):
        return
    for _ in range(5):
        fed = {"x": rng.uniform(-50, 50, (3, n)).astype(np.float32), "label": rng.integers(0, 10, 3)}
        (result,) = engine(graph).run(None, fed)
        assert np.isfinite(result).all()
