"""NumPy: element by element, reduced, transformed."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.memory import write_results
from analyzer.tracing.language.numpy_numbers import NumpyFloat, float_of_numpy, is_of_numpy
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import ListV, Unknown, Value
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.element_types import asked_array_type, numpy_type
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.numpy_operands import (
    array,
    arrays,
    as_arrays,
    as_torch,
    axes_of,
    axis_of,
    common_type,
    made,
    of,
    unknown,
)
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import reduced_dims
from analyzer.validity.terms import Poly, floor_div, product


def _names(home: str, names: str) -> str:
    return " ".join(f"{home}{name}" for name in names.split())


# ------------------------------------------------------------------------------------- element by element

_UNARY = """exp exp2 expm1 log log2 log10 log1p sqrt cbrt abs absolute fabs
    tanh sin cos tan sinh cosh arcsin arccos arctan arcsinh arccosh arctanh square sign floor ceil round around rint fix
    trunc clip nan_to_num isnan isinf isfinite isreal iscomplex logical_not invert bitwise_not negative positive
    reciprocal conj conjugate real imag angle sinc i0 degrees radians deg2rad rad2deg unwrap
    random.permutation float16 float32 float64 double single half complex64 complex128 signbit spacing
    acos acosh asin asinh atan atanh isneginf isposinf bitwise_invert"""


_POINT_TYPES = {
    **{name: name for name in ("float16", "float32", "float64", "complex64", "complex128")},
    "half": "float16", "single": "float32", "double": "float64",
}  # fmt: skip


# Of whole numbers they give such, in each edition of NumPy; of complex numbers these give real ones.
_KEEPING = ("abs", "absolute", "square", "sign", "clip", "nan_to_num", "invert", "bitwise_not", "bitwise_invert",
            "negative", "positive", "conj", "conjugate", "real", "imag", "permutation", "round",
            "around")  # fmt: skip
_OF_COMPLEX = ("abs", "absolute", "real", "imag", "angle")


_POINTED = ("arctan2", "atan2", "hypot", "float_power", "logaddexp", "logaddexp2", "copysign", "nextafter", "heaviside",
            "ldexp")  # fmt: skip


def is_whole(dtype: str | None) -> bool:
    return (dtype or "").startswith(("int", "uint", "bool"))


def is_complex(dtype: str | None) -> bool:
    return (dtype or "").startswith("complex")


@operator(_names("numpy.", _UNARY), "x *rest")
def same_shape(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    if isinstance(x, (int, float)) and not isinstance(x, bool):
        if op.short == "permutation":
            return made(op, (x,), "int64")
        return _of_number(op, x, rest or tuple(v for k, v in op.extra.items() if k == "decimals"))
    if isinstance(x, Unknown) and x.pytype in ("int", "float"):
        return float_of_numpy(x.origin)
    if op.short == "permutation" and isinstance(x, Poly):
        return made(op, (x,), "int64")
    found = array(op, x)
    if found is None:
        return unknown(op)
    truth = op.short.startswith(("is", "logical")) or op.short == "signbit"
    kept = found.dtype if op.short in _KEEPING or not is_whole(found.dtype) else None  # others give what has a point
    kept = None if is_complex(kept) and op.short in _OF_COMPLEX else kept
    if op.short == "clip" and is_whole(kept):  # bounds may have a point
        bounds = (*rest, *(bound for _, bound in op.extra.items()))
        kept = kept if all(b is None or isinstance(b, (int, Poly)) for b in bounds) else None
    own = _POINT_TYPES.get(op.short)
    dtype = "bool" if truth else own if own is not None else kept
    result = Tensor(found.shape, _asked(op, dtype), "numpy", site=op.where, sources=(found,))
    if rest and isinstance(getattr(np, op.short, None), np.ufunc):
        write_results(op.tr, {"out": rest[0]}, result)
    return result


_OF_WHOLE_NUMBER: dict[str, Callable[[int], int]] = {
    "abs": abs, "absolute": abs, "square": lambda x: x * x, "negative": lambda x: -x, "positive": lambda x: x,
}  # fmt: skip


def _of_number(op: Op, x: float, rest: tuple[Value, ...]) -> Value:
    """Of a number of Python's: one of NumPy's, which is Python's too where it has 64 bits and no imaginary part."""
    name = op.short
    if type(x) is int and name in _OF_WHOLE_NUMBER:
        return Tensor((), "int64", "numpy", site=op.where, value=_OF_WHOLE_NUMBER[name](x))
    if (kind := _POINT_TYPES.get(name, "float64")) != "float64":
        return Tensor((), kind, "numpy", site=op.where)
    function = getattr(math, {"abs": "fabs", "absolute": "fabs", "fix": "trunc"}.get(name, name), None)
    if rest and name in ("round", "around"):
        return NumpyFloat(round(x, rest[0])) if type(rest[0]) is int else float_of_numpy()
    if name in ("square", "round", "around", "rint"):
        return NumpyFloat(x * x if name == "square" else round(x))
    if name in _POINT_TYPES:
        return NumpyFloat(x)
    if name in ("isnan", "isinf", "isfinite"):
        return bool(getattr(math, name)(x))
    try:
        return NumpyFloat(function(x)) if function is not None else float_of_numpy()
    except (TypeError, ValueError, OverflowError):
        return float_of_numpy()


