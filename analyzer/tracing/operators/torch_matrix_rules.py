"""torch: matrices, one in each place of the leading axes: decompositions, solutions, diagonals."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Fields, ListV, Value
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.element_types import real_of
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import axis_of, reduced_dims
from analyzer.validity.terms import Poly, any_of, at_least_zero, equal, minimum, product


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
    if source is None or source.dims is None:
        return unknown_tensor(op, "torch")
    dtype = {"matrix_rank": "int64", "cond": real_of(source.dtype)}.get(op.short, source.dtype)
    return _of(op, source, source.dims[:-2], dtype)


@operator("torch.slogdet torch.linalg.slogdet", "input")
def sign_and_logarithm(op: Op, input: Value) -> Value:
    source = _matrix(op, input, True)
    if source is None or source.dims is None:
        return op.tr.unknown("slogdet()")
    kinds = source.dtype, real_of(source.dtype)
    return Fields([_of(op, source, source.dims[:-2], kind) for kind in kinds], ("sign", "logabsdet"))


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
    if source is None or source.dims is None or any(isinstance(r, Tensor) for r in rest):
        return unknown_tensor(op, "torch")
    return _of(op, source, (*source.dims[:-2], source.dims[-1], source.dims[-2]))


@operator("torch.linalg.eigvals torch.linalg.eigvalsh", "input *rest")
def eigenvalues(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, input, True)
    if source is None or source.dims is None:
        return unknown_tensor(op, "torch")
    return _of(op, source, source.dims[:-1], None if op.short == "eigvals" else real_of(source.dtype))


@operator("torch.linalg.eig torch.linalg.eigh", "input *rest")
def eigenvectors(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, input, True)
    if source is None or source.dims is None:
        return op.tr.unknown(f"{op.short}()")
    values, vectors = (None, None) if op.short == "eig" else (real_of(source.dtype), source.dtype)
    parts = _of(op, source, source.dims[:-1], values), _of(op, source, source.dims, vectors)
    return Fields(parts, ("eigenvalues", "eigenvectors"))


@operator("torch.linalg.svdvals", "input *rest")
def singular_values(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, input)
    if source is None or source.dims is None:
        return unknown_tensor(op, "torch")
    few = minimum(source.dims[-2], source.dims[-1])
    return _of(op, source, (*source.dims[:-2], few), real_of(source.dtype))


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
    middle = _of(op, source, (*lead, few), real_of(source.dtype))
    parts = _of(op, source, (*lead, rows, left)), middle, _of(op, source, (*lead, *last))
    return Fields(parts, ("U", "S", "Vh" if op.name.startswith("torch.linalg") else "V"))


@operator("torch.svd_lowrank torch.pca_lowrank", "input q=None *rest")
def few_singular_parts(op: Op, input: Value, q: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, input)
    asked: Any = 6 if q is None else q
    if source is None or source.dims is None or not isinstance(asked, (int, Poly)):
        return tuple(unknown_tensor(op, "torch") for _ in range(3))
    *lead, rows, columns = source.dims
    few = minimum(rows, columns)
    if q is not None and op.short == "pca_lowrank":
        told = f"q={asked} must not be greater than the smaller side of a matrix {show_shape((rows, columns))}"
        require(op, at_least_zero(few - asked), "size", told, (source,))
    few = minimum(few, asked)
    middle = _of(op, source, (*lead, few), real_of(source.dtype))
    return _of(op, source, (*lead, rows, few)), middle, _of(op, source, (*lead, columns, few))


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
    matrix, right = (second, first) if op.short == "cholesky_solve" else (first, second)
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


@operator("torch.linalg.solve_triangular", "A B upper=None left=True *rest")
def triangular_solution(op: Op, A: Value, B: Value, upper: Value, left: Value, rest: tuple[Value, ...]) -> Value:
    """AX = B, or XA = B; the places before the matrices are broadcast."""
    matrix, given = _matrix(op, A, True), _matrix(op, B)
    if matrix is None or given is None or not isinstance(left, bool):
        return unknown_tensor(op, "torch")
    a, b = matrix.dims or (), given.dims or ()
    size = b[-2] if left else b[-1]
    sentence = f"the matrix {show_shape(a)} does not fit the right side {show_shape(b)}"
    require(op, equal(a[-1], size), "size", sentence, (matrix, given))
    if a[:-2] == b[:-2]:
        return _of(op, given, b)
    lead = broadcast(op, op.short, _of(op, matrix, a[:-2]), _of(op, given, b[:-2]), "torch")
    if not isinstance(lead, Tensor) or lead.dims is None:
        return unknown_tensor(op, "torch")
    return _of(op, given, (*lead.dims, *b[-2:]))


@operator("torch.triangular_solve", "b A *rest")
def triangular_solve(op: Op, b: Value, A: Value, rest: tuple[Value, ...]) -> Value:
    solved = triangular_solution(op, A, b, None, True, ())
    return Fields((solved, A), ("solution", "cloned_coefficient"))


@operator("torch.linalg.inv_ex torch.linalg.cholesky_ex", "A *rest")
def checked_matrix(op: Op, A: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, A, True)
    if source is None or source.dims is None:
        return op.tr.unknown(f"{op.short}()")
    names = ("inverse" if op.short == "inv_ex" else "L", "info")
    return Fields((_of(op, source, source.dims), _of(op, source, source.dims[:-2], "int32")), names)


@operator("torch.linalg.lu_factor torch.linalg.lu_factor_ex torch.lu", "A *rest")
def factored(op: Op, A: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, A)
    if source is None or source.dims is None or (op.short == "lu" and (len(rest) > 1 or op.extra)):
        return op.tr.unknown(f"{op.short}()")
    *lead, rows, columns = source.dims
    parts = _of(op, source, source.dims), _of(op, source, (*lead, minimum(rows, columns)), "int32")
    more = (_of(op, source, tuple(lead), "int32"),) if op.short.endswith("_ex") else ()
    return Fields((*parts, *more), ("LU", "pivots", "info")[: 2 + len(more)])


@operator("torch.lu_unpack", "LU_data LU_pivots unpack_data=True unpack_pivots=True")
def unpacked(op: Op, LU_data: Value, LU_pivots: Value, unpack_data: Value, unpack_pivots: Value) -> Value:
    """Permutation and two triangles of what `lu_factor` gives."""
    source = _matrix(op, LU_data)
    if source is None or source.dims is None or unpack_data is not True or unpack_pivots is not True:
        return op.tr.unknown("lu_unpack()")
    return _three(op, source)


@operator("torch.linalg.lu", "A pivot=True")
def three_factors(op: Op, A: Value, pivot: Value) -> Value:
    source = _matrix(op, A)
    if source is None or source.dims is None or pivot is not True:
        return op.tr.unknown("lu()")
    return _three(op, source)


def _three(op: Op, source: Tensor) -> Fields:
    *lead, rows, columns = source.dims or ()
    few = minimum(rows, columns)
    sizes = (rows, rows), (rows, few), (few, columns)
    return Fields([_of(op, source, (*lead, *size)) for size in sizes], ("P", "L", "U"))


@operator("torch.linalg.lu_solve torch.lu_solve", "first second third *rest")
def factored_solution(op: Op, first: Value, second: Value, third: Value, rest: tuple[Value, ...]) -> Value:
    factors, right = (first, third) if op.name.startswith("torch.linalg") else (second, first)
    matrix, given = _matrix(op, factors, True), _matrix(op, right)
    if matrix is None or given is None or rest or op.extra:
        return unknown_tensor(op, "torch")
    a, b = matrix.dims or (), given.dims or ()
    sentence = f"the matrix {show_shape(a)} does not fit the right side {show_shape(b)}"
    require(op, equal(a[-1], b[-2]), "size", sentence, (matrix, given))
    return _of(op, given, b) if a[:-2] == b[:-2] else unknown_tensor(op, "torch")


@operator("torch.linalg.lstsq", "input b *rest")
def least_squares(op: Op, input: Value, b: Value, rest: tuple[Value, ...]) -> Value:
    """Equations beside the columns of their right sides, or beside one vector of each."""
    matrix, given = _matrix(op, input), tensor_of(op.tr, b, "torch")
    if matrix is None or given is None or matrix.dims is None or given.dims is None:
        return op.tr.unknown("lstsq()")
    rows, right = matrix.dims, given.dims
    vector = len(right) == len(rows) - 1 and (
        len(right) == 1 or all(equal(x, y) is True for x, y in zip(right, rows, strict=False))
    )
    if len(rows) != len(right) and not vector:
        return op.tr.unknown("lstsq()")
    sentence = f"the matrix {show_shape(rows)} has other rows than the right side {show_shape(right)}"
    require(op, equal(rows[-2], right[-1 if vector else -2]), "size", sentence, (matrix, given))
    columns = () if vector else (right[-1],)
    alike = vector or rows[:-2] == right[:-2]
    solved = _of(op, given, (*rows[:-2], rows[-1], *columns) if alike else None)
    others = (unknown_tensor(op, "torch") for _ in range(3))
    return Fields((solved, *others), ("solution", "residuals", "rank", "singular_values"))


@operator("torch.linalg.matrix_norm", "input ord='fro' dim=(-2,-1) keepdim=False *rest")
def matrix_norm(op: Op, input: Value, ord: Value, dim: Value, keepdim: Value, rest: tuple[Value, ...]) -> Value:
    source = _matrix(op, input)
    if source is None:
        return unknown_tensor(op, "torch")
    return _of(op, source, reduced_dims(op, source, dim, keepdim), real_of(source.dtype))


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


@operator("torch.linalg.multi_dot torch.chain_matmul", "tensors *rest")
def chained(op: Op, tensors: Value, rest: tuple[Value, ...]) -> Value:
    items = tensors.items if isinstance(tensors, ListV) and not tensors.open else tensors
    parts = list(items) if isinstance(items, (list, tuple)) else [tensors, *rest]
    found: Value = tensor_of(op.tr, parts[0], "torch")
    for part in parts[1:]:
        found = apply(op, "torch", "matmul", (found, tensor_of(op.tr, part, "torch")))
    return found


@operator("torch.linalg.vecdot torch.vdot", "x y dim=-1")
def dots(op: Op, x: Value, y: Value, dim: Value) -> Value:
    if op.short == "vdot":
        return apply(op, "torch", "dot", (tensor_of(op.tr, x, "torch"), tensor_of(op.tr, y, "torch")))
    both = broadcast(op, "*", x, y, "torch")
    if not isinstance(both, Tensor) or both.dims is None:
        return unknown_tensor(op, "torch")
    return _of(op, both, reduced_dims(op, both, dim, False))


@operator("torch.tensordot", "a b dims=2 *rest")
def tensordot(op: Op, a: Value, b: Value, dims: Value, rest: tuple[Value, ...]) -> Value:
    """Contracts the last axes of one with the first of the other, or those that are listed of each."""
    x, y = tensor_of(op.tr, a, "torch"), tensor_of(op.tr, b, "torch")
    if x is None or y is None or x.dims is None or y.dims is None:
        return unknown_tensor(op, "torch")
    axes = _contracted(op, x, y, dims)
    if axes is None:
        return unknown_tensor(op, "torch")
    sentence = f"{show_shape(x.dims)} and {show_shape(y.dims)} differ in an axis that is contracted"
    for left, right in zip(*axes, strict=True):
        fits = any_of(*(equal(p, q) for p, q in ((x.dims[left], y.dims[right]), (x.dims[left], 1), (y.dims[right], 1))))
        require(op, fits, "size", sentence, (x, y))  # an axis of size 1 is broadcast
    kept = [d for t, own in zip((x, y), axes, strict=True) for i, d in enumerate(t.dims or ()) if i not in own]
    return Tensor(kept, x.dtype if x.dtype == y.dtype else None, "torch", site=op.where, sources=(x, y))


def _contracted(op: Op, x: Tensor, y: Tensor, dims: Value) -> tuple[list[int], list[int]] | None:
    """The axes of each, counted from the front; None where they are not known."""
    listed = plain(op.tr, dims)
    ranks = len(x.dims or ()), len(y.dims or ())
    if isinstance(listed, int) and not isinstance(listed, bool) and listed >= 0:
        if listed > min(ranks):
            shown = f"{show_shape(x.dims or ())} and {show_shape(y.dims or ())}"
            fail(op, "rank", f"{listed} axes of {shown} are contracted", (x, y))
        return list(range(ranks[0] - listed, ranks[0])), list(range(listed))
    if not isinstance(listed, tuple) or len(listed) != 2 or not all(isinstance(part, tuple) for part in listed):
        return None
    found = [axis_of(op, t, axis) for t, part in zip((x, y), listed, strict=True) for axis in part]
    if None in found or len(listed[0]) != len(listed[1]):
        return None
    axes = [axis for axis in found if axis is not None]
    return axes[: len(listed[0])], axes[len(listed[0]) :]
