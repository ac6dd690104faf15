"""NumPy arrays by shape."""

from __future__ import annotations

import math
from typing import Any

from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.element_types import dtype_name
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.operands import items_of, tensor_of
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import reduced_dims, shape_argument
from analyzer.tracing.operators.torch_shape_rules import reshaped
from analyzer.tracing.tensors import Tensor, show_shape
from analyzer.tracing.values import Api, ListV, Unknown, Value
from analyzer.validity.terms import Poly, floor_div, product


def array(op: Op, value: Value) -> Tensor | None:
    return tensor_of(op.tr, value, "numpy")


def made(op: Op, dims: Any, dtype: str | None = None) -> Tensor:
    return Tensor(dims, dtype_name(op.extra.get("dtype")) or dtype, "numpy", site=op.where)


def of(op: Op, source: Tensor, dims: Any, dtype: str | None = None) -> Tensor:
    return Tensor(dims, dtype, "numpy", site=op.where, sources=(source,))


@operator("numpy.zeros numpy.ones numpy.empty numpy.full", "shape *rest")
def create(op: Op, shape: Value, rest: tuple[Value, ...]) -> Value:
    return made(
        op,
        shape_argument(op, (shape,)),
        "float64" if op.short != "full" and not rest and "dtype" not in op.extra else None,
    )


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
        "numpy.random.normal numpy.random.uniform numpy.random.randint numpy.random.integers numpy.random.choice "
        "numpy.random.binomial numpy.random.poisson"
    ),
    "*args",
)
def random_last(op: Op, args: tuple[Value, ...]) -> Value:
    size = op.extra.get(
        "size",
        args[2]
        if len(args) > 2 and op.short != "choice"
        else args[1]
        if len(args) > 1 and op.short == "choice"
        else None,
    )
    if size is None:
        return Unknown("a random number", "data", pytype="int" if op.short in ("randint", "integers") else "float")
    return made(op, shape_argument(op, (size,)), "int64" if op.short in ("randint", "integers") else None)


@operator(
    (
        "numpy.array numpy.asarray numpy.ascontiguousarray numpy.asanyarray numpy.copy "
        "numpy.float32 numpy.float64 numpy.int32 numpy.int64"
    ),
    "object *rest",
)
def convert(op: Op, object: Value, rest: tuple[Value, ...]) -> Value:
    if op.short in ("int32", "int64") and isinstance(object, (int, Poly)):
        return object
    found = array(op, object)
    if found is None:
        return Tensor(None, None, "numpy", site=op.where)
    dtype = dtype_name(op.extra.get("dtype", rest[0] if rest else None)) or (
        found.dtype if isinstance(object, Tensor) else None
    )
    return Tensor(found.shape, dtype, "numpy", site=op.where, value=found.value, sources=(found,))


