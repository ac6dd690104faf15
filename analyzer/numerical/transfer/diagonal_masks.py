"""Masks that pick the main diagonals of square matrices, or all but them: places of rows and columns are compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyzer.numerical.domain import dims
from analyzer.numerical.domain.dtypes import INTEGER
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.operators.declaration import RESHAPES

DEPTH = 8  # operators between a mask and the comparison: casts, negations, a difference from 1, other leading axes
PLACES = 4  # operators between running numbers and what is compared


def order_of(x: AbstractTensor) -> int | None:
    """The number of rows of square matrices."""
    rows, columns = x.shape[-2:] if x.shape is not None and len(x.shape) >= 2 else (None, None)
    return rows if isinstance(rows, int) and rows == columns and rows > 0 else None


def is_diagonal_mask(x: Any) -> bool:
    """Whether x is 1 on the main diagonals alone, 0 elsewhere."""
    return picked_by(x) is True


def picked_by(x: Any, depth: int = DEPTH) -> bool | None:
    """True where x is 1 (true) on the main diagonals alone, False where it is 1 everywhere else alone, None otherwise.

    In both cases it is 0 (false) wherever it is not 1.
    """
    if not isinstance(x, AbstractTensor) or order_of(x) is None or x.nan or depth == 0:
        return None
    known = x.exact()
    if known is not None:
        values, eye = np.asarray(known, np.float64), np.eye(known.shape[-1])
        return next((t for t, m in ((True, eye), (False, 1 - eye)) if (values == m).all()), None)
    origin = x.origin
    if origin is None or not origin.inputs or not all(isinstance(t, AbstractTensor) for t in origin.inputs):
        return None
    name, given = origin.rule.name, origin.inputs
    if name in ("Equal", "NotEqual") and not origin.context.is_tf:
        return (name == "Equal") if _compares_places(*given) else None
    if name in ("Cast", "CastLike", "Identity"):
        return picked_by(given[0], depth - 1)
    if name == "Not" or (name == "Sub" and given[0].low == 1 == given[0].high):
        inner = picked_by(given[-1], depth - 1) if given[-1].shape == x.shape else None
        return None if inner is None else not inner
    if origin.rule.operator.traits & RESHAPES and order_of(given[0]) == order_of(x):
        return picked_by(given[0], depth - 1)
    return None


def picked_count(x: AbstractTensor) -> int | None:
    """How many elements of a mask are true; None where it is not known."""
    known = x.exact()
    if known is not None:
        return int(np.count_nonzero(known))
    diagonal, rows, size = picked_by(x), order_of(x), dims.product(x.shape) if x.shape is not None else None
    if diagonal is None or rows is None or not isinstance(size, int):
        return None
    return size // rows if diagonal else size - size // rows


def picks_one_at_most(row: AbstractTensor, one: AbstractTensor, result: AbstractTensor) -> bool:
    """Whether ``row == one`` leaves out an element of each row along the last axis: numbers that all differ, two at
    least, are compared with one number."""
    if result.shape is None or one.shape is None or row.shape != result.shape[-1:] or dims.low(result.shape[-1]) < 2:
        return False
    return (not one.shape or one.shape[-1] == 1) and _all_differ(row)


def _all_differ(row: AbstractTensor) -> bool:
    known = row.exact()
    return len(np.unique(known)) == np.size(known) if known is not None else _counted(row) != 0


def _compares_places(row: AbstractTensor, column: AbstractTensor) -> bool:
    return row.rank is not None and {row.rank, column.rank} == {1, 2} and 0 != _counted(row) == _counted(column)


def _counted(x: AbstractTensor, depth: int = PLACES) -> int:
    """The key of the running number that x holds along one axis, all places different; 0 if it is none such."""
    origin = x.origin
    if origin is None or depth == 0 or x.shape is None:
        return 0
    if origin.rule.name == "Range" and x.low < x.high:
        return int(x.key) if _apart(x, origin.inputs[2] if len(origin.inputs) > 2 else None) else 0
    name = origin.rule.name
    if name == "Cast" and not (x.dtype.lo <= origin.inputs[0].low and origin.inputs[0].high <= x.dtype.hi):
        return 0
    if name == "Cast" and not _apart(x, origin.inputs[0]):
        return 0
    passed = name == "Cast" or origin.rule.operator.traits & RESHAPES
    return _counted(origin.inputs[0], depth - 1) if passed else 0


def _apart(x: AbstractTensor, step: Any) -> bool:
    """Whether a type tells numbers of this size apart: whole ones, or those that lie a step apart."""
    if not x.dtype.is_float or not isinstance(step, AbstractTensor):
        return not x.dtype.is_float
    if step.dtype.kind == INTEGER:
        return max(-x.low, x.high) * x.dtype.eps <= 1
    return step.low == step.high and max(-x.low, x.high) * x.dtype.eps * 2 <= abs(step.low)  # each is rounded
