"""Rows written at known places: what lies where is known as it is of a concatenation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from analyzer.numerical.context import Context
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.transfer.joining import concatenated
from analyzer.numerical.transfer.slicing import sliced

MOST_ROWS = 1 << 12
MOST_RUNS = 16  # of rows that lie beside each other in one of the two tensors


def rows_written(ctx: Context, x: AbstractTensor, indices: Any, updates: AbstractTensor) -> AbstractTensor | None:
    """`x` with the rows `updates` at constant places (ScatterND), each written once; None of other places."""
    shape = indices.shape
    if x.shape is None or shape is None or len(shape) != 2 or shape[1] != 1:
        return None
    places = indices.integers()
    return None if places is None or len(places) != shape[0] else written_along(ctx, x, places, updates, 0)


def slice_written(
    ctx: Context, x: AbstractTensor, indices: Any, updates: AbstractTensor, axis: int
) -> AbstractTensor | None:
    """`x` with one whole slice across an axis replaced by `updates` (ScatterElements at one place); None of others."""
    shape = indices.shape
    if x.shape is None or shape is None or len(shape) != len(x.shape) or shape != updates.shape or shape[axis] != 1:
        return None
    if indices.low != indices.high:
        return None
    return written_along(ctx, x, [int(indices.low)], updates, axis)


def written_along(
    ctx: Context, x: AbstractTensor, places: list[int], updates: AbstractTensor, axis: int
) -> AbstractTensor | None:
    if x.shape is None or updates.shape is None or len(x.shape) != len(updates.shape) or not x.shape:
        return None
    n = x.shape[axis]
    alike = all(a == b for i, (a, b) in enumerate(zip(x.shape, updates.shape, strict=True)) if i != axis)
    if not alike or not isinstance(n, int) or n > MOST_ROWS or not places or not all(-n <= p < n for p in places):
        return None
    written = {p % n: i for i, p in enumerate(places)}
    runs = list(_runs(written, n))
    if len(written) != len(places) or len(runs) > MOST_RUNS:
        return None
    parts = [sliced(updates if new else x, {axis: (first, first + length, 1)}) for new, first, length in runs]
    whole = concatenated(ctx, parts, axis)
    return AbstractTensor(x.dtype, x.shape, whole.lo, whole.hi, whole.starts, whole.nan, data=whole.data)


def _runs(written: dict[int, int], n: int) -> Iterator[tuple[bool, int, int]]:
    """Rows beside each other, in order: whether they are written, the first of them where they come from, how many."""
    row = 0
    while row < n:
        first, length = written.get(row), 1
        while row + length < n and written.get(row + length) == (None if first is None else first + length):
            length += 1
        yield first is not None, row if first is None else first, length
        row += length
