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
    """`x` with the rows `updates` at constant places, each written once; None of other places."""
    if x.shape is None or updates.shape is None or not x.shape or x.shape[1:] != updates.shape[1:]:
        return None
    n, shape = x.shape[0], indices.shape
    if not isinstance(n, int) or n > MOST_ROWS or shape is None or len(shape) != 2 or shape[1] != 1:
        return None
    places = indices.integers()
    if places is None or len(places) != shape[0] or not all(-n <= p < n for p in places):
        return None
    written = {int(p) % n: i for i, p in enumerate(places)}
    if len(written) != len(places) or not places:
        return None
    runs = list(_runs(written, n))
    if len(runs) > MOST_RUNS:
        return None
    parts = [sliced(updates if new else x, {0: (first, first + length, 1)}) for new, first, length in runs]
    whole = concatenated(ctx, parts, 0)
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
