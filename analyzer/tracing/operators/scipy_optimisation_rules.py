"""`scipy.optimize` and `scipy.integrate`: results have the shape of where the search begins."""

from __future__ import annotations

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Function, ListV, Object, Unknown, Value
from analyzer.tracing.operators.numpy_operands import array, axis_of, made, of, of_length, unknown
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import product


def _names(home: str, names: str) -> str:
    return " ".join(f"scipy.{home}.{name}" for name in names.split())


def _number() -> Unknown:
    return Unknown("a number", "data", pytype="float")


def _row(op: Op, start: Value) -> Tensor:
    """The variables as the functions are given them: in a row."""
    found = array(op, start)
    if found is None or found.dims is None:
        return unknown(op)
    return made(op, (product(found.dims),), "float64")


def _result(x: Value) -> Object:
    return Object("a search's result", {
        "x": x, "fun": _number(), "success": Unknown("whether it succeeded", "data", pytype="bool"),
        "message": Unknown("a text", "data", pytype="str"), "nit": Unknown("a number", "data", pytype="int"),
        "nfev": Unknown("a number", "data", pytype="int"), "status": Unknown("a number", "data", pytype="int"),
    })  # fmt: skip


@operator(_names("optimize", "minimize least_squares root basinhopping dual_annealing"), "fun x0 args=() *rest")
def searched(op: Op, fun: Value, x0: Value, args: Value, rest: tuple[Value, ...]) -> Value:
    """The function is called where the search begins."""
    if op.short == "dual_annealing":
        return op.tr.unknown("dual_annealing()", "imprecise")
    more = args if type(args) is tuple else (args,)
    x = _row(op, x0)
    start = array(op, x0)
    shaped = start is not None and start.dims is not None and len(start.dims) > 1  # some methods keep its shape
    if op.short in ("minimize", "root") and not shaped:
        call(op.tr, fun, (x, *more), {}, op.node)
    op.tr.forget((fun, *rest, *op.extra.values()))
    found = _result(unknown(op) if shaped else x)
    if op.short in ("root", "least_squares"):
        found.attrs["fun"] = unknown(op)
    return found


@operator(_names("optimize", "leastsq fsolve"), "func x0 *rest")
def solved(op: Op, func: Value, x0: Value, rest: tuple[Value, ...]) -> Value:
    op.tr.forget((func,))
    if op.extra.get("full_output", False) is not False or len(rest) > 2:
        return op.tr.unknown(f"{op.short}()", "imprecise")
    x = _row(op, x0)
    return x if op.short == "fsolve" else (x, Unknown("a number", "data", pytype="int"))


@operator(_names("optimize", "curve_fit"), "f xdata ydata p0=None *rest")
def fitted(op: Op, f: Value, xdata: Value, ydata: Value, p0: Value, rest: tuple[Value, ...]) -> Value:
    """As many parameters as the function has behind the data, or as are given to begin with."""
    size: Value = None
    start = array(op, p0) if p0 is not None else None
    if start is not None and start.dims is not None and len(start.dims) == 1:
        size = start.dims[0]
    elif p0 is None and isinstance(f, Function) and f.node.args.vararg is None:
        size = len(f.node.args.posonlyargs) + len(f.node.args.args) - 1
    if size is None or op.extra.get("full_output", False) is not False:
        return op.tr.unknown("curve_fit()", "imprecise")
    return made(op, (size,), "float64"), made(op, (size, size), "float64")


@operator(_names("optimize", "brentq brenth bisect ridder toms748 fminbound golden brent"), "f *rest")
def root_between(op: Op, f: Value, rest: tuple[Value, ...]) -> Value:
    op.tr.forget((f,))
    odd = op.extra.get("full_output", False) is not False
    return op.tr.unknown(f"{op.short}()", "imprecise") if odd else _number()


