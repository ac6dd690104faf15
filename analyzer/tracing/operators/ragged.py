"""Rows of different lengths, of which no framework makes an array."""

from __future__ import annotations

from dataclasses import replace

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import ListV, SetV, Value
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op
from analyzer.tracing.paths.problems import ShapeFailure

MOST_ROWS = 64  # that are looked at
FIRST_REFUSING = (1, 24)  # version of NumPy; before it made an array of lists


def refuse_ragged(op: Op, value: Value, framework: str) -> None:
    """Fails where two rows of numbers have different shapes."""
    unequal = _unequal(value, framework == "numpy")
    if unequal is None:
        return
    pinned = op.tr.shared.versions.get("numpy") if framework == "numpy" else None
    if pinned is not None and pinned < FIRST_REFUSING:
        return
    try:
        fail(op, "rows", f"one row has the shape {show_shape(unequal[0])}, another {show_shape(unequal[1])}")
    except ShapeFailure as failure:
        if framework == "numpy" and op.tr.shared.versions.low.get("numpy", (0,)) < FIRST_REFUSING and pinned is None:
            failure.problem = replace(failure.problem, certain=False)  # an older version may be meant
        raise


def _unequal(value: Value, arrays: bool) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The shapes of two rows that differ, at any depth; `arrays`: those among them have one too."""
    rows = _rows(value)
    if not rows:
        return None
    shapes = [_shape(row, arrays) for row in rows]
    known = [s for s in shapes if s is not None]
    if len(known) == len(shapes) and any(s != known[0] for s in known):
        return known[0], next(s for s in known if s != known[0])
    return next((found for row in rows if (found := _unequal(row, arrays)) is not None), None)


def _rows(value: Value) -> list[Value]:
    if isinstance(value, ListV) and not isinstance(value, SetV) and not (value.open or value.given or value.choices):
        return value.items[:MOST_ROWS]
    return list(value[:MOST_ROWS]) if type(value) is tuple else []


def _shape(value: Value, arrays: bool) -> tuple[int, ...] | None:
    """The shape of numbers in rows, and of an array of known sizes; None of anything else.

    PyTorch takes one with a single element for a number.
    """
    if isinstance(value, (bool, int, float)):
        return ()
    if isinstance(value, Tensor):
        dims = value.dims if arrays else None
        return dims if dims is not None and all(isinstance(d, int) for d in dims) else None
    if isinstance(value, ListV) and not value.items and not value.open:
        return (0,)
    rows = _rows(value)
    whole = len(value.items) if isinstance(value, ListV) else len(rows)
    shapes = {_shape(row, arrays) for row in rows}
    first = next(iter(shapes), None)
    return (whole, *first) if len(shapes) == 1 and first is not None else None
