"""NumPy: going over the places of an array, Python's functions on each element, and writing at places."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from analyzer.tracing.language.arithmetic import binary
from analyzer.tracing.language.builtins import Call
from analyzer.tracing.language.evaluation import get_item
from analyzer.tracing.language.known_types import value_of
from analyzer.tracing.language.memory import write
from analyzer.tracing.language.plain_data import MOST_ITEMS
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Iterator_, ListV, Native, Object, Unknown, Value
from analyzer.tracing.operators.element_types import array_type
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.numpy_operands import array as as_array
from analyzer.tracing.operators.numpy_operands import axis_of, made, of, of_length, unknown
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import shape_argument
from analyzer.validity.terms import product


def _places(op: Op, dims: Value) -> list[tuple[int, ...]] | None:
    """All places of an array of the shape, the last axis the fastest; None where they are not known, or many."""
    if dims is None or not all(isinstance(d, int) and d >= 0 for d in dims):
        return None
    number = product(dims)
    if not isinstance(number, int) or number > MOST_ITEMS:
        return None
    return list(itertools.product(*(range(d) for d in dims)))


@operator("numpy.ndindex", "*shape")
def all_places(op: Op, shape: tuple[Value, ...]) -> Value:
    dims = shape_argument(op, shape)
    found = _places(op, dims)
    if found is not None:
        return Iterator_(lambda: iter(found), once=True)
    if dims is None:
        return op.tr.unknown("np.ndindex()", "imprecise")
    place = tuple(Unknown("a place", "data", pytype="int") for _ in dims)
    return Iterator_(lambda: iter([place]), True, once=True)


@operator("numpy.ndenumerate", "arr")
def all_elements(op: Op, arr: Value) -> Value:
    found = as_array(op, arr)
    places = _places(op, None if found is None else found.dims)
    if found is None or places is None:
        return op.tr.unknown("np.ndenumerate()", "imprecise")

    def items() -> Iterator[Value]:
        for place in places:
            yield place, get_item(op.tr, found, place, op.node)

    return Iterator_(items, once=True)


@operator("numpy.broadcast", "*arrays")
def together(op: Op, arrays: tuple[Value, ...]) -> Value:
    """The shape that arrays have together. Fails where they do not fit."""
    found = as_array(op, arrays[0]) if arrays else None
    for part in arrays[1:]:
        result = broadcast(op, "+", found, part, "numpy")
        found = result if isinstance(result, Tensor) else None
    if found is None or found.dims is None:
        return op.tr.unknown("np.broadcast()", "imprecise")
    return Object("arrays together", {
        "shape": tuple(found.dims), "nd": len(found.dims), "ndim": len(found.dims), "size": product(found.dims),
    })  # fmt: skip


@operator("numpy.vectorize numpy.frompyfunc", "pyfunc *rest")
def on_each_element(op: Op, pyfunc: Value, rest: tuple[Value, ...]) -> Value:
    """The function of arrays that calls Python's for each element. How many arrays it gives is not known without it."""
    if op.short == "frompyfunc" and rest[1:2] != (1,):
        return op.tr.unknown("np.frompyfunc()", "imprecise")
    whole = not {"signature", "excluded"} & set(op.extra) and len(rest) < 3

    def run(c: Call) -> Value:
        c.tr.forget((pyfunc,))
        found: Value = None
        for part in (*c.args, *c.kwargs.values()) if whole else ():
            found = part if found is None else broadcast(op, "+", found, part, "numpy")
        result = as_array(op, found) if whole and not c.open_args else None
        return Unknown("an array", "imprecise") if result is None else made(op, result.dims)

    return Native(op.short, run, any_number=True)


@operator("numpy.add.at numpy.subtract.at numpy.multiply.at numpy.maximum.at numpy.minimum.at", "a indices b=None")
def written_at(op: Op, a: Value, indices: Value, b: Value) -> Value:
    """What is written has to fit what stands at the places, which has to exist."""
    found = as_array(op, a)
    if found is not None and b is not None:
        chosen = get_item(op.tr, found, indices, op.node)
        fitting = as_array(op, chosen)
        if fitting is not None:
            binary(op.tr, ast.Add, fitting, b, op.node or ast.Constant(0))
    return None


@operator("numpy.add.reduceat numpy.multiply.reduceat numpy.maximum.reduceat numpy.minimum.reduceat",
          "array indices axis=0 *rest")  # fmt: skip
def reduced_between(op: Op, array: Value, indices: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    found, places = as_array(op, array), as_array(op, indices)
    if found is None or places is None or not places.dims:
        return unknown(op)
    return of_length(op, found, axis, places.dims[0])


@operator("numpy.apply_over_axes", "func a axes")
def over_axes(op: Op, func: Value, a: Value, axes: Value) -> Value:
    """Each axis is 1 behind."""
    found = as_array(op, a)
    wanted = axes.items if isinstance(axes, ListV) else axes if isinstance(axes, tuple) else [axes]
    if found is None or found.dims is None:
        return unknown(op)
    places = [axis_of(op, found, axis) for axis in wanted]
    if None in places:
        return unknown(op)
    return of(op, found, tuple(1 if i in places else d for i, d in enumerate(found.dims)))


@operator("numpy.trim_zeros", "filt *rest")
def trimmed(op: Op, filt: Value, rest: tuple[Value, ...]) -> Value:
    """A row, not longer than before; of a list it is a list."""
    found = as_array(op, filt) if isinstance(filt, Tensor) else None
    if found is None or found.dims is None or len(found.dims) != 1:
        return op.tr.unknown("trim_zeros()", "imprecise")
    return of(op, found, (op.tr.fresh("trimmed", "data", 0),), found.dtype)


@operator("numpy.memmap", "filename dtype='uint8' mode='r+' offset=0 shape=None *rest")
def mapped(op: Op, filename: Value, dtype: Value, mode: Value, offset: Value, shape: Value, rest: Value) -> Value:
    """An array whose elements a file holds; without a shape it is a row as long as the file."""
    if shape is None:
        return made(op, (op.tr.fresh("file", "data", 0),), array_type(dtype))
    return made(op, shape_argument(op, (shape,)), array_type(dtype))


@operator("numpy.Tensor.fill numpy.Tensor.itemset", "a *values")
def filled(op: Op, a: Value, values: tuple[Value, ...]) -> Value:
    """The array itself is written into: its elements are known no longer."""
    if isinstance(a, Tensor):
        write(op.tr, a, followed=False)
    return None


@operator("numpy.Tensor.byteswap", "a *inplace")
def swapped(op: Op, a: Value, inplace: tuple[Value, ...]) -> Value:
    found = as_array(op, a)
    return unknown(op) if found is None else of(op, found, found.shape, found.dtype)


@operator("numpy.Tensor.setflags numpy.Tensor.tofile numpy.Tensor.dump", "a *rest")
def of_memory(op: Op, a: Value, rest: tuple[Value, ...]) -> Value:
    return None


@operator("numpy.Tensor.tobytes numpy.Tensor.dumps", "a *rest")
def raw(op: Op, a: Value, rest: tuple[Value, ...]) -> Value:
    """Of elements that are not known."""
    return value_of("bytes", "the memory of an array", "data", "tobytes()")
