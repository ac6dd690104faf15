"""Products of a vector with itself, and with what a positive definite matrix makes of it: neither is negative.

With elements rounded as kernels round sums of n products, ``x @ (M @ x)`` differs from the form by at most
``n (2 u + eps) |M| x'x``, where |M| is the largest element; what underflows on the way takes away a number too small to
matter beside a least eigenvalue of any usual size.
"""

from __future__ import annotations

import math
from typing import Any

from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.transfer.definite import definite
from analyzer.numerical.transfer.diagonal_masks import order_of
from analyzer.numerical.transfer.rounding import accumulation_unit, rounding_terms

ROUNDED = 1.05  # roundings of roundings
LARGEST = 10_000  # elements of a vector


def least_inner_product(a: AbstractTensor, b: AbstractTensor) -> float:
    """A lower bound of the product of two vectors; minus infinity where nothing is known."""
    if a.rank != 1 or b.rank != 1 or a.nan or b.nan or not a.dtype.is_float:
        return -math.inf
    if a.key == b.key:
        return 0.0
    for vector, made in ((a, b), (b, a)):
        matrix = _matrix_of(made, vector)
        if matrix is not None:
            return _least_form(matrix)
    return -math.inf


def _matrix_of(made: AbstractTensor, vector: AbstractTensor) -> AbstractTensor | None:
    """The matrix with which `vector` is multiplied, from either side."""
    origin: Any = made.origin
    if origin is None or origin.rule.name != "MatMul" or len(origin.inputs) != 2 or origin.context.is_tf:
        return None
    for one, other in (origin.inputs, origin.inputs[::-1]):
        if other.key == vector.key and one.rank == 2:
            matrix: AbstractTensor = one
            return matrix
    return None


def _least_form(matrix: AbstractTensor) -> float:
    known, n = definite(matrix), order_of(matrix)
    if known is None or n is None or n > LARGEST:
        return -math.inf
    largest = max(abs(matrix.low), abs(matrix.high))
    unit = rounding_terms(n) * accumulation_unit(matrix.dtype)
    tiny = float(matrix.dtype.tiny)
    lost = n * (2 * unit + float(matrix.dtype.eps)) * largest  # what M makes of the vector is rounded to its type too
    left = known.least - n * known.error - ROUNDED * lost
    return -4 * n * n * tiny if left >= n * n * tiny**0.5 else -math.inf
