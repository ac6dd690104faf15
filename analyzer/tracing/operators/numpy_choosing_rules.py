"""NumPy: elements that are chosen, sets of them, and the places of elements."""

from __future__ import annotations

import math
from typing import Any

from analyzer.tracing.language.tensors import Size, Tensor, show_shape
from analyzer.tracing.language.values import ListV, Value
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.element_types import OBJECTS
from analyzer.tracing.operators.numpy_math_rules import is_whole
from analyzer.tracing.operators.numpy_operands import array, arrays, as_torch, axis_of, made, of, unknown
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator, rules, run_entry
from analyzer.tracing.operators.torch_operands import shape_argument
from analyzer.validity.terms import Poly, Term, equal, floor_div, product

MOST_ROWS = 100_000  # of a matrix whose triangle is counted row by row
_PARTS = ("return_index", "return_inverse", "return_counts")


def _some(op: Op) -> Poly:
    """How many, the data decide."""
    return op.tr.fresh(op.short, "unknown", 0)


# ---------------------------------------------------------------------------------------------------- sets


@operator("numpy.unique", "ar return_index=False return_inverse=False return_counts=False axis=None *rest")
def unique(op: Op, ar: Value, axis: Value, rest: tuple[Value, ...], **parts: Value) -> Value:
    """The different elements, or the different parts along an axis, and what is asked of them besides."""
    found = array(op, ar)
    # of texts, or what else no numbers are made up for
    texts = found is not None and found.dtype in (None, OBJECTS) and found.value is None
    if any(not isinstance(parts[name], bool) for name in _PARTS) or rest or texts:
        return op.tr.unknown("np.unique()", "imprecise")
    at = axis_of(op, found, axis) if found is not None and axis is not None else None
    if found is None or found.dims is None or (axis is not None and at is None):
        values: Tensor = made(op, (_some(op),)) if axis is None else unknown(op)
        count: Any = values.dims[0] if values.dims else _some(op)
        inverse = unknown(op) if found is None or found.dims is None else made(op, (op.tr.fresh("unique", "lost", 0),))
    else:
        count = _some(op)
        values = of(
            op, found, (count,) if at is None else (*found.dims[:at], count, *found.dims[at + 1 :]), found.dtype
        )
        flat = at is None and len(found.dims) != 1  # NumPy 1 gives a flat inverse, NumPy 2 one of the array's shape
        inverse = unknown(op) if flat else of(op, found, (found.dims[at or 0],), "int64")
    given = (made(op, (count,), "int64"), inverse, made(op, (count,), "int64"))
    asked = [part for name, part in zip(_PARTS, given, strict=True) if parts[name]]
    return (values, *asked) if asked else values


@operator("numpy.union1d numpy.intersect1d numpy.setdiff1d numpy.setxor1d", "a b *rest")
def of_sets(op: Op, a: Value, b: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, a)
    if rest or op.extra.get("return_indices"):
        return op.tr.unknown(f"np.{op.short}()", "imprecise")
    other = found if op.short in ("setdiff1d", "intersect1d") else array(op, b)
    alike = found is not None and other is not None and found.dtype == other.dtype
    return made(op, (_some(op),), found.dtype if found is not None and alike else None)


@operator("numpy.extract", "condition arr")
def extract(op: Op, condition: Value, arr: Value) -> Value:
    found = array(op, arr)
    return made(op, (_some(op),), found.dtype if found is not None else None)


@operator("numpy.compress", "condition a axis=None *rest")
def compress(op: Op, condition: Value, a: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, a)
    if axis is None:
        return made(op, (_some(op),))
    at = axis_of(op, found, axis) if found is not None else None
    if found is None or found.dims is None or at is None:
        return unknown(op)
    return of(op, found, (*found.dims[:at], _some(op), *found.dims[at + 1 :]), found.dtype)


