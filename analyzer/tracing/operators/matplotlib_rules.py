"""matplotlib: plots refuse coordinates of different lengths; figures and axes are known as such."""

from __future__ import annotations

from collections.abc import Callable

from analyzer.tracing.language.rows import Rows
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import ListV, Object, Value
from analyzer.tracing.operators.operands import tensor_of
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import equal, product

AXES, FIGURE = "matplotlib axes", "matplotlib figure"


@operator("matplotlib.pyplot.subplots", "nrows=1 ncols=1 *rest")
def subplots(op: Op, nrows: Value, ncols: Value, rest: tuple[Value, ...]) -> Value:
    """A figure and its axes; of several axes an array, or several arrays, of them."""
    single = nrows == 1 and ncols == 1 and op.extra.get("squeeze", True) is True and not rest
    figure = Object(FIGURE, site=op.where)
    return figure, Object(AXES, site=op.where) if single else op.tr.unknown("axes")


@operator("matplotlib.pyplot.figure matplotlib.pyplot.gcf matplotlib.figure.Figure", "*rest")
def figure(op: Op, rest: tuple[Value, ...]) -> Value:
    return Object(FIGURE, site=op.where)


@operator("matplotlib.pyplot.gca matplotlib.pyplot.axes matplotlib.pyplot.subplot", "*rest")
def axes(op: Op, rest: tuple[Value, ...]) -> Value:
    return Object(AXES, site=op.where)


@operator("matplotlib.pyplot.plot matplotlib.pyplot.semilogx matplotlib.pyplot.semilogy matplotlib.pyplot.loglog",
          "*args")  # fmt: skip
def plot(op: Op, args: tuple[Value, ...]) -> Value:
    _plot(op, args)
    return op.tr.unknown("lines")


@operator("matplotlib.pyplot.scatter", "*args")
def scatter(op: Op, args: tuple[Value, ...]) -> Value:
    _scatter(op, args)
    return op.tr.unknown("points")


def drawn(
    tr: Tracer, owner: Object, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: Value
) -> Value:
    """The methods of figures and axes."""
    check = _DRAWING.get(name)
    if owner.kind == AXES and check is not None and "data" not in kwargs:
        check(Op(tr, name, node, tr.site(node)), args)
    if owner.kind == FIGURE and name in ("add_subplot", "add_axes", "gca"):
        return Object(AXES, site=tr.site(node))
    return tr.unknown(f"{name}()")


def _plot(op: Op, args: tuple[Value, ...]) -> None:
    """`plot([x], y, [format], …)`: x and y have as many rows, and one column or as many."""
    pending: list[Value] = []
    if "data" in op.extra:
        return
    for value in (*args, ""):
        if isinstance(value, str):
            if len(pending) == 2:
                _pair(op, *pending)
            pending = []
        elif len(pending) == 2:
            _pair(op, *pending)
            pending = [value]
        else:
            pending.append(value)


def _pair(op: Op, x: Value, y: Value) -> None:
    found = [_coordinates(op, v) for v in (x, y)]
    if found[0] is None or found[1] is None:
        return
    a, b = (t.dims if t.dims else (1,) for t in (found[0], found[1]))  # one number is one point
    told = f"x has the shape {show_shape(a)} and y {show_shape(b)}"
    if len(a) > 2 or len(b) > 2:
        fail(op, "plot", f"no more than two dimensions are drawn: {told}", (found[0], found[1]))
    require(op, equal(a[0], b[0]), "plot", told, (found[0], found[1]))
    if len(a) == len(b) == 2 and 1 not in (a[1], b[1]) and all(isinstance(n, int) for n in (a[1], b[1])):
        require(op, equal(a[1], b[1]), "plot", told, (found[0], found[1]))


def _scatter(op: Op, args: tuple[Value, ...]) -> None:
    """As many numbers of x as of y, in whatever shape."""
    found = [_coordinates(op, v) for v in args[:2]]
    if len(found) == 2 and found[0] is not None and found[1] is not None:
        a, b = found[0].dims or (), found[1].dims or ()
        told = f"x has the shape {show_shape(a)} and y {show_shape(b)}"
        require(op, equal(product(a), product(b)), "plot", told, (found[0], found[1]))


def _coordinates(op: Op, value: Value) -> Tensor | None:
    """What is drawn as an array of known rank; None where it may be something else."""
    if not isinstance(value, (Tensor, ListV, Rows)) or (isinstance(value, ListV) and value.open):
        return None
    found = tensor_of(op.tr, value, "numpy")
    return None if found is None or found.dims is None or found.shape.vague else found


_DRAWING: dict[str, Callable[[Op, tuple[Value, ...]], None]] = {
    "plot": _plot, "semilogx": _plot, "semilogy": _plot, "loglog": _plot, "scatter": _scatter,
}  # fmt: skip
