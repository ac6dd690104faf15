"""NumPy: new arrays, from numbers, shapes, other arrays and random generators."""

from __future__ import annotations

import numpy as np

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.tensor_kinds import adds_to_arrays
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Api, Bound, Class, Instance, Iterator_, ListV, Unknown, Value
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.element_types import OBJECTS, array_type, dtype_name
from analyzer.tracing.operators.element_values import converted
from analyzer.tracing.operators.numpy_matrices import array_of
from analyzer.tracing.operators.numpy_operands import array, made, of, type_of_numbers, unknown
from analyzer.tracing.operators.ragged import refuse_ragged
from analyzer.tracing.operators.ranges import length_of_range
from analyzer.tracing.operators.reinterpretation import reinterpreted
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import shape_argument
from analyzer.validity.terms import Poly

MOST_ELEMENTS = 64  # whose values are kept
WHOLE = {
    **{name: name for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")},
    "intp": "int64", "longlong": "int64", "uintp": "uint64",
}  # fmt: skip


def _names(home: str, names: str) -> str:
    return " ".join(f"{home}{name}" for name in names.split())


@operator("numpy.zeros numpy.ones numpy.empty numpy.full numpy.ndarray", "shape *rest")
def create(op: Op, shape: Value, rest: tuple[Value, ...]) -> Value:
    if op.short == "full":
        return made(op, shape_argument(op, (shape,)), array_type(rest[1]) if len(rest) > 1 else None)
    return made(op, shape_argument(op, (shape,)), array_type(rest[0]) if rest else "float64")


@operator("numpy.zeros_like numpy.ones_like numpy.empty_like", "a dtype=None order=None subok=None shape=None")
def create_like(op: Op, a: Value, dtype: Value, order: Value, subok: Value, shape: Value) -> Value:
    return _like(op, a, dtype, shape)


@operator("numpy.full_like", "a fill_value dtype=None order=None subok=None shape=None")
def full_like(op: Op, a: Value, fill_value: Value, dtype: Value, order: Value, subok: Value, shape: Value) -> Value:
    return _like(op, a, dtype, shape)


def _like(op: Op, a: Value, dtype: Value, shape: Value) -> Value:
    """Of the shape and the element type of `a`, where no others are asked for."""
    found = array(op, a)
    stated = array_type(dtype) if dtype is not None else found.dtype if found is not None else None
    if shape is not None:
        return made(op, shape_argument(op, (shape,)), stated)
    return unknown(op) if found is None else of(op, found, found.shape, stated)


@operator("numpy.random.default_rng numpy.random.RandomState", "*seed")
def generator(op: Op, seed: tuple[Value, ...]) -> Value:
    """Its methods have the names of the module's functions."""
    return Api("numpy.random")


@operator("numpy.random.rand numpy.random.randn", "*size")
def random_sizes(op: Op, size: tuple[Value, ...]) -> Value:
    return made(op, shape_argument(op, size), "float64")


@operator(
    "numpy.random.random numpy.random.random_sample numpy.random.standard_normal numpy.random.sample numpy.random.ranf",
    "size=None",
)
def random_shape(op: Op, size: Value) -> Value:
    return made(op, () if size is None else shape_argument(op, (size,)), "float64")


@operator(
    (
        "numpy.random.normal numpy.random.uniform numpy.random.randint numpy.random.integers "
        "numpy.random.binomial numpy.random.poisson"
    ),
    "*args",
)
def random_last(op: Op, args: tuple[Value, ...]) -> Value:
    size = op.extra.get("size", args[2] if len(args) > 2 else None)
    if size is None:
        if any(isinstance(p, (ListV, tuple, Tensor)) for p in (*args, *op.extra.values())):
            return unknown(op)  # one number for each of the parameters
        real = op.short in ("normal", "uniform")
        return Unknown("a random number", "data", pytype="float" if real else "int")
    return made(op, shape_argument(op, (size,)), "int64" if op.short in ("randint", "integers") else None)


@operator("numpy.random.choice", "a size=None replace=True p=None axis=0 shuffle=True")
def chosen(op: Op, a: Value, size: Value, replace: Value, p: Value, axis: Value, shuffle: Value) -> Value:
    """Numbers below `a`, or slices of an array; only of a vector with the functions that are not a generator's."""
    given = None if op.tr.term_of(a) is not None else array(op, a)
    if given is not None and given.dims is not None and len(given.dims) > 1:
        shape = () if size is None else shape_argument(op, (size,))
        if shape is None or type(axis) is not int or not -len(given.dims) <= axis < len(given.dims):
            return made(op, None)
        at = axis % len(given.dims)
        return of(op, given, (*given.dims[:at], *shape, *given.dims[at + 1 :]))
    if size is None:
        return Unknown("a random choice", "data", pytype="" if op.tr.term_of(a) is None else "int")
    return made(op, None if given is not None and given.dims is None else shape_argument(op, (size,)))


@operator(
    _names("numpy.random.", "exponential gamma laplace lognormal beta logistic gumbel geometric chisquare rayleigh "
                            "standard_exponential standard_t triangular vonmises weibull pareto standard_gamma "
                            "standard_cauchy negative_binomial hypergeometric zipf logseries power wald f"),
    "*parameters",
)  # fmt: skip
def drawn(op: Op, parameters: tuple[Value, ...]) -> Value:
    """Without a size the shape is that of the parameters; a size that is not named comes after them."""
    few = {"standard_exponential": 0, "standard_cauchy": 0, "negative_binomial": 2, "wald": 2, "f": 2,
           "hypergeometric": 3, "beta": 2, "gamma": 2, "laplace": 2, "lognormal": 2, "logistic": 2, "gumbel": 2,
           "triangular": 3, "vonmises": 2}.get(op.short, 1)  # fmt: skip
    size = op.extra.get("size", parameters[few] if len(parameters) > few else None)
    if size is not None:
        return made(op, shape_argument(op, (size,)), "int64" if op.short in _COUNTS else "float64")
    plain_numbers = all(isinstance(p, (int, float)) for p in parameters)
    return Unknown("a random number", "data", pytype="float") if plain_numbers else unknown(op)


_COUNTS = ("geometric", "negative_binomial", "hypergeometric", "zipf", "logseries")


@operator("numpy.random.multivariate_normal numpy.random.dirichlet", "first *rest")
def drawn_rows(op: Op, first: Value, rest: tuple[Value, ...]) -> Value:
    """Rows as long as the mean or the weights."""
    row = array(op, first)
    position = 0 if op.short == "dirichlet" else 1
    size = op.extra.get("size", rest[position] if len(rest) > position else None)
    dims = () if size is None else shape_argument(op, (size,))
    return made(op, None if row is None or row.dims is None or dims is None else (*dims, *row.dims[-1:]), "float64")


@operator("numpy.random.multinomial", "n pvals size=None")
def drawn_counts(op: Op, n: Value, pvals: Value, size: Value) -> Value:
    """Counts as many as the last axis of the probabilities has; those before it are stretched with the numbers drawn.

    A generator takes an array of numbers and rows of probabilities; a size that is given has both in it.
    """
    number, row = array(op, n), array(op, pvals)
    if row is None or not row.dims:
        return made(op, None, "int64")
    before: Value = None
    if size is not None:
        before = made(op, shape_argument(op, (size,)))
    elif number is not None and number.dims is not None:
        before = of(op, row, row.dims[:-1])
        before = apply(op, "torch", "add", (number, before)) if number.dims else before
    known = isinstance(before, Tensor) and before.dims is not None
    return made(op, (*before.dims, row.dims[-1]) if known else None, "int64")


@operator(
    "numpy.array numpy.asarray numpy.ascontiguousarray numpy.asanyarray numpy.copy numpy.asfarray numpy.require "
    "numpy.asfortranarray numpy.bool_ numpy.bool numpy.fromiter numpy.asarray_chkfinite "
    + _names("numpy.", " ".join(WHOLE)),
    "object *rest",
)
def convert(op: Op, object: Value, rest: tuple[Value, ...]) -> Value:
    whole = WHOLE.get(op.short)
    if whole is not None and isinstance(object, (int, Poly)):
        return Tensor((), whole, "numpy", site=op.where, value=_held(object, whole))
    if isinstance(object, Iterator_) and not object.once and isinstance(object.length, int):
        object = tuple(range(*object.bounds)) if object.length <= MOST_ELEMENTS else made(op, (object.length,), "int64")
    if op.extra.get("ndmax") is not None:
        return unknown(op)
    if isinstance(object, Instance) and (giving := object.cls.find("__array__")) is not None:
        op.tr.forget((Bound(object, giving[0]),))  # which it is asked by
    object = array_of(object) if op.short in ("array", "asarray") and "subok" not in op.extra else object
    asked = op.extra.get("dtype", rest[0] if rest else None)
    if asked is None or array_type(asked) not in (None, OBJECTS):
        refuse_ragged(op, object, "numpy")
    found = array(op, object)
    if found is None:
        return unknown(op)
    if asked is not None and (_in_parts(asked) or (array_type(asked) is None and _of_records(object))):
        return unknown(op)  # with a type of several fields each tuple is one element
    kept = asked is None and (isinstance(object, Tensor) or found.dtype == "bool")
    own = found.dtype if kept else type_of_numbers(object) if asked is None and op.short != "asfarray" else None
    dtype = whole or dtype_name(op.short) or own or array_type(asked)
    if dtype is None and _holds_text(object):
        dtype = OBJECTS
    elements = found.value if kept else converted(found.value, dtype)
    least = op.extra.get("ndmin", 0)
    result = Tensor(found.shape, dtype, "numpy", site=op.where, value=elements, sources=(found,))
    if isinstance(least, int) and found.dims is not None and least > len(found.dims):
        result = of(op, found, (*(1,) * (least - len(found.dims)), *found.dims), dtype)
    return result


def _held(number: Value, kind: str) -> Value:
    """The number in the type; one that is not known to fit into a small type is none."""
    if isinstance(number, int):
        return int(number) if np.iinfo(kind).min <= number <= np.iinfo(kind).max else None
    return number if kind in ("int32", "int64") else None


def _in_parts(asked: Value) -> bool:
    """Whether it is the code of records, whose tuples are elements, or of characters, which are elements of texts."""
    return isinstance(asked, str) and ("," in asked or asked == "c")


def _holds_text(object: Value) -> bool:
    parts = object.items if isinstance(object, ListV) else object if isinstance(object, tuple) else ()
    return isinstance(object, (str, bytes)) or any(map(_holds_text, parts))


def _of_records(object: Value) -> bool:
    """Whether what stands innermost in nested lists are tuples."""
    while isinstance(object, ListV) and object.items:
        object = object.items[0]
    return type(object) is tuple


@operator("numpy.Tensor.view", "a dtype=None type=None")
def view(op: Op, a: Value, dtype: Value, type: Value) -> Value:
    """``ndarray.view``: the array itself, as another class, or its memory read as another element type."""
    found = array(op, a)
    if found is None:
        return unknown(op)
    classes = [given for given in (dtype, type) if isinstance(given, Class)]
    if any(adds_to_arrays(given) for given in classes):
        return op.tr.unknown("an array of a class that adds to NumPy's", "imprecise")
    if isinstance(dtype, Api) and dtype.name in ("numpy.ndarray", "numpy.ma.MaskedArray", "numpy.recarray"):
        dtype = None
    if dtype is not None:
        return reinterpreted(op, found, array_type(dtype))
    return Tensor(found.shape, found.dtype, "numpy", site=op.where, value=found.value, sources=(found,))


@operator("numpy.arange", "*args")
def arange(op: Op, args: tuple[Value, ...]) -> Value:
    given = [op.extra.get(name, value) for name, value in zip(("start", "stop", "step"), _bounds(args), strict=True)]
    length = length_of_range(op, *given)
    if length is None:
        return made(op, (op.tr.fresh("arange", "unknown", 0),))
    return made(op, (length,), _number_type(given))


def _bounds(args: tuple[Value, ...]) -> tuple[Value, Value, Value]:
    start, stop = (0, args[0] if args else None) if len(args) < 2 else (args[0], args[1])
    return start, stop, args[2] if len(args) > 2 else 1


def _number_type(values: list[Value]) -> str:
    return "float64" if any(isinstance(v, float) for v in values) else "int64"


@operator("numpy.linspace numpy.logspace numpy.geomspace", "start stop num=50 *rest")
def linspace(op: Op, start: Value, stop: Value, num: Value, rest: tuple[Value, ...]) -> Value:
    term, ends = op.tr.term_of(num), [array(op, v) for v in (start, stop)]
    size = term if term is not None else op.tr.fresh("num", "unknown")
    if any(end is None or end.dims is None for end in ends):
        return made(op, None)
    shape = max((end.dims or () for end in ends if end is not None), key=len)
    values = made(op, (size, *shape), "float64")
    return (values, Unknown("a step", "data", pytype="float")) if op.extra.get("retstep") else values


@operator("numpy.eye numpy.identity numpy.tri", "n m=None *rest")
def eye(op: Op, n: Value, m: Value, rest: tuple[Value, ...]) -> Value:
    m = op.extra.get("M", m)
    rows, columns = op.tr.term_of(n), op.tr.term_of(m if m is not None else n)
    return made(op, None if rows is None or columns is None else (rows, columns), "float64")


@operator("numpy.vander", "x N=None *rest")
def vander(op: Op, x: Value, N: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, x)
    size = op.tr.term_of(N)
    if found is None or found.dims is None or len(found.dims) != 1:
        return unknown(op)
    return of(op, found, (found.dims[0], found.dims[0] if size is None else size))


@operator("numpy.hanning numpy.hamming numpy.blackman numpy.bartlett numpy.kaiser", "M *rest")
def window(op: Op, M: Value, rest: tuple[Value, ...]) -> Value:
    size = op.tr.term_of(M)
    return made(op, None if size is None else (size,), "float64")


@operator("numpy.indices", "dimensions *rest")
def indices(op: Op, dimensions: Value, rest: tuple[Value, ...]) -> Value:
    sizes = shape_argument(op, (dimensions,))
    return made(op, None if sizes is None or rest or op.extra.get("sparse") else (len(sizes), *sizes), "int64")


@operator("numpy.fromfunction", "function shape *rest")
def of_places(op: Op, function: Value, shape: Value, rest: tuple[Value, ...]) -> Value:
    """What the function makes of the places of each axis, as arrays of the whole shape."""
    sizes = shape_argument(op, (shape,))
    if sizes is None or rest or set(op.extra) - {"dtype"}:
        return unknown(op)
    return call(op.tr, function, tuple(made(op, sizes, "float64") for _ in sizes), {})


@operator("numpy.ix_", "*args")
def open_mesh(op: Op, args: tuple[Value, ...]) -> Value:
    found = [array(op, a) for a in args]
    if any(f is None or f.dims is None or len(f.dims) != 1 or f.dtype == "bool" for f in found):
        return op.tr.unknown("np.ix_()", "imprecise")
    sizes = [f.dims[0] for f in found if f is not None and f.dims]
    return tuple(made(op, tuple(n if i == j else 1 for j, _ in enumerate(sizes)), "int64") for i, n in enumerate(sizes))


@operator("numpy.load numpy.histogram2d", "*args")
def outside(op: Op, args: tuple[Value, ...]) -> Value:
    return op.tr.unknown(f"np.{op.short}()", "foreign")


@operator("numpy.fromfile numpy.fromstring", "*args")
def read(op: Op, args: tuple[Value, ...]) -> Value:
    return unknown(op)
