"""Softmax and cross entropy by the distance to one place of each row: its greatest element, or its label."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, bounds, rules

from analyzer.graph import Graph

RANGES = {"x": (-50.0, 50.0), "y": (-50.0, 50.0), "label": (0.0, 4.0)}


def running(b: Builder, size: int = 5) -> str:
    return str(b.op("Range", b.const(0, np.int64), b.const(size, np.int64), b.const(1, np.int64)))


def log_softmax(how: str = "ArgMax", of: str = "x", keepdims: int = 1, places: str = "running") -> Graph:
    """``x - max - log1p(sum of the others)``, where the maximum is gathered at its place."""
    b = Builder()
    x = b.input("x", (4, 5))
    other = b.input("y", (4, 5))
    at = b.op(how, x if of == "x" else other, axis=1, keepdims=keepdims)
    if not keepdims:
        at = b.op("Unsqueeze", at, b.const([1], np.int64))
    every = running(b) if places == "running" else b.const([0, 1, 2, 2, 4], np.int64)
    greatest = b.op("Equal", every, at)
    shifted = b.op("Where", greatest, b.const(0.0), b.op("Sub", x, b.op("GatherElements", x, at, axis=1)))
    rest = b.op("Where", greatest, b.const(-np.inf), shifted)
    others = b.op("ReduceLogSumExp", rest, b.const([1], np.int64), name="logsumexp")
    return b.graph(b.op("Exp", b.op("Sub", shifted, b.op("Softplus", others)), name="exp"))


def test_no_share_of_a_softmax_is_more_than_1() -> None:
    assert rules(log_softmax(), RANGES) == []
    assert bounds(log_softmax(), RANGES)[1] <= 1.001


@pytest.mark.parametrize("how", [{"how": "ArgMin"}, {"of": "y"}])
def test_beside_another_element_than_the_greatest_it_may_overflow(how: dict[str, str]) -> None:
    assert bounds(log_softmax(**how), RANGES)[1] > 1e30


def gathered_maximum(axis: int = 1, shape: tuple[int, ...] = (4, 1, 3)) -> Graph:
    """A sum of exponentials of distances to the maximum, gathered at a place whose axis is put back."""
    b = Builder()
    x = b.input("x", (4, 5, 3))
    place = b.op("Reshape", b.op("ArgMax", x, axis=axis, keepdims=0), b.const(shape, np.int64))
    greatest = b.op("GatherElements", x, place, axis=1)
    total = b.op("ReduceSum", b.op("Exp", b.op("Sub", x, greatest), name="exp"), b.const([1], np.int64))
    return b.graph(b.op("Log", total, name="log"))


def test_a_maximum_is_gathered_where_the_axis_of_its_place_is_put_back() -> None:
    assert rules(gathered_maximum(), RANGES) == []


def test_a_place_along_another_axis_is_none_of_the_greatest() -> None:
    assert ("exp-overflow", "exp") in rules(gathered_maximum(axis=2, shape=(4, 5, 1)), RANGES)


def cross_entropy(classes: int = 5, every: str = "running", hidden: float = -np.inf) -> Graph:
    """The distances of all other scores to the label's."""
    b = Builder()
    x, label = b.input("x", (4, classes)), b.input("label", (4, 1), "int64")
    repeated = [1] * classes if every == "equal" else [0, 1, 1, 1, 4][:classes]
    row = running(b, classes) if every == "running" else b.const(repeated, np.int64)
    away = b.op("Sub", x, b.op("GatherElements", x, label, axis=1))
    rest = b.op("Where", b.op("Equal", row, label), b.const(hidden), away)
    return b.graph(b.op("ReduceLogSumExp", rest, b.const([1], np.int64), name="logsumexp"))


def test_a_mask_of_one_place_leaves_the_others() -> None:
    assert rules(cross_entropy(), RANGES) == []


@pytest.mark.parametrize(("classes", "every"), [(1, "running"), (3, "equal"), (3, "repeated")])
def test_a_mask_may_hide_a_row_of_one_place_or_of_equal_numbers(classes: int, every: str) -> None:
    """Where 1 stands in two places of three, one is left."""
    ranges = {**RANGES, "label": (0.0, classes - 1.0)}
    told = [] if every == "repeated" else [("extremum-of-infinity", "logsumexp")]
    assert rules(cross_entropy(classes, every), ranges) == told
