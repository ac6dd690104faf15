"""NumPy: products of arrays, and linear algebra."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import ListV, Value
from analyzer.tracing.operators.element_types import joined_type
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.numpy_operands import (
    array,
    as_torch,
    axes_of,
    made,
    of,
    unknown,
)
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import cast
from analyzer.validity.terms import Term, equal, product


@operator("numpy.dot numpy.Tensor.dot", "a b *rest")
def dot(op: Op, a: Value, b: Value, rest: tuple[Value, ...]) -> Value:
    """Over the last axis of the first and the last but one of the second; a scalar scales."""
    x, y = array(op, a), array(op, b)
    if x is None or y is None or x.dims is None or y.dims is None:
        return unknown(op)
    if not x.dims or not y.dims:
        return broadcast(op, "*", x, y, "numpy")
    _meet(op, x, y, y.dims[-1] if len(y.dims) == 1 else y.dims[-2])
    kept = () if len(y.dims) == 1 else (*y.dims[:-2], y.dims[-1])
    return Tensor(
        (*x.dims[:-1], *kept), x.dtype if x.dtype == y.dtype else None, "numpy", site=op.where, sources=(x, y)
    )


@operator("numpy.inner", "a b")
def inner(op: Op, a: Value, b: Value) -> Value:
    x, y = array(op, a), array(op, b)
    if x is None or y is None or x.dims is None or y.dims is None:
        return unknown(op)
    if not x.dims or not y.dims:
        return broadcast(op, "*", x, y, "numpy")
    _meet(op, x, y, y.dims[-1])
    return Tensor(
        (*x.dims[:-1], *y.dims[:-1]), x.dtype if x.dtype == y.dtype else None, "numpy", site=op.where, sources=(x, y)
    )


def _meet(op: Op, x: Tensor, y: Tensor, size: Term) -> None:
    sentence = (
        f"the last axis of {show_shape(x.dims or ())} and the one of {show_shape(y.dims or ())} that it meets differ"
    )
    require(op, equal((x.dims or (0,))[-1], size), "inner-size", sentence, (x, y))


_LINEAR = "inv pinv det slogdet cholesky solve eigvals eigvalsh eig eigh matrix_rank matrix_power"


@operator(
    " ".join(("numpy.kron numpy.cov numpy.corrcoef", *(f"numpy.linalg.{name}" for name in _LINEAR.split()))), "a *rest"
)
def of_torch(op: Op, a: Value, rest: tuple[Value, ...]) -> Value:
    """Functions that torch has under the same name, with the same shapes."""
    name = op.name.partition(".")[2]
    if name in ("cov", "corrcoef") and (rest or op.extra):
        return unknown(op)
    if op.short in ("eigh", "cholesky", "inv", "eigvalsh"):
        rest = ()
    if op.short == "matrix_rank" and ((found := array(op, a)) is None or found.dims is None or len(found.dims) < 2):
        return op.tr.unknown("the rank of a matrix", "data", pytype="int")  # a vector has one too
    operands = tuple(array(op, v) or v for v in (a, *rest))
    result = _floating(as_torch(op, name, operands, {}))
    if isinstance(result, Tensor) and name in ("cov", "corrcoef"):
        result.dtype = None  # of 64 bits at least
    elif isinstance(result, Tensor) and op.short in ("kron", "solve"):
        kinds = {v.dtype if isinstance(v, Tensor) else None for v in operands}
        result.dtype = result.dtype if len(kinds) == 1 else None
    return result


def _floating(value: Value) -> Value:
    """Linear algebra on whole numbers gives others."""
    for part in value if isinstance(value, tuple) else (value,):
        if isinstance(part, Tensor) and (part.dtype or "").startswith(("int", "uint", "bool")):
            part.dtype = None
    return value


@operator("numpy.linalg.cond", "x p=None")
def condition(op: Op, x: Value, p: Value) -> Value:
    found = array(op, x)
    if found is None or found.dims is None:
        return unknown(op)
    if len(found.dims) < 2:
        fail(op, "rank", f"a matrix has two axes, not those of {show_shape(found.dims)}", (found,))
    return of(op, found, found.dims[:-2])


@operator("numpy.linalg.svd numpy.linalg.qr", "a *rest")
def decomposed(op: Op, a: Value, rest: tuple[Value, ...]) -> Value:
    named = dict(op.extra.items())
    mode = named.get("mode", rest[0] if rest else None)
    if op.short == "qr" and mode in ("r", "raw"):
        both = decomposed_fully(op, a) if mode == "r" else None
        return both[1] if isinstance(both, tuple) and len(both) == 2 else op.tr.unknown("np.linalg.qr()", "imprecise")
    if named.pop("compute_uv", True) is not True or len(rest) > 1:
        return op.tr.unknown(f"np.{op.short}()", "imprecise")
    return _floating(as_torch(op, f"linalg.{op.short}", (array(op, a) or a, *rest), named))


def decomposed_fully(op: Op, a: Value) -> Value:
    return _floating(as_torch(op, "linalg.qr", (array(op, a) or a,), {}))


@operator("numpy.cross", "a b *rest")
def cross(op: Op, a: Value, b: Value, rest: tuple[Value, ...]) -> Value:
    x, y = array(op, a), array(op, b)
    if rest or op.extra or x is None or not x.dims or x.dims[-1] != 3:
        return unknown(op)
    if y is not None and y.dims and y.dims[-1] == 2:
        return unknown(op)  # a vector of the plane, whose third number is 0
    result = broadcast(op, "*", a, b, "numpy")
    if isinstance(result, Tensor):
        result.value = None  # a product of vectors, not of their elements
    return result


@operator("numpy.einsum", "subscripts *operands")
def einsum(op: Op, subscripts: Value, operands: tuple[Value, ...]) -> Value:
    op.extra.get("optimize")
    given = [array(op, v) or v for v in operands]
    if len({v.dtype for v in given if isinstance(v, Tensor)}) > 1:  # which NumPy converts
        given = [cast(v, None) if isinstance(v, Tensor) else v for v in given]
    return as_torch(op, "einsum", (subscripts, *given), {})


@operator("numpy.tensordot", "a b axes=2")
def tensordot(op: Op, a: Value, b: Value, axes: Value) -> Value:
    """Over so many last and first axes, or those that are named for each of the two."""
    x, y, given = array(op, a), array(op, b), plain(op.tr, axes)
    if x is None or y is None or x.dims is None or y.dims is None:
        return unknown(op)
    if isinstance(given, int) and not isinstance(given, bool):
        if given > min(len(x.dims), len(y.dims)):
            fail(op, "rank", f"{given} axes of {show_shape(x.dims)} and {show_shape(y.dims)} are contracted", (x, y))
        given = (tuple(range(len(x.dims) - given, len(x.dims))), tuple(range(given)))
    if not isinstance(given, tuple) or len(given) != 2:
        return unknown(op)
    left, right = axes_of(op, x, given[0]), axes_of(op, y, given[1])
    if left is None or right is None or len(left) != len(right):
        return unknown(op)
    for i, j in zip(left, right, strict=True):
        sentence = f"{show_shape(x.dims)} and {show_shape(y.dims)} differ in an axis that is contracted"
        require(op, equal(x.dims[i], y.dims[j]), "size", sentence, (x, y))
    kept = [d for i, d in enumerate(x.dims) if i not in left] + [d for i, d in enumerate(y.dims) if i not in right]
    return Tensor(tuple(kept), joined_type((x, y)), "numpy", site=op.where, sources=(x, y))


@operator("numpy.trace numpy.Tensor.trace", "a *rest")
def trace(op: Op, a: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, a)
    if found is None or found.dims is None or rest or op.extra:
        return unknown(op)
    if len(found.dims) < 2:
        fail(op, "rank", f"a trace needs two axes, not {show_shape(found.dims)}", (found,))
    small = (found.dtype or "").startswith(("int", "uint", "bool")) and found.dtype != "int64"
    return of(op, found, found.dims[2:], None if small else found.dtype)  # sums of small ones are larger


@operator("numpy.diag", "v k=0")
def diag(op: Op, v: Value, k: Value) -> Value:
    return as_torch(op, "diag", (array(op, v) or v, k), {})


@operator("numpy.convolve numpy.correlate", "a v mode=None")
def convolve(op: Op, a: Value, v: Value, mode: Value) -> Value:
    x, y = array(op, a), array(op, v)
    if x is None or y is None or x.dims is None or y.dims is None or len(x.dims) != 1 or len(y.dims) != 1:
        return unknown(op)
    m, n = x.dims[0], y.dims[0]
    mode = mode or ("full" if op.short == "convolve" else "valid")
    if not isinstance(m, int) or not isinstance(n, int):
        return of(op, x, (m + n - 1,) if mode == "full" else None)
    size = {"full": m + n - 1, "same": max(m, n), "valid": max(m, n) - min(m, n) + 1}.get(mode)
    return of(op, x, None if size is None else (size,))


@operator("numpy.meshgrid", "*xi")
def meshgrid(op: Op, xi: tuple[Value, ...]) -> Value:
    found = [array(op, x) for x in xi]
    indexing = op.extra.get("indexing", "xy")
    if any(t is None or t.dims is None for t in found) or indexing not in ("ij", "xy") or op.extra.get("sparse"):
        return op.tr.unknown("np.meshgrid()", "imprecise")
    sizes = [product(t.dims or ()) for t in found if t is not None]
    if indexing == "xy" and len(sizes) > 1:
        sizes[0], sizes[1] = sizes[1], sizes[0]
    return ListV([made(op, tuple(sizes)) for _ in found])
