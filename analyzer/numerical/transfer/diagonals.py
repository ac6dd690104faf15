"""Triangles, bands and diagonals of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain.tensor import AbstractTensor, smashed
from analyzer.numerical.transfer.registry import transfer


@transfer("Trilu", "MatrixBandPart", "MatrixDiag", "MatrixSetDiag")
def with_zeros(ctx: Context, x: AbstractTensor, *others: Any) -> AbstractTensor:
    """Some elements replaced by 0, or placed among zeros."""
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
        result.facts = {"finite": (-1,)}
    return result


def _zero_in_every_row(ctx: Context, x: AbstractTensor, diagonal: Any) -> bool:
    """Above its main diagonal the first column is 0, below it the last one is."""
    k = [0] if diagonal is None else diagonal.integers()
    if k is None or x.shape is None or len(x.shape) < 2:
        return False
    rows, columns = x.shape[-2:]
    wide = rows == columns or (isinstance(rows, int) and isinstance(columns, int) and rows <= columns)
    return bool(k[0] >= 1) if ctx.attr("upper", 1) else bool(k[0] <= -1) and wide


@transfer("MatrixDiagPart")
def diagonal(ctx: Context, x: AbstractTensor, *others: Any) -> AbstractTensor:
    whole = smashed(x)
    lo, hi, nan = _with_padding(others, 1, min(float(whole.lo), 0.0), max(float(whole.hi), 0.0), x.nan)
    return AbstractTensor(x.dtype, ctx.declared_shape(), np.float64(lo), np.float64(hi), None, nan)


def _with_padding(others: Sequence[Any], index: int, lo: float, hi: float, nan: bool) -> tuple[float, float, bool]:
    """The bounds with those of the value that fills what diagonals of different lengths leave open."""
    if len(others) <= index or others[index] is None:
        return lo, hi, nan
    return min(lo, others[index].low), max(hi, others[index].high), nan or others[index].nan
