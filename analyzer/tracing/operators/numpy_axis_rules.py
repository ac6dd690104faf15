"""NumPy: axes moved, added and taken away; arrays joined, cut, repeated and padded."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from analyzer.operators.declaration import WIDEST
from analyzer.tracing.language.tensors import Size, Tensor, show_shape
from analyzer.tracing.language.values import ListV, Unknown, Value
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.element_types import asked_array_type, joined_type
from analyzer.tracing.operators.element_values import order_of, running
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.numpy_operands import (
    array,
    arrays,
    as_arrays,
    as_torch,
    axes_of,
    axis_of,
    flat_dims,
    made,
    of,
    unknown,
)
from analyzer.tracing.operators.open_sequences import joined_dims
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import shape_argument
from analyzer.tracing.operators.torch_shape_rules import reshaped
from analyzer.validity.terms import Term, equal, floor_div, mod, product

# ---------------------------------------------------------------------------------------------------- order


@operator("numpy.reshape", "a newshape=None *rest")
def reshape(op: Op, a: Value, newshape: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, a)
    if found is None:
        return unknown(op)
    shape = (op.extra.get("shape", newshape),)
    _need_elements(op, a, found, shape_argument(op, shape) or ())
    return reshaped(op, found, shape, "numpy")


def _need_elements(op: Op, given: Value, found: Tensor, dims: tuple[Any, ...]) -> None:
    """An array of unknown shape whose `size` the path has compared with a number has so many elements."""
    size = given.attrs.get("size") if isinstance(given, Unknown) and found.dims is None else None
    count = size.value[0] if isinstance(size, Unknown) and size.value is not None else None
    if not isinstance(count, int) or not dims or not all(isinstance(d, int) for d in dims):
        return
    rest = product([d for d in dims if d != -1])
    if count % rest if -1 in dims and rest else count != rest:
        fail(op, "elements", f"an array of {count} elements has no shape {show_shape(dims)}", (found,))


@operator("numpy.resize", "a new_shape")
def resize(op: Op, a: Value, new_shape: Value) -> Value:
    return made(op, shape_argument(op, (new_shape,)))


@operator("numpy.ravel numpy.Tensor.ravel numpy.Tensor.flatten", "a *order")
def ravel(op: Op, a: Value, order: tuple[Value, ...]) -> Value:
    found = array(op, a)
    return unknown(op) if found is None else of(op, found, flat_dims(found), found.dtype)


@operator("numpy.transpose numpy.Tensor.transpose numpy.permute_dims numpy.matrix_transpose", "a *axes")
def transpose(op: Op, a: Value, axes: tuple[Value, ...]) -> Value:
    found = array(op, a)
    if found is None or found.dims is None:
        return unknown(op)
    given = plain(op.tr, axes[0] if len(axes) == 1 else op.extra.get("axes", axes) or None)
    rank = len(found.dims)
    if op.short == "matrix_transpose":
        order: tuple[int, ...] | None = (*range(rank - 2), rank - 1, rank - 2) if rank > 1 else None
    elif given in (None, ()):
        order = tuple(reversed(range(rank)))
    else:
        order = axes_of(op, found, given)
    if order is None:
        return unknown(op)
    if len(order) != rank:
        sentence = f"axes {list(order)} do not permute the {rank} dimensions of {show_shape(found.dims)}"
        fail(op, "permutation", sentence, (found,))
    return of(op, found, [found.dims[i] for i in order], found.dtype)


@operator("numpy.swapaxes numpy.Tensor.swapaxes", "a axis1 axis2")
def swapaxes(op: Op, a: Value, axis1: Value, axis2: Value) -> Value:
    found = array(op, a)
    first, second = (None, None) if found is None else (axis_of(op, found, axis1), axis_of(op, found, axis2))
    if found is None or found.dims is None or first is None or second is None:
        return unknown(op)
    dims = list(found.dims)
    dims[first], dims[second] = dims[second], dims[first]
    return of(op, found, dims, found.dtype)


@operator("numpy.moveaxis", "a source destination")
def moveaxis(op: Op, a: Value, source: Value, destination: Value) -> Value:
    found = array(op, a)
    left, reached = (None, None) if found is None else (axes_of(op, found, source), axes_of(op, found, destination))
    if found is None or found.dims is None or left is None or reached is None:
        return unknown(op)
    if len(left) != len(reached):
        fail(op, "permutation", f"{len(left)} axes cannot be moved to {len(reached)} places", (found,))
    places = dict(zip(reached, left, strict=True))
    others = iter(i for i in range(len(found.dims)) if i not in left)
    order = [places[i] if i in places else next(others) for i in range(len(found.dims))]
    return of(op, found, [found.dims[i] for i in order], found.dtype)


@operator("numpy.rollaxis", "a axis start=0")
def rollaxis(op: Op, a: Value, axis: Value, start: Value) -> Value:
    found = array(op, a)
    at = axis_of(op, found, axis) if found is not None else None
    to = axes_of(op, found, start, len(found.dims) + 1) if found is not None and found.dims is not None else None
    if found is None or found.dims is None or at is None or to is None:
        return unknown(op)
    order = [i for i in range(len(found.dims)) if i != at]
    order.insert(to[0] - (at < to[0]), at)
    return of(op, found, [found.dims[i] for i in order], found.dtype)


@operator("numpy.expand_dims", "a axis")
def expand_dims(op: Op, a: Value, axis: Value) -> Value:
    found, given = array(op, a), plain(op.tr, axis)
    if found is None or found.dims is None:
        return unknown(op)
    more = len(given) if isinstance(given, tuple) else 1
    places = axes_of(op, found, given, len(found.dims) + more)
    if places is None:
        return unknown(op)
    old = iter(found.dims)
    return of(op, found, [1 if i in places else next(old) for i in range(len(found.dims) + more)], found.dtype)


@operator("numpy.squeeze numpy.Tensor.squeeze", "a axis=None")
def squeeze(op: Op, a: Value, axis: Value) -> Value:
    found = array(op, a)
    if found is None or found.dims is None:
        return unknown(op)
    if axis is None:
        sizes = [d for d in found.dims if d != 1]
        return unknown(op) if any(not isinstance(d, int) for d in sizes) else of(op, found, sizes, found.dtype)
    places = axes_of(op, found, axis)
    if places is None:
        return unknown(op)
    for place in places:
        sentence = f"axis {place} of {show_shape(found.dims)} has size {found.dims[place]}, and only 1 can be left out"
        require(op, equal(found.dims[place], 1), "size-one", sentence, (found,))
    return of(op, found, [d for i, d in enumerate(found.dims) if i not in places], found.dtype)


@operator("numpy.atleast_1d numpy.atleast_2d numpy.atleast_3d", "*arys")
def atleast(op: Op, arys: tuple[Value, ...]) -> Value:
    results = tuple(_at_least(op, value, int(op.short[-2])) for value in arys)
    return results[0] if len(results) == 1 else results


def _at_least(op: Op, value: Value, rank: int) -> Tensor:
    found = array(op, value)
    if found is None or found.dims is None:
        return unknown(op)
    dims = found.dims
    if rank == 3 and len(dims) == 2:
        dims = (*dims, 1)
    elif rank == 3 and len(dims) == 1:
        dims = (1, *dims, 1)
    return of(op, found, (*(1,) * (rank - len(dims)), *dims), found.dtype)


@operator("numpy.flip numpy.roll numpy.sort numpy.argsort numpy.cumsum numpy.cumprod numpy.nancumsum numpy.partition "
          "numpy.argpartition numpy.fliplr numpy.flipud numpy.Tensor.cumsum numpy.Tensor.cumprod numpy.Tensor.argsort",
          "a *rest")  # fmt: skip
def along(op: Op, a: Value, rest: tuple[Value, ...]) -> Value:
    """What moves or adds up along an axis keeps the shape; some run over all elements in a row where none is named."""
    found = array(op, a)
    if found is None:
        return unknown(op)
    name, position = op.short, 1 if op.short in ("roll", "partition", "argpartition") else 0
    axis = op.extra.get("axis", rest[position] if len(rest) > position else -1 if "sort" in name or position else None)
    if name == "fliplr":
        axis = 1
    elif name == "roll" and len(rest) < 2 and "axis" not in op.extra:
        axis = None
    lifted = found.dims == () and axis in (0, -1) and ("cum" in name or name == "argsort")  # a row of one element
    if axis is not None and not lifted:
        axes_of(op, found, axis, again=name == "roll")
    whole = axis is None and not name.startswith(("flip", "roll"))
    dims = flat_dims(found) if whole or lifted else found.dims
    asked = "dtype" in op.extra or ("cum" in name and (found.dtype or "").startswith(("int", "uint", "bool")))
    kept = found.dtype if not asked or (found.dtype == "int64" and "dtype" not in op.extra) else None
    result = of(op, found, dims, "int64" if name.startswith("arg") else kept)
    told = order_of(found.value) if name == "argsort" else running(name, found.value)
    result.value = told if "dtype" not in op.extra else None
    return result


@operator("numpy.rot90", "m k=1 axes=(0,1)")
def rot90(op: Op, m: Value, k: Value, axes: Value) -> Value:
    return as_torch(op, "rot90", (m, k, axes), {})


@operator("numpy.broadcast_to", "array shape *rest")
def broadcast_to(op: Op, array: Value, shape: Value, rest: tuple[Value, ...]) -> Value:
    return as_torch(op, "broadcast_to", (array, shape), {})


# ------------------------------------------------------------------------------------------ joined and cut


@operator("numpy.concatenate numpy.concat numpy.stack", "arrays axis=0 *rest")
def join(op: Op, arrays: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    known = _parts(op, arrays)
    if known is None and isinstance(arrays, ListV) and arrays.open:
        dims = joined_dims(op.tr, op.short, arrays, axis)
        return unknown(op) if dims is None else Tensor(dims, None, "numpy", site=op.where)
    if known is None or not (axis is None or isinstance(axis, int)):
        return unknown(op)
    if axis is None and op.short != "stack":
        known, axis = [of(op, f, flat_dims(f), f.dtype) for f in known], 0
    if op.short != "stack" and not all(f.dims for f in known):
        fail(op, "rank", "an array without dimensions cannot be joined", tuple(known))
    made = apply(op, "torch", "stack" if op.short == "stack" else "cat", known, {"dim": axis})
    return _of_parts(op, made, known)


def _of_parts(op: Op, made: Value, parts: Sequence[Tensor]) -> Value:
    """The array that was joined, in the element type that it was asked in or NumPy finds for its parts."""
    if isinstance(made, Tensor):
        made.dtype = asked_array_type(op.extra.get("dtype"), joined_type(parts))
    return as_arrays(made)


_parts = arrays


@operator("numpy.vstack numpy.hstack numpy.dstack numpy.column_stack numpy.row_stack", "tup *rest")
def stacked(op: Op, tup: Value, rest: tuple[Value, ...]) -> Value:
    known = arrays(op, tup)
    if known is None:
        return unknown(op)
    name = {"row_stack": "vstack"}.get(op.short, op.short)
    return _of_parts(op, as_torch(op, name, (ListV(known),), {}), known)


@operator("numpy.append", "arr values axis=None", WIDEST)
def append(op: Op, arr: Value, values: Value, axis: Value) -> Value:
    known = arrays(op, ListV([arr, values]))
    if known is None or not (axis is None or isinstance(axis, int)):
        return unknown(op)
    if axis is None:
        known = [of(op, f, flat_dims(f), f.dtype) for f in known]
    return _of_parts(op, apply(op, "torch", "cat", known, {"dim": axis or 0}), known)


@operator("numpy.block", "arrays", WIDEST)
def block(op: Op, arrays: Value) -> Value:
    """Two levels: rows of blocks."""
    rows = [_parts(op, row) for row in (arrays.items if isinstance(arrays, ListV) else ())]
    if not rows or any(row is None or any(len(t.dims or ()) != 2 for t in row) for row in rows):
        return unknown(op)
    bands = [apply(op, "torch", "cat", row or [], {"dim": 1}) for row in rows]
    made = apply(op, "torch", "cat", bands, {"dim": 0})
    return _of_parts(op, made, [part for row in rows for part in row or ()])


@operator("numpy.split numpy.array_split numpy.hsplit numpy.vsplit numpy.dsplit", "ary indices_or_sections axis=0")
def split(op: Op, ary: Value, indices_or_sections: Value, axis: Value) -> Value:
    found = array(op, ary)
    if found is not None and found.dims is not None and op.short in ("hsplit", "vsplit", "dsplit"):
        axis = {"hsplit": min(1, len(found.dims) - 1), "vsplit": 0}.get(op.short, 2)
    at = axis_of(op, found, axis) if found is not None else None
    if found is None or found.dims is None or at is None:
        return op.tr.unknown("np.split()", "imprecise")
    lengths = _lengths(op, found, found.dims[at], plain(op.tr, indices_or_sections))
    if lengths is None:
        return op.tr.unknown("np.split()", "imprecise")
    return ListV([of(op, found, (*found.dims[:at], n, *found.dims[at + 1 :]), found.dtype) for n in lengths])


def _lengths(op: Op, source: Tensor, size: Term, parts: Any) -> list[Any] | None:
    """The sizes of so many parts, equal but for `array_split`, or of those between places."""
    if isinstance(parts, int) and not isinstance(parts, bool) and 0 < parts <= 512:
        if op.short == "array_split":
            return [floor_div(size + parts - 1 - i, parts) for i in range(parts)]
        sentence = f"an axis of {show_shape(source.dims or ())} has size {size}, which {parts} does not divide"
        require(op, equal(mod(size, parts), 0), "split", sentence, (source,))
        return [floor_div(size, parts) for _ in range(parts)]
    if isinstance(parts, tuple) and all(isinstance(p, int) and p >= 0 for p in parts) and isinstance(size, int):
        cuts = [0, *(min(p, size) for p in parts), size]
        return [max(end - start, 0) for start, end in itertools.pairwise(cuts)]
    return None


@operator("numpy.shape numpy.ndim numpy.size", "a axis=None")
def measured(op: Op, a: Value, axis: Value) -> Value:
    """What the array that a value stands for would say of itself."""
    found = array(op, a)
    if found is None or found.dims is None:
        return op.tr.unknown("a shape", "data")
    if op.short == "shape":
        return Size(found.dims)
    if op.short == "ndim":
        return len(found.dims)
    if axis is not None:
        return found.dims[axis] if isinstance(axis, int) else op.tr.unknown("a size", "data", pytype="int")
    return product(found.dims)
