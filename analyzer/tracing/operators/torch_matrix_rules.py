"""torch: matrices, one in each place of the leading axes: decompositions, solutions, diagonals."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import axis_of, reduced_dims
from analyzer.tracing.tensors import Tensor, show_shape
from analyzer.tracing.values import Fields, Value
from analyzer.validity.terms import equal, minimum, product


def _matrix(op: Op, value: Value, square: bool = False) -> Tensor | None:
    """The operand, which has rows and columns; None where its rank is not known."""
    found = tensor_of(op.tr, value, "torch")
    if found is None or found.dims is None:
        return None
    if len(found.dims) < 2:
        fail(op, "rank", f"a matrix is needed, but the shape is {show_shape(found.dims)}", (found,))
    if square:
        sentence = f"a square matrix is needed, but the shape is {show_shape(found.dims)}"
        require(op, equal(found.dims[-2], found.dims[-1]), "square", sentence, (found,))
    return found


def _of(op: Op, source: Tensor, dims: Any, dtype: str | None = "") -> Tensor:
    return Tensor(dims, source.dtype if dtype == "" else dtype, "torch", site=op.where, sources=(source,))


@operator("torch.det torch.logdet torch.linalg.det torch.linalg.matrix_rank torch.linalg.cond", "input *rest")
def of_each(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, input, op.short.endswith("det"))
    return unknown_tensor(op, "torch") if source is None or source.dims is None else _of(op, source, source.dims[:-2])


@operator("torch.slogdet torch.linalg.slogdet", "input")
def sign_and_logarithm(op: Op, input: Value) -> Value:
    source = _matrix(op, input, True)
    if source is None or source.dims is None:
        return op.tr.unknown("slogdet()")
    return Fields([_of(op, source, source.dims[:-2]) for _ in range(2)], ("sign", "logabsdet"))


@operator(
    "torch.inverse torch.linalg.inv torch.linalg.matrix_power torch.matrix_power torch.linalg.matrix_exp "
    "torch.cholesky torch.linalg.cholesky torch.cholesky_inverse torch.linalg.householder_product", "input *rest"
)  # fmt: skip
def same_matrix(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, input, op.short != "householder_product")
    return unknown_tensor(op, "torch") if source is None else _of(op, source, source.dims)


@operator("torch.pinverse torch.linalg.pinv", "input *rest")
def pseudo_inverse(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, input)
    if source is None or source.dims is None:
        return unknown_tensor(op, "torch")
    return _of(op, source, (*source.dims[:-2], source.dims[-1], source.dims[-2]))


@operator("torch.linalg.eigvals torch.linalg.eigvalsh", "input *rest")
def eigenvalues(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, input, True)
    if source is None or source.dims is None:
        return unknown_tensor(op, "torch")
    return _of(op, source, source.dims[:-1], None if op.short == "eigvals" else "")


@operator("torch.linalg.eig torch.linalg.eigh", "input *rest")
def eigenvectors(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, input, True)
    if source is None or source.dims is None:
        return op.tr.unknown(f"{op.short}()")
    dtype = None if op.short == "eig" else ""
    parts = _of(op, source, source.dims[:-1], dtype), _of(op, source, source.dims, dtype)
    return Fields(parts, ("eigenvalues", "eigenvectors"))


@operator("torch.linalg.svdvals", "input *rest")
def singular_values(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, input)
    if source is None or source.dims is None:
        return unknown_tensor(op, "torch")
    return _of(op, source, (*source.dims[:-2], minimum(source.dims[-2], source.dims[-1])))


@operator("torch.svd torch.linalg.svd", "input full=None *rest")
def singular_parts(op: Op, input: Value, full: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, input)
    whole = op.extra.get("full_matrices", True if full is None else full) if op.name.startswith("torch.linalg") else (
        full is False or op.extra.get("some") is False
    )  # fmt: skip
    if source is None or source.dims is None or not isinstance(whole, bool):
        return op.tr.unknown("svd()")
    *lead, rows, columns = source.dims
    few = minimum(rows, columns)
    left, right = (rows, columns) if whole else (few, few)
    last = (right, columns) if op.name.startswith("torch.linalg") else (columns, right)
    parts = _of(op, source, (*lead, rows, left)), _of(op, source, (*lead, few)), _of(op, source, (*lead, *last))
    return Fields(parts, ("U", "S", "Vh" if op.name.startswith("torch.linalg") else "V"))


@operator("torch.qr torch.linalg.qr", "input mode=None *rest")
def orthogonal_parts(op: Op, input: Value, mode: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, input)
    whole = mode == "complete" or mode is False or op.extra.get("some") is False
    if source is None or source.dims is None or mode == "r" or not isinstance(mode, (str, bool, type(None))):
        return op.tr.unknown("qr()")
    *lead, rows, columns = source.dims
    middle = rows if whole else minimum(rows, columns)
    return Fields((_of(op, source, (*lead, rows, middle)), _of(op, source, (*lead, middle, columns))), ("Q", "R"))


@operator("torch.linalg.solve torch.cholesky_solve", "first second *rest")
def solution(op: Op, first: Value, second: Value, rest: tuple[Value, ...]) -> Value:
    matrix, right = (first, second) if op.short == "solve" else (second, first)
    source, given = _matrix(op, matrix, True), tensor_of(op.tr, right, "torch")
    if source is None or given is None or source.dims is None or given.dims is None or op.extra:
        return unknown_tensor(op, "torch")
    same = len(given.dims) == len(source.dims)
    if not same and not (len(given.dims) == 1 and len(source.dims) == 2):
        return unknown_tensor(op, "torch")
    rows = given.dims[-2] if same else given.dims[0]
    sentence = f"the matrix has {source.dims[-1]} rows but the right side {rows}"
    require(op, equal(source.dims[-1], rows), "size", sentence, (source, given))
    if same and source.dims[:-2] != given.dims[:-2]:
        return unknown_tensor(op, "torch", (source, given))
    return _of(op, given, given.dims)


@operator("torch.linalg.matrix_norm", "input ord='fro' dim=(-2,-1) keepdim=False *rest")
def matrix_norm(op: Op, input: Value, ord: Value, dim: Value, keepdim: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, input)
    return unknown_tensor(op, "torch") if source is None else _of(op, source, reduced_dims(op, source, dim, keepdim))


# ----------------------------------------------------------------------------------------------- diagonals


def _length(rows: Any, columns: Any, offset: Value) -> Any:
    """Elements of a diagonal; None where it is not known."""
    if not isinstance(offset, int):
        return None
    found = minimum(rows + min(offset, 0), columns - max(offset, 0))
    return max(found, 0) if isinstance(found, int) else found


@operator("torch.diagonal torch.linalg.diagonal", "input offset=0 dim1=None dim2=None")
def diagonal(op: Op, input: Value, offset: Value, dim1: Value, dim2: Value) -> Value:
    source = _matrix(op, input)
    if source is None or source.dims is None:
        return unknown_tensor(op, "torch")
    usual = (0, 1) if op.name == "torch.diagonal" else (-2, -1)
    first = axis_of(op, source, usual[0] if dim1 is None else dim1)
    second = axis_of(op, source, usual[1] if dim2 is None else dim2)
    if first is None or second is None or first == second:
        return unknown_tensor(op, "torch", (source,))
    length = _length(source.dims[first], source.dims[second], offset)
    kept = [d for i, d in enumerate(source.dims) if i not in (first, second)]
    return _of(op, source, (*kept, op.tr.fresh("diagonal", "derived", 0) if length is None else length))


@operator("torch.diag", "input diagonal=0")
def diag(op: Op, input: Value, diagonal: Value) -> Value:
    source = tensor_of(op.tr, input, "torch")
    if source is None or source.dims is None or not isinstance(diagonal, int) or not 1 <= len(source.dims) <= 2:
        return unknown_tensor(op, "torch")
    if len(source.dims) == 1:
        size = source.dims[0] + abs(diagonal)
        return _of(op, source, (size, size))
    rows, columns = source.dims
    return _of(op, source, (_length(rows, columns, diagonal),))


@operator("torch.diag_embed", "input offset=0 dim1=-2 dim2=-1")
def diag_embed(op: Op, input: Value, offset: Value, dim1: Value, dim2: Value) -> Value:
    source = tensor_of(op.tr, input, "torch")
    if source is None or not source.dims or not isinstance(offset, int) or (dim1, dim2) != (-2, -1):
        return unknown_tensor(op, "torch")
    size = source.dims[-1] + abs(offset)
    return _of(op, source, (*source.dims[:-1], size, size))


@operator("torch.diagflat", "input offset=0")
def diagflat(op: Op, input: Value, offset: Value) -> Value:
    source = tensor_of(op.tr, input, "torch")
    if source is None or source.dims is None or not isinstance(offset, int):
        return unknown_tensor(op, "torch")
    size = product(source.dims) + abs(offset)
    return _of(op, source, (size, size))


@operator("torch.tril_indices torch.triu_indices", "row col *rest")
def triangle(op: Op, row: Value, col: Value, rest: tuple[Value, ...]) -> Value:
    return Tensor((2, op.tr.fresh("triangle", "derived", 0)), "int64", "torch", site=op.where)


# ------------------------------------------------------------------------------------------------ products


@operator("torch.addmv torch.addr torch.addbmm", "input first second *rest")
def added_product(op: Op, input: Value, first: Value, second: Value, rest: tuple[Value, ...]) -> Value:
    a, b = tensor_of(op.tr, first, "torch"), tensor_of(op.tr, second, "torch")
    ranks = {"addmv": (2, 1), "addr": (1, 1), "addbmm": (3, 3)}[op.short]
    if a is None or b is None or a.dims is None or b.dims is None:
        return unknown_tensor(op, "torch")
    if (len(a.dims), len(b.dims)) != ranks:
        fail(op, "rank", f"the operands are {show_shape(a.dims)} and {show_shape(b.dims)}", (a, b))
    if op.short == "addr":
        return _of(op, a, (a.dims[0], b.dims[0]))
    if op.short == "addbmm":
        made = apply(op, "torch", "bmm", (a, b))
        return _of(op, a, made.dims[1:]) if isinstance(made, Tensor) and made.dims else unknown_tensor(op, "torch")
    return apply(op, "torch", "matmul", (a, b))


@operator("torch.tensordot", "a b dims=2 *rest")
def tensordot(op: Op, a: Value, b: Value, dims: Value, rest: tuple[Value, ...]) -> Value:
    x, y = tensor_of(op.tr, a, "torch"), tensor_of(op.tr, b, "torch")
    if x is None or y is None or x.dims is None or y.dims is None or not isinstance(dims, int) or dims < 0:
        return unknown_tensor(op, "torch")
    if dims > min(len(x.dims), len(y.dims)):
        fail(op, "rank", f"{dims} axes of {show_shape(x.dims)} and {show_shape(y.dims)} are contracted", (x, y))
    kept = len(x.dims) - dims
    for left, right in zip(x.dims[kept:], y.dims[:dims], strict=True):
        sentence = f"{show_shape(x.dims)} and {show_shape(y.dims)} differ in an axis that is contracted"
        require(op, equal(left, right), "size", sentence, (x, y))
    return Tensor((*x.dims[:kept], *y.dims[dims:]), None, "torch", site=op.where, sources=(x, y))
