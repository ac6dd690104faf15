"""Solutions x of systems S x = d, and quadratic forms d' S⁻¹ d, which are not negative where S is positive definite.

Elimination solves ``(S + E) x = d`` exactly, with an E for which `least_pivot` leaves room: the eigenvalues of S + E
are at least the pivot. So x is no longer than d over the pivot, and d'x = x'(S + E)x is at least the pivot times x'x,
of which the rounding of the sum takes less away where the pivot is large enough. Where S is 0 beside its diagonal,
every element of x is one of d over a positive number: their product is not negative, whatever is rounded.

The fact ``solution: (d, S)`` of x says what it solves.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain.tensor import AbstractTensor, count
from analyzer.numerical.reduced_axes import UNKNOWN
from analyzer.numerical.transfer.definite import diagonal_alone, least_pivot
from analyzer.numerical.transfer.diagonal_masks import order_of
from analyzer.numerical.transfer.diagonals import diagonal_bounds
from analyzer.numerical.transfer.kinds import unknown_like
from analyzer.numerical.transfer.rounding import accumulation_unit
from analyzer.numerical.transfer.unit_rows import factors
from analyzer.operators.declaration import RESHAPES

DEPTH = 6  # operators between a vector and the column of it that a system is solved for
LARGEST_GROWTH = 600.0  # logarithm of what a solution is larger by: short of what a float holds
ROUNDED = 1e-4  # of a solution's size: room for the last divisions


def solved(ctx: Context, d: AbstractTensor, matrix: AbstractTensor | None) -> AbstractTensor:
    """The solution of ``matrix x = d`` for columns d; any finite values where nothing is known of the matrix."""
    result = unknown_like(ctx, 0, d.dtype)
    result.nan = d.nan or (matrix is not None and matrix.nan)
    rows = order_of(matrix) if matrix is not None else None
    if matrix is None or rows is None or result.nan or d.shape is None or d.shape != result.shape:
        return result
    alone = diagonal_alone(matrix)
    pivot = alone if alone is not None else least_pivot(matrix)
    largest = max(abs(d.low), abs(d.high))
    if pivot <= float(matrix.dtype.tiny) or not math.isfinite(largest):
        return result
    most = largest * (1.0 if alone is not None else math.sqrt(rows)) / pivot * (1 + ROUNDED) + float(d.dtype.tiny)
    if most < d.dtype.hi:
        result.lo, result.hi = np.float64(-most), np.float64(most)
        result.facts = {"solution": (d, matrix)}
    return result


def substituted(d: AbstractTensor, matrix: AbstractTensor, unit: bool) -> float:
    """What no element of the solution of a triangular system exceeds in size: infinite where nothing is known.

    Each row is d less a sum over the rows before, divided by its own element on the diagonal (1 if `unit`): no element
    is larger than ``(1 + m / p) ** (n - 1)`` times d over p, for elements of size m and a diagonal that is p at least.
    """
    rows, rounding = order_of(matrix), accumulation_unit(matrix.dtype)
    low, high = (1.0, 1.0) if unit else diagonal_bounds(matrix)
    pivot, largest = max(low, -high), max(abs(matrix.low), abs(matrix.high))
    if rows is None or pivot <= float(matrix.dtype.tiny) or not math.isfinite(largest) or rows * rounding > ROUNDED:
        return math.inf
    growth = (rows - 1) * math.log1p(largest * (1 + ROUNDED) / pivot)
    size = max(abs(d.low), abs(d.high)) * (1 + ROUNDED) / pivot
    return math.exp(growth) * size * (1 + ROUNDED) if growth < LARGEST_GROWTH else math.inf


def of_one_sign(a: AbstractTensor, b: AbstractTensor) -> bool:
    """Whether one of both solves a system for the other whose matrix is 0 beside its positive diagonal."""
    return any(
        solution is not None and (diagonal_alone(solution[1]) or 0.0) > 0
        for solution in (_solution(a, b), _solution(b, a))
    )


def least_form(x: AbstractTensor, axes: Any) -> float:
    """What the sum of x = d * solution over `axes` is at least; minus infinity where it is no quadratic form."""
    u, v = factors(x)
    if u is None or v is None or axes is UNKNOWN or u.shape is None or u.shape != v.shape or x.nan:
        return -math.inf
    which = range(len(u.shape)) if axes is None else [a % len(u.shape) for a in axes]
    for given, answer in ((u, v), (v, u)):
        solution = _solution(given, answer)
        if solution is None:
            continue
        made, matrix = _plain(answer), solution[1]
        rows = order_of(matrix)
        assert made.shape is not None
        assert rows is not None
        column = made.shape[-1] == 1 and answer.shape == made.shape[:-1] and len(answer.shape) - 1 in which
        whole = answer.shape == made.shape and len(made.shape) - 2 in which
        terms = count(u.shape, list(which))[1]
        norm = rows * max(abs(matrix.low), abs(matrix.high))
        lost = 2 * terms * accumulation_unit(x.dtype) * (1 + ROUNDED) * norm
        if (column or whole) and math.isfinite(terms) and lost < least_pivot(matrix):
            largest = max(abs(answer.low), abs(answer.high), abs(given.low), abs(given.high))
            return -float(x.dtype.tiny) * terms * (1 + math.sqrt(norm)) * (1 + largest)  # what underflows
    return -math.inf


def _solution(given: AbstractTensor, answer: AbstractTensor) -> tuple[AbstractTensor, AbstractTensor] | None:
    """(d, S) where `answer` solves S x = d and `given` is d, laid out like it."""
    found: Any = _plain(answer).facts.get("solution") if answer.origin is not None else None
    if found is None or given.shape is None or given.shape != answer.shape:
        return None
    d, matrix = found
    return (d, matrix) if _plain(given).key == _plain(d).key else None


def _plain(x: AbstractTensor) -> AbstractTensor:
    """What `x` shows all elements of, in the same order, under another shape."""
    for _ in range(DEPTH):
        origin = x.origin
        before = origin.inputs[0] if origin is not None and origin.inputs else None
        if not isinstance(before, AbstractTensor) or before.shape is None or "solution" in x.facts:
            break
        if not (_takes_the_only(origin, before.shape) or origin.rule.operator.traits & RESHAPES):
            break
        x = before
    return x


def _takes_the_only(origin: Any, shape: Any) -> bool:
    """Whether a gathering takes the one element that there is along an axis, and the axis away."""
    if origin.rule.name != "Gather" or origin.context.is_tf or origin.inputs[1].shape != () or not shape:
        return False
    return bool(shape[int(origin.context.attr("axis", 0)) % len(shape)] == 1)
