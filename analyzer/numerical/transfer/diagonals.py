"""Triangles, bands and diagonals of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dims
from analyzer.numerical.domain.tensor import AbstractTensor, smashed
from analyzer.numerical.transfer.attained import peaked
from analyzer.numerical.transfer.diagonal_masks import is_diagonal_mask, order_of
from analyzer.numerical.transfer.gram import gram_factor, is_transpose_of
from analyzer.numerical.transfer.ordered_pairs import in_triangle
from analyzer.numerical.transfer.registry import transfer
from analyzer.numerical.transfer.views import AxisView, Role, aligned, viewed
from analyzer.operators.declaration import RESHAPES

DEPTH = 12  # operators between a diagonal and what tells its sign: a scale, a jitter, a cast


@transfer("Trilu", "MatrixBandPart", "MatrixDiag", "MatrixSetDiag")
def with_zeros(ctx: Context, x: AbstractTensor, *others: Any) -> AbstractTensor:
    """Some elements replaced by 0, or placed among zeros."""
    if ctx.op == "Trilu":
        k = [0] if not others or others[0] is None else others[0].integers()
        x = x if k is None else in_triangle(x, bool(ctx.attr("upper", 1)), int(k[0]))
    lo, hi, nan = min(x.low, 0.0), max(x.high, 0.0), x.nan
    shape = x.shape
    if ctx.op.startswith("MatrixSetDiag") and others:
        lo, hi, nan = min(x.low, others[0].low), max(x.high, others[0].high), nan or others[0].nan
    elif "Diag" in ctx.op:
        shape = ctx.declared_shape()
        lo, hi, nan = _with_padding(others, 3, lo, hi, nan)
        if x.shape is not None and ctx.op in ("MatrixDiag", "Diag"):
            shape = (*x.shape, x.shape[-1]) if ctx.op == "MatrixDiag" else (*x.shape, *x.shape)
    result = AbstractTensor(x.dtype, shape, np.float64(lo), np.float64(hi), None, nan)
    if ctx.op == "Trilu" and x.data is not None and np.size(x.data):
        k = others[0].integers() if others and others[0] is not None else [0]
        if k is not None:
            keep = np.asarray(x.data)
            result.data = np.triu(keep, k[0]) if ctx.attr("upper", 1) else np.tril(keep, k[0])
            result.lo, result.hi = np.float64(result.data.min()), np.float64(result.data.max())
    if ctx.op == "Trilu" and _zero_in_every_row(ctx, x, others[0] if others else None):
        result.facts = {"finite": (-1,), **peaked([(0.0, 0.0, (len(x.shape or ()) - 1,))], result)}
    elif ctx.op == "Trilu" and _kept_in_every_row(ctx, x, others[0] if others else None):
        result.facts = peaked([(x.low, x.high, (len(x.shape or ()) - 1,))], result)
    return result


def _kept_in_every_row(ctx: Context, x: AbstractTensor, diagonal: Any) -> bool:
    """On and below the main diagonal the first column is kept, on and above it the diagonal, where rows reach it."""
    k = [0] if diagonal is None else diagonal.integers()
    if k is None or x.shape is None or len(x.shape) < 2 or x.nan or dims.low(x.shape[-1]) < 1:
        return False
    rows, columns = x.shape[-2:]
    wide = rows == columns or (isinstance(rows, int) and isinstance(columns, int) and rows <= columns)
    return bool(k[0] <= 0) and wide if ctx.attr("upper", 1) else bool(k[0] >= 0)


def _zero_in_every_row(ctx: Context, x: AbstractTensor, diagonal: Any) -> bool:
    """Above its main diagonal the first column is 0, below it the last one is."""
    k = [0] if diagonal is None else diagonal.integers()
    if k is None or x.shape is None or len(x.shape) < 2:
        return False
    rows, columns = x.shape[-2:]
    wide = rows == columns or (isinstance(rows, int) and isinstance(columns, int) and rows <= columns)
    return bool(k[0] >= 1) if ctx.attr("upper", 1) else bool(k[0] <= -1) and wide


def shows_diagonal(flat: AbstractTensor, indices: AbstractTensor) -> AbstractTensor | None:
    """The matrices whose diagonals are gathered from them laid out flat; None if it is nothing of that kind."""
    origin = flat.origin
    matrix = origin.inputs[0] if origin is not None and origin.rule.name == "Reshape" else None
    if not isinstance(matrix, AbstractTensor) or matrix.shape is None or flat.shape is None or indices.rank != 1:
        return None
    if len(matrix.shape) < 2 or len(flat.shape) != len(matrix.shape) - 1 or flat.shape[:-1] != matrix.shape[:-2]:
        return None
    rows, columns, places = *matrix.shape[-2:], indices.integers()
    if not isinstance(rows, int) or not isinstance(columns, int) or places is None:
        return None
    return matrix if places == [i * (columns + 1) for i in range(min(rows, columns))] else None


def diagonal_bounds(matrix: AbstractTensor, depth: int = DEPTH) -> tuple[float, float]:
    """Between which numbers the diagonals of matrices lie."""
    low, high = matrix.low, matrix.high
    if "diagonal" in matrix.facts:
        least, most = matrix.facts["diagonal"]
        return max(low, least), min(high, most)
    if matrix.data is not None and np.ndim(matrix.data) >= 2 and np.size(matrix.data):
        values = np.diagonal(np.asarray(matrix.data, np.float64), axis1=-2, axis2=-1)
        return float(values.min()), float(values.max())
    origin = matrix.origin
    if origin is None or depth == 0 or matrix.nan or not all(isinstance(t, AbstractTensor) for t in origin.inputs[:1]):
        return low, high
    least, most = _made_diagonal(origin, matrix, depth - 1)
    return max(low, least), min(high, most)


def _made_diagonal(origin: Any, matrix: AbstractTensor, depth: int) -> tuple[float, float]:
    name, x = origin.rule.name, origin.inputs
    if name == "EyeLike" and not origin.context.attr("k", 0):
        return 1.0, 1.0
    if gram_factor(origin) is not None:
        return 0.0, np.inf  # sums of squares, which rounding does not make negative
    if x[0].shape == matrix.shape and origin.rule.operator.traits & RESHAPES:
        return diagonal_bounds(x[0], depth)
    if name == "Trilu" and _clears_diagonal(origin):
        return 0.0, 0.0
    if name in ("Identity", "Cast") or (name == "Trilu" and _keeps_diagonal(origin)):
        return (
            diagonal_bounds(x[0], depth)
            if name != "Cast" or x[0].dtype.kind != matrix.dtype.kind
            else (-np.inf, np.inf)
        )
    if name == "Transpose" and is_transpose_of(matrix, x[0]):
        return diagonal_bounds(x[0], depth)
    if name == "Where" and _true_on_diagonal(x[0], matrix):
        return _broadcast_diagonal(x[1], matrix, depth)
    if name == "MatrixSetDiag" and len(x) > 1 and (len(x) == 2 or x[2].integers() == [0]):
        return x[1].low, x[1].high
    if name == "Sub" and _same_diagonal(x[0], x[1], matrix):
        return 0.0, 0.0
    if name in ("Add", "Sub", "Mul", "Div") and len(x) == 2:
        first, second = (_broadcast_diagonal(t, matrix, depth) for t in x)
        return _combined(name, first, second, matrix)
    return -np.inf, np.inf


def _broadcast_diagonal(x: AbstractTensor, matrix: AbstractTensor, depth: int) -> tuple[float, float]:
    """What of `x` meets the diagonal of what it is combined to: its own where it has the same rows and columns."""
    same = x.shape is not None and matrix.shape is not None and x.shape[-2:] == matrix.shape[-2:]
    return diagonal_bounds(x, depth) if same and len(x.shape or ()) >= 2 else (x.low, x.high)


def _true_on_diagonal(condition: Any, matrix: AbstractTensor) -> bool:
    """Whether a condition holds on the whole diagonal, as ``rows == columns`` does."""
    if is_diagonal_mask(condition) and order_of(condition) == order_of(matrix):
        return True
    if not isinstance(condition, AbstractTensor) or condition.data is None or matrix.shape is None:
        return False
    values = np.asarray(condition.data)
    return values.ndim == 2 and values.shape == matrix.shape[-2:] and bool(np.diagonal(values).all())


def _same_diagonal(a: AbstractTensor, b: AbstractTensor, matrix: AbstractTensor) -> bool:
    """Whether two operands of a difference have the same finite numbers on its diagonal: ``m - diag(diagonal(m))``."""
    first, second = (_on_diagonal(x, matrix) for x in (a, b))
    if first is None or second is None or first.tensor.key != second.tensor.key or first.roles != second.roles:
        return False
    return not first.tensor.nan and first.largest < np.inf


def _on_diagonal(x: AbstractTensor, matrix: AbstractTensor) -> AxisView | None:
    """What an operand shows on the diagonal of what it is combined to, where rows and columns are one axis."""
    rank = matrix.rank or 0
    if rank < 2 or x.shape is None or len(x.shape) > rank:
        return None
    axes: tuple[Role, ...] = (*range(rank - 2), rank - 2, rank - 2)
    view = AxisView(x, aligned(x, axes))
    for _ in range(DEPTH):
        origin, alike = view.tensor.origin, view.roles == axes and view.tensor.shape == matrix.shape
        source: Any = None
        if origin is not None and alike and origin.rule.name == "Trilu" and _keeps_diagonal(origin):
            source = origin.inputs[0]
        elif origin is not None and alike and origin.rule.name == "Where":
            source = origin.inputs[1] if _true_on_diagonal(origin.inputs[0], matrix) else None
        if not isinstance(source, AbstractTensor) or source.shape is None:
            behind = viewed(view, scaled=False)
            if behind is view:
                break
            view = behind
        else:
            view = AxisView(source, aligned(source, axes))
    return view


def _combined(name: str, a: tuple[float, float], b: tuple[float, float], matrix: AbstractTensor) -> tuple[float, float]:
    if name == "Add":
        low, high = a[0] + b[0], a[1] + b[1]
    elif name == "Sub":
        low, high = a[0] - b[1], a[1] - b[0]
    elif name == "Div" and b[0] <= 0:
        return -np.inf, np.inf
    else:
        sides = b if name == "Mul" else (1 / b[1], 1 / b[0])
        corners = [p * q if p and q else 0.0 for p in a for q in sides]
        low, high = min(corners), max(corners)
    if np.isnan(low) or np.isnan(high):
        return -np.inf, np.inf
    lo, hi = matrix.dtype.outward(np.float64(low), np.float64(high), 2)
    return (max(float(lo), 0.0) if low >= 0 else float(lo)), float(hi)


def _keeps_diagonal(origin: Any) -> bool:
    k = origin.inputs[1].integers() if len(origin.inputs) > 1 and origin.inputs[1] is not None else [0]
    return k is not None and (k[0] <= 0 if origin.context.attr("upper", 1) else k[0] >= 0)


def _clears_diagonal(origin: Any) -> bool:
    k = origin.inputs[1].integers() if len(origin.inputs) > 1 and origin.inputs[1] is not None else [0]
    finite = origin.inputs[0].low > -np.inf and origin.inputs[0].high < np.inf and not origin.inputs[0].nan
    return k is not None and finite and (k[0] > 0 if origin.context.attr("upper", 1) else k[0] < 0)


@transfer("MatrixDiagPart")
def diagonal(ctx: Context, x: AbstractTensor, *others: Any) -> AbstractTensor:
    shape = x.shape or ()
    square = len(shape) > 1 and isinstance(shape[-1], int) and shape[-1] == shape[-2]
    main = not others if ctx.op == "MatrixDiagPart" else len(others) == 2 and others[0].integers() == [0]
    if square and main:
        least, most = diagonal_bounds(x)
        return AbstractTensor(x.dtype, ctx.declared_shape(), np.float64(least), np.float64(most), None, x.nan)
    whole = smashed(x)
    lo, hi, nan = _with_padding(others, 1, min(float(whole.lo), 0.0), max(float(whole.hi), 0.0), x.nan)
    return AbstractTensor(x.dtype, ctx.declared_shape(), np.float64(lo), np.float64(hi), None, nan)


def _with_padding(others: Sequence[Any], index: int, lo: float, hi: float, nan: bool) -> tuple[float, float, bool]:
    """The bounds with those of the value that fills what diagonals of different lengths leave open."""
    if len(others) <= index or others[index] is None:
        return lo, hi, nan
    return min(lo, others[index].low), max(hi, others[index].high), nan or others[index].nan