@operator("numpy.Tensor.compress", "a condition axis=None *rest")
def compress_itself(op: Op, a: Value, condition: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    return compress(op, condition, a, axis, rest)


@operator("numpy.bincount", "x weights=None minlength=0")
def bincount(op: Op, x: Value, weights: Value, minlength: Value) -> Value:
    found = array(op, x)
    if found is not None and found.dims is not None and len(found.dims) != 1:
        fail(op, "rank", f"it counts the elements of a row of numbers, not of {show_shape(found.dims)}", (found,))
    return made(op, (_some(op),))


# -------------------------------------------------------------------------------------------------- places


@operator("numpy.tril numpy.triu", "m k=0")
def one_side(op: Op, m: Value, k: Value) -> Value:
    """Of a vector a square whose rows it is."""
    found = array(op, m)
    if found is None or not found.dims:
        return unknown(op)
    return of(op, found, found.dims if len(found.dims) > 1 else found.dims * 2, found.dtype)


@operator("numpy.tril_indices numpy.triu_indices", "n k=0 m=None")
def triangle(op: Op, n: Value, k: Value, m: Value) -> Value:
    """Rows and columns of the triangle of an n × m matrix."""
    rows, columns = op.tr.term_of(n), op.tr.term_of(n if m is None else m)
    lower = op.short.startswith("tril")
    count: Term | None = None
    if isinstance(rows, int) and isinstance(columns, int) and isinstance(k, int) and rows < MOST_ROWS:
        below = sum(min(max(row + (k if lower else k - 1) + 1, 0), columns) for row in range(rows))
        count = below if lower else max(rows, 0) * max(columns, 0) - below
    elif rows is not None and m is None and k in (0, -1 if lower else 1):
        count = floor_div(rows * (rows + 1 if k == 0 else rows - 1), 2)
    count = op.tr.fresh(op.short, "lost", 0) if count is None else count
    return made(op, (count,), "int64"), made(op, (count,), "int64")


@operator("numpy.tril_indices_from numpy.triu_indices_from", "arr k=0")
def triangle_of(op: Op, arr: Value, k: Value) -> Value:
    """The same of a matrix that is given."""
    found = array(op, arr)
    if found is None or found.dims is None:
        return op.tr.unknown(f"np.{op.short}()", "imprecise")
    if len(found.dims) != 2:
        fail(op, "rank", f"a matrix has two axes, not those of {show_shape(found.dims)}", (found,))
    rows, columns = found.dims
    name = f"numpy.{op.short.removesuffix('_from')}"
    return run_entry(op.tr, rules()[name], name, (rows, k, columns), {}, op.node)


@operator("numpy.diag_indices_from", "arr")
def diagonal_of(op: Op, arr: Value) -> Value:
    found = array(op, arr)
    if found is None or found.dims is None:
        return op.tr.unknown("np.diag_indices_from()", "imprecise")
    return tuple(made(op, found.dims[:1], "int64") for _ in found.dims)


@operator("numpy.unpackbits numpy.packbits", "a axis=None *rest")
def bits(op: Op, a: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    """Eight for each byte, along an axis or in one row; bits are put together in bytes, the last with zeros."""
    found = array(op, a)
    if found is None or found.dims is None or rest or op.extra:
        return unknown(op)
    at = 0 if axis is None else axis_of(op, found, axis)
    if at is None:
        return unknown(op)
    dims = [product(found.dims)] if axis is None else list(found.dims)
    dims[at] = dims[at] * 8 if op.short == "unpackbits" else floor_div(dims[at] + 7, 8)
    return of(op, found, tuple(dims), "uint8")


@operator("numpy.piecewise", "x condlist funclist *rest")
def by_pieces(op: Op, x: Value, condlist: Value, funclist: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, x)
    return unknown(op) if found is None else of(op, found, found.shape, found.dtype)


@operator("numpy.diag_indices", "n ndim=2")
def diagonal_places(op: Op, n: Value, ndim: Value) -> Value:
    size = op.tr.term_of(n)
    if size is None or not isinstance(ndim, int) or not 0 <= ndim <= 32:
        return op.tr.unknown("np.diag_indices()", "imprecise")
    return tuple(made(op, (size,), "int64") for _ in range(ndim))


@operator("numpy.unravel_index", "indices shape *rest")
def unravel_index(op: Op, indices: Value, shape: Value, rest: tuple[Value, ...]) -> Value:
    """The places of flat numbers, an array for each axis."""
    found, dims = array(op, indices), shape_argument(op, (shape,))
    if found is None or dims is None:
        return op.tr.unknown("np.unravel_index()", "imprecise")
    return tuple(of(op, found, found.shape, "int64") for _ in dims)


@operator("numpy.ravel_multi_index", "multi_index dims *rest")
def ravel_multi_index(op: Op, multi_index: Value, dims: Value, rest: tuple[Value, ...]) -> Value:
    found = arrays(op, multi_index)
    return unknown(op) if not found else of(op, found[0], found[0].dims, "int64")


@operator("numpy.lexsort", "keys axis=-1")
def lexsort(op: Op, keys: Value, axis: Value) -> Value:
    found = arrays(op, keys)
    return unknown(op) if not found else of(op, found[0], found[0].dims, "int64")


# ------------------------------------------------------------------------------------------------ diagonals


@operator("numpy.diagonal numpy.Tensor.diagonal numpy.linalg.diagonal", "a offset=0 axis1=None axis2=None")
def diagonal(op: Op, a: Value, offset: Value, axis1: Value, axis2: Value) -> Value:
    found = array(op, a)
    first, second = (-2, -1) if op.name == "numpy.linalg.diagonal" else (0, 1)
    pair = (first if axis1 is None else axis1, second if axis2 is None else axis2)
    return unknown(op) if found is None else as_torch(op, "diagonal", (found, offset, *pair), {})


@operator("numpy.diagflat", "v k=0")
def diagflat(op: Op, v: Value, k: Value) -> Value:
    found = array(op, v)
    if found is None or found.dims is None or not isinstance(k, int):
        return unknown(op)
    side = product(found.dims) + abs(k)
    return of(op, found, (side, side), found.dtype)


@operator("numpy.fill_diagonal numpy.put numpy.putmask numpy.place numpy.put_along_axis", "a *rest")
def written(op: Op, a: Value, rest: tuple[Value, ...]) -> Value:
    return None


# ------------------------------------------------------------------------------------------------ broadcasting


@operator("numpy.broadcast_shapes", "*args")
def broadcast_shapes(op: Op, args: tuple[Value, ...]) -> Value:
    return Size(found) if (found := _together(op, [shape_argument(op, (a,)) for a in args])) is not None else (
        op.tr.unknown("np.broadcast_shapes()")
    )  # fmt: skip


@operator("numpy.broadcast_arrays", "*args")
def broadcast_arrays(op: Op, args: tuple[Value, ...]) -> Value:
    found = [array(op, a) for a in args]
    dims = _together(op, [None if f is None else f.dims for f in found])
    if dims is None:
        return op.tr.unknown("np.broadcast_arrays()")
    return tuple(of(op, f, dims, f.dtype) for f in found if f is not None)


def _together(op: Op, shapes: list[Any]) -> tuple[Term, ...] | None:
    """The shape that all of them take; None where one is not known."""
    if any(s is None for s in shapes):
        return None
    result: Value = made(op, ())
    for dims in shapes:
        result = apply(op, "torch", "add", (result, made(op, dims)))
    return result.dims if isinstance(result, Tensor) else None


# ------------------------------------------------------------------------------------- polynomials and more


@operator("numpy.polyfit", "x y deg *rest")
def polyfit(op: Op, x: Value, y: Value, deg: Value, rest: tuple[Value, ...]) -> Value:
    """The coefficients, the highest power first; of each column of `y` its own."""
    points, values, degree = array(op, x), array(op, y), op.tr.term_of(deg)
    if points is None or values is None or points.dims is None or values.dims is None or degree is None:
        return unknown(op)
    if rest or op.extra.get("full") or op.extra.get("cov"):
        return op.tr.unknown("np.polyfit()", "imprecise")
    told = f"the places {show_shape(points.dims)} and the values {show_shape(values.dims)}"
    if len(points.dims) != 1:
        fail(op, "rank", f"{told}: the places are a row of numbers", (points, values))
    if len(values.dims) not in (1, 2):
        fail(op, "rank", f"{told}: the values are a row or a table of numbers", (points, values))
    require(op, equal(points.dims[0], values.dims[0]), "size", f"{told} differ in length", (points, values))
    return made(op, (degree + 1, *values.dims[1:]))


@operator("numpy.polyval", "p x")
def polyval(op: Op, p: Value, x: Value) -> Value:
    found = array(op, x)
    if found is None or isinstance(x, (int, float, Poly)):
        return op.tr.unknown("np.polyval()", "imprecise")
    return of(op, found, found.shape)


@operator("numpy.polyder numpy.polyint", "p m=1 *rest")
def of_polynomial(op: Op, p: Value, m: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, p)
    if found is None or found.dims is None or len(found.dims) != 1 or not isinstance(found.dims[0], int):
        return unknown(op)
    if not isinstance(m, int) or m < 0:
        return unknown(op)
    return made(op, (found.dims[0] + m if op.short == "polyint" else max(found.dims[0] - m, 0),))


@operator("numpy.ediff1d", "ary to_end=None to_begin=None")
def ediff1d(op: Op, ary: Value, to_end: Value, to_begin: Value) -> Value:
    found = array(op, ary)
    if found is None or found.dims is None or to_end is not None or to_begin is not None:
        return unknown(op)
    count = product(found.dims)
    return of(op, found, (max(count - 1, 0) if isinstance(count, int) else count - 1,))


@operator("numpy.linalg.multi_dot", "arrays *rest")
def multi_dot(op: Op, arrays: Value, rest: tuple[Value, ...]) -> Value:
    parts = [array(op, p) for p in arrays.items] if isinstance(arrays, ListV) and not arrays.open else []
    if len(parts) < 2 or any(p is None for p in parts):
        return unknown(op)
    result: Value = parts[0]
    for part in parts[1:]:
        result = apply(op, "torch", "matmul", (result, part))
    return as_arrays_or(op, result)


def as_arrays_or(op: Op, value: Value) -> Value:
    if not isinstance(value, Tensor):
        return unknown(op)
    value.framework = "numpy"
    return value


@operator("numpy.linalg.lstsq scipy.linalg.lstsq", "a b *rest")
def lstsq(op: Op, a: Value, b: Value, rest: tuple[Value, ...]) -> Value:
    """The solution, and three facts about it."""
    matrix, side = array(op, a), array(op, b)
    if matrix is None or side is None or matrix.dims is None or side.dims is None:
        return op.tr.unknown("np.linalg.lstsq()", "imprecise")
    if op.name.startswith("scipy.") and len(matrix.dims) > 2:
        return op.tr.unknown("scipy.linalg.lstsq()", "imprecise")  # newer versions take stacks of matrices
    told = f"the matrix is {show_shape(matrix.dims)} and the right side {show_shape(side.dims)}"
    if len(matrix.dims) != 2 or len(side.dims) not in (1, 2):
        fail(op, "rank", told, (matrix, side))
    require(op, equal(matrix.dims[0], side.dims[0]), "size", f"{told}: their rows differ", (matrix, side))
    kind = matrix.dtype if matrix.dtype == side.dtype and not is_whole(matrix.dtype) else None
    solution = Tensor((matrix.dims[1], *side.dims[1:]), kind, "numpy", site=op.where, sources=(matrix, side))
    return solution, unknown(op), op.tr.unknown("a rank", "data", pytype="int"), unknown(op)


@operator("numpy.vdot numpy.vecdot", "a b *rest")
def vdot(op: Op, a: Value, b: Value, rest: tuple[Value, ...]) -> Value:
    x, y = array(op, a), array(op, b)
    if x is None or y is None or x.dims is None or y.dims is None:
        return unknown(op)
    if op.short == "vecdot":
        return unknown(op) if rest or op.extra else of(op, x, None)
    sizes = product(x.dims), product(y.dims)
    told = f"{show_shape(x.dims)} and {show_shape(y.dims)} have not the same number of elements"
    require(op, equal(*sizes), "elements", told, (x, y))
    return made(op, ())


@operator("numpy.modf numpy.frexp", "x")
def parts(op: Op, x: Value) -> Value:
    found = array(op, x)
    if found is None or isinstance(x, (int, float)):
        whole = isinstance(x, (int, float)) and op.short == "modf" and math.isfinite(x)
        return (math.modf(x)) if whole else op.tr.unknown(f"np.{op.short}()", "imprecise")
    return of(op, found, found.shape), of(op, found, found.shape)


@operator("numpy.divmod", "x y")
def divmod_(op: Op, x: Value, y: Value) -> Value:
    left, right = array(op, x), array(op, y)
    if left is None or right is None or (isinstance(x, (int, float)) and isinstance(y, (int, float))):
        return op.tr.unknown("np.divmod()", "imprecise")
    found = apply(op, "torch", "add", (left, right))
    return tuple(
        as_arrays_or(op, Tensor(found.shape, None, "numpy") if isinstance(found, Tensor) else None) for _ in "ab"
    )
