"""Fourier transforms, determinants and other sums of products without structure worth keeping."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dims
from analyzer.numerical.domain.tensor import AbstractTensor, count
from analyzer.numerical.transfer.definite import least_pivot
from analyzer.numerical.transfer.diagonals import diagonal_bounds
from analyzer.numerical.transfer.kinds import bounded_outputs, unknown_like
from analyzer.numerical.transfer.registry import transfer
from analyzer.numerical.transfer.solving import solved, substituted
from analyzer.operators.conditions import DIVISION_BY_ZERO

LARGEST_EXPONENT = 700.0  # whose exponential float64 holds


def _symmetric(ctx: Context, x: AbstractTensor, most: float, shape: Any) -> AbstractTensor:
    most = most * (1 + 1e-3) + 1e-30 if most else 0.0  # sums of up to 10,000 products in float32, and denormals
    most = min(most, math.inf)
    lo, hi = ctx.finite(np.float64(-most), np.float64(most), x.dtype, x.low > -np.inf and x.high < np.inf)
    return AbstractTensor(x.dtype, shape, lo, hi, None, x.nan or x.may_be_infinite)  # sums of products with infinity


@transfer("DFT")
def fourier(ctx: Context, x: AbstractTensor, length: Any = None, axis: Any = None) -> AbstractTensor:
    """Sums of n terms of at most |x| sqrt(2); the inverse divides by n."""
    n = math.inf
    if x.shape is not None:
        where = axis.integers() if axis is not None else [int(ctx.attr("axis", 1 if ctx.opset < 20 else -2))]
        n = dims.high(x.shape[where[0] % len(x.shape)]) if where is not None else count(x.shape)[1]
    if length is not None:
        n = max(n, length.high)
    shape = _spectrum(ctx, x, length, axis) or ctx.declared_shape()
    return _symmetric(ctx, x, max(abs(x.low), abs(x.high)) * math.sqrt(2) * 2 * n, shape)


@transfer("RealFourier", "InverseRealFourier")
def real_fourier(ctx: Context, x: AbstractTensor, length: AbstractTensor) -> AbstractTensor:
    """TensorFlow's: sums of n samples, each times a number of size 1; means of what is read of n frequencies."""
    sizes, shape = length.integers(), ctx.declared_shape()
    inverse, largest = ctx.op.startswith("I"), max(abs(x.low), abs(x.high))
    most = largest * math.sqrt(2) if inverse else largest * math.prod(sizes) if sizes is not None else math.inf
    found = _symmetric(ctx, x, most, shape)
    dtype = ctx.element_type(0, x.dtype)
    return AbstractTensor(dtype, shape, found.lo, found.hi, None, found.nan)


def _spectrum(ctx: Context, x: AbstractTensor, length: Any, axis: Any) -> dims.Shape | None:
    """The shape of a transform: real and imaginary parts last, as many frequencies as samples, or those from 0 to n/2.

    The one-sided inverse gives real samples, of n frequencies 2 (n - 1) where no length is given (the ONNX standard's
    DFT-20). None where the axis or the length is not known.
    """
    where = axis.integers() if axis is not None else [int(ctx.attr("axis", 1 if ctx.opset < 20 else -2))]
    given = length.integers() if length is not None else []
    onesided, inverse = bool(ctx.attr("onesided", 0)), bool(ctx.attr("inverse", 0))
    if x.shape is None or len(x.shape) < 2 or not where or given is None:
        return None
    place = where[0] % len(x.shape)
    samples = given[0] if given else x.shape[place]
    if place == len(x.shape) - 1 or (onesided and not isinstance(samples, int)):
        return None
    changed: dims.Dim = samples
    if onesided and isinstance(samples, int):
        changed = samples // 2 + 1 if not inverse else samples if given else 2 * max(samples - 1, 0)
    parts = 1 if onesided and inverse else 2
    return (*x.shape[:place], changed, *x.shape[place + 1 : -1], parts)