@operator(
    "numpy.zeros_like numpy.ones_like numpy.empty_like numpy.full_like numpy.exp numpy.log "
    "numpy.sqrt numpy.abs numpy.tanh numpy.sin numpy.cos numpy.square numpy.sign numpy.floor "
    "numpy.ceil numpy.round numpy.clip numpy.cumsum numpy.flip numpy.nan_to_num numpy.isnan "
    "numpy.random.permutation numpy.sort numpy.argsort numpy.log1p numpy.roll numpy.absolute",
    "x *rest",
)
def same_shape(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    if isinstance(x, (int, float)) and op.short in (
        "sqrt",
        "exp",
        "log",
        "abs",
        "floor",
        "ceil",
        "round",
        "square",
        "absolute",
    ):
        try:
            found = {
                "sqrt": math.sqrt,
                "exp": math.exp,
                "log": math.log,
                "floor": math.floor,
                "ceil": math.ceil,
                "round": round,
                "square": lambda v: v * v,
            }.get(op.short, abs)(x)  # type: ignore[operator]
            return float(found)
        except (ValueError, OverflowError):
            return Unknown("a number", "data", pytype="float")
    if isinstance(x, Unknown) and x.pytype in ("int", "float"):
        return Unknown("a number", x.origin, pytype="float")
    if op.short == "permutation" and isinstance(x, (int, Poly)):
        return made(op, (x,), "int64")
    found_array = array(op, x)
    return (
        of(op, found_array, found_array.shape, "bool" if op.short == "isnan" else found_array.dtype)
        if found_array is not None
        else Tensor(None, None, "numpy")
    )


@operator("numpy.arange", "*args")
def arange(op: Op, args: tuple[Value, ...]) -> Value:
    if not args or len(args) > 3 or any(isinstance(a, float) for a in args):
        return made(op, (op.tr.fresh("arange", "unknown", 0),))
    start, stop = (0, args[0]) if len(args) == 1 else (args[0], args[1])
    step = args[2] if len(args) > 2 else 1
    a, b = op.tr.term_of(start), op.tr.term_of(stop)
    if a is None or b is None or not isinstance(step, int) or step < 1:
        return made(op, (op.tr.fresh("arange", "unknown", 0),))
    length = b - a if step == 1 else floor_div(b - a + step - 1, step)
    return made(op, (length if not isinstance(length, int) or length >= 0 else 0,), "int64")


@operator("numpy.linspace numpy.logspace", "start stop num=50 *rest")
def linspace(op: Op, start: Value, stop: Value, num: Value, rest: tuple[Value, ...]) -> Value:
    term = op.tr.term_of(num)
    return made(op, (term if term is not None else op.tr.fresh("num", "unknown"),), "float64")


@operator("numpy.eye numpy.identity", "n m=None *rest")
def eye(op: Op, n: Value, m: Value, rest: tuple[Value, ...]) -> Value:
    rows, columns = op.tr.term_of(n), op.tr.term_of(m if m is not None else n)
    return made(op, None if rows is None or columns is None else (rows, columns), "float64")


@operator("numpy.reshape", "a newshape=None *rest")
def reshape(op: Op, a: Value, newshape: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, a)
    return (
        reshaped(op, found, (op.extra.get("shape", newshape),), "numpy")
        if found is not None
        else Tensor(None, None, "numpy")
    )


@operator("numpy.transpose numpy.Tensor.transpose numpy.swapaxes numpy.Tensor.swapaxes numpy.moveaxis", "a *axes")
def transpose(op: Op, a: Value, axes: tuple[Value, ...]) -> Value:
    found = array(op, a)
    if found is None or found.dims is None or op.short == "moveaxis":
        return Tensor(None, None, "numpy")
    given = plain(op.tr, axes[0] if len(axes) == 1 else op.extra.get("axes", axes) or None)
    if op.short == "swapaxes":
        if not (isinstance(given, tuple) and len(given) == 2 and all(isinstance(g, int) for g in given)):
            return Tensor(None, None, "numpy")
        order = list(range(len(found.dims)))
        order[given[0]], order[given[1]] = order[given[1]], order[given[0]]
    elif given in (None, ()):
        order = list(reversed(range(len(found.dims))))
    elif isinstance(given, tuple) and all(isinstance(g, int) for g in given):
        order = [g % max(len(found.dims), 1) for g in given]
    else:
        return Tensor(None, None, "numpy")
    if len(order) != len(found.dims):
        fail(
            op,
            "permutation",
            f"axes {order} do not permute the {len(found.dims)} dimensions of {show_shape(found.dims)}",
            (found,),
        )
    return of(op, found, [found.dims[i] for i in order], found.dtype)


@operator("numpy.expand_dims", "a axis")
def expand_dims(op: Op, a: Value, axis: Value) -> Value:
    found = array(op, a)
    if (
        found is None
        or found.dims is None
        or not isinstance(axis, int)
        or not -len(found.dims) - 1 <= axis <= len(found.dims)
    ):
        return Tensor(None, None, "numpy")
    position = axis % (len(found.dims) + 1)
    return of(op, found, (*found.dims[:position], 1, *found.dims[position:]), found.dtype)


@operator("numpy.squeeze numpy.Tensor.squeeze", "a axis=None")
def squeeze(op: Op, a: Value, axis: Value) -> Value:
    found = array(op, a)
    if found is None or found.dims is None or (any(isinstance(d, Poly) for d in found.dims) and axis is None):
        return Tensor(None, None, "numpy")
    if axis is None:
        return of(op, found, [d for d in found.dims if d != 1], found.dtype)
    if isinstance(axis, int) and -len(found.dims) <= axis < len(found.dims):
        return of(op, found, [d for i, d in enumerate(found.dims) if i != axis % len(found.dims)], found.dtype)
    return Tensor(None, None, "numpy")


@operator("numpy.concatenate numpy.vstack numpy.hstack numpy.stack numpy.r_ numpy.append_", "arrays axis=0 *rest")
def join(op: Op, arrays: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    found = [array(op, p) for p in items_of(arrays)]
    if not found or any(f is None or f.dims is None for f in found) or not isinstance(axis, int):
        return Tensor(None, None, "numpy", site=op.where)
    known = [f for f in found if f is not None and f.dims is not None]
    if op.short == "vstack":
        known = [
            of(op, f, (1, *f.dims) if len(f.dims or ()) == 1 else f.dims, f.dtype) for f in known if f.dims is not None
        ]
    if op.short == "hstack":
        axis = 0 if all(len(f.dims or ()) == 1 for f in known) else 1
    result = apply(op, "torch", "stack" if op.short == "stack" else "cat", known, {"dim": axis})
    if isinstance(result, Tensor):
        result.framework = "numpy"
    return result


@operator("numpy.dot numpy.inner numpy.Tensor.dot", "a b")
def dot(op: Op, a: Value, b: Value) -> Value:
    x, y = array(op, a), array(op, b)
    if (
        x is None
        or y is None
        or x.dims is None
        or y.dims is None
        or len(x.dims) > 2
        or len(y.dims) > 2
        or not x.dims
        or not y.dims
    ):
        return Tensor(None, None, "numpy", site=op.where)
    result = apply(op, "torch", "matmul", (x, y))
    if isinstance(result, Tensor):
        result.framework = "numpy"
    return result


@operator(
    (
        "numpy.sum numpy.mean numpy.max numpy.min numpy.std numpy.var numpy.prod numpy.argmax "
        "numpy.argmin numpy.any numpy.all numpy.amax numpy.amin numpy.median numpy.linalg.norm"
    ),
    "a *rest",
)
def reduce(op: Op, a: Value, rest: tuple[Value, ...]) -> Value:
    if op.short == "prod" and isinstance(a, (tuple, ListV)) and "axis" not in op.extra:
        items = plain(op.tr, a)
        if isinstance(items, tuple) and all(isinstance(i, (int, Poly)) for i in items):
            return product(items)
    found = array(op, a) if not isinstance(a, ListV) or not a.open else None
    if found is None:
        return Unknown("a number", "data", pytype="float")
    axis = op.extra.get("axis", rest[0] if rest else None)
    keep = op.extra.get("keepdims", False)
    if axis is None and not keep:
        return Tensor((), None, "numpy", site=op.where, sources=(found,))
    return of(op, found, reduced_dims(op, found, axis, keep), "int64" if op.short.startswith("arg") else found.dtype)


@operator(
    (
        "numpy.add numpy.subtract numpy.multiply numpy.divide numpy.maximum numpy.minimum "
        "numpy.power numpy.equal numpy.logical_and"
    ),
    "x y *rest",
)
def arithmetic(op: Op, x: Value, y: Value, rest: tuple[Value, ...]) -> Value:
    signs = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "power": "**", "equal": "=="}
    return broadcast(op, signs.get(op.short, "+"), x, y, "numpy")


@operator("numpy.where", "condition x=None y=None")
def where(op: Op, condition: Value, x: Value, y: Value) -> Value:
    return op.tr.unknown("np.where()", "data") if x is None else apply(op, "torch", "where", (condition, x, y))


@operator(
    (
        "numpy.tile numpy.repeat numpy.load numpy.loadtxt numpy.genfromtxt numpy.fromfile "
        "numpy.pad numpy.einsum numpy.split numpy.unique"
    ),
    "*args",
)
def outside(op: Op, args: tuple[Value, ...]) -> Value:
    return (
        op.tr.unknown(f"np.{op.short}()", "foreign")
        if op.short in ("load", "split", "unique")
        else Tensor(None, None, "numpy", site=op.where)
    )


@operator(
    (
        "numpy.random.seed random.seed random.shuffle numpy.random.shuffle numpy.set_printoptions "
        "numpy.save numpy.savez numpy.testing.assert_allclose"
    ),
    "*args",
)
def nothing(op: Op, args: tuple[Value, ...]) -> Value:
    return None