_BINARY = """add subtract multiply divide true_divide floor_divide mod remainder fmod power float_power maximum minimum
    fmax fmin arctan2 hypot equal not_equal greater greater_equal less less_equal logical_and logical_or logical_xor
    bitwise_and bitwise_or bitwise_xor left_shift right_shift bitwise_left_shift bitwise_right_shift copysign heaviside
    logaddexp logaddexp2 nextafter gcd lcm
    isclose ldexp atan2 pow"""
_PAIRS = "add + subtract - multiply * divide / true_divide / power ** pow ** mod % remainder % floor_divide // equal =="
_SIGNS = dict(zip(_PAIRS.split()[::2], _PAIRS.split()[1::2], strict=True))


_OF_WHOLE: dict[str, Callable[[int, int], int]] = {
    "gcd": math.gcd, "lcm": math.lcm, "maximum": max, "minimum": min, "fmax": max, "fmin": min,
}  # fmt: skip


@operator(_names("numpy.", _BINARY), "x y *rest")
def arithmetic(op: Op, x: Value, y: Value, rest: tuple[Value, ...]) -> Value:
    if op.short in _OF_WHOLE and type(x) is int and type(y) is int:
        return Tensor((), "int64", "numpy", site=op.where, value=_OF_WHOLE[op.short](x, y))
    truth = _is_truth(op.short)
    result = broadcast(op, _SIGNS.get(op.short, "+"), x, y, "numpy", "bool" if truth else "")
    if isinstance(result, Tensor) and op.short not in _SIGNS and op.short != "add":
        result.value = None  # of another function than the sum, whose shape it has
        if op.short in _POINTED and is_whole(result.dtype):
            result.dtype = None
    if isinstance(result, Tensor):
        result.dtype = _asked(op, result.dtype)
    write_results(op.tr, {"out": rest[0] if rest else None}, result)
    return result


def _is_truth(name: str) -> bool:
    """Whether a function of two arrays compares them."""
    return name.startswith(("logical", "is", "eq", "not_eq", "great", "less"))


def _asked(op: Op, otherwise: str | None) -> str | None:
    """The element type that the call asks for by name, in which an element-by-element function computes."""
    return asked_array_type(op.extra.get("dtype"), otherwise)


