"""`scipy.interpolate`: functions through values at places, which are asked at arrays of other places."""

from __future__ import annotations

from analyzer.tracing.language.builtins import Call
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Native, Value
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.numpy_operands import array, made, of, unknown
from analyzer.tracing.operators.refusals import require
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import equal


def _names(names: str) -> str:
    return " ".join(f"scipy.interpolate.{name}" for name in names.split())


def _along(op: Op, x: Value, y: Value, axis: int) -> Value:
    """What a function of one number gives: the axis of the values is replaced by the places' own axes."""
    places, values = array(op, x), array(op, y)
    rank = len(values.dims) if values is not None and values.dims is not None else 0
    at = axis % rank if rank else None
    if values is not None and values.dims and places is not None and places.dims and at is not None:
        told = f"values {show_shape(values.dims)} along axis {at} at places {show_shape(places.dims)}"
        require(op, equal(places.dims[0], values.dims[at]), "same-size", told, (places, values))

    def run(c: Call) -> Value:
        asked = array(op, c.get(0, "x"))
        if asked is None or asked.dims is None or values is None or values.dims is None or at is None:
            return unknown(op)
        return made(op, (*values.dims[:at], *asked.dims, *values.dims[at + 1 :]))

    return Native(op.short, run)


@operator(_names("interp1d"), "x y kind='linear' axis=-1 *rest")
def line(op: Op, x: Value, y: Value, kind: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    return _along(op, x, y, axis) if type(axis) is int else op.tr.unknown("interp1d()", "imprecise")


@operator(_names("CubicSpline PchipInterpolator Akima1DInterpolator make_interp_spline"), "x y *rest")
def spline(op: Op, x: Value, y: Value, rest: tuple[Value, ...]) -> Value:
    axis = op.extra.get("axis", 0)
    plain = not (rest and op.short != "make_interp_spline") and type(axis) is int
    return _along(op, x, y, axis) if plain else op.tr.unknown(f"{op.short}()", "imprecise")


@operator(_names("UnivariateSpline InterpolatedUnivariateSpline LSQUnivariateSpline"), "x y *rest")
def of_row(op: Op, x: Value, y: Value, rest: tuple[Value, ...]) -> Value:
    return _along(op, x, y, 0)


@operator(_names("splev"), "x tck *rest")
def spline_at(op: Op, x: Value, tck: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, x)
    held = array(op, tck[1]) if type(tck) is tuple and len(tck) > 1 and not isinstance(tck[1], tuple) else None
    of_row = held is not None and held.dims is not None and len(held.dims) == 1  # others are of curves
    return of(op, found, found.dims) if found is not None and of_row else unknown(op)


@operator(_names("splrep"), "x y *rest")
def spline_of(op: Op, x: Value, y: Value, rest: tuple[Value, ...]) -> Value:
    """Knots, coefficients and the degree."""
    if op.extra.get("full_output", False) is not False:
        return op.tr.unknown("splrep()", "imprecise")
    return made(op, (op.tr.fresh("knots", "data"),)), made(op, (op.tr.fresh("knots", "data"),)), op.extra.get("k", 3)


@operator(_names("griddata"), "points values xi *rest")
def scattered(op: Op, points: Value, values: Value, xi: Value, rest: tuple[Value, ...]) -> Value:
    """At a tuple of coordinates their common shape, at rows of coordinates one value for each."""
    places, given = array(op, points) if not isinstance(points, tuple) else None, array(op, values)
    if places is None or given is None or places.dims is None or given.dims is None or len(given.dims) != 1:
        return unknown(op)
    if type(xi) is tuple:
        found: Value = None
        for part in xi:
            found = array(op, part) if found is None else broadcast(op, "+", found, part, "numpy")
        return made(op, found.dims) if isinstance(found, Tensor) else unknown(op)
    asked = array(op, xi)
    if asked is None or not asked.dims:
        return unknown(op)
    return made(op, asked.dims[:-1] if len(places.dims) == 2 else asked.dims)


@operator(_names("RegularGridInterpolator"), "points values *rest")
def on_grid(op: Op, points: Value, values: Value, rest: tuple[Value, ...]) -> Value:
    given = array(op, values)
    axes = len(points) if type(points) is tuple else len(getattr(points, "items", ())) or None

    def run(c: Call) -> Value:
        asked = array(op, c.get(0, "xi")) if not isinstance(c.get(0, "xi"), tuple) else None
        if (
            asked is None
            or not asked.dims
            or given is None
            or given.dims is None
            or axes is None
            or len(asked.dims) < 2
        ):
            return unknown(op)
        return made(op, (*asked.dims[:-1], *given.dims[axes:]))

    return Native(op.short, run)


@operator(_names("RBFInterpolator"), "y d *rest")
def radial(op: Op, y: Value, d: Value, rest: tuple[Value, ...]) -> Value:
    values = array(op, d)

    def run(c: Call) -> Value:
        asked = array(op, c.get(0, "x"))
        if asked is None or not asked.dims or values is None or not values.dims:
            return unknown(op)
        return made(op, (asked.dims[0], *values.dims[1:]))

    return Native(op.short, run)


@operator(_names("RectBivariateSpline"), "x y z *rest")
def surface(op: Op, x: Value, y: Value, z: Value, rest: tuple[Value, ...]) -> Value:
    """Asked at the lines of a grid, or at single places where `grid` is false."""

    def run(c: Call) -> Value:
        rows, columns, grid = array(op, c.get(0, "x")), array(op, c.get(1, "y")), c.kwargs.get("grid", True)
        if rows is None or columns is None or rows.dims is None or columns.dims is None or type(grid) is not bool:
            return unknown(op)
        if grid:
            return made(op, (*(rows.dims or (1,)), *(columns.dims or (1,))))
        found = broadcast(op, "+", rows, columns, "numpy")
        return made(op, found.dims) if isinstance(found, Tensor) else unknown(op)

    return Native(op.short, run)
