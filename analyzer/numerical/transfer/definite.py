"""Matrices that are positive definite by how they were made: Gram matrices, jitter on a diagonal, positive scales."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.transfer.diagonal_masks import is_diagonal_mask, order_of
from analyzer.numerical.transfer.gram import gram_factor, is_transpose_of
from analyzer.numerical.transfer.rounding import accumulation_unit, rounding_terms
from analyzer.numerical.transfer.unit_rows import row_norm
from analyzer.operators.declaration import RESHAPES

DEPTH = 12  # operators between a factorisation and the products of which its matrix is made
LARGEST = 512  # rows of a constant matrix whose eigenvalues are computed
# What an elimination loses, in units of n² times the largest element. Without pivoting 1/2 is the bound of definite
# matrices (Higham, Accuracy and Stability, theorems 10.3 and 10.5); exchanging rows may enlarge the factors.
ELIMINATION = 8.0


@dataclass(frozen=True, slots=True)
class Definite:
    """A symmetric matrix whose eigenvalues are at least `least`; elements as computed lie within `error` of its own."""

    least: float
    error: float


def least_pivot(x: AbstractTensor) -> float:
    """What the pivots of an elimination of the matrices `x` multiply up from at least; not positive: nothing known.

    The matrix that an elimination factorises exactly differs from `x` by what it loses; its singular values, and the
    squares on the diagonal of its Cholesky factor, are at least this number.
    """
    diagonal = diagonal_alone(x)
    if diagonal is not None and diagonal > float(x.dtype.tiny):
        return diagonal  # an elimination has nothing to subtract
    found, n = definite(x), order_of(x)
    if found is None or n is None:
        return 0.0
    return found.least - n * found.error - ELIMINATION * n * n * float(x.dtype.eps) * _largest(x)


def definite(x: AbstractTensor, depth: int = DEPTH) -> Definite | None:
    """What is known of the eigenvalues of `x`; None for nothing."""
    n = order_of(x)
    if n is None or depth == 0 or x.nan or not x.dtype.is_float or not math.isfinite(_largest(x)):
        return None
    known = x.exact()
    if known is not None:
        return _constant(np.asarray(known, np.float64), n)
    origin = x.origin
    if origin is None or not origin.inputs or not isinstance(origin.inputs[0], AbstractTensor):
        return None
    factor = gram_factor(origin)
    if factor is not None:
        return _gram(*factor, x)
    name, given = origin.rule.name, origin.inputs
    if is_identity(x):
        return Definite(1.0, 0.0)
    placed = _placed(origin)
    if placed is not None:
        return None if placed.nan else Definite(placed.low, 0.0)
    if name in ("Add", "Mul", "Div") and len(given) == 2:
        return _combined(name, given[0], given[1], x, depth - 1)
    if name in ("Identity", "Cast", "CastLike") or _keeps_matrices(origin, x):
        inner = definite(given[0], depth - 1)
        return inner and Definite(inner.least, inner.error + _rounding(x))
    return None


def diagonal_alone(x: AbstractTensor, depth: int = DEPTH) -> float | None:
    """The least number on the diagonals of matrices that are 0 elsewhere, rounding included; None if they may not be.

    So are numbers placed on a diagonal, what scales them, and sums and selections of such matrices.
    """
    origin = x.origin
    if order_of(x) is None or depth == 0 or x.nan or not math.isfinite(_largest(x)) or origin is None:
        return None
    given = origin.inputs
    if not given or not isinstance(given[0], AbstractTensor):
        return None
    name, placed = origin.rule.name, _placed(origin)
    if placed is not None:
        return None if placed.nan else placed.low
    expanded = name == "Expand" and order_of(given[0]) == order_of(x)
    if name == "Identity" or expanded or _keeps_matrices(origin, x) or _selects_matrices(origin, x):
        return diagonal_alone(given[0], depth - 1)
    if name == "Add" and all(order_of(t) == order_of(x) for t in given):
        parts = [diagonal_alone(t, depth - 1) for t in given]
        return None if parts[0] is None or parts[1] is None else _rounded_down(parts[0] + parts[1], x)
    for matrix, scale in ((given[0], given[1]), (given[1], given[0])) if name == "Mul" else ():
        inner = diagonal_alone(matrix, depth - 1) if order_of(matrix) == order_of(x) else None
        if inner is not None and inner >= 0 and _is_number(scale) and scale.low >= 0 and not scale.nan:
            return _rounded_down(inner * scale.low, x) if math.isfinite(scale.high) else None
    return None


def _rounded_down(number: float, x: AbstractTensor) -> float:
    return number - float(x.dtype.eps) * abs(number) - float(x.dtype.tiny)


def _selects_matrices(origin: Any, x: AbstractTensor) -> bool:
    """Whether some of the operand's matrices are picked whole, along the axes before the last two."""
    given, attr = origin.inputs, origin.context.attr
    before, name = given[0], origin.rule.name
    if before.rank is None or order_of(before) != order_of(x) or origin.context.is_tf:
        return False
    lead = before.rank - 2
    if name == "Slice" and len(given) > 3 and given[3] is not None:
        axes = given[3].integers()
        return axes is not None and all(axis % before.rank < lead for axis in axes)
    if name == "Gather":
        return bool(int(attr("axis", 0)) % before.rank < lead)
    if name == "GatherND" and given[1].shape and isinstance(given[1].shape[-1], int):
        return bool(int(attr("batch_dims", 0)) + given[1].shape[-1] <= lead)
    return False


