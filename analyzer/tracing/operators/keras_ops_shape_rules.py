"""``keras.ops``: places and pieces, new shapes, products; shapes as Keras 3 computes them (`compute_output_spec`)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import ListV, Unknown, Value
from analyzer.tracing.operators.element_types import asked_type, default_float, dtype_name
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.keras_ops_rules import keras_ops
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator, rules, run_entry
from analyzer.tracing.operators.tf_joining_rules import broadcast_to as tf_broadcast_to
from analyzer.tracing.operators.tf_math_rules import need_axis
from analyzer.tracing.operators.tf_operands import like, shape_value, tensor, tensors_of
from analyzer.validity.terms import Poly, equal, floor_div, mod, product

# ------------------------------------------------------------------------------------------ places and pieces


@operator(keras_ops("take"), "x indices axis=None")
def take(op: Op, x: Value, indices: Value, axis: Value) -> Value:
    source, places = tensor(op, x), tensor(op, indices)
    if source is None or places is None or source.dims is None or places.dims is None or isinstance(axis, Unknown):
        return unknown_tensor(op, "tf", tuple(t for t in (source, places) if t is not None))
    if axis is None:
        return _of_both(op, source, places, places.dims)
    if not isinstance(axis, int):
        return unknown_tensor(op, "tf", (source, places))
    need_axis(op, source, axis)
    position = axis % max(len(source.dims), 1)
    return _of_both(op, source, places, (*source.dims[:position], *places.dims, *source.dims[position + 1 :]))


@operator(keras_ops("take_along_axis"), "x indices axis=None")
def take_along_axis(op: Op, x: Value, indices: Value, axis: Value) -> Value:
    """Both are broadcast, but along the axis, which has the places' size."""
    source, places = tensor(op, x), tensor(op, indices)
    if source is None or places is None or source.dims is None or places.dims is None:
        return unknown_tensor(op, "tf", tuple(t for t in (source, places) if t is not None))
    if axis is None:
        return _of_both(op, source, places, (product(places.dims),))
    if not isinstance(axis, int):
        return unknown_tensor(op, "tf", (source, places))
    if len(source.dims) != len(places.dims):
        given = f"indices {show_shape(places.dims)} have another rank than {show_shape(source.dims)}"
        fail(op, "rank", given, (source, places))
    need_axis(op, source, axis)
    at = axis % len(source.dims)
    dims = [p if i == at or p != 1 else d for i, (d, p) in enumerate(zip(source.dims, places.dims, strict=True))]
    return _of_both(op, source, places, tuple(dims))


def _of_both(op: Op, source: Tensor, places: Tensor, dims: tuple[Any, ...]) -> Tensor:
    graph = source.graph or places.graph
    return Tensor(dims, source.dtype, "tf", site=op.where, sources=(source, places), graph=graph)


@operator(keras_ops("split array_split"), "x indices_or_sections axis=0")
def split(op: Op, x: Value, indices_or_sections: Value, axis: Value) -> Value:
    source, parts = tensor(op, x), plain(op.tr, indices_or_sections)
    if source is None or not source.dims or not isinstance(axis, int):
        return op.tr.unknown("split()", "imprecise")
    need_axis(op, source, axis)
    size, position = source.dims[axis], axis % len(source.dims)
    lengths = _lengths(op, source, size, parts)
    if lengths is None:
        return op.tr.unknown("split()", "imprecise")
    pieces = [(*source.dims[:position], length, *source.dims[position + 1 :]) for length in lengths]
    return ListV([like(op, source, dims, source.dtype) for dims in pieces])


