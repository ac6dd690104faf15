"""Rows that are written at known places: bounds hold row by row, and none of what was there before is left."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, bounds, rules

from analyzer.graph import Graph

ROWS, WIDTH = 6, 2


def row_after(places: list[int], row: int, **options: str) -> Graph:
    """A row of `x` (6 rows) after `new` was written at `places`."""
    b = Builder()
    at = b.const(np.array(places).reshape(-1, 1), np.int64)
    whole = b.op("ScatterND", b.input("x", (ROWS, WIDTH)), at, b.input("new", (len(places), WIDTH)), **options)
    ends = (b.const([v], np.int64) for v in (row, row + 1, 0))
    return b.graph(b.op("Slice", whole, *ends))


OLD, NEW = (-1.0, 1.0), (2.0, 3.0)


@pytest.mark.parametrize(
    ("places", "new"),
    [
        ([0, 1, 2], {0, 1, 2}),
        ([2, 1, 0], {0, 1, 2}),
        ([-1, 0], {5, 0}),
        ([4], {4}),
        ([5, 4, 3, 2, 1, 0], set(range(6))),
    ],
)
def test_a_row_is_what_was_written_there(places: list[int], new: set[int]) -> None:
    for row in range(ROWS):
        expected = NEW if row in new else OLD
        assert bounds(row_after(places, row), {"x": OLD, "new": NEW}) == expected


@pytest.mark.parametrize(
    ("places", "options"), [([1, 1], {}), ([1, -5], {}), ([1, 2], {"reduction": "add"}), ([1, 2], {"reduction": "max"})]
)
def test_rows_written_twice_or_added_to_may_be_anything(places: list[int], options: dict[str, str]) -> None:
    low, high = bounds(row_after(places, 1, **options), {"x": OLD, "new": NEW})
    assert low <= 2.0
    assert high >= 3.0
    assert bounds(row_after(places, 0, **options), {"x": OLD, "new": NEW})[0] <= -1.0


def test_each_row_has_the_bounds_of_the_update_that_goes_there() -> None:
    b = Builder()
    new = b.op("Concat", b.input("a", (1, WIDTH)), b.input("b", (1, WIDTH)), axis=0)
    whole = b.op("ScatterND", b.const(np.zeros((2, WIDTH))), b.const([[1], [0]], np.int64), new)
    for row, expected in ((0, (5.0, 6.0)), (1, (2.0, 3.0))):
        ends = (b.const([v], np.int64) for v in (row, row + 1, 0))
        assert bounds(b.graph(b.op("Slice", whole, *ends)), {"a": (2, 3), "b": (5, 6)}) == expected


@pytest.mark.parametrize(("second", "unsafe"), [(range(2, 4), False), (range(1, 3), True)])
def test_blocks_that_are_all_written_leave_no_zero(second: range, unsafe: bool) -> None:
    """Sums of blockwise softmaxes are written into zeros, a block of queries after the other."""
    b = Builder()
    total = b.const(np.zeros((4, WIDTH)))
    for name, rows in (("first", range(2)), ("second", second)):
        sums = b.op("Exp", b.input(name, (2, WIDTH)))
        total = b.op("ScatterND", total, b.const([[r] for r in rows], np.int64), sums)
    graph = b.graph(b.op("Div", b.input("x", (4, WIDTH)), total))
    found = dict(rules(graph, {"x": (-1, 1), "first": (-3, 3), "second": (-3, 3)}))
    assert ("division-by-zero" in found) is unsafe


@pytest.mark.parametrize(
    ("at", "axis", "written"), [(0, 0, {(0, 0), (0, 1)}), (-1, 0, {(1, 0), (1, 1)}), (1, 1, {(0, 1), (1, 1)})]
)
def test_a_slice_that_is_replaced(at: int, axis: int, written: set[tuple[int, int]]) -> None:
    """As `x[-1] = y` and `x[:, 1] = y` are exported."""
    shape = tuple(1 if i == axis else 2 for i in range(2))
    for row, column in ((0, 0), (0, 1), (1, 0), (1, 1)):
        b = Builder()
        where = b.const(np.full(shape, at), np.int64)
        whole = b.op("ScatterElements", b.input("x", (2, 2)), where, b.input("new", shape), axis=axis)
        ends = (b.const(v, np.int64) for v in ([row, column], [row + 1, column + 1], [0, 1]))
        expected = NEW if (row, column) in written else OLD
        assert bounds(b.graph(b.op("Slice", whole, *ends)), {"x": OLD, "new": NEW}) == expected


def test_places_that_differ_write_no_whole_slice() -> None:
    b = Builder()
    where = b.const([[0, 1]], np.int64)
    whole = b.op("ScatterElements", b.input("x", (2, 2)), where, b.input("new", (1, 2)), axis=0)
    ends = (b.const([v], np.int64) for v in (0, 1, 0))
    assert bounds(b.graph(b.op("Slice", whole, *ends)), {"x": OLD, "new": NEW}) == (OLD[0], NEW[1])


def test_a_part_of_a_slice_leaves_the_rest() -> None:
    b = Builder()
    whole = b.op("ScatterElements", b.input("x", (2, 2)), b.const([[0]], np.int64), b.input("new", (1, 1)), axis=0)
    ends = (b.const([v], np.int64) for v in (0, 1, 0))
    assert bounds(b.graph(b.op("Slice", whole, *ends)), {"x": OLD, "new": NEW}) == (OLD[0], NEW[1])
