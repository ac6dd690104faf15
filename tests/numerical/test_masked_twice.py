"""What a mask has set to 0 is the same behind the mask once more, so that its maximum is that of what it was."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, rules, run

from analyzer.graph import Graph

SIZES = {"distance": (-5000, 5000), "labels": (0, 9), "others": (0, 9), "weight": (0, 1)}


def weights(case: str) -> Graph:
    """exp(d - max(d m)), where d = x m: the weights of a triplet loss, as they are often written."""
    b = Builder()
    x = b.input("distance", (4, 4))
    labels, others = b.input("labels", (4, 1), "int64"), b.input("others", (1, 4), "int64")
    mask = b.op("Cast", b.op("Equal", labels, others), to=1)
    again = mask
    if case == "another mask":
        again = b.op("Cast", b.op("Greater", labels, others), to=1)
    if case == "a share":
        mask = again = b.input("weight", (4, 4))
    masked = b.op("Mul", x, mask)
    if case == "negated":
        masked = b.op("Neg", masked)
    most = b.op("ReduceMax", b.op("Mul", masked, again), b.const([1], np.int64), keepdims=1)
    return b.graph(b.op("Exp", b.op("Sub", masked, most)))


@pytest.mark.parametrize("case", ["plain", "negated"])
def test_weights_of_masked_distances_do_not_overflow(case: str) -> None:
    assert rules(weights(case), SIZES) == []


@pytest.mark.parametrize("case", ["another mask", "a share"])
def test_what_is_masked_by_something_else_may_be_smaller(case: str) -> None:
    assert [rule for rule, _ in rules(weights(case), SIZES)] == ["exp-overflow"]


def test_a_mask_that_makes_more_rows_is_not_left_out() -> None:
    b = Builder()
    x, labels = b.input("distance", (1, 4)), b.input("labels", (1, 4), "int64")
    mask = b.op("Cast", b.op("Equal", labels, b.const(3, np.int64)), to=1)
    wide = b.op("Expand", b.op("Mul", x, mask), b.const([3, 4], np.int64))
    result = run(b.graph(b.op("Mul", wide, mask)), SIZES)
    (value,) = [t for v, t in result.values.items() if v.is_graph_output()]
    assert value.shape == (3, 4)