@operator(_names("optimize", "minimize_scalar root_scalar"), "fun *rest")
def of_one_number(op: Op, fun: Value, rest: tuple[Value, ...]) -> Value:
    op.tr.forget((fun,))
    found = _result(_number())
    found.attrs["root"] = _number()
    return found


@operator(_names("optimize", "nnls"), "A b *rest")
def not_negative(op: Op, A: Value, b: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, A)
    known = found is not None and found.dims is not None and len(found.dims) == 2
    return made(op, found.dims[1:] if known and found is not None and found.dims else None, "float64"), _number()


@operator(_names("optimize", "linprog milp"), "c *rest")
def linear(op: Op, c: Value, rest: tuple[Value, ...]) -> Value:
    return _result(_row(op, c))


@operator(_names("optimize", "differential_evolution shgo"), "func bounds *rest")
def within_bounds(op: Op, func: Value, bounds: Value, rest: tuple[Value, ...]) -> Value:
    op.tr.forget((func,))
    known = isinstance(bounds, (ListV, tuple)) and not getattr(bounds, "open", False)
    size = len(bounds.items if isinstance(bounds, ListV) else bounds) if known else None
    return _result(made(op, None if size is None else (size,), "float64"))


# --------------------------------------------------------------------------------------------- integration


@operator(_names("integrate", "quad dblquad tplquad"), "func *rest")
def integral(op: Op, func: Value, rest: tuple[Value, ...]) -> Value:
    """The integral and its error, where nothing else is asked for."""
    op.tr.forget((func,))
    odd = op.extra.get("full_output", False) is not False or op.extra.get("complex_func", False) is not False
    return op.tr.unknown("quad()", "imprecise") if odd else (_number(), _number())


@operator(_names("integrate", "simpson simps"), "y *rest")
def simpson(op: Op, y: Value, rest: tuple[Value, ...]) -> Value:
    found, axis = array(op, y), op.extra.get("axis", -1)
    at = axis_of(op, found, axis) if found is not None else None
    if found is None or at is None or found.dims is None or len(rest) > 2:
        return unknown(op)
    return of(op, found, (*found.dims[:at], *found.dims[at + 1 :]))


@operator(_names("integrate", "cumulative_trapezoid cumtrapz cumulative_simpson"), "y *rest")
def running(op: Op, y: Value, rest: tuple[Value, ...]) -> Value:
    """One less along the axis, unless an initial value stands in front."""
    found, axis = array(op, y), op.extra.get("axis", -1)
    at = axis_of(op, found, axis) if found is not None else None
    if found is None or at is None or found.dims is None or len(rest) > 2:
        return unknown(op)
    if op.extra.get("initial") is not None:
        return of(op, found, found.dims)
    return of_length(op, found, at, found.dims[at] - 1)


@operator(_names("integrate", "odeint"), "func y0 t *rest")
def ordinary(op: Op, func: Value, y0: Value, t: Value, rest: tuple[Value, ...]) -> Value:
    op.tr.forget((func,))
    times, start = array(op, t), _row(op, y0)
    if times is None or not times.dims or start.dims is None or op.extra.get("full_output", False) is not False:
        return unknown(op)
    return made(op, (times.dims[0], *start.dims), "float64")


@operator(_names("integrate", "solve_ivp"), "fun t_span y0 *rest")
def initial_value(op: Op, fun: Value, t_span: Value, y0: Value, rest: tuple[Value, ...]) -> Value:
    """At the times that are asked for; without them the search chooses how many."""
    op.tr.forget((fun,))
    asked, start = op.extra.get("t_eval"), _row(op, y0)
    times = array(op, asked) if asked is not None else None
    stops = op.extra.get("events") is not None  # an event may end it before
    count = times.dims[0] if times is not None and times.dims and not stops else op.tr.fresh("times", "data")
    found = _result(None)
    found.attrs.update(t=made(op, (count,)), y=made(op, None if start.dims is None else (*start.dims, count)))
    return found
