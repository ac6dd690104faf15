"""Singular values, eigenvalues and orthogonal factors, and where the gradients of what they give are infinite.

PyTorch's gradient of singular vectors divides by the differences of the squares of singular values, that of
eigenvectors by the differences of eigenvalues (derivatives of `linalg.svd`, `linalg.eigh` and `linalg.eig`): where two
are equal it is NaN, whatever comes back. The values alone have finite gradients, and so do TensorFlow's vectors, which
divide by d + 1e-20 / d. The gradient of orthogonal factors solves a system with the triangle, which is singular where
the matrix is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dims
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.gradient_paths import passes_gradient
from analyzer.numerical.transfer.kinds import bounded_outputs
from analyzer.numerical.transfer.registry import transfer
from analyzer.operators.conditions import (
    GRADIENT_OF_EQUAL_EIGENVALUES,
    GRADIENT_OF_NORM_AT_ZERO,
    GRADIENT_OF_SINGULAR_MATRIX,
)

EQUAL_VALUES, EQUAL_ROOTS = "two singular values are equal", "two eigenvalues are equal"
LARGEST = 512  # rows of a constant matrix whose values are computed


@transfer("SingularValues")
def singular_values(ctx: Context, x: AbstractTensor) -> tuple[AbstractTensor, ...]:
    """Orthonormal columns, values that are not negative and add up in squares to the matrix's own, orthonormal rows."""
    one = 1.001 + 64 * float(x.dtype.eps)
    rows, columns = _sizes(x)
    left, right = (_read(ctx, index) for index in (0, 2))
    if left or right:
        if min(rows, columns) > 1:
            _distinct(ctx, x, EQUAL_VALUES, lambda m: np.linalg.svd(m, compute_uv=False))
        elif (left and rows > 1) or (right and columns > 1):  # the vector x / |x|
            ctx.check(GRADIENT_OF_NORM_AT_ZERO, "x = 0", {0: x}, _has_a_norm, backward=True)
    return bounded_outputs(ctx, x, (-one, one), (0.0, _largest_norm(x)), (-one, one))


@transfer("Eigenvalues")
def eigenvalues(ctx: Context, x: AbstractTensor) -> tuple[AbstractTensor, ...]:
    one, most = 1.001 + 64 * float(x.dtype.eps), _largest_norm(x)
    if _read(ctx, 1) and max(_sizes(x)) > 1:
        lower = str(ctx.attr("UPLO", "L")).upper() != "U"
        _distinct(ctx, x, EQUAL_ROOTS, lambda m: np.linalg.eigvalsh(m, "L" if lower else "U"))
    return bounded_outputs(ctx, x, (-most, most), (-one, one))


@transfer("ComplexEigenvalues")
def complex_eigenvalues(ctx: Context, x: AbstractTensor) -> tuple[AbstractTensor, ...]:
    """Pairs of real and imaginary parts."""
    one, most = 1.001 + 64 * float(x.dtype.eps), _largest_norm(x)
    if _read(ctx, 1) and max(_sizes(x)) > 1:
        _told(ctx, GRADIENT_OF_EQUAL_EIGENVALUES, EQUAL_ROOTS, x)
    return bounded_outputs(ctx, x, (-most, most), (-one, one))


@transfer("OrthogonalFactors")
def orthogonal_factors(ctx: Context, x: AbstractTensor) -> tuple[AbstractTensor, ...]:
    one, most = 1.001 + 64 * float(x.dtype.eps), _largest_norm(x)
    if any(_read(ctx, index) for index in (0, 1)) and not _is_regular(x):
        _told(ctx, GRADIENT_OF_SINGULAR_MATRIX, "the matrix is singular", x)
    return bounded_outputs(ctx, x, (-one, one), (-most, most))


def _read(ctx: Context, output: int) -> bool:
    """Whether a gradient comes back to an output."""
    told = ctx.options.backward and not ctx.run.ledger.quiet and output < len(ctx.node.outputs)
    return told and passes_gradient(ctx.node.outputs[output])


