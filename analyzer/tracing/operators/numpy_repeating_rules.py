"""NumPy: elements that are repeated, padded, taken, left out, or seen through windows."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import show_shape
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.numpy_operands import (
    array,
    axes_of,
    axis_of,
    flat_dims,
    of,
    unknown,
)
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import shape_argument
from analyzer.validity.terms import Poly

operand = array  # where a parameter has that name


@operator("numpy.tile", "A reps")
def tile(op: Op, A: Value, reps: Value) -> Value:
    """The shorter of sizes and repeats is filled with ones in front."""
    found, given = array(op, A), plain(op.tr, reps)
    times = given if isinstance(given, tuple) else (given,)
    if found is None or found.dims is None or any(op.tr.term_of(t) is None for t in times):
        return unknown(op)
    rank = max(len(times), len(found.dims))
    sizes, times = ((*(1,) * (rank - len(part)), *part) for part in (found.dims, times))
    return of(op, found, [d * t for d, t in zip(sizes, times, strict=True)], found.dtype)


@operator("numpy.repeat numpy.Tensor.repeat", "a repeats axis=None")
def repeat(op: Op, a: Value, repeats: Value, axis: Value) -> Value:
    found, times = array(op, a), plain(op.tr, repeats)
    if found is None or found.dims is None:
        return unknown(op)
    at = 0 if axis is None else axis_of(op, found, axis)
    if at is None:
        return unknown(op)
    dims = flat_dims(found) if axis is None else found.dims
    assert dims is not None
    times = op.tr.term_of(times)
    size = dims[at] * times if times is not None else op.tr.fresh("repeated", "unknown", 0)
    return of(op, found, (*dims[:at], size, *dims[at + 1 :]), found.dtype)


@operator("numpy.pad", "array pad_width *rest")
def pad(op: Op, array: Value, pad_width: Value, rest: tuple[Value, ...]) -> Value:
    """One number, a pair, or a pair for each axis."""
    found, widths = operand(op, array), plain(op.tr, pad_width)
    if found is None or found.dims is None:
        return unknown(op)
    pairs = _pairs(widths, len(found.dims))
    if pairs is None:
        return unknown(op)
    if len(pairs) != len(found.dims):
        sentence = f"pad_width has {len(pairs)} pairs for an array of {len(found.dims)} dimensions"
        fail(op, "paddings", sentence, (found,))
    for width in (w for pair in pairs for w in pair):
        require(op, width >= 0, "paddings", f"pad_width holds {width}; it cannot be negative", (found,))
    return of(op, found, [d + a + b for d, (a, b) in zip(found.dims, pairs, strict=True)], found.dtype)


def _pairs(widths: Any, rank: int) -> list[tuple[Any, Any]] | None:
    if isinstance(widths, int):
        return [(widths, widths)] * rank
    if not isinstance(widths, tuple) or any(w is None for w in widths):
        return None
    if len(widths) == 2 and not any(isinstance(w, tuple) for w in widths):
        return [(widths[0], widths[1])] * rank
    pairs = [(w[0], w[1]) for w in widths if isinstance(w, tuple) and len(w) == 2 and None not in w]
    if len(pairs) != len(widths):
        return None
    return pairs * rank if len(pairs) == 1 else pairs


@operator("numpy.take numpy.Tensor.take", "a indices axis=None *rest")
def take(op: Op, a: Value, indices: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    found, places = array(op, a), array(op, indices)
    if found is None or places is None or found.dims is None or places.dims is None:
        return unknown(op)
    if axis is None:
        return of(op, found, places.dims, found.dtype)
    at = axis_of(op, found, axis)
    if at is None:
        return unknown(op)
    return of(op, found, (*found.dims[:at], *places.dims, *found.dims[at + 1 :]), found.dtype)


@operator("numpy.take_along_axis", "arr indices axis=-1")
def take_along_axis(op: Op, arr: Value, indices: Value, axis: Value) -> Value:
    found, places = array(op, arr), array(op, indices)
    if found is None or places is None or found.dims is None or places.dims is None or not isinstance(axis, int):
        return unknown(op)
    at = axis_of(op, found, axis)
    if len(found.dims) != len(places.dims):
        sentence = f"indices {show_shape(places.dims)} have another rank than {show_shape(found.dims)}"
        fail(op, "rank", sentence, (found, places))
    dims = [p if i == at or p != 1 else d for i, (d, p) in enumerate(zip(found.dims, places.dims, strict=True))]
    return of(op, found, dims, found.dtype)


@operator("numpy.delete numpy.insert", "arr obj *rest")
def without(op: Op, arr: Value, obj: Value, rest: tuple[Value, ...]) -> Value:
    """One row more or less where one place is named; else the number is open."""
    found = array(op, arr)
    position = 1 if op.short == "insert" else 0
    axis = op.extra.get("axis", rest[position] if len(rest) > position else None)
    if found is None or found.dims is None:
        return unknown(op)
    at = 0 if axis is None else axis_of(op, found, axis)
    dims = flat_dims(found) if axis is None else found.dims
    if at is None or not dims:
        return unknown(op)
    one = isinstance(obj, int) and not isinstance(obj, bool)
    given = rest[0] if rest else op.extra.get("values")
    if position and not isinstance(given, (int, float, Poly)):
        one = False  # as many as there are values, for all that is known
    size = dims[at] + (1 if position else -1) if one else op.tr.fresh("rows", "unknown", 0)
    return of(op, found, (*dims[:at], size, *dims[at + 1 :]), found.dtype)


@operator("numpy.diff", "a n=1 axis=-1 *rest")
def diff(op: Op, a: Value, n: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    if n == 0:
        return a  # as it is, be it an array or not
    found = array(op, a)
    at = axis_of(op, found, axis) if found is not None else None
    if found is None or found.dims is None or at is None or not isinstance(n, int):
        return unknown(op)
    size = found.dims[at] - n
    if op.extra or rest:
        size = op.tr.fresh("differences", "unknown", 0)
    elif isinstance(size, int):
        size = max(size, 0)
    return of(op, found, (*found.dims[:at], size, *found.dims[at + 1 :]), found.dtype)


@operator("numpy.lib.stride_tricks.sliding_window_view", "x window_shape axis=None *rest")
def windows(op: Op, x: Value, window_shape: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    found, given = array(op, x), plain(op.tr, window_shape)
    sizes = given if isinstance(given, tuple) else (given,)
    if found is None or found.dims is None or any(op.tr.term_of(s) is None for s in sizes):
        return unknown(op)
    if axis is None and len(sizes) != len(found.dims):
        fail(op, "rank", f"{len(sizes)} window sizes for an array of {len(found.dims)} dimensions", (found,))
    places = tuple(range(len(found.dims))) if axis is None else axes_of(op, found, axis)
    if places is None or len(places) != len(sizes):
        return unknown(op)
    dims = list(found.dims)
    for place, size in zip(places, sizes, strict=True):
        dims[place] = dims[place] - size + 1
    return of(op, found, (*dims, *sizes), found.dtype)


@operator("numpy.lib.stride_tricks.as_strided", "x shape=None strides=None *rest")
def as_strided(op: Op, x: Value, shape: Value, strides: Value, rest: tuple[Value, ...]) -> Value:
    """The array's memory under any shape: where the elements stand is nowhere checked."""
    found = array(op, x)
    dims = shape_argument(op, (shape,)) if shape is not None else found.dims if found is not None else None
    return unknown(op) if found is None or dims is None else of(op, found, dims, found.dtype)
