"""``keras.ops``: decompositions of matrices, one in each place of the leading axes."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.element_types import real_of
from analyzer.tracing.operators.keras_ops_rules import keras_ops
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import like, tensor
from analyzer.validity.terms import equal, floor_div, minimum


def _matrix(op: Op, value: Value, square: bool = False) -> Tensor | None:
    """The operand, which has rows and columns; None where its rank is not known."""
    source = tensor(op, value)
    if source is None or source.dims is None:
        return None
    if len(source.dims) < 2:
        fail(op, "rank", f"a matrix is needed, but the shape is {show_shape(source.dims)}", (source,))
    if square:
        told = f"a square matrix is needed, but the shape is {show_shape(source.dims)}"
        require(op, equal(source.dims[-2], source.dims[-1]), "square", told, (source,))
    return source


def _parts(op: Op, source: Tensor, *shapes: tuple[Any, ...]) -> tuple[Tensor, ...]:
    return tuple(like(op, source, (*(source.dims or ())[:-2], *dims), source.dtype) for dims in shapes)


@operator(keras_ops("qr"), "x mode='reduced'")
def orthogonal_parts(op: Op, x: Value, mode: Value) -> Value:
    source = _matrix(op, x)
    if source is None or source.dims is None or mode not in ("reduced", "complete"):
        return op.tr.unknown("qr()", "imprecise")
    rows, columns = source.dims[-2:]
    middle = rows if mode == "complete" else minimum(rows, columns)
    return _parts(op, source, (rows, middle), (middle, columns))


@operator(keras_ops("svd"), "x full_matrices=True compute_uv=True")
def singular_parts(op: Op, x: Value, full_matrices: Value, compute_uv: Value) -> Value:
    """Left vectors, values, right vectors as rows."""
    source = _matrix(op, x)
    if source is None or source.dims is None or not isinstance(full_matrices, bool) or not isinstance(compute_uv, bool):
        return op.tr.unknown("svd()", "imprecise")
    rows, columns = source.dims[-2:]
    few = minimum(rows, columns)
    left, right = (rows, columns) if full_matrices else (few, few)
    found = _parts(op, source, (rows, left), (few,), (right, columns))
    return found if compute_uv else found[1]


@operator(keras_ops("eigh"), "x")
def eigenvectors(op: Op, x: Value) -> Value:
    source = _matrix(op, x, square=True)
    if source is None or source.dims is None:
        return op.tr.unknown("eigh()", "imprecise")
    values = like(op, source, source.dims[:-1], real_of(source.dtype))
    return values, like(op, source, source.dims, source.dtype)


@operator(keras_ops("eig"), "x")
def complex_eigenvectors(op: Op, x: Value) -> Value:
    source = _matrix(op, x, square=True)
    if source is None or source.dims is None:
        return op.tr.unknown("eig()", "imprecise")
    return like(op, source, source.dims[:-1]), like(op, source, source.dims)


@operator(keras_ops("lu_factor"), "x")
def factored(op: Op, x: Value) -> Value:
    source = _matrix(op, x)
    if source is None or source.dims is None:
        return op.tr.unknown("lu_factor()", "imprecise")
    rows, columns = source.dims[-2:]
    return like(op, source, source.dims, source.dtype), like(op, source, (*source.dims[:-2], minimum(rows, columns)))


@operator(keras_ops("lstsq"), "a b rcond=None")
def least_squares(op: Op, a: Value, b: Value, rcond: Value) -> Value:
    """(M, N) and (M,) or (M, K) give (N,) or (N, K)."""
    matrix, right = tensor(op, a), tensor(op, b)
    if matrix is None or right is None or matrix.dims is None or right.dims is None:
        return unknown_tensor(op, "tf")
    if len(matrix.dims) != 2 or len(right.dims) not in (1, 2):
        return unknown_tensor(op, "tf", (matrix, right))
    told = f"{show_shape(matrix.dims)} has other rows than {show_shape(right.dims)}"
    require(op, equal(matrix.dims[0], right.dims[0]), "rows", told, (matrix, right))
    return like(op, right, (matrix.dims[1], *right.dims[1:]), right.dtype)


@operator(keras_ops("stft"), "x sequence_length sequence_stride fft_length window='hann' center=True")
def spectrogram(
    op: Op, x: Value, sequence_length: Value, sequence_stride: Value, fft_length: Value, window: Value, center: Value
) -> Value:
    """Real and imaginary parts of half of the spectrum of each frame.

    With `center` half a transform is put to each end; see `keras.ops.math.STFT.compute_output_spec`.
    """
    source = tensor(op, x)
    whole, step = op.tr.term_of(fft_length), sequence_stride
    framed = source is not None and bool(source.dims) and isinstance(step, int) and step > 0
    if not framed or source is None or not source.dims or not isinstance(whole, int) or not isinstance(center, bool):
        return op.tr.unknown("stft()", "imprecise")
    size = source.dims[-1] + (whole // 2 * 2 if center else 0)
    frames = floor_div(size - whole, step) + 1
    return tuple(like(op, source, (*source.dims[:-1], frames, whole // 2 + 1), source.dtype) for _ in range(2))