@operator(" ".join(f"numpy.{name}.outer" for name in _BINARY.split()) + " numpy.outer", "a b *rest")
def outer(op: Op, a: Value, b: Value, rest: tuple[Value, ...]) -> Value:
    x, y = array(op, a), array(op, b)
    if x is None or y is None or x.dims is None or y.dims is None:
        return unknown(op)
    flat = op.name == "numpy.outer"
    left, right = ((product(d),) if flat else tuple(d) for d in (x.dims, y.dims))
    dtype = common_type(x, y) if flat else None
    return Tensor((*left, *right), dtype, "numpy", site=op.where, sources=(x, y))


@operator("numpy.where", "condition x=None y=None")
def where(op: Op, condition: Value, x: Value, y: Value) -> Value:
    if x is None:
        return _places(op, condition)
    result = as_arrays(apply(op, "torch", "where", (condition, x, y)))
    if isinstance(result, Tensor):
        if isinstance(x, Tensor) and isinstance(y, Tensor):
            result.dtype = numpy_type(x, y)
        elif (is_of_numpy(x) or is_of_numpy(y)) and result.dtype not in ("float64", "complex128"):
            result.dtype = None
    return result


@operator("numpy.nonzero numpy.argwhere numpy.flatnonzero", "a")
def nonzero(op: Op, a: Value) -> Value:
    return _places(op, a)


def _places(op: Op, value: Value) -> Value:
    """Where something holds: how often, the data decide."""
    found = array(op, value)
    if found is None or found.dims is None:
        return op.tr.unknown(f"np.{op.short}()", "imprecise")
    count = op.tr.fresh("nonzero", "unknown", 0)
    if op.short == "argwhere":
        return of(op, found, (count, len(found.dims)), "int64")
    rows = [of(op, found, (count,), "int64") for _ in (found.dims or (1,))]
    return rows[0] if op.short == "flatnonzero" else tuple(rows)


@operator("numpy.select", "condlist choicelist default=0")
def select(op: Op, condlist: Value, choicelist: Value, default: Value) -> Value:
    conditions, choices = arrays(op, condlist), arrays(op, choicelist)
    if not conditions or not choices:
        return unknown(op)
    result: Value = conditions[0]
    for part in (*conditions[1:], *choices, default):
        result = broadcast(op, "+", result, part, "numpy")
    return result


@operator("numpy.interp numpy.digitize numpy.isin numpy.in1d", "x xp *rest")
def looked_up(op: Op, x: Value, xp: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, x)
    dtype = {"interp": None, "digitize": "int64"}.get(op.short, "bool")
    return unknown(op) if found is None else of(op, found, found.dims, dtype)


@operator("numpy.searchsorted", "a v *rest")
def searchsorted(op: Op, a: Value, v: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, v)
    return unknown(op) if found is None else of(op, found, found.dims, "int64")


# ------------------------------------------------------------------------------------------------ reduced

_REDUCED = """sum mean max min std var prod argmax argmin any all amax amin median nansum nanmean nanmax nanmin nanstd
    nanvar nanmedian nanprod nanargmax nanargmin ptp count_nonzero average"""


@operator(_names("numpy.", _REDUCED) + " numpy.Tensor.ptp numpy.linalg.norm numpy.trapezoid numpy.trapz", "a *rest")
def reduce(op: Op, a: Value, rest: tuple[Value, ...]) -> Value:
    name = op.short
    if name in ("prod", "sum", "max", "min", "mean", "any", "all") and type(a) is int and not op.extra and not rest:
        return a if name not in ("mean", "any", "all") else float(a) if name == "mean" else bool(a)
    if name == "prod" and isinstance(a, (tuple, ListV)) and not op.extra and not rest:
        items = plain(op.tr, a)
        if isinstance(items, tuple) and all(isinstance(i, (int, Poly)) for i in items):
            return product(items)
    found = array(op, a) if not isinstance(a, ListV) or not a.open else None
    if found is None:
        return float_of_numpy()
    if name in _OF_ROW and not rest and not op.extra and found.dtype in (None, "int64") and _is_row(found.value):
        return Tensor((), "int64", "numpy", site=op.where, value=_OF_ROW[name](found.value), sources=(found,))
    position = 1 if name == "norm" else 2 if name.startswith("trap") else 0
    default = -1 if name.startswith("trap") else None
    axis = op.extra.get("axis", rest[position] if len(rest) > position else default)
    more = rest[position + 1 : position + 2] if name in ("norm", "count_nonzero") else ()
    keep = op.extra.get("keepdims", more[0] if more else False)
    dtype = _type_of_reduced(name, found.dtype) if "dtype" not in op.extra else None
    whole = name in ("mean", "std", "var", "median", "nanmedian", "average", "norm") or name.startswith("trap")
    result = _reduced(op, found, axis, keep, dtype, scalars=not whole)
    if name == "average" and op.extra.get("returned", rest[2] if len(rest) > 2 else False) is not False:
        return result, of(op, found, result.shape)  # with the sum of the weights
    return result