def _lengths(op: Op, source: Tensor, size: Any, parts: Any) -> list[Any] | None:
    """The sizes of the parts: so many equal ones, or those between places."""
    if isinstance(parts, int) and not isinstance(parts, bool) and 0 < parts <= 512:
        if op.short == "array_split":
            return [(size + parts - 1 - i) // parts for i in range(parts)] if isinstance(size, int) else None
        sentence = f"an axis of {show_shape(source.dims or ())} has size {size}, which {parts} does not divide"
        require(op, equal(mod(size, parts), 0), "split", sentence, (source,))
        return [floor_div(size, parts) for _ in range(parts)]
    if isinstance(parts, tuple) and all(isinstance(p, int) and p >= 0 for p in parts) and isinstance(size, int):
        cuts = [0, *(min(p, size) for p in parts), size]
        return [max(end - start, 0) for start, end in itertools.pairwise(cuts)]
    return None


@operator(keras_ops("unstack"), "x num=None axis=0")
def unstack(op: Op, x: Value, num: Value, axis: Value) -> Value:
    return _as_tensorflow(op, "tf.unstack", x, num, axis)


@operator(keras_ops("tile"), "x repeats")
def tile(op: Op, x: Value, repeats: Value) -> Value:
    """The shorter of sizes and repeats is filled with ones in front, as NumPy does."""
    source, times = tensor(op, x), shape_value(op, repeats)
    if source is None or source.dims is None or times is None:
        return unknown_tensor(op, "tf", (source,) if source else ())
    rank = max(len(times), len(source.dims))
    sizes, times = _filled(source.dims, rank), _filled(times, rank)
    return like(op, source, [d * t for d, t in zip(sizes, times, strict=True)], source.dtype)


def _filled(sizes: Sequence[Any], rank: int) -> tuple[Any, ...]:
    return (*(1 for _ in range(rank - len(sizes))), *sizes)


@operator(keras_ops("repeat"), "x repeats axis=None")
def repeat(op: Op, x: Value, repeats: Value, axis: Value) -> Value:
    source, times = tensor(op, x), op.tr.term_of(repeats)
    if source is None or source.dims is None or times is None or isinstance(axis, Unknown):
        return unknown_tensor(op, "tf", (source,) if source else ())
    if axis is None:
        return like(op, source, (product(source.dims) * times,), source.dtype)
    if not isinstance(axis, int):
        return like(op, source, None, source.dtype)
    need_axis(op, source, axis)
    at = axis % max(len(source.dims), 1)
    return like(op, source, [d * times if i == at else d for i, d in enumerate(source.dims)], source.dtype)


@operator(keras_ops("pad"), "x pad_width *rest")
def pad(op: Op, x: Value, pad_width: Value, rest: tuple[Value, ...]) -> Value:
    """A pair for each axis; what else Keras takes depends on the backend."""
    source, widths = tensor(op, x), plain(op.tr, pad_width)
    if source is None or source.dims is None:
        return unknown_tensor(op, "tf")
    pairs = [w for w in widths if isinstance(w, tuple) and len(w) == 2] if isinstance(widths, tuple) else []
    if not pairs or len(pairs) != len(widths):
        return like(op, source, None, source.dtype)
    if len(pairs) != len(source.dims):
        sentence = f"pad_width has {len(pairs)} entries for a tensor of {len(source.dims)} dimensions"
        fail(op, "paddings", sentence, (source,))
    return like(op, source, [d + a + b for d, (a, b) in zip(source.dims, pairs, strict=True)], source.dtype)


def _there(size: Value, start: Value, whole: Value) -> Value:
    """How many of the elements from `start` on are there, where all that is known."""
    if size == -1:
        return whole - start if all(isinstance(part, (int, Poly)) for part in (start, whole)) else None
    known = all(type(part) is int and part >= 0 for part in (size, start, whole))
    return min(size, max(whole - start, 0)) if known else size


@operator(keras_ops("slice"), "inputs start_indices shape")
def slice_(op: Op, inputs: Value, start_indices: Value, shape: Value) -> Value:
    """Where fewer elements are there than it asks for, backends that do not refuse give those."""
    source, sizes = tensor(op, inputs), shape_value(op, shape)
    if source is None:
        return unknown_tensor(op, "tf")
    starts = plain(op.tr, start_indices)
    if source.dims is not None and isinstance(sizes, tuple) and isinstance(starts, tuple):
        parts = zip(sizes, starts, source.dims, strict=False)
        there = tuple(_there(size, start, whole) for size, start, whole in parts)
        sizes = there if len(source.dims) == len(sizes) == len(starts) else sizes
    if isinstance(sizes, tuple):  # -1 asks for all from there on
        sizes = tuple(op.tr.fresh("slice", "data", 0) if size in (None, -1) else size for size in sizes)
    return like(op, source, sizes, source.dtype)


@operator(keras_ops("fft fft2 ifft2"), "x")
def fourier(op: Op, x: Value) -> Value:
    """Of the real and the imaginary part; so is what they give."""
    parts = [tensor(op, part) for part in x] if isinstance(x, tuple) else []
    if len(parts) != 2 or any(part is None for part in parts):
        return op.tr.unknown(op.short)
    return tuple(like(op, part, part.shape, part.dtype) for part in parts if part is not None)


@operator(keras_ops("slice_update scatter_update"), "inputs *rest")
def updated(op: Op, inputs: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, inputs)
    return unknown_tensor(op, "tf") if source is None else like(op, source, source.shape, source.dtype)


@operator(keras_ops("one_hot"), "x num_classes axis=-1 *rest")
def one_hot(op: Op, x: Value, num_classes: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    source, classes = tensor(op, x), op.tr.term_of(num_classes, "num_classes")
    if source is None or source.dims is None or classes is None or not isinstance(axis, int):
        return unknown_tensor(op, "tf", (source,) if source else ())
    at = axis % (len(source.dims) + 1)
    dims = (*source.dims[:at], classes, *source.dims[at:])
    return like(op, source, dims, asked_type(op.extra.get("dtype"), default_float(op.tr)), tags=source.tags)


# ------------------------------------------------------------------------------------------------ new shapes


@operator(keras_ops("swapaxes"), "x axis1 axis2")
def swapaxes(op: Op, x: Value, axis1: Value, axis2: Value) -> Value:
    source = tensor(op, x)
    if source is None or source.dims is None:
        return unknown_tensor(op, "tf", (source,) if source else ())
    if not isinstance(axis1, int) or not isinstance(axis2, int):
        return like(op, source, None, source.dtype)
    need_axis(op, source, axis1)
    need_axis(op, source, axis2)
    dims = list(source.dims)
    dims[axis1], dims[axis2] = dims[axis2], dims[axis1]
    return like(op, source, dims, source.dtype)


@operator(keras_ops("moveaxis"), "x source destination")
def moveaxis(op: Op, x: Value, source: Value, destination: Value) -> Value:
    given = tensor(op, x)
    if given is None or given.dims is None:
        return unknown_tensor(op, "tf", (given,) if given else ())
    left, reached = _numbers(op, source), _numbers(op, destination)
    if left is None or reached is None or len(left) != len(reached):
        return like(op, given, None, given.dtype)
    for axis in (*left, *reached):
        need_axis(op, given, axis)
    rank = len(given.dims)
    places = {b % rank: a % rank for a, b in zip(left, reached, strict=True)}
    others = iter(i for i in range(rank) if i not in places.values())
    return like(op, given, [given.dims[places[i] if i in places else next(others)] for i in range(rank)], given.dtype)


def _numbers(op: Op, value: Value) -> tuple[int, ...] | None:
    found = plain(op.tr, value)
    numbers = found if isinstance(found, tuple) else (found,)
    return numbers if all(isinstance(n, int) for n in numbers) else None


@operator(keras_ops("ravel"), "x")
def ravel(op: Op, x: Value) -> Value:
    source = tensor(op, x)
    dims = None if source is None or source.dims is None else (product(source.dims),)
    return unknown_tensor(op, "tf") if source is None else like(op, source, dims, source.dtype)


@operator(keras_ops("broadcast_to"), "x shape")
def broadcast_to(op: Op, x: Value, shape: Value) -> Value:
    return tf_broadcast_to(op, x, shape, ())


@operator(keras_ops("empty full"), "shape *rest")
def full(op: Op, shape: Value, rest: tuple[Value, ...]) -> Value:
    return Tensor(shape_value(op, shape), dtype_name(op.extra.get("dtype")), "tf", site=op.where)


@operator(keras_ops("identity"), "n *rest")
def identity(op: Op, n: Value, rest: tuple[Value, ...]) -> Value:
    return eye(op, n, None, ())


@operator(keras_ops("eye tri"), "N M=None *rest")
def eye(op: Op, N: Value, M: Value, rest: tuple[Value, ...]) -> Value:
    rows, columns = op.tr.term_of(N), op.tr.term_of(N if M is None else M)
    return Tensor(None if rows is None or columns is None else (rows, columns), None, "tf", site=op.where)


@operator(keras_ops("arange"), "start stop=None step=1 *rest")
def arange(op: Op, start: Value, stop: Value, step: Value, rest: tuple[Value, ...]) -> Value:
    made = run_entry(op.tr, rules()["numpy.arange"], "numpy.arange", _given(start, stop, step), {}, op.node)
    return (
        Tensor(made.shape, dtype_name(op.extra.get("dtype")), "tf", site=op.where) if isinstance(made, Tensor) else made
    )


def _given(start: Value, stop: Value, step: Value) -> tuple[Value, ...]:
    return (start,) if stop is None else (start, stop, step)


@operator(keras_ops("linspace logspace geomspace"), "start stop num=50 *rest")
def linspace(op: Op, start: Value, stop: Value, num: Value, rest: tuple[Value, ...]) -> Value:
    term, ends = op.tr.term_of(num), [tensor(op, v) for v in (start, stop)]
    scalars = all(end is not None and end.dims == () for end in ends)
    return Tensor((term,) if term is not None and scalars else None, None, "tf", site=op.where)


@operator(keras_ops("hstack vstack"), "xs")
def stacked(op: Op, xs: Value) -> Value:
    found, known = tensors_of(op, xs)
    if not known:
        return unknown_tensor(op, "tf", found)
    flat = len(found[0].dims or ()) == 1
    if op.short == "vstack" and flat:
        return unknown_tensor(op, "tf", found)  # vectors become rows in NumPy, one vector in TensorFlow
    return _as_tensorflow(op, "tf.concat", xs, 0 if flat or op.short == "vstack" else 1)


@operator(keras_ops("meshgrid"), "*x")
def meshgrid(op: Op, x: tuple[Value, ...]) -> Value:
    found, known = tensors_of(op, ListV(x))
    indexing = op.extra.get("indexing", "xy")
    if not known or not isinstance(indexing, str):
        return op.tr.unknown("meshgrid()", "imprecise")
    sizes = [product(t.dims or ()) for t in found]
    if indexing == "xy" and len(sizes) > 1:
        sizes[0], sizes[1] = sizes[1], sizes[0]
    return ListV([like(op, t, tuple(sizes), t.dtype) for t in found])


# --------------------------------------------------------------------------------------------------- products


@operator(keras_ops("dot"), "x1 x2")
def dot(op: Op, x1: Value, x2: Value) -> Value:
    """Over the last axis of the first and the last but one of the second; a scalar scales."""
    a, b = tensor(op, x1), tensor(op, x2)
    if a is None or b is None or a.dims is None or b.dims is None:
        return unknown_tensor(op, "tf", tuple(t for t in (a, b) if t is not None))
    if not a.dims or not b.dims:
        return broadcast(op, "*", x1, x2, "tf")
    inner = b.dims[-1] if len(b.dims) == 1 else b.dims[-2]
    sentence = f"the last axis of {show_shape(a.dims)} and the one of {show_shape(b.dims)} that it meets differ"
    require(op, equal(a.dims[-1], inner), "inner-size", sentence, (a, b))
    rest = () if len(b.dims) == 1 else (*b.dims[:-2], b.dims[-1])
    return _of_both(op, a, b, (*a.dims[:-1], *rest))


@operator(keras_ops("outer"), "x1 x2")
def outer(op: Op, x1: Value, x2: Value) -> Value:
    a, b = tensor(op, x1), tensor(op, x2)
    if a is None or b is None or a.dims is None or b.dims is None:
        return unknown_tensor(op, "tf", tuple(t for t in (a, b) if t is not None))
    return _of_both(op, a, b, (product(a.dims), product(b.dims)))


def _as_tensorflow(op: Op, target: str, *arguments: Value) -> Value:
    return run_entry(op.tr, rules()[target], target, arguments, {}, op.node)
