"""scipy.sparse: matrices most of whose elements are nought, by their shapes. They are no arrays to NumPy.

`*` of two of the older classes, whose names end in ``_matrix``, is their product, and a sum over an axis keeps it.
"""

from __future__ import annotations

import ast
from typing import Any

from analyzer.tracing.language.evaluation import get_item, seen
from analyzer.tracing.language.tensors import Size, Tensor, show_shape
from analyzer.tracing.language.values import ListV, Object, Value
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.numpy_operands import array
from analyzer.tracing.operators.operands import items_of
from analyzer.tracing.operators.refusals import require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import shape_argument
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Poly, equal

KIND = "sparse matrix"
_FORMATS = ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")
_CONVERSIONS = (*(f"to{name}" for name in _FORMATS), "asformat")
_SAME = (
    *_CONVERSIONS, "copy", "astype", "conj", "conjugate", "power", "sqrt", "sign", "abs", "expm1", "log1p", "floor",
    "ceil", "rint", "trunc", "sin", "tan", "tanh", "arcsin", "arctan",
)  # fmt: skip


def _sparse(tr: Tracer, dims: tuple[Any, ...] | None, old: bool, site: Any) -> Object:
    """A matrix, and the one that it is turned to."""
    pair = [_alone(tr, d, old, site) for d in (dims, None if dims is None else dims[::-1])]
    pair[0].attrs["T"], pair[1].attrs["T"] = pair[1], pair[0]
    return pair[0]


def _alone(tr: Tracer, dims: tuple[Any, ...] | None, old: bool, site: Any) -> Object:
    known = {} if dims is None else {"shape": Size(dims), "ndim": len(dims)}
    stored = ("data", "row", "col", "indices", "indptr", "offsets", "nnz", "size", "dtype", "has_sorted_indices")
    attrs = {name: tr.unknown(f"attribute {name}", "data") for name in (*stored, "shape", "ndim", "format", "A", "H")}
    return Object(KIND, {**attrs, **known}, {"dims": dims, "old": old}, site)


def _dims_of(value: Value) -> tuple[Any, ...] | None:
    """Rows and columns of a sparse matrix or an array; None where they are not known."""
    if isinstance(value, Object):
        found = value.data["dims"] if value.kind == KIND else None
        return tuple(found) if found is not None else None
    if isinstance(value, Tensor) and value.framework == "numpy" and value.dims is not None:
        return tuple(value.dims)
    return None


@operator(
    " ".join(f"scipy.sparse.{name}_{kind}" for name in _FORMATS for kind in ("matrix", "array")),
    "arg1 shape=None *rest",
)
def matrix(op: Op, arg1: Value, shape: Value, rest: tuple[Value, ...]) -> Value:
    """Of an array or another sparse matrix, of a shape alone, or of what stands where, with a shape beside it."""
    given, old = seen(arg1), op.short.endswith("matrix")
    dims: Any = shape_argument(op, (shape,)) if shape is not None else None
    if dims is None and isinstance(given, tuple) and len(given) == 2 and all(map(_is_size, given)):
        dims = shape_argument(op, (given,))
    elif dims is None and not isinstance(given, tuple):
        found = given if isinstance(given, Object) else array(op, given)
        dims = _dims_of(found)
    return _sparse(op.tr, dims if dims is not None and len(dims) == 2 else None, old, op.where)


def part(tr: Tracer, value: Object, index: Value, node: ast.AST | None) -> Value:
    """`matrix[index]`: of the older classes a matrix with as many axes, or a number."""
    dims = _dims_of(value)
    chosen = index if isinstance(index, tuple) else (index,)
    if dims is None or not _is_old(value) or len(chosen) > 2 or any(i is None or i is ... for i in chosen):
        return tr.unknown("a part of a sparse matrix", "data")
    single = [isinstance(i, int) and not isinstance(i, bool) for i in chosen]
    if single == [True, True]:
        return tr.unknown("an element of a sparse matrix", "data", pytype="number")
    found = get_item(tr, Tensor(dims, None, "numpy"), index, node)
    if not isinstance(found, Tensor) or found.dims is None:
        return tr.unknown("a part of a sparse matrix", "data")
    kept = list(found.dims)
    for place, alone in enumerate(single):
        if alone:
            kept.insert(place, 1)
    return _sparse(tr, tuple(kept) if len(kept) == 2 else None, True, tr.site(node))


