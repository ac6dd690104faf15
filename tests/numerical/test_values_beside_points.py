"""Values that are an interval beside single points: what an excused failure gives beside ordinary results."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, bounds, rules

from analyzer.graph import Graph

RANGES = {"c": (0.0, 20.0), "d": (-10.0, 10.0)}


def expected_score(
    shift: float = 1.0, after: str = "", base: float = 0.0
) -> tuple[Graph, dict[str, tuple[float, float]]]:
    """`1 / (shift + c ** d)`: where c is 0, or -0, and d below it the power is infinite of either sign."""
    b = Builder()
    power = b.op("Pow", b.input("c", (3,)), b.input("d", (3,)), name="pow")
    score = b.op("Reciprocal", b.op("Add", b.const(shift), power), name="reciprocal")
    if after:
        score = b.op(after, score, name="after")
    return b.graph(score), {**RANGES, "c": (base, 20.0)}


def test_what_is_added_to_an_infinite_power_is_not_0() -> None:
    assert rules(*expected_score()) == []
    low, high = bounds(*expected_score())
    assert (low, high) == pytest.approx((0.0, 1.0), abs=1e-6)


def test_the_root_of_its_reciprocal_is_safe() -> None:
    assert rules(*expected_score(after="Sqrt")) == []


def test_its_logarithm_is_not() -> None:
    assert ("log-of-nonpositive", "after") in rules(*expected_score(after="Log"))


def test_a_constant_that_reaches_below_0_may_meet_the_power() -> None:
    assert ("division-by-zero", "reciprocal") in rules(*expected_score(-1.0))


def test_a_base_below_0_is_another_matter() -> None:
    assert {node for _, node in rules(*expected_score(base=-1.0))} & {"pow", "reciprocal"}


@pytest.mark.parametrize("view", ["Reshape", "Transpose", "Identity"])
def test_points_stay_beside_what_is_only_moved(view: str) -> None:
    b = Builder()
    power = b.op("Pow", b.input("c", (2, 3)), b.input("d", (2, 3)), name="pow")
    moved = b.op(view, *([power, b.const([6], np.int64)] if view == "Reshape" else [power]))
    graph = b.graph(b.op("Reciprocal", b.op("Add", b.const(1.0), moved), name="reciprocal"))
    assert rules(graph, RANGES) == []


def test_a_sum_of_both_infinities_is_nan() -> None:
    b = Builder()
    c, d = b.input("c", (3,)), b.input("d", (3,))
    first, second = b.op("Pow", c, d, name="pow"), b.op("Pow", b.input("e", (3,)), d, name="other")
    graph = b.graph(b.op("Reciprocal", b.op("Add", first, second), name="reciprocal"))
    assert rules(graph, {**RANGES, "e": (0.0, 20.0)}) != []
