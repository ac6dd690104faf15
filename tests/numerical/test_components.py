"""An element of a row is no larger than a norm of the row: what is proved, and that it holds."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, bounds


def quotient(picked: str, norm: str, shape: tuple[int, int] = (4, 3)) -> tuple[float, float]:
    b = Builder()
    x = b.input("x", shape)
    axis = b.const([0 if "other axis" in norm else 1], np.int64)
    keep = int("kept" in norm)
    if "root" in norm:
        square = b.op("Mul", x, x)
        below = b.op("Sqrt", b.op("Add", b.op("ReduceSum", square, axis, keepdims=keep), b.const(1e-6)))
    elif "one" in norm:
        below = b.op("Add", b.op("ReduceL1", x, axis, keepdims=keep), b.const(1e-6))
    else:
        below = b.op("Add", b.op("ReduceL2", x, axis, keepdims=keep), b.const(1e-6))
    if picked == "slice":
        a = b.op("Slice", x, b.const([1], np.int64), b.const([3], np.int64), b.const([1], np.int64))
    elif picked == "row":
        a = b.op("Gather", x, b.const(1, np.int64), axis=0)
    else:
        a = b.op("Gather", x, b.const(1, np.int64), axis=1)
    if picked == "absolute":
        a = b.op("Abs", a)
    elif picked == "part":
        a = b.op("Mul", b.op("Neg", a), b.const(0.5))
    elif picked == "twice":
        a = b.op("Mul", a, b.const(2.0))
    return bounds(b.graph(b.op("Div", a, below)), {"x": (-10, 10)})


@pytest.mark.parametrize("norm", ["root", "one", "two"])
@pytest.mark.parametrize("picked", ["element", "absolute"])
def test_an_element_over_a_norm_of_its_row_is_at_most_one(picked: str, norm: str) -> None:
    low, high = quotient(picked, norm)
    assert -1.00001 <= low <= (0 if picked == "absolute" else -0.99)
    assert 0.99 <= high <= 1.00001


def test_so_are_several_elements_over_a_norm_that_is_kept() -> None:
    assert quotient("slice", "root kept")[1] <= 1.00001


@pytest.mark.parametrize(
    ("picked", "norm", "shape"),
    [("twice", "root", (4, 3)), ("element", "root other axis", (3, 3)), ("row", "root", (3, 3))],
)
def test_elements_of_other_rows_are_not(picked: str, norm: str, shape: tuple[int, int]) -> None:
    """The denominators are those of other elements: x = 10 beside a row of zeros gives 10 000."""
    assert quotient(picked, norm, shape)[1] > 1.5


def test_a_part_of_an_element_stays_a_part() -> None:
    low, high = quotient("part", "root")
    assert 0.49 <= high <= 0.5001
    assert -0.5001 <= low <= -0.49