@transfer("STFT")
def short_time_fourier(
    ctx: Context, signal: AbstractTensor, step: Any, window: Any = None, length: Any = None
) -> AbstractTensor:
    n = (
        length.high
        if length is not None
        else (count(window.shape)[1] if window is not None else count(signal.shape)[1])
    )
    weight = max(abs(window.low), abs(window.high)) if window is not None else 1.0
    shape = _frames(ctx, signal, step, n) or ctx.declared_shape()
    return _symmetric(ctx, signal, max(abs(signal.low), abs(signal.high)) * weight * n * math.sqrt(2), shape)


def _frames(ctx: Context, signal: AbstractTensor, step: Any, length: float) -> dims.Shape | None:
    """(batch, frames, frequencies, 2); None where the length of a frame or the step between them is not known."""
    by = step.integers() if isinstance(step, AbstractTensor) else None
    if signal.shape is None or len(signal.shape) < 2 or not by or by[0] < 1 or not 1 <= length < math.inf:
        return None
    frames = dims.add(dims.affine(signal.shape[1], -int(length), by[0]), 1)
    bins = int(length) // 2 + 1 if ctx.attr("onesided", 1) else int(length)
    return (signal.shape[0], frames, bins, 2)


@transfer("Det")
def determinant(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """Hadamard's bound: the product of the rows' Euclidean norms; of definite matrices the least product of pivots."""
    sizes = (dims.low(x.shape[-1]), dims.high(x.shape[-1])) if x.shape else (0.0, math.inf)
    magnitude = max(abs(x.low), abs(x.high))
    most = max(_hadamard(magnitude, n) for n in sizes)  # its logarithm is convex in n
    result = _symmetric(ctx, x, most, None if x.shape is None else x.shape[:-2])
    pivot = least_pivot(x)
    if pivot > 0:
        n = int(sizes[0])
        least = pivot**n * (1 - 4 * n * float(x.dtype.eps))
        result.lo = np.maximum(result.lo, least if least >= x.dtype.smallest else 0.0)
    return result


def _hadamard(magnitude: float, n: float) -> float:
    if n == 0:
        return 1.0
    try:
        return float((magnitude * math.sqrt(n)) ** n) if math.isfinite(n) else math.inf
    except OverflowError:
        return math.inf


@transfer("Cholesky")
def factorisation(ctx: Context, x: AbstractTensor, *_: Any) -> Any:
    """Factors without a bound worth computing, but a Cholesky factor: its rows have the diagonal's roots as norms.

    TensorFlow fills the Cholesky factor of a matrix that is not positive definite with NaN.
    """
    results = []
    for index in range(len(ctx.node.outputs)):
        shape = x.shape if ctx.op == "Cholesky" else ctx.declared_shape(index)
        # an entry's square is at most its row's diagonal element, up to the rounding of the elimination
        most = math.sqrt(max(x.high, 0.0)) * (1.001 + 64 * x.dtype.eps) if ctx.op == "Cholesky" else x.dtype.hi
        pivot = least_pivot(x) if ctx.op == "Cholesky" else 0.0
        lo, nan = (-most, pivot <= 0) if ctx.op == "Cholesky" else (x.dtype.lo, x.nan)
        results.append(AbstractTensor(x.dtype, shape, np.float64(lo), np.float64(most), None, nan))
        if pivot > 0:
            results[-1].facts = {"diagonal": (0.999 * math.sqrt(pivot), most)}
    return tuple(results)


@transfer("CholeskyFactor")
def cholesky(ctx: Context, x: AbstractTensor) -> tuple[AbstractTensor, ...]:
    """A triangle whose rows have the roots of the diagonal as norms; PyTorch raises where a pivot is not positive."""
    checked = bool(ctx.attr("check_errors", 0))
    most = math.sqrt(max(x.high, 0.0)) * (1.001 + 64 * float(x.dtype.eps)) if checked else float(x.dtype.hi)
    factor, errors = bounded_outputs(ctx, x, (-most, most), (0.0, np.inf))
    if checked:
        factor.nan = False
        pivot = max(least_pivot(x), x.dtype.smallest)
        factor.facts = {"diagonal": (math.sqrt(pivot) * 0.99, most)}
    return factor, AbstractTensor(errors.dtype, errors.shape, errors.lo, errors.hi)


@transfer("CholeskySolve")
def cholesky_solve(ctx: Context, d: AbstractTensor, factor: AbstractTensor) -> AbstractTensor:
    """The solution for the matrix that `factor` is the Cholesky factor of."""
    origin = factor.origin
    alike = (
        origin is not None
        and origin.rule.name == "CholeskyFactor"
        and origin.output == 0
        and bool(origin.context.attr("upper", 0)) == bool(ctx.attr("upper", 0))
    )
    return solved(ctx, d, origin.inputs[0] if alike else None)


@transfer("LinearSolve")
def linear_solve(ctx: Context, matrix: AbstractTensor, d: AbstractTensor) -> tuple[Any, ...]:
    """The solution, the factors of the matrix, where rows went, and whether it failed."""
    columns = matrix.rank is not None and d.rank == matrix.rank and bool(ctx.attr("left", 1))
    x = solved(ctx, d, matrix if columns else None)
    return x, *(unknown_like(ctx, i) for i in range(1, len(ctx.node.outputs)))


@transfer("MatrixExponential")
def matrix_exponential(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """No element is larger than e to the greatest sum of a row's sizes; kernels square a matrix of that size."""
    size = max(abs(x.low), abs(x.high)) * (dims.high(x.shape[-1]) if x.shape else math.inf)
    most = math.exp(size) if size < LARGEST_EXPONENT else math.inf
    result = _symmetric(ctx, x, most * (1 + 64 * float(x.dtype.eps)), x.shape)
    result.nan = x.nan or x.may_be_infinite
    return result


@transfer("TriangularSolve")
def triangular_solve(ctx: Context, matrix: AbstractTensor, d: AbstractTensor) -> AbstractTensor:
    """Each row is divided by its element on the diagonal: neither framework raises where that is 0.

    Of a diagonal of either sign nothing is demanded: that a trained number is exactly 0 hardly ever comes about.
    """
    least, _ = diagonal_bounds(matrix)
    if least >= 0 and not matrix.nan and not ctx.attr("unitriangular", 0):
        ctx.check(DIVISION_BY_ZERO, "an element of the diagonal is 0", {0: matrix}, _divides)
    result = unknown_like(ctx, 0, d.dtype)
    result.nan = d.nan or matrix.nan
    most = substituted(d, matrix, bool(ctx.attr("unitriangular", 0)))
    if not result.nan and most < d.dtype.hi:
        result.lo, result.hi = np.float64(-most), np.float64(most)
    return result


def _divides(matrix: AbstractTensor) -> bool:
    return not matrix.nan and diagonal_bounds(matrix)[0] >= matrix.dtype.smallest


@transfer("PairwiseDistances")
def distances(ctx: Context, x: AbstractTensor, other: Any = None) -> AbstractTensor:
    """The p-norms of differences of rows: not negative; of order 0 the number of places at which they differ."""
    y = x if other is None else other
    p = float(ctx.attr("p", 2.0))
    n = dims.high(x.shape[-1]) if x.shape else math.inf
    apart = max(x.high - y.low, y.high - x.low, 0.0)
    most = n if p == 0 else apart * (1.0 if p == math.inf else n ** (1 / p))
    finite = all(t.low > -np.inf and t.high < np.inf for t in (x, y))
    slack = 1.001 + 64 * float(x.dtype.eps)
    lo, hi = ctx.finite(np.float64(0.0), np.float64(most * slack), x.dtype, finite)
    return AbstractTensor(x.dtype, ctx.declared_shape(), lo, hi, None, x.nan or y.nan or not finite)
