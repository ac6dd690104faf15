"""``x[mask] = v`` and ``x[mask]`` as PyTorch exports them: by the indices of what is not 0."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, bounds, rules, run
from containment import outside
from test_relations import engine

from analyzer.graph import Graph

RANGE = {"x": (-10, 10), "y": (-10, 10)}


def clipped(*, shape: tuple[int, ...] = (5, 4), mask: str = "x", value: float = 0.0) -> Graph:
    """``x[x < 0] = value`` and its root."""
    b = Builder()
    x = b.input("x", shape)
    of = x if mask == "x" else b.input("y", shape)
    places = b.op("Transpose", b.op("NonZero", b.op("Less", of, b.const(0.0))), perm=[1, 0])
    count = b.op("Shape", b.op("Slice", places, b.const([0], np.int64), b.const([1], np.int64), b.const([1], np.int64)))
    updates = b.op("Reshape", b.op("Expand", b.const(value), count), b.const([-1], np.int64))
    return b.graph(b.op("Sqrt", b.op("ScatterND", x, places, updates), name="root"))


@pytest.mark.parametrize("shape", [(6,), (5, 4), (2, 1, 3, 3)])
def test_what_is_negative_is_replaced(shape: tuple[int, ...]) -> None:
    assert rules(clipped(shape=shape), RANGE) == []
    assert bounds(clipped(shape=shape), RANGE)[0] == 0


def test_another_mask_or_a_negative_value_proves_nothing() -> None:
    assert rules(clipped(mask="y"), RANGE) == [("sqrt-of-negative", "root")]
    assert rules(clipped(value=-1.0), RANGE) == [("sqrt-of-negative", "root")]


def lengths(*, other: str = "gt", of: str = "x") -> Graph:
    """``d = zeros; d[x > y] = x[x > y] - y[x > y]`` of vectors, and its root."""
    b = Builder()
    x, y = b.input("x", (7,)), b.input("y", (7,))
    masks = {"gt": b.op("Greater", x, y), "lt": b.op("Less", x, y)}

    def places(mask: str) -> str:
        column = b.op("Transpose", b.op("NonZero", masks[mask]), perm=[1, 0])
        flat = b.op("Squeeze", column, b.const([1], np.int64))
        return str(b.op("Unsqueeze", flat, b.const([1], np.int64)))

    first, second = b.op("GatherND", x if of == "x" else y, places(other)), b.op("GatherND", y, places(other))
    made = b.op("ScatterND", b.const(np.zeros(7)), places("gt"), b.op("Sub", first, second))
    return b.graph(b.op("Sqrt", made, name="root"))


def test_differences_where_they_are_positive() -> None:
    assert rules(lengths(), RANGE) == []
    assert rules(lengths(other="lt"), RANGE) == [("sqrt-of-negative", "root")]


def test_what_is_gathered_by_a_mask_is_as_the_mask_says() -> None:
    def logarithms(least: float) -> Graph:
        b = Builder()
        x = b.input("x", (5, 4))
        places = b.op("Transpose", b.op("NonZero", b.op("Greater", x, b.const(least))), perm=[1, 0])
        return b.graph(b.op("Log", b.op("GatherND", x, places), name="log"))

    assert rules(logarithms(0.0), RANGE) == []
    assert rules(logarithms(-1.0), RANGE) == [("log-of-nonpositive", "log")]


def quotients(*, of: str = "x", either: bool = False) -> Graph:
    """``1 / x[(x != 0) & (y != 0)]``."""
    b = Builder()
    x, y = b.input("x", (5, 4)), b.input("y", (5, 4))
    apart = [b.op("Not", b.op("Equal", v, b.const(0.0))) for v in (x, y)]
    places = b.op("Transpose", b.op("NonZero", b.op("Or" if either else "And", *apart)), perm=[1, 0])
    chosen = b.op("GatherND", b.op("Add", x, b.const(1.0)) if of == "x + 1" else x, places)
    return b.graph(b.op("Div", b.const(1.0), chosen, name="quotient"))


def replaced(*, value: float = 1.0) -> Graph:
    """``x[x == 0] = value; y[y == 0] = x[y == 0]; 1 / y``."""
    b = Builder()
    x, y = b.input("x", (5,)), b.input("y", (5,))

    def places(of: str) -> str:
        return str(b.op("Transpose", b.op("NonZero", b.op("Equal", of, b.const(0.0))), perm=[1, 0]))

    first = places(x)
    count = b.op("Shape", b.op("Squeeze", first, b.const([1], np.int64)))
    x = b.op("ScatterND", x, first, b.op("Expand", b.const(value), count))
    y = b.op("ScatterND", y, places(y), b.op("GatherND", x, places(y)))
    return b.graph(b.op("Div", b.const(1.0), y, name="quotient"))


def test_zeros_that_are_replaced_by_what_is_not_0() -> None:
    assert rules(replaced(), RANGE) == []
    assert rules(replaced(value=0.0), RANGE) == [("division-by-zero", "quotient")]


@pytest.mark.parametrize("graph", [clipped(), clipped(shape=(6,)), lengths(), quotients(), replaced()])
def test_no_run_leaves_the_bounds(graph: Graph) -> None:
    known, session = run(graph, RANGE, everything=True).values, engine(graph)
    rng = np.random.default_rng(0)
    for scale in (10.0, 1.0, 1e-30, 0.0):
        feeds = {v.name: rng.uniform(-scale, scale, [int(d) for d in v.shape]) for v in graph.graph.inputs}
        (result,) = session.run(None, {k: v.astype(np.float32) for k, v in feeds.items()})
        assert outside(known[graph.graph.outputs[0]], result) == ""


def test_what_is_not_0_where_the_mask_says_so() -> None:
    assert rules(quotients(), RANGE) == []
    assert rules(quotients(either=True), RANGE) == [("division-by-zero", "quotient")]
    assert rules(quotients(of="x + 1"), RANGE) == [("division-by-zero", "quotient")]


def test_places_of_numbers_are_no_mask() -> None:
    """What is not 0 may be negative: only of conditions it is known that they hold."""
    b = Builder()
    x = b.input("x", (6,))
    places = b.op("Transpose", b.op("NonZero", x), perm=[1, 0])
    updates = b.op("GatherND", x, places)
    graph = b.graph(b.op("Sqrt", b.op("ScatterND", b.const(np.zeros(6)), places, updates), name="root"))
    assert rules(graph, {"x": (-10, -1)}) == [("sqrt-of-negative", "root")]


def shares(*, of: str = "total", column: bool = False, numbers: str = "int64") -> Graph:
    """``x / total[total.nonzero()]`` as PyTorch writes it: places in a column, one more axis before they are read."""
    b = Builder()
    total, other = b.input("total", (5,), numbers), b.input("other", (5,), numbers)
    places = b.op("Transpose", b.op("NonZero", total), perm=[1, 0])
    if column:
        places = b.op("Concat", b.op("Unsqueeze", places, b.const([-1], np.int64)), axis=-1)
    chosen = b.op("GatherND", total if of == "total" else other, places)
    if numbers == "int64":
        chosen = b.op("Cast", chosen, to=1)
    return b.graph(b.op("Div", b.const(1.0), chosen, name="quotient"))


@pytest.mark.parametrize("numbers", ["int64", "float32"])
@pytest.mark.parametrize("column", [False, True])
def test_what_stands_at_its_own_places_is_not_0(column: bool, numbers: str) -> None:
    wide = {"total": (-9, 9), "other": (-9, 9)}
    assert rules(shares(column=column, numbers=numbers), wide) == []
    assert rules(shares(of="other", column=column, numbers=numbers), wide) == [("division-by-zero", "quotient")]


@pytest.mark.parametrize(("turned", "safe"), [(False, True), (True, False)])
def test_own_places_of_a_matrix_are_read_as_they_are(turned: bool, safe: bool) -> None:
    b = Builder()
    x = b.input("x", (4, 4))
    places = b.op("NonZero", x)
    if turned:  # columns before rows
        places = b.op("Gather", places, b.const([1, 0], np.int64), axis=0)
    chosen = b.op("GatherND", x, b.op("Transpose", places, perm=[1, 0]))
    graph = b.graph(b.op("Div", b.const(1.0), chosen, name="quotient"))
    assert rules(graph, RANGE) == ([] if safe else [("division-by-zero", "quotient")])


@pytest.mark.parametrize(("least", "told"), [(1, []), (0, [("empty-mean", "mean")])])
def test_a_mask_that_is_true_everywhere_selects_something(least: float, told: list[tuple[str, str]]) -> None:
    b = Builder()
    x, mask = b.input("x", (3, 4)), b.input("mask", (3, 4), "bool")
    chosen = b.op("GatherND", x, b.op("Transpose", b.op("NonZero", mask), perm=[1, 0]))
    assert rules(b.graph(b.op("ReduceMean", chosen, name="mean")), {"x": (-1, 1), "mask": (least, 1)}) == told


def test_no_elements_are_gathered_without_complaint() -> None:
    b = Builder()
    x = b.input("x", (3, 2))
    parts = b.op("Concat", x, b.const(np.ones((3, 2))), axis=1)  # of several blocks
    graph = b.graph(b.op("Gather", parts, b.const(np.zeros(0), np.int64), axis=1))
    found = run(graph, RANGE, everything=True)
    assert not found.failed_rules
    assert found.values[graph.graph.outputs[0]].shape == (3, 0)


@pytest.mark.parametrize(("order", "safe"), [((0, 1), True), ((1, 0), False), ((0, 0), False)])
def test_indices_by_column_are_those_of_the_mask(order: tuple[int, ...], safe: bool) -> None:
    """``x[mask.nonzero(as_tuple=True)]``: each index is a tensor of its own."""
    b = Builder()
    x = b.input("x", (4, 4))
    places = b.op("Transpose", b.op("NonZero", b.op("Greater", x, b.const(1.0))), perm=[1, 0])
    columns = []
    for i in order:
        column = b.op("Slice", places, b.const([i], np.int64), b.const([i + 1], np.int64), b.const([1], np.int64))
        flat = b.op("Squeeze", column, b.const([1], np.int64))
        columns.append(b.op("Unsqueeze", b.op("Expand", flat, b.op("Shape", flat)), b.const([-1], np.int64)))
    chosen = b.op("GatherND", x, b.op("Concat", *columns, axis=-1))
    assert rules(b.graph(b.op("Log", chosen, name="log")), RANGE) == ([] if safe else [("log-of-nonpositive", "log")])