def _sizes(x: AbstractTensor) -> tuple[float, float]:
    """The most rows and columns that the matrices may have."""
    if x.shape is None or len(x.shape) < 2:
        return math.inf, math.inf
    return dims.high(x.shape[-2]), dims.high(x.shape[-1])


def _distinct(ctx: Context, x: AbstractTensor, danger: str, values_of: Callable[[Any], Any]) -> None:
    """Demand that no two singular values or eigenvalues of one matrix are equal, nor a singular value 0 that counts."""
    zero = danger == EQUAL_VALUES and len(set(_sizes(x))) > 1
    if not _stay_apart(x, zero, values_of):
        _told(ctx, GRADIENT_OF_EQUAL_EIGENVALUES, danger, x)


def _told(ctx: Context, rule: str, danger: str, x: AbstractTensor) -> None:
    """A matrix is no matter of its parts, nor of cases of its elements: what is not proved of the whole is told."""
    ctx.check(rule, danger, {0: x}, lambda _: False, backward=True)


def _stay_apart(x: AbstractTensor, zero: bool, values_of: Callable[[Any], Any]) -> bool:
    known = _known_and_rest(x)
    if known is None:
        return False
    matrix, rest = known
    values = np.sort(values_of(matrix), axis=-1)
    apart = float(np.diff(values, axis=-1).min(initial=np.inf))
    if zero:
        apart = min(apart, float(values.min()))
    # Weyl: no value moves by more than the norm of what is added; nor by more than a factorisation rounds
    size = float(np.abs(values).max()) + rest
    lost = 64 * max(matrix.shape[-2:]) * float(x.dtype.eps) * size
    return bool(apart > 2 * (rest + lost) + float(x.dtype.tiny) ** 0.5)


def _known_and_rest(x: AbstractTensor) -> tuple[Any, float] | None:
    """Constant matrices, and the most that the norm of what `x` adds to them can be; None where that is not known."""
    for part, other in _summands(x):
        known = part.exact()
        sizes = np.shape(known)[-2:]
        if known is None or x.shape is None or sizes != x.shape[-2:] or max(sizes, default=0) > LARGEST:
            continue
        if other is not None and (other.shape != x.shape or other.nan):
            continue
        rest = 0.0 if other is None else _largest_norm(other)
        if math.isfinite(rest):
            return np.asarray(known, np.float64), rest
    return None


def _summands(x: AbstractTensor) -> list[tuple[AbstractTensor, AbstractTensor | None]]:
    origin = x.origin
    if origin is not None and origin.rule.name == "Add" and len(origin.inputs) == 2:
        a, b = origin.inputs
        return [(a, b), (b, a)]
    return [(x, None)]


def _has_a_norm(x: AbstractTensor) -> bool:
    least = float(x.dtype.tiny) ** 0.5
    return not x.nan and (x.low >= least or x.high <= -least)


def _is_regular(x: AbstractTensor) -> bool:
    """Whether singular values are known not to be 0: of a constant plus what is smaller than its least."""
    known = _known_and_rest(x)
    if known is None:
        return False
    matrix, rest = known
    values = np.linalg.svd(matrix, compute_uv=False)
    size = float(values.max()) + rest
    return bool(values.min() > rest + 64 * max(matrix.shape[-2:]) * float(x.dtype.eps) * size)


def _largest_norm(x: AbstractTensor) -> float:
    """The most that the Euclidean norm of a matrix can be, with room for the rounding of a factorisation."""
    rows, columns = x.shape[-2:] if x.shape is not None and len(x.shape) >= 2 else (None, None)
    size = dims.high(rows) * dims.high(columns) if rows is not None and columns is not None else math.inf
    return max(abs(x.low), abs(x.high)) * math.sqrt(size) * (1.001 + 64 * float(x.dtype.eps)) + float(x.dtype.tiny)
