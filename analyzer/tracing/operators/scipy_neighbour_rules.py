"""`scipy.spatial` and `scipy.cluster`: neighbours, distances and groups of points."""

from __future__ import annotations

import math

from analyzer.tracing.language.builtins import Call
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Native, Object, Unknown, Value
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.numpy_operands import array, made, of, unknown
from analyzer.tracing.operators.refusals import require
from analyzer.tracing.operators.scipy_sparse_rules import KIND as SPARSE
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import equal


def _points(op: Op, value: Value) -> Tensor | None:
    found = array(op, value)
    return found if found is not None and found.dims is not None and len(found.dims) == 2 else None


@operator("scipy.spatial.KDTree scipy.spatial.cKDTree", "data *rest")
def tree(op: Op, data: Value, rest: tuple[Value, ...]) -> Value:
    points = _points(op, data)

    def query(c: Call) -> Value:
        asked, k = array(op, c.get(0, "x")), c.get(1, "k", 1)
        if points is None or not points.dims or asked is None or not asked.dims or type(k) is not int:
            return unknown(op), unknown(op)
        told = f"points {show_shape(asked.dims)} are asked of a tree of points {show_shape(points.dims)}"
        require(op, equal(asked.dims[-1], points.dims[1]), "same-size", told, (asked, points))
        dims = (*asked.dims[:-1], *((k,) if k != 1 else ()))
        return made(op, dims, "float64"), made(op, dims, "int64")

    attrs: dict[str, Value] = {"query": Native("query", query)}
    if points is not None and points.dims is not None:
        attrs.update(n=points.dims[0], m=points.dims[1], data=points)
    return Object("a tree of points", attrs)


@operator("scipy.spatial.Delaunay scipy.spatial.ConvexHull", "points *rest")
def hull(op: Op, points: Value, rest: tuple[Value, ...]) -> Value:
    found = _points(op, points)
    if found is None or found.dims is None:
        return op.tr.unknown(f"{op.short}()", "imprecise")
    corners = found.dims[1] + 1 if op.short == "Delaunay" else found.dims[1]
    count = op.tr.fresh("simplices", "data")
    attrs: dict[str, Value] = {"points": found, "simplices": made(op, (count, corners)), "npoints": found.dims[0]}
    if op.short == "ConvexHull":
        number = Unknown("a number", "data", pytype="float")
        attrs.update(vertices=made(op, (op.tr.fresh("vertices", "data"),)), volume=number, area=number)
    return Object("a hull", attrs)


@operator("scipy.spatial.distance.squareform", "X *rest")
def squareform(op: Op, X: Value, rest: tuple[Value, ...]) -> Value:
    """Distances of all pairs in a row, or in a square matrix."""
    found = array(op, X)
    if found is None or found.dims is None or not all(isinstance(d, int) for d in found.dims):
        return unknown(op)
    if len(found.dims) == 2:
        n = found.dims[0]
        require(op, equal(*found.dims), "square", f"{show_shape(found.dims)} is not square", (found,))
        return of(op, found, (n * (n - 1) // 2,), found.dtype)
    if len(found.dims) != 1:
        return unknown(op)
    pairs = found.dims[0]
    n = (1 + math.isqrt(1 + 8 * pairs)) // 2
    fits = n * (n - 1) // 2 == pairs
    require(op, fits, "pairs", f"{pairs} is no number of pairs", (found,))
    return of(op, found, (n, n), found.dtype)


_DISTANCES = """cosine euclidean sqeuclidean cityblock chebyshev correlation braycurtis canberra hamming jaccard
    jensenshannon minkowski"""


@operator(" ".join(f"scipy.spatial.distance.{name}" for name in _DISTANCES.split()), "u v *rest")
def distance(op: Op, u: Value, v: Value, rest: tuple[Value, ...]) -> Value:
    """Of two vectors of the same length."""
    if op.short != "jensenshannon":
        broadcast(op, "-", u, v, "numpy")
    elif any(found is None or found.dims is None or len(found.dims) != 1 for found in (array(op, u), array(op, v))):
        return unknown(op)
    return Unknown("a distance", "data", pytype="float")


@operator("scipy.cluster.hierarchy.linkage", "y *rest")
def linkage(op: Op, y: Value, rest: tuple[Value, ...]) -> Value:
    """One row less than there are points."""
    found = _points(op, y)
    return made(op, None if found is None or not found.dims else (found.dims[0] - 1, 4), "float64")


@operator("scipy.cluster.hierarchy.fcluster", "Z *rest")
def flat_groups(op: Op, Z: Value, rest: tuple[Value, ...]) -> Value:
    found = _points(op, Z)
    return made(op, None if found is None or not found.dims else (found.dims[0] + 1,))


@operator("scipy.cluster.vq.kmeans2", "data k *rest")
def centres(op: Op, data: Value, k: Value, rest: tuple[Value, ...]) -> Value:
    found, count = _points(op, data), op.tr.term_of(k)
    if found is None or found.dims is None or count is None:
        return unknown(op), unknown(op)
    return made(op, (count, found.dims[1])), made(op, (found.dims[0],))


@operator("scipy.cluster.vq.whiten", "obs *rest")
def whitened(op: Op, obs: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, obs)
    return unknown(op) if found is None else of(op, found, found.dims)


@operator("scipy.sparse.issparse scipy.sparse.isspmatrix", "x")
def is_sparse(op: Op, x: Value) -> Value:
    if isinstance(x, Object) and x.kind == SPARSE:
        return True
    return Unknown("a test", x.origin, pytype="bool") if isinstance(x, Unknown) else False


@operator("scipy.sparse.csgraph.connected_components", "csgraph *rest")
def components(op: Op, csgraph: Value, rest: tuple[Value, ...]) -> Value:
    shape = csgraph.attrs.get("shape") if isinstance(csgraph, Object) else None
    found = None if isinstance(csgraph, Object) else _points(op, csgraph)
    dims = shape if type(shape) is tuple else found.dims if found is not None else None
    if op.extra.get("return_labels", True) is not True:
        return Unknown("a number", "data", pytype="int")
    return Unknown("a number", "data", pytype="int"), made(op, None if not dims else dims[:1], "int32")
