"""torch.linalg: tensors taken for matrices, Vandermonde matrices, symmetric factors."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Fields, Value
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_matrix_rules import solution
from analyzer.validity.terms import equal, product


@operator("torch.linalg.tensorinv", "A ind=2")
def tensor_inverse(op: Op, A: Value, ind: Value) -> Value:
    """(*rows, *columns) with as many elements in the rows as in the columns becomes (*columns, *rows)."""
    source = tensor_of(op.tr, A, "torch")
    if source is None or source.dims is None or type(ind) is not int or ind <= 0:
        return unknown_tensor(op, "torch")
    rows, columns = source.dims[:ind], source.dims[ind:]
    told = f"the first {ind} axes of {show_shape(source.dims)} have another number of elements than the others"
    require(op, equal(product(rows), product(columns)), "square", told, (source,))
    return Tensor((*columns, *rows), source.dtype, "torch", site=op.where, sources=(source,))


@operator("torch.linalg.tensorsolve", "A B dims=None")
def tensor_solution(op: Op, A: Value, B: Value, dims: Value) -> Value:
    """(*rows, *columns) and (*rows) give (*columns)."""
    source, given = tensor_of(op.tr, A, "torch"), tensor_of(op.tr, B, "torch")
    if source is None or given is None or source.dims is None or given.dims is None or dims is not None:
        return unknown_tensor(op, "torch")
    rank = len(given.dims)
    rows, columns = source.dims[:rank], source.dims[rank:]
    told = f"{show_shape(source.dims)} is no square matrix for a right side {show_shape(given.dims)}"
    require(op, equal(product(rows), product(columns)), "square", told, (source, given))
    require(op, equal(product(rows), product(given.dims)), "size", told, (source, given))
    return Tensor(columns, given.dtype, "torch", site=op.where, sources=(source, given))


@operator("torch.linalg.vander torch.vander", "x N=None *rest")
def powers(op: Op, x: Value, N: Value, rest: tuple[Value, ...]) -> Value:
    """(*, n) becomes (*, n, N), N being n where nothing is asked for; `torch.vander` takes vectors alone."""
    source = tensor_of(op.tr, x, "torch")
    if source is None or source.dims is None:
        return unknown_tensor(op, "torch")
    if not source.dims or (op.name == "torch.vander" and len(source.dims) > 1):
        fail(op, "rank", f"a vector is needed, but the shape is {show_shape(source.dims)}", (source,))
    count = source.dims[-1] if N is None else op.tr.term_of(N)
    if count is None:
        return unknown_tensor(op, "torch", (source,))
    return Tensor((*source.dims, count), source.dtype, "torch", site=op.where, sources=(source,))


@operator("torch.linalg.ldl_factor torch.linalg.ldl_factor_ex", "A *rest")
def symmetric_factors(op: Op, A: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor_of(op.tr, A, "torch")
    if source is None or source.dims is None:
        return op.tr.unknown(f"{op.short}()")
    if len(source.dims) < 2:
        fail(op, "rank", f"a matrix is needed, but the shape is {show_shape(source.dims)}", (source,))
    told = f"a square matrix is needed, but the shape is {show_shape(source.dims)}"
    require(op, equal(source.dims[-2], source.dims[-1]), "square", told, (source,))
    kinds = (source.dims, source.dtype), (source.dims[:-1], "int32"), (source.dims[:-2], "int32")
    parts = [Tensor(dims, kind, "torch", site=op.where, sources=(source,)) for dims, kind in kinds]
    count = 3 if op.short.endswith("_ex") else 2
    return Fields(parts[:count], ("LD", "pivots", "info")[:count])


@operator("torch.linalg.solve_ex", "A B *rest")
def checked_solution(op: Op, A: Value, B: Value, rest: tuple[Value, ...]) -> Value:
    """What `torch.linalg.solve` gives, and whether it could."""
    solved, matrix = solution(op, A, B, rest), tensor_of(op.tr, A, "torch")
    lead = matrix.dims[:-2] if matrix is not None and matrix.dims is not None else None
    return Fields((solved, Tensor(lead, "int32", "torch", site=op.where)), ("result", "info"))