def _is_size(value: Value) -> bool:
    return isinstance(value, (int, Poly)) and not isinstance(value, bool)


@operator("scipy.sparse.eye scipy.sparse.identity scipy.sparse.eye_array", "m n=None *rest")
def identity(op: Op, m: Value, n: Value, rest: tuple[Value, ...]) -> Value:
    other = m if n is None or op.short == "identity" else n
    return _sparse(op.tr, shape_argument(op, ((m, other),)), op.short != "eye_array", op.where)


@operator("scipy.sparse.random scipy.sparse.rand", "m n *rest")
def drawn(op: Op, m: Value, n: Value, rest: tuple[Value, ...]) -> Value:
    return _sparse(op.tr, shape_argument(op, ((m, n),)), True, op.where)


@operator("scipy.sparse.diags scipy.sparse.diags_array", "diagonals offsets=0 shape=None *rest")
def diagonals(op: Op, diagonals: Value, offsets: Value, shape: Value, rest: tuple[Value, ...]) -> Value:
    """Of one vector a square matrix, as many places larger as its diagonal lies beside the main one."""
    dims: Any = shape_argument(op, (shape,)) if shape is not None else None
    offset = plain(op.tr, offsets)
    if dims is None and shape is None and type(offset) is int:
        found = array(op, diagonals)
        if found is not None and found.dims is not None and len(found.dims) == 1:
            dims = (found.dims[0] + abs(offset),) * 2
    return _sparse(op.tr, dims, op.short == "diags", op.where)


@operator("scipy.sparse.tril scipy.sparse.triu", "A *rest")
def triangle(op: Op, A: Value, rest: tuple[Value, ...]) -> Value:
    given = seen(A)
    return _sparse(op.tr, _dims_of(given), _is_old(given), op.where)


def _is_old(value: Value) -> bool:
    return not isinstance(value, Object) or bool(value.data.get("old", True))


@operator("scipy.sparse.vstack scipy.sparse.hstack", "blocks *rest")
def joined(op: Op, blocks: Value, rest: tuple[Value, ...]) -> Value:
    """Below or beside one another; the other axis is the same in all."""
    parts = [seen(part) for part in items_of(blocks)]
    found = [_dims_of(part) for part in parts]
    known = [dims for dims in found if dims is not None and len(dims) == 2]
    if not known or len(known) < len(found) or (isinstance(blocks, ListV) and blocks.open):
        return _sparse(op.tr, None, True, op.where)
    kept = 1 if op.short == "vstack" else 0
    for dims in known[1:]:
        told = f"{show_shape(known[0])} and {show_shape(dims)} differ in axis {kept}"
        require(op, equal(known[0][kept], dims[kept]), "joined-sizes", told, ())
    total = sum(dims[1 - kept] for dims in known[1:]) + known[0][1 - kept]
    made = (total, known[0][1]) if kept else (known[0][0], total)
    return _sparse(op.tr, made, all(map(_is_old, parts)), op.where)


@operator("scipy.sparse.block_diag scipy.sparse.kron", "first second=None *rest")
def of_blocks(op: Op, first: Value, second: Value, rest: tuple[Value, ...]) -> Value:
    parts = [first, second] if op.short == "kron" else list(items_of(first))
    known = [dims for dims in (_dims_of(seen(part)) for part in parts) if dims is not None and len(dims) == 2]
    if not known or len(known) < len(parts):
        return _sparse(op.tr, None, True, op.where)
    rows, columns = known[0]
    for more in known[1:]:
        rows, columns = (
            (rows * more[0], columns * more[1]) if op.short == "kron" else (rows + more[0], columns + more[1])
        )
    return _sparse(op.tr, (rows, columns), True, op.where)


