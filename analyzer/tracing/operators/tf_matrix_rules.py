"""TensorFlow: matrices, one in each place of the leading axes: decompositions, solutions, diagonals."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.element_types import real_of
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import like, tensor
from analyzer.validity.terms import equal, minimum


def _matrix(op: Op, value: Value, square: bool = False) -> Tensor | None:
    """The operand, of at least two dimensions; None where its rank is not known."""
    source = tensor(op, value)
    if source is None or source.dims is None:
        return None
    if len(source.dims) < 2:
        fail(op, "rank", f"a matrix is needed and the tensor has the shape {show_shape(source.dims)}", (source,))
    if square:
        sentence = f"the matrices must be square, and the shape is {show_shape(source.dims)}"
        require(op, equal(source.dims[-1], source.dims[-2]), "square", sentence, (source,))
    return source


@operator("tf.linalg.inv tf.linalg.cholesky tf.linalg.expm tf.linalg.logm tf.linalg.sqrtm", "input *rest")
def square(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, input, True)
    return unknown_tensor(op, "tf") if source is None else like(op, source, source.shape, source.dtype)


@operator("tf.linalg.band_part", "input *rest")
def kept(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, input)
    return unknown_tensor(op, "tf") if source is None else like(op, source, source.shape, source.dtype)


@operator("tf.linalg.adjoint tf.linalg.pinv", "input *rest")
def turned(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, input)
    if source is None or source.dims is None:
        return unknown_tensor(op, "tf")
    return like(op, source, (*source.dims[:-2], source.dims[-1], source.dims[-2]), source.dtype)


@operator("tf.linalg.det tf.linalg.logdet", "input *rest")
def determinant(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, input, True)
    if source is None or source.dims is None:
        return unknown_tensor(op, "tf")
    return like(op, source, source.dims[:-2], source.dtype)


@operator("tf.linalg.trace tf.trace", "x *rest")
def trace(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, x)
    if source is None or source.dims is None:
        return unknown_tensor(op, "tf")
    return like(op, source, source.dims[:-2], source.dtype)


@operator("tf.linalg.eigh tf.linalg.slogdet", "input *rest")
def pair(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, input, True)
    if source is None or source.dims is None:
        return op.tr.unknown(f"{op.short}()")
    if op.short == "slogdet":
        parts = (like(op, source, source.dims[:-2], source.dtype) for _ in range(2))
        return tuple(parts)
    return like(op, source, source.dims[:-1], source.dtype), like(op, source, source.dims, source.dtype)


@operator("tf.linalg.eigvalsh", "input *rest")
def eigenvalues(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, input, True)
    if source is None or source.dims is None:
        return unknown_tensor(op, "tf")
    return like(op, source, source.dims[:-1], source.dtype)


@operator("tf.linalg.svd", "tensor full_matrices=False compute_uv=True *rest")
def singular_parts(op: Op, tensor: Value, full_matrices: Value, compute_uv: Value, rest: tuple[Value, ...]) -> Value:
    """Singular values first, and the right vectors as columns."""
    source = _matrix(op, tensor)
    if source is None or source.dims is None or not isinstance(full_matrices, bool) or not isinstance(compute_uv, bool):
        return op.tr.unknown("svd()")
    *lead, rows, columns = source.dims
    few = minimum(rows, columns)
    values = like(op, source, (*lead, few), real_of(source.dtype))
    if not compute_uv:
        return values
    left, right = (rows, columns) if full_matrices else (few, few)
    return values, *(like(op, source, (*lead, *d), source.dtype) for d in ((rows, left), (columns, right)))


@operator("tf.linalg.qr", "input full_matrices=False *rest")
def orthogonal_parts(op: Op, input: Value, full_matrices: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, input)
    if source is None or source.dims is None or not isinstance(full_matrices, bool):
        return op.tr.unknown("qr()")
    *lead, rows, columns = source.dims
    middle = rows if full_matrices else minimum(rows, columns)
    return tuple(like(op, source, (*lead, *d), source.dtype) for d in ((rows, middle), (middle, columns)))


@operator("tf.linalg.solve tf.linalg.triangular_solve", "matrix rhs *rest")
def solution(op: Op, matrix: Value, rhs: Value, rest: tuple[Value, ...]) -> Value:
    source, right = _matrix(op, matrix, True), _matrix(op, rhs)
    if source is None or right is None or source.dims is None or right.dims is None:
        return unknown_tensor(op, "tf")
    sentence = f"the matrix is {show_shape(source.dims)} and the right side {show_shape(right.dims)}"
    require(op, equal(source.dims[-1], right.dims[-2]), "size", sentence, (source, right))
    if len(source.dims) != len(right.dims) or any(
        equal(a, b) is not True for a, b in zip(source.dims[:-2], right.dims[:-2], strict=True)
    ):
        return unknown_tensor(op, "tf", (source, right))
    return like(op, right, right.dims, right.dtype)


@operator("tf.linalg.matvec", "a b transpose_a=False *rest")
def matrix_and_vector(op: Op, a: Value, b: Value, transpose_a: Value, rest: tuple[Value, ...]) -> Value:
    left, right = _matrix(op, a), tensor(op, b)
    if left is None or right is None or left.dims is None or right.dims is None or not isinstance(transpose_a, bool):
        return unknown_tensor(op, "tf")
    if op.extra.get("adjoint_a") not in (None, False):
        return unknown_tensor(op, "tf", (left, right))
    sentence = f"a matrix {show_shape(left.dims)} and a vector {show_shape(right.dims)}"
    if not right.dims:
        fail(op, "rank", sentence, (left, right))
    rows, inner = (left.dims[-1], left.dims[-2]) if transpose_a else (left.dims[-2], left.dims[-1])
    require(op, equal(inner, right.dims[-1]), "size", sentence, (left, right))
    if len(left.dims) - 1 != len(right.dims) or any(
        equal(p, q) is not True for p, q in zip(left.dims[:-2], right.dims[:-1], strict=True)
    ):
        return unknown_tensor(op, "tf", (left, right))
    return Tensor(
        (*left.dims[:-2], rows), left.dtype, "tf", site=op.where, sources=(left, right), graph=left.graph or right.graph
    )


@operator("tf.linalg.cross", "a b *rest")
def cross(op: Op, a: Value, b: Value, rest: tuple[Value, ...]) -> Value:
    left, right = tensor(op, a), tensor(op, b)
    if left is None or right is None or left.dims is None or right.dims is None:
        return unknown_tensor(op, "tf")
    sentence = f"both operands must have one shape that ends in 3, and they have {show_shape(left.dims)} and "
    sentence += show_shape(right.dims)
    if len(left.dims) != len(right.dims) or not left.dims:
        fail(op, "same-shape", sentence, (left, right))
    for p, q in (*zip(left.dims, right.dims, strict=True), (left.dims[-1], 3)):
        require(op, equal(p, q), "same-shape", sentence, (left, right))
    return like(op, left, left.dims, left.dtype)


# ----------------------------------------------------------------------------------------------- diagonals


@operator("tf.linalg.diag", "diagonal k=None *rest")
def diag(op: Op, diagonal: Value, k: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, diagonal)
    if source is None or not source.dims or k not in (None, 0) or rest or _stated(op):
        return unknown_tensor(op, "tf")
    return like(op, source, (*source.dims, source.dims[-1]), source.dtype)


@operator("tf.linalg.diag_part", "input k=None *rest")
def diag_part(op: Op, input: Value, k: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, input)
    if source is None or source.dims is None or k not in (None, 0) or rest or _stated(op):
        return unknown_tensor(op, "tf")
    return like(op, source, (*source.dims[:-2], minimum(source.dims[-2], source.dims[-1])), source.dtype)


@operator("tf.linalg.set_diag", "input diagonal k=None *rest")
def set_diag(op: Op, input: Value, diagonal: Value, k: Value, rest: tuple[Value, ...]) -> Value:
    source, line = _matrix(op, input), tensor(op, diagonal)
    if source is None or source.dims is None:
        return unknown_tensor(op, "tf")
    if line is not None and line.dims is not None and k in (None, 0):
        wanted = (*source.dims[:-2], minimum(source.dims[-2], source.dims[-1]))
        sentence = f"a diagonal {show_shape(line.dims)} does not fit matrices {show_shape(source.dims)}"
        if len(wanted) != len(line.dims):
            fail(op, "size", sentence, (source, line))
        for p, q in zip(wanted, line.dims, strict=True):
            require(op, equal(p, q), "size", sentence, (source, line))
    return like(op, source, source.dims, source.dtype)


def _stated(op: Op) -> bool:
    """Whether the size of the matrices, or another diagonal, is given."""
    return any(key in op.extra for key in ("num_rows", "num_cols"))