_OF_ROW: dict[str, Callable[[tuple[int, ...]], int]] = {
    "sum": sum, "prod": math.prod, "max": max, "amax": max, "min": min, "amin": min,
}  # fmt: skip


def _is_row(value: Value) -> bool:
    """Whether it is a row of whole numbers that are known, and so few and small that no type is too small for them."""
    return (
        type(value) is tuple
        and 0 < len(value) <= MOST_IN_ROW
        and all(type(v) is int for v in value)
        and math.prod(max(abs(v), 1) for v in value) < LARGEST
    )


MOST_IN_ROW = 16
LARGEST = 2**31


def _type_of_reduced(name: str, dtype: str | None) -> str | None:
    """None where it is not known: means of whole numbers have a point, and sums of small ones are larger."""
    if "arg" in name or name == "count_nonzero":
        return "int64"
    if name in ("any", "all"):
        return "bool"
    if is_complex(dtype):
        return dtype if name in ("sum", "mean", "prod", "nansum", "nanmean", "nanprod", "average") else None
    if not is_whole(dtype) or name.removeprefix("nan") in ("max", "min", "amax", "amin", "ptp"):
        return dtype
    return dtype if name.removeprefix("nan") in ("sum", "prod") and dtype == "int64" else None


def _reduced(op: Op, found: Tensor, axis: Value, keep: Value, dtype: str | None, scalars: bool = False) -> Tensor:
    """`scalars`: a scalar counts as a row of one element, as NumPy's universal functions take it."""
    if scalars and found.dims == () and axis in (0, -1):
        return of(op, found, (), dtype)
    if axis is None and not keep:
        return Tensor((), None, "numpy", site=op.where, sources=(found,))
    if axis is not None:
        axes_of(op, found, axis)  # a scalar has none
    return of(op, found, reduced_dims(op, found, axis, keep), dtype)


