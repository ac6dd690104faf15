"""Means of the rows that a mask selects, in a branch that is taken where some are, with twins that prove nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from build import Builder, rules
from onnx import TensorProto, helper, numpy_helper

RANGES = {"x": (-10.0, 10.0), "i": (0.0, 2.0)}
N = helper.make_node


def branch(nodes: list[Any], output: str) -> Any:
    shape = helper.make_tensor_value_info(output, TensorProto.FLOAT, None)
    return helper.make_graph(nodes, output, [], [shape])


def number(name: str, value: Any, dtype: Any = np.int64) -> Any:
    return N("Constant", [], [name], value=numpy_helper.from_array(np.asarray(value, dtype)))


def model(compare: str, limit: int, *, mean_where: bool = True, asked: str = "i", size: str = "Shape") -> Any:
    """A variance of the rows of x whose number is 1, where that many others compare so with a limit."""
    b = Builder()
    x, i = b.input("x", (6, 3)), b.input("i", (6,), "int64")
    found = {"i": b.op("NonZero", b.op("Equal", i, b.const(1, np.int64)))}
    found["other"] = b.op("NonZero", b.op("Equal", i, b.const(2, np.int64)))
    rows = b.op("Gather", x, b.op("Reshape", found["i"], b.const([-1], np.int64)), axis=0)
    if size == "Shape":
        many = b.op("Gather", b.op("Shape", found[asked]), b.const(1, np.int64))
    else:
        many = b.op("Size", rows)
    condition = b.op(compare, many, b.const(limit, np.int64))
    mean = [
        number("axes", [0]),
        N("ReduceMean", [rows, "axes"], ["m"], keepdims=1),
        N("Sub", [rows, "m"], ["d"]),
        N("Mul", ["d", "d"], ["s"]),
        N("ReduceMean", ["s", "axes"], ["v"], keepdims=1),
    ]
    plain = [number("zeros", np.zeros((1, 3)), np.float32), N("Identity", ["zeros"], ["z"])]
    sides = [branch(mean, "v"), branch(plain, "z")]
    if not mean_where:
        sides.reverse()
    return b.graph(b.op("If", condition, then_branch=sides[0], else_branch=sides[1]))


@pytest.mark.parametrize("size", ["Shape", "Size"])
@pytest.mark.parametrize(
    ("compare", "limit", "where"), [("Greater", 0, True), ("GreaterOrEqual", 1, True), ("Equal", 0, False)]
)
def test_a_branch_that_asks_for_rows_has_some(compare: str, limit: int, where: bool, size: str) -> None:
    assert rules(model(compare, limit, mean_where=where, size=size), RANGES) == []


@pytest.mark.parametrize(
    ("compare", "limit", "options"),
    [
        ("Greater", 0, {"mean_where": False}),
        ("GreaterOrEqual", 0, {}),
        ("Greater", -1, {}),
        ("Less", 7, {}),
        ("Greater", 0, {"asked": "other"}),
    ],
)
def test_other_conditions_say_nothing_of_the_rows(compare: str, limit: int, options: dict[str, Any]) -> None:
    assert {rule for rule, _ in rules(model(compare, limit, **options), RANGES)} == {"empty-mean"}


def test_behind_the_branch_nothing_is_known_of_the_rows() -> None:
    """Both branches give the rows, and so do the operators after them, which fail where there are none."""
    b = Builder()
    x, i = b.input("x", (6, 3)), b.input("i", (6,), "int64")
    found = b.op("NonZero", b.op("Equal", i, b.const(1, np.int64)))
    rows = b.op("Gather", x, b.op("Reshape", found, b.const([-1], np.int64)), axis=0)
    some = b.op("Greater", b.op("Gather", b.op("Shape", found), b.const(1, np.int64)), b.const(0, np.int64))
    sides = [branch([N("Identity", [rows], [name])], name) for name in ("t", "e")]
    chosen = b.op("If", some, then_branch=sides[0], else_branch=sides[1])
    axes = b.const([0], np.int64)
    graph = b.graph(b.op("ReduceMean", chosen, axes, name="chosen"), b.op("ReduceMean", rows, axes, name="rows"))
    assert rules(graph, RANGES) == [("empty-mean", "chosen"), ("empty-mean", "rows")]
