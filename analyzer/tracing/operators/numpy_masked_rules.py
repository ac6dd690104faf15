"""NumPy's masked arrays: an array of the same shape; what is left of it without the masked elements has any length."""

from __future__ import annotations

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.values import Api, Value
from analyzer.tracing.operators.element_types import array_type
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.numpy_operands import array, of, unknown
from analyzer.tracing.operators.table import Op, operator


@operator(
    "numpy.ma.array numpy.ma.masked_array numpy.ma.MaskedArray numpy.ma.asarray", "data mask=False dtype=None *rest"
)
def masked_array(op: Op, data: Value, mask: Value, dtype: Value, rest: tuple[Value, ...]) -> Value:
    """`asarray` takes the type where others take the mask."""
    found = array(op, data)
    if found is None:
        return unknown(op)
    asked = mask if op.short == "asarray" and mask is not False else dtype
    return of(op, found, found.shape, array_type(asked) if asked is not None else found.dtype)


_BY_VALUE = "equal not_equal greater greater_equal less less_equal values"


@operator(" ".join(f"numpy.ma.masked_{name}" for name in _BY_VALUE.split()) + " numpy.ma.masked_invalid "
          "numpy.ma.masked_inside numpy.ma.masked_outside numpy.ma.fix_invalid", "x *rest")  # fmt: skip
def masked_by_value(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, x)
    return unknown(op) if found is None else of(op, found, found.shape, found.dtype)


@operator("numpy.ma.masked_where", "condition a copy=True")
def masked_where(op: Op, condition: Value, a: Value, copy: Value) -> Value:
    """The condition has the shape of the array."""
    found = array(op, a)
    broadcast(op, "&", condition, a, "numpy")
    return unknown(op) if found is None else of(op, found, found.shape, found.dtype)


@operator("numpy.Tensor.filled numpy.ma.filled numpy.ma.getdata", "a *rest")
def filled(op: Op, a: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, a)
    return unknown(op) if found is None else of(op, found, found.shape, found.dtype)


@operator("numpy.ma.getmask numpy.ma.getmaskarray", "a")
def mask_of(op: Op, a: Value) -> Value:
    found = array(op, a)
    return unknown(op) if found is None or op.short == "getmask" else of(op, found, found.shape, "bool")


@operator("numpy.Tensor.compressed numpy.ma.compressed", "a")
def left(op: Op, a: Value) -> Value:
    """The elements that are not masked, in a row."""
    found = array(op, a)
    return unknown(op) if found is None else of(op, found, (op.tr.fresh("compressed", "data", 0),), found.dtype)


_AS_WITHOUT = "mean sum max min median std var prod concatenate stack vstack hstack where sqrt exp log abs average"


@operator(" ".join(f"numpy.ma.{name}" for name in _AS_WITHOUT.split()), "*args")
def as_without(op: Op, args: tuple[Value, ...]) -> Value:
    """The shape is that of the function on all elements; the elements are not."""
    found = call(op.tr, Api(f"numpy.{op.short}"), args, dict(op.extra), op.node)
    return found
