"""`scipy.linalg`: factors, functions and solutions of matrices, by their shapes."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Api, Unknown, Value
from analyzer.tracing.operators.numpy_operands import array, made, of, unknown
from analyzer.tracing.operators.refusals import require
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import equal


def _names(names: str) -> str:
    return " ".join(f"scipy.linalg.{name}" for name in names.split())


def _matrix(op: Op, value: Value, square: bool = False) -> Tensor | None:
    """A matrix of known sizes; fails where a square one is needed and it is none."""
    found = array(op, value)
    if found is None or found.dims is None or len(found.dims) != 2:
        return None
    rows, columns = found.dims
    if square:
        told = f"the matrix has to be square, and has the shape {show_shape(found.dims)}"
        require(op, equal(rows, columns), "square", told, (found,))
    return found


def _smaller(dims: Any) -> Value:
    rows, columns = dims
    if rows == columns:
        return rows
    return min(rows, columns) if isinstance(rows, int) and isinstance(columns, int) else None


@operator(_names("sqrtm expm logm sinm cosm tanm sinhm coshm tanhm signm cholesky"), "a *rest")
def of_square(op: Op, a: Value, rest: tuple[Value, ...]) -> Value:
    found = _matrix(op, a, square=True)
    return unknown(op) if found is None else of(op, found, found.dims)


@operator(_names("solve solve_triangular"), "a b *rest")
def solved(op: Op, a: Value, b: Value, rest: tuple[Value, ...]) -> Value:
    left = array(op, a)
    if left is not None and left.dims is not None and len(left.dims) != 2:
        return unknown(op)  # a scalar is a matrix of one element here, and newer versions take stacks
    return call(op.tr, Api("numpy.linalg.solve"), (a, b), {}, op.node)


@operator(_names("cho_solve lu_solve"), "factor b *rest")
def solved_by_factor(op: Op, factor: Value, b: Value, rest: tuple[Value, ...]) -> Value:
    if type(factor) is not tuple or len(factor) != 2:
        return unknown(op)
    return call(op.tr, Api("numpy.linalg.solve"), (factor[0], b), {}, op.node)


@operator(_names("cho_factor"), "a lower=False *rest")
def cholesky_factor(op: Op, a: Value, lower: Value, rest: tuple[Value, ...]) -> Value:
    found = _matrix(op, a, square=True)
    return (unknown(op) if found is None else of(op, found, found.dims)), lower


@operator(_names("lu_factor"), "a *rest")
def lu_factor(op: Op, a: Value, rest: tuple[Value, ...]) -> Value:
    found = _matrix(op, a)
    if found is None or found.dims is None:
        return unknown(op), unknown(op)
    size = _smaller(found.dims)
    return of(op, found, found.dims), made(op, None if size is None else (size,), None)


@operator(_names("lu"), "a *rest")
def lu(op: Op, a: Value, rest: tuple[Value, ...]) -> Value:
    found = _matrix(op, a)
    size = None if found is None else _smaller(found.dims)
    if found is None or found.dims is None or size is None or rest or op.extra:
        return op.tr.unknown("scipy.linalg.lu()", "imprecise")
    rows, columns = found.dims
    return of(op, found, (rows, rows)), of(op, found, (rows, size)), of(op, found, (size, columns))


@operator(_names("qr"), "a overwrite_a=False lwork=None mode='full' *rest")
def qr(op: Op, a: Value, overwrite_a: Value, lwork: Value, mode: Value, rest: tuple[Value, ...]) -> Value:
    found = _matrix(op, a)
    size = None if found is None else _smaller(found.dims)
    if found is None or found.dims is None or size is None or rest or op.extra or mode not in ("full", "economic", "r"):
        return op.tr.unknown("scipy.linalg.qr()", "imprecise")
    rows, columns = found.dims
    if mode == "r":
        return (of(op, found, found.dims),)
    inner = rows if mode == "full" else size
    return of(op, found, (rows, inner)), of(op, found, (inner, columns))


@operator(_names("eigh eig"), "a b=None *rest")
def eigen(op: Op, a: Value, b: Value, rest: tuple[Value, ...]) -> Value:
    found = _matrix(op, a, square=True)
    values_alone = op.extra.get("eigvals_only", False)
    if (
        found is None
        or found.dims is None
        or rest
        or set(op.extra) - {"eigvals_only"}
        or type(values_alone) is not bool
    ):
        return op.tr.unknown(f"scipy.linalg.{op.short}()", "imprecise")
    values = of(op, found, found.dims[:1])
    return values if values_alone else (values, of(op, found, found.dims))


@operator(_names("eigvalsh svdvals"), "a *rest")
def values(op: Op, a: Value, rest: tuple[Value, ...]) -> Value:
    found = _matrix(op, a, square=op.short != "svdvals")
    size = None if found is None else _smaller(found.dims)
    known = found is not None and size is not None and not op.extra and not rest
    return of(op, found, (size,)) if known and found is not None else unknown(op)


@operator(_names("schur polar"), "a *rest")
def two_of_square(op: Op, a: Value, rest: tuple[Value, ...]) -> Value:
    found = _matrix(op, a, square=op.short == "schur")
    if found is None or found.dims is None or rest or op.extra:
        return op.tr.unknown(f"scipy.linalg.{op.short}()", "imprecise")
    return of(op, found, found.dims), of(op, found, (found.dims[1], found.dims[1]))


@operator(_names("hadamard dft hilbert invhilbert pascal"), "n *rest")
def square_of_size(op: Op, n: Value, rest: tuple[Value, ...]) -> Value:
    size = op.tr.term_of(n)
    return made(op, None if size is None else (size, size))


@operator(_names("circulant"), "c")
def circulant(op: Op, c: Value) -> Value:
    found = array(op, c)
    if found is None or found.dims is None or len(found.dims) != 1:
        return unknown(op)
    return of(op, found, (found.dims[0], found.dims[0]), found.dtype)


@operator(_names("null_space orth"), "A *rest")
def basis(op: Op, A: Value, rest: tuple[Value, ...]) -> Value:
    """As many columns as the elements of the matrix decide."""
    found = _matrix(op, A)
    if found is None or found.dims is None:
        return unknown(op)
    rows = found.dims[1] if op.short == "null_space" else found.dims[0]
    return of(op, found, (rows, op.tr.fresh("columns", "data", 0)))


# --------------------------------------------------------------------------------------- of sparse matrices


def _sizes(op: Op, value: Value) -> tuple[Any, ...] | None:
    shape = getattr(value, "attrs", {}).get("shape") if not isinstance(value, (Tensor, Unknown)) else None
    if type(shape) is tuple:
        return shape
    found = _matrix(op, value)
    return None if found is None else found.dims


@operator("scipy.sparse.linalg.spsolve", "A b *rest")
def sparse_solved(op: Op, A: Value, b: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, b)
    return unknown(op) if found is None else of(op, found, found.shape)


@operator("scipy.sparse.linalg.eigsh scipy.sparse.linalg.eigs", "A k=6 *rest")
def sparse_eigen(op: Op, A: Value, k: Value, rest: tuple[Value, ...]) -> Value:
    dims, count = _sizes(op, A), op.tr.term_of(k)
    if dims is None or count is None or op.extra.get("return_eigenvectors", True) is not True:
        return op.tr.unknown(f"{op.short}()", "imprecise")
    return made(op, (count,)), made(op, (dims[0], count))


@operator("scipy.sparse.linalg.svds", "A k=6 *rest")
def sparse_svd(op: Op, A: Value, k: Value, rest: tuple[Value, ...]) -> Value:
    dims, count = _sizes(op, A), op.tr.term_of(k)
    if dims is None or count is None or op.extra.get("return_singular_vectors", True) is not True:
        return op.tr.unknown("svds()", "imprecise")
    return made(op, (dims[0], count)), made(op, (count,)), made(op, (count, dims[1]))