@operator(" ".join(f"numpy.{name}.reduce" for name in _BINARY.split()), "array axis=0 *rest")
def reduced_by(op: Op, array: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    found = _array(op, array)
    keep = op.extra.get("keepdims", False)
    return unknown(op) if found is None else _reduced(op, found, axis, keep, _of_rounds(op, found), scalars=True)


_array = array


def _of_rounds(op: Op, found: Tensor) -> str | None:
    """The type of a function's results again and again: some compare, and small whole numbers become large ones."""
    return None if is_whole(found.dtype) or _is_truth(op.name.split(".")[-2]) else found.dtype


@operator(" ".join(f"numpy.{name}.accumulate" for name in _BINARY.split()), "array axis=0 *rest")
def accumulated(op: Op, array: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    found = _array(op, array)
    if found is not None:
        axis_of(op, found, axis)
    return unknown(op) if found is None else of(op, found, found.dims, _of_rounds(op, found))


@operator(_names("numpy.", "percentile quantile nanpercentile nanquantile"), "a q axis=None *rest")
def quantile(op: Op, a: Value, q: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    found, asked = array(op, a), array(op, q)
    if found is None or asked is None or asked.dims is None or found.dims is None:
        return unknown(op)
    kept = _reduced(op, found, axis, op.extra.get("keepdims", False), None)
    return of(op, found, None if kept.dims is None else (*asked.dims, *kept.dims))


@operator("numpy.gradient", "f *varargs")
def gradient(op: Op, f: Value, varargs: tuple[Value, ...]) -> Value:
    """One array for each axis, but for one axis the array alone."""
    found = array(op, f)
    axis = op.extra.get("axis")
    if found is None or found.dims is None or (axis is not None and not isinstance(axis, int)):
        return op.tr.unknown("np.gradient()", "imprecise")
    parts = ListV([of(op, found, found.dims) for _ in found.dims])
    return parts.items[0] if axis is not None or len(found.dims) == 1 else parts


@operator("numpy.apply_along_axis", "func1d axis arr *rest")
def apply_along_axis(op: Op, func1d: Value, axis: Value, arr: Value, rest: tuple[Value, ...]) -> Value:
    """What the function gives for one row stands where the axis was."""
    found = array(op, arr)
    at = axis_of(op, found, axis) if found is not None else None
    if found is None or found.dims is None or at is None:
        return unknown(op)
    row = of(op, found, (found.dims[at],), found.dtype)
    given = array(op, call(op.tr, func1d, (row, *rest), {}))
    op.tr.forget((func1d,))  # it is called once for each row
    dims = None if given is None else given.dims
    return of(op, found, None if dims is None else (*found.dims[:at], *dims, *found.dims[at + 1 :]))


@operator("numpy.histogram", "a bins=10 *rest")
def histogram(op: Op, a: Value, bins: Value, rest: tuple[Value, ...]) -> Value:
    count = op.tr.term_of(bins) if isinstance(bins, (int, Poly)) else None
    if count is None:
        return made(op, None), made(op, None)
    return made(op, (count,)), made(op, (count + 1,))


# --------------------------------------------------------------------------------------------- transforms


@operator(_names("numpy.fft.", "fft ifft rfft irfft hfft ihfft"), "a n=None axis=-1 *rest")
def fourier(op: Op, a: Value, n: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, a)
    at = axis_of(op, found, axis) if found is not None else None
    if found is None or at is None:
        return unknown(op)
    name = "rfft" if op.short == "ihfft" else op.short
    return as_torch(op, f"fft.{name}", (found, n, at), {})


@operator(_names("numpy.fft.", "fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn"), "a s=None axes=None *rest")
def fourier_of_many(op: Op, a: Value, s: Value, axes: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, a)
    if axes is None and op.short.endswith("2"):
        axes = (-2, -1)
    places = axes_of(op, found, axes, again=True) if found is not None and axes is not None else ()
    sizes = plain(op.tr, s) if s is not None else ()
    if found is None or places is None or len(set(places)) < len(places) or sizes is None:
        return unknown(op)
    if not isinstance(sizes, tuple) or any(type(n) is int and n < 0 for n in sizes):
        return unknown(op)  # -1 keeps the size
    return as_torch(op, f"fft.{op.short}", (found, s, axes), {})


@operator("numpy.fft.fftshift numpy.fft.ifftshift", "x axes=None")
def shifted(op: Op, x: Value, axes: Value) -> Value:
    found = array(op, x)
    if found is not None and axes is not None:
        axes_of(op, found, axes)
    return unknown(op) if found is None else of(op, found, found.dims, found.dtype)


@operator("numpy.fft.fftfreq numpy.fft.rfftfreq", "n *rest")
def frequencies(op: Op, n: Value, rest: tuple[Value, ...]) -> Value:
    size = op.tr.term_of(n)
    if size is not None and op.short == "rfftfreq":
        size = floor_div(size, 2) + 1
    return made(op, None if size is None else (size,), "float64")