# -------------------------------------------------------------------------------------------------- methods


def sparse_method(
    tr: Tracer, owner: Object, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> Value:
    dims, old = owner.data["dims"], owner.data["old"]
    if name in _SAME:
        return _sparse(tr, dims, old, tr.site(node))
    if name in ("toarray", "todense") and "out" not in kwargs:
        return Tensor(dims, None, "numpy", site=tr.site(node))
    if name in ("transpose", "getH") and not args and kwargs.get("axes") is None:
        return owner.attrs["T"]
    if name in ("dot", "__matmul__") and len(args) == 1:
        return sparse_operands(tr, "@", owner, args[0], node)
    if name in ("sum", "mean") and dims is not None and not kwargs.keys() - {"axis"}:
        return _summed(tr, dims, old, args[0] if args else kwargs.get("axis"), tr.site(node))
    if name in ("getrow", "getcol") and dims is not None and old:
        return _sparse(tr, (1, dims[1]) if name == "getrow" else (dims[0], 1), old, tr.site(node))
    return tr.unknown(f"{name}() of a sparse matrix", "imprecise")


def _summed(tr: Tracer, dims: tuple[Any, ...], old: bool, axis: Value, site: Any) -> Value:
    """A number; over an axis a matrix, or a vector of the newer classes."""
    if axis is None:
        return tr.unknown("a sum", "data", pytype="float")
    if axis not in (0, 1, -1, -2) or isinstance(axis, bool):
        return tr.unknown("a sum", "imprecise")
    kept = dims[1 - axis % 2]
    over = (1, kept) if axis % 2 == 0 else (kept, 1)
    return Tensor(over if old else (kept,), None, "numpy", site=site)


# ------------------------------------------------------------------------------------------------- operators


def sparse_operands(tr: Tracer, symbol: str, left: Value, right: Value, node: ast.AST | None) -> Value:
    """What an operator makes of a sparse matrix and another value; None where neither is one."""
    left, right = seen(left), seen(right)
    sparse = [isinstance(v, Object) and v.kind == KIND for v in (left, right)]
    if not any(sparse):
        return None
    site, old = tr.site(node), all(_is_old(v) for v in (left, right))
    a, b = _dims_of(left), _dims_of(right)
    if symbol in ("*", "/") and sparse[0] and isinstance(right, (int, float)):
        return _sparse(tr, a, old, site)
    if symbol == "*" and sparse[1] and isinstance(left, (int, float)):
        return _sparse(tr, b, old, site)
    if a is None or b is None:
        return tr.unknown("arithmetic of sparse matrices", "imprecise")
    if symbol in ("+", "-") and len(a) == len(b) == 2 and all(equal(p, q) is True for p, q in zip(a, b, strict=True)):
        return _sparse(tr, a, old, site) if all(sparse) else Tensor(a, None, "numpy", site=site)
    if symbol == "@" or (symbol == "*" and old):
        return _product(tr, a, b, all(sparse), old, site)
    return tr.unknown("arithmetic of sparse matrices", "imprecise")


def _product(tr: Tracer, a: tuple[Any, ...], b: tuple[Any, ...], sparse: bool, old: bool, site: Any) -> Value:
    """(m, k) and (k, n), or a vector on one side."""
    if not 1 <= len(a) <= 2 or not 1 <= len(b) <= 2:
        return tr.unknown("a product of sparse matrices", "imprecise")
    told = f"cannot multiply {show_shape(a)} by {show_shape(b)}"
    require(Op(tr, "scipy.sparse.matmul", None, site), equal(a[-1], b[0]), "inner-size", told, ())
    dims = (*a[:-1], *b[1:])
    return _sparse(tr, dims, old, site) if sparse else Tensor(dims, None, "numpy", site=site)