def _largest(x: AbstractTensor) -> float:
    return max(abs(x.low), abs(x.high))


def _rounding(x: AbstractTensor) -> float:
    return float(x.dtype.eps) * _largest(x) + float(x.dtype.tiny)


def _constant(data: Any, n: int) -> Definite | None:
    if n > LARGEST or not np.array_equal(data, np.swapaxes(data, -1, -2)):
        return None
    if not _is_diagonal(data):
        return Definite(float(np.linalg.eigvalsh(data).min()) - 1e-13 * n * float(np.abs(data).max()), 0.0)
    return Definite(float(np.diagonal(data, axis1=-2, axis2=-1).min()), 0.0)


def _is_diagonal(data: Any) -> bool:
    return not np.any(data * (1 - np.eye(data.shape[-1])))


def _gram(factor: AbstractTensor, axis: int, x: AbstractTensor) -> Definite | None:
    terms = factor.shape[axis] if factor.shape is not None else None
    if not isinstance(terms, int):
        return None
    most = row_norm(factor, axis) ** 2  # of sums of absolute products, by Cauchy and Schwarz
    lost = (rounding_terms(terms) + 1) * accumulation_unit(x.dtype) * most + terms * float(x.dtype.tiny)
    return Definite(0.0, lost + _rounding(x)) if math.isfinite(lost) else None


def _combined(name: str, a: AbstractTensor, b: AbstractTensor, x: AbstractTensor, depth: int) -> Definite | None:
    if name == "Add":
        first, second = _summand(a, x, depth), _summand(b, x, depth)
        if first is None or second is None:
            return None
        return Definite(first.least + second.least, first.error + second.error + _rounding(x))
    pairs = ((a, b), (b, a)) if name == "Mul" else ((a, b),)
    for matrix, scale in pairs:
        if order_of(matrix) != order_of(x) or not (scale.low >= 0 if name == "Mul" else scale.low > 0) or scale.nan:
            continue
        ends = (scale.low, scale.high) if name == "Mul" else (1 / scale.high, 1 / scale.low)
        inner = definite(matrix, depth) if _is_number(scale) or _known_diagonal(matrix) else None
        if inner is not None and inner.least >= 0 and math.isfinite(ends[1]):
            return Definite(inner.least * ends[0], inner.error * ends[1] + _rounding(x))
    return None


def _summand(t: AbstractTensor, x: AbstractTensor, depth: int) -> Definite | None:
    if _is_number(t):  # a multiple of the matrix of ones
        return Definite(0.0, 0.0) if t.low >= 0 and not t.nan else None
    return definite(t, depth) if order_of(t) == order_of(x) else None


def _is_number(x: AbstractTensor) -> bool:
    """Whether all elements of a matrix meet the same number of `x`."""
    return x.shape is not None and all(d == 1 for d in x.shape[-2:])


def _known_diagonal(x: AbstractTensor) -> bool:
    known = x.exact()
    return is_identity(x) or (known is not None and _is_diagonal(np.asarray(known, np.float64)))


def is_identity(x: AbstractTensor) -> bool:
    """Whether x is made as an identity matrix."""
    origin = x.origin
    if origin is None or order_of(x) is None:
        return False
    if origin.rule.name == "EyeLike":
        return not origin.context.attr("k", 0)
    return origin.rule.name in ("Cast", "CastLike") and is_diagonal_mask(origin.inputs[0])


def _placed(origin: Any) -> AbstractTensor | None:
    """The numbers that stand on the main diagonal of a matrix of zeros."""
    name = origin.rule.name
    given: list[AbstractTensor] = list(origin.inputs)
    if name == "Where" and is_diagonal_mask(given[0]) and given[2].low == 0 == given[2].high:
        return None if given[2].nan else given[1]
    if name == "MatrixDiag" and (len(given) == 1 or given[1] is None or given[1].integers() == [0]):
        return given[0]
    return None


def _keeps_matrices(origin: Any, x: AbstractTensor) -> bool:
    """Whether the matrices are those of the operand, or their transposes, perhaps under other leading axes."""
    before = origin.inputs[0]
    if is_transpose_of(x, before):
        return True
    return bool(origin.rule.operator.traits & RESHAPES) and order_of(before) == order_of(x)
