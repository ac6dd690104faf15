"""SciPy: special functions, linear algebra, transforms, distances and distributions, by the shapes of arrays."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Api, Object, Value
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.numpy_operands import array, as_arrays, axis_of, made, of, of_length, unknown
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator, rules, run_entry
from analyzer.tracing.operators.torch_operands import shape_argument
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Term, equal, product


def _names(home: str, names: str) -> str:
    return " ".join(f"{home}{name}" for name in names.split())


# -------------------------------------------------------------------------------------- special functions

_UNARY = """expit logit log_expit erf erfc erfcx erfinv erfcinv gamma gammaln loggamma rgamma digamma psi exp1 expi
    expm1 log1p cbrt exp2 exp10 sinc j0 j1 y0 y1 i0 i0e i1 i1e k0 k0e k1 k1e ndtr ndtri log_ndtr entr softplus
    softmax log_softmax factorial zeta"""


@operator(_names("scipy.special.", _UNARY), "x *rest")
def special(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, x)
    if found is None or isinstance(x, (int, float)) or (rest and not op.short.endswith("softmax")):
        return op.tr.unknown(f"{op.short}()", "imprecise")
    return of(op, found, found.shape)


@operator(
    _names("scipy.special.", "xlogy xlog1py beta betaln binom jv jn yn yv kn kv iv ive gammainc gammaincc rel_entr "
           "kl_div comb polygamma"), "x y *rest")  # fmt: skip
def special_pair(op: Op, x: Value, y: Value, rest: tuple[Value, ...]) -> Value:
    if rest or all(isinstance(v, (int, float)) for v in (x, y)):
        return op.tr.unknown(f"{op.short}()", "imprecise")
    return broadcast(op, "+", x, y, "numpy")


@operator("scipy.special.logsumexp", "a axis=None *rest")
def logsumexp(op: Op, a: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    if rest or op.extra.get("return_sign") or op.extra.get("b") is not None:
        return op.tr.unknown("logsumexp()", "imprecise")
    named = {k: v for k, v in op.extra.items() if k == "keepdims"}
    return as_arrays(call(op.tr, Api("numpy.sum"), (a, axis), named, op.node))


# -------------------------------------------------------------------------- linear algebra and transforms

_OF_NUMPY = {
    **{f"scipy.linalg.{n}": f"numpy.linalg.{n}" for n in ("inv", "det", "pinv", "eigvals", "norm", "svd")},
    **{f"scipy.fft.{n}": f"numpy.fft.{n}" for n in
       ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn",
        "irfftn", "fftshift", "ifftshift", "fftfreq", "rfftfreq")},
    "scipy.integrate.trapezoid": "numpy.trapezoid", "scipy.stats.zscore": "numpy.abs",
}  # fmt: skip
_OPTIONS = (
    "overwrite_a",
    "overwrite_x",
    "overwrite_b",
    "check_finite",
    "workers",
    "lapack_driver",
    "ddof",
    "nan_policy",
)


@operator(" ".join(_OF_NUMPY), "*args")
def of_numpy(op: Op, args: tuple[Value, ...]) -> Value:
    named = {k: v for k, v in op.extra.items() if k not in _OPTIONS}
    if op.short == "zscore":
        args, named = args[:1], {"x": named["a"]} if "a" in named else {}
    if named.get("homogeneous_eigvals", False) is not False:
        return unknown(op)  # one row more: numerators and denominators
    return call(op.tr, Api(_OF_NUMPY[op.name]), args, named, op.node)


@operator(_names("scipy.fft.", "dct idct dst idst"), "x type=2 n=None axis=-1 *rest")
def cosines(op: Op, x: Value, type: Value, n: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, x)
    if found is None:
        return unknown(op)
    axis_of(op, found, axis)
    return of(op, found, found.shape) if n is None else of_length(op, found, axis, n)


# -------------------------------------------------------------------------------------------- distances


@operator("scipy.spatial.distance.cdist scipy.spatial.distance_matrix", "XA|x XB|y *rest")
def between(op: Op, XA: Value, XB: Value, rest: tuple[Value, ...]) -> Value:
    """From each point of the first to each of the second."""
    x, y = array(op, XA), array(op, XB)
    if x is None or y is None or x.dims is None or y.dims is None:
        return unknown(op)
    told = f"the points are {show_shape(x.dims)} and {show_shape(y.dims)}"
    if len(x.dims) != 2 or len(y.dims) != 2:
        fail(op, "rank", f"{told}: both are tables with a row for each point", (x, y))
    require(op, equal(x.dims[1], y.dims[1]), "size", f"{told}: their numbers of coordinates differ", (x, y))
    return Tensor((x.dims[0], y.dims[0]), "float64", "numpy", site=op.where, sources=(x, y))


@operator("scipy.spatial.distance.pdist", "X *rest")
def among(op: Op, X: Value, rest: tuple[Value, ...]) -> Value:
    """From each point to each behind it."""
    found = array(op, X)
    if found is None or found.dims is None:
        return unknown(op)
    if len(found.dims) != 2:
        fail(op, "rank", f"points are a table with a row for each, not {show_shape(found.dims)}", (found,))
    count = found.dims[0]
    return made(op, (count * (count - 1) // 2,) if isinstance(count, int) else None, "float64")


@operator("scipy.optimize.linear_sum_assignment", "cost_matrix *rest")
def assignment(op: Op, cost_matrix: Value, rest: tuple[Value, ...]) -> Value:
    """Rows and columns of the pairs, as many as the shorter side has."""
    found = array(op, cost_matrix)
    if found is None or found.dims is None:
        return unknown(op), unknown(op)
    if len(found.dims) != 2:
        fail(op, "rank", f"costs are a table, not {show_shape(found.dims)}", (found,))
    sizes = [n for n in found.dims if isinstance(n, int)]
    count: Term = min(sizes) if len(sizes) == 2 else op.tr.fresh("pairs", "lost", 0)
    return made(op, (count,), "int64"), made(op, (count,), "int64")


# --------------------------------------------------------------------------------------- distributions

_CONTINUOUS = """norm uniform expon gamma beta lognorm t chi2 f laplace logistic cauchy truncnorm weibull_min halfnorm
    skewnorm genextreme gumbel_r gumbel_l pareto rayleigh vonmises chi triang invgamma invgauss loguniform maxwell levy
    betaprime burr fisk gengamma halfcauchy johnsonsu moyal nakagami ncx2 powerlaw rice weibull_max"""
_DISCRETE = "poisson binom bernoulli geom nbinom"
_AT_POINTS = "cdf logcdf sf logsf ppf isf"


def _of_distributions(kinds: str, methods: str) -> str:
    return " ".join(f"scipy.stats.{d}.{m}" for d in kinds.split() for m in methods.split())


@operator(
    _of_distributions(_CONTINUOUS, f"pdf logpdf {_AT_POINTS}")
    + " "
    + _of_distributions(_DISCRETE, f"pmf logpmf {_AT_POINTS}"),
    "x|k|q *parameters",
)
def at_points(op: Op, x: Value, parameters: tuple[Value, ...]) -> Value:
    """At each point: points and parameters are broadcast."""
    given = (x, *parameters, *op.extra.values())
    if all(isinstance(v, (int, float)) for v in given):
        return op.tr.unknown(f"{op.short}()", "imprecise", pytype="float")
    found = [array(op, v) for v in given]
    if any(f is None for f in found):
        return unknown(op)
    result: Value = found[0]
    for other in found[1:]:
        result = broadcast(op, "+", result, other, "numpy")
    return result


@operator(_of_distributions(f"{_CONTINUOUS} {_DISCRETE}", "rvs"), "*parameters")
def drawn(op: Op, parameters: tuple[Value, ...]) -> Value:
    size = op.extra.get("size")
    dims = None if size is None else shape_argument(op, (size,))
    return op.tr.unknown("rvs()", "imprecise") if dims is None else made(op, dims)


FROZEN = "scipy distribution"  # one with its parameters


@operator(" ".join(f"scipy.stats.{d}" for d in f"{_CONTINUOUS} {_DISCRETE}".split()), "*parameters")
def frozen(op: Op, parameters: tuple[Value, ...]) -> Value:
    return Object(FROZEN, data={"name": op.name, "args": parameters, "kwargs": dict(op.extra.items())}, site=op.where)


def at_frozen(
    tr: Tracer, owner: Object, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: Any
) -> Value:
    """The methods of a distribution that has its parameters already."""
    full = f"{owner.data['name']}.{name}"
    entry = rules().get(full)
    if entry is None:
        return tr.unknown(f"{name}()", "data")
    before, after = (owner.data["args"], args) if name == "rvs" else (args, owner.data["args"])
    if name == "rvs" and after:
        return tr.unknown("rvs()", "data")  # how many are drawn, by place
    return run_entry(tr, entry, full, (*before, *after), {**owner.data["kwargs"], **kwargs}, node)


@operator("scipy.linalg.block_diag", "*arrs")
def block_diag(op: Op, arrs: tuple[Value, ...]) -> Value:
    found = [array(op, a) for a in arrs]
    known = [f.dims for f in found if f is not None and f.dims is not None and len(f.dims) == 2]
    if not known or len(known) != len(found):
        return unknown(op)
    rows, columns = (sum((d[i] for d in known), 0) for i in (0, 1))
    return made(op, (rows, columns))


@operator("scipy.linalg.toeplitz scipy.linalg.hankel", "c r=None")
def constant_diagonals(op: Op, c: Value, r: Value) -> Value:
    column, row = array(op, c), array(op, c if r is None else r)
    if column is None or row is None or column.dims is None or row.dims is None:
        return unknown(op)
    if len(column.dims) != 1 or len(row.dims) != 1:
        return unknown(op)
    return made(op, (product(column.dims), product(row.dims)))
