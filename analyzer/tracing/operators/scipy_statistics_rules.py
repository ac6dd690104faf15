"""`scipy.stats`: tests of samples, and what they have along an axis."""

from __future__ import annotations

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.values import Api, Fields, Unknown, Value
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.numpy_operands import array, axis_of, of, unknown
from analyzer.tracing.operators.table import Op, operator


def _names(names: str) -> str:
    return " ".join(f"scipy.stats.{name}" for name in names.split())


def _number() -> Unknown:
    return Unknown("a statistic", "data", pytype="float")


def _is_row(op: Op, value: Value) -> bool:
    found = array(op, value)
    return found is not None and found.dims is not None and len(found.dims) == 1


_FIELDS = {"linregress": ("slope", "intercept", "rvalue", "pvalue", "stderr"), "kstest": ("statistic", "pvalue")}
_PAIRED = "pearsonr spearmanr kendalltau linregress ttest_rel pointbiserialr weightedtau somersd wilcoxon"


@operator(_names(_PAIRED), "x|a y|b=None *rest")
def paired(op: Op, x: Value, y: Value, rest: tuple[Value, ...]) -> Value:
    """Two samples of the same length; fails where they have others."""
    if y is None or not _is_row(op, x) or not _is_row(op, y):
        return op.tr.unknown(f"{op.short}()", "imprecise")
    broadcast(op, "+", x, y, "numpy")
    names = _FIELDS.get(op.short, ("statistic", "pvalue"))
    return Fields(tuple(_number() for _ in names), names)


@operator(_names("ttest_ind ks_2samp mannwhitneyu ranksums ansari mood"), "x|a|data1 y|b|data2 *rest")
def two_samples(op: Op, x: Value, y: Value, rest: tuple[Value, ...]) -> Value:
    if not _is_row(op, x) or not _is_row(op, y):
        return op.tr.unknown(f"{op.short}()", "imprecise")
    return Fields((_number(), _number()), ("statistic", "pvalue"))


@operator(_names("shapiro normaltest jarque_bera"), "x *rest")
def one_sample(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    if not _is_row(op, x):
        return op.tr.unknown(f"{op.short}()", "imprecise")
    return Fields((_number(), _number()), ("statistic", "pvalue"))


@operator(_names("wasserstein_distance energy_distance"), "u v *rest")
def distance(op: Op, u: Value, v: Value, rest: tuple[Value, ...]) -> Value:
    return _number()


_ALONG = "entropy sem skew kurtosis gmean hmean variation median_abs_deviation trim_mean iqr tmean tstd tvar"


@operator(_names(_ALONG), "a *rest")
def along(op: Op, a: Value, rest: tuple[Value, ...]) -> Value:
    """One value for each row along an axis: the first one where none is named, all elements for some."""
    whole = op.short in ("iqr", "tmean", "tstd", "tvar")
    axis = op.extra.get("axis", None if whole else 0)
    second = op.short == "entropy" and op.extra.get("qk", rest[0] if rest else None) is not None
    named = rest[1:] if op.short == "trim_mean" else rest if op.short not in ("sem", "entropy") else ()
    if second or named or op.extra.get("keepdims", False) is not False:
        return unknown(op)
    found = array(op, a)
    if found is None or found.dims is None or (axis is not None and axis_of(op, found, axis) is None):
        return unknown(op)
    return call(op.tr, Api("numpy.mean"), (a,), {"axis": axis}, op.node)


@operator(_names("rankdata"), "a method='average' *rest")
def ranks(op: Op, a: Value, method: Value, rest: tuple[Value, ...]) -> Value:
    """Without an axis the elements in a row."""
    found = array(op, a)
    if found is None or found.dims is None or rest:
        return unknown(op)
    if op.extra.get("axis") is None:
        return call(op.tr, Api("numpy.ravel"), (of(op, found, found.dims),), {}, op.node)
    axis_of(op, found, op.extra.get("axis"))
    return of(op, found, found.dims)


@operator(_names("ortho_group.rvs special_ortho_group.rvs"), "dim size=1 *rest")
def rotations(op: Op, dim: Value, size: Value, rest: tuple[Value, ...]) -> Value:
    n, count = op.tr.term_of(dim), op.tr.term_of(size)
    if n is None or count is None:
        return unknown(op)
    return call(op.tr, Api("numpy.zeros"), ((n, n) if count == 1 else (count, n, n),), {}, op.node)
