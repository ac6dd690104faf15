"""Sequences, optionals, TensorFlow's lists, arrays and variables, strings."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dims, dtypes
from analyzer.numerical.domain.sequence import AbstractSequence, sequence_of
from analyzer.numerical.domain.tensor import AbstractTensor, smashed, top
from analyzer.numerical.transfer.joining import concatenated, hull
from analyzer.numerical.transfer.registry import transfer
from analyzer.numerical.transfer.shape import with_axes, without_axes
from analyzer.numerical.transfer.slicing import divided

MOST_PARTS = 256  # of one sequence, each known by itself


def _element(ctx: Context, value: Any) -> AbstractTensor:
    if isinstance(value, AbstractSequence) and value.element is not None:
        element = smashed(value.element)
        return AbstractTensor(element.dtype, element.shape, element.lo, element.hi, None, element.nan)
    return top(ctx.element_type(), ctx.declared_shape())


@transfer("SequenceConstruct")
def sequence_construct(ctx: Context, *items: Any) -> AbstractSequence:
    return sequence_of(items)


@transfer("SequenceEmpty")
def sequence_empty(ctx: Context) -> AbstractSequence:
    return AbstractSequence(None, ())


@transfer("SequenceInsert")
def sequence_insert(ctx: Context, sequence: Any, item: AbstractTensor, position: Any = None) -> AbstractSequence:
    where = position.integers() if position is not None else None
    if sequence.items is not None and (position is None or where is not None):
        items = list(sequence.items)
        index = len(items) if where is None else (where[0] + len(items) if where[0] < 0 else where[0])
        items.insert(index, item)
        return sequence_of(tuple(items))
    return sequence.with_item(item)  # type: ignore[no-any-return]


@transfer("SequenceAt")
def sequence_at(ctx: Context, sequence: Any, position: AbstractTensor) -> Any:
    where = position.integers()
    if isinstance(sequence, AbstractSequence) and sequence.items is not None and where is not None:
        item = sequence.items[where[0]]
        return item if item.final else dataclasses.replace(item)
    return _element(ctx, sequence)


@transfer("SequenceErase")
def sequence_erase(ctx: Context, sequence: Any, position: Any = None) -> AbstractSequence:
    where = position.integers() if position is not None else [-1]
    if sequence.items is not None and where is not None:
        items = list(sequence.items)
        del items[where[0]]
        return sequence_of(tuple(items))
    return AbstractSequence(sequence.element)


@transfer("SequenceLength")
def sequence_length(ctx: Context, sequence: Any) -> AbstractTensor:
    if isinstance(sequence, AbstractSequence) and sequence.items is not None:
        n = len(sequence.items)
        return AbstractTensor(dtypes.INT64, (), np.float64(n), np.float64(n), data=np.array(n))
    return AbstractTensor(dtypes.INT64, (), np.float64(0), np.float64(2.0**40))


@transfer("SplitToSequence")
def split_to_sequence(ctx: Context, x: AbstractTensor, sizes: Any = None) -> AbstractSequence:
    """Parts along an axis, with their shapes and what is known of each where the sizes are."""
    whole = smashed(x)
    unknown = AbstractSequence(AbstractTensor(x.dtype, None, whole.lo, whole.hi, None, x.nan))
    if x.shape is None or not x.shape:
        return unknown
    axis = int(ctx.attr("axis", 0)) % len(x.shape)
    total = x.shape[axis]
    stated = sizes.integers() if sizes is not None else [1]
    if stated is None:
        return unknown
    if sizes is not None and sizes.rank != 0:
        lengths = [int(s) for s in stated]
    elif isinstance(total, int) and int(stated[0]) > 0:
        each = int(stated[0])
        lengths = [min(each, total - start) for start in range(0, total, each)]
    else:
        return unknown
    if len(lengths) > MOST_PARTS or any(n < 0 for n in lengths) or (isinstance(total, int) and sum(lengths) != total):
        return unknown
    parts = divided(ctx, x, axis, lengths, len(lengths))
    if sizes is None and not ctx.attr("keepdims", 1):
        parts = tuple(without_axes(ctx, part, [axis]) for part in parts)
    return sequence_of(parts)


@transfer("ConcatFromSequence")
def concat_from_sequence(ctx: Context, sequence: Any) -> AbstractTensor:
    axis = int(ctx.attr("axis", 0))
    if sequence.items:
        items = [with_axes(ctx, i, [axis]) for i in sequence.items] if ctx.attr("new_axis", 0) else list(sequence.items)
        return concatenated(ctx, items, axis)
    element = _element(ctx, sequence)
    return AbstractTensor(element.dtype, None, element.lo, element.hi, None, element.nan)


@transfer("Optional")
def optional(ctx: Context, x: Any = None) -> Any:
    return AbstractSequence(None, ()) if x is None else x


@transfer("OptionalGetElement")
def optional_get_element(ctx: Context, x: Any) -> Any:
    return x


@transfer("OptionalHasElement")
def optional_has_element(ctx: Context, x: Any = None) -> AbstractTensor:
    return AbstractTensor(dtypes.BOOL, (), np.float64(0), np.float64(1))


@transfer("StringConcat", "StringNormalizer", "StringSplit", "RegexFullMatch")
def strings(ctx: Context, *_: Any) -> Any:
    """Strings hold no numbers; what counts or matches them is a size or a truth value."""
    results = []
    for index in range(len(ctx.node.outputs)):
        dtype = ctx.element_type(index, dtypes.element_type("string"))
        if ctx.op == "RegexFullMatch":
            results.append(AbstractTensor(dtypes.BOOL, ctx.declared_shape(), np.float64(0), np.float64(1)))
        elif ctx.op == "StringSplit" and index == 1:
            results.append(AbstractTensor(dtypes.INT64, None, np.float64(0), np.float64(2.0**40)))
        else:
            results.append(top(dtypes.element_type("string") if dtype.is_float else dtype, None))
    return tuple(results)


# -- TensorFlow ------------------------------------------------------------------------------------------------------


@transfer("TensorArrayV3")
def tensor_array(ctx: Context, *_: Any) -> Any:
    """An array without elements, and its flow; reserved elements of a list read as zeros."""
    empty = AbstractSequence(None)
    return (empty, empty) if ctx.op.startswith("TensorArray") else empty


@transfer("TensorArrayWriteV3")
def tensor_array_write(ctx: Context, array: Any, index: Any, value: AbstractTensor, flow: Any) -> Any:
    """What an array holds travels along its flow."""
    known = flow if isinstance(flow, AbstractSequence) else AbstractSequence(None)
    return known.with_item(value)


@transfer("TensorArrayScatterV3")
def tensor_array_scatter(ctx: Context, array: Any, index: Any, value: AbstractTensor, flow: Any) -> Any:
    rows = smashed(value)
    item = AbstractTensor(
        value.dtype, None if value.shape is None else value.shape[1:], rows.lo, rows.hi, None, value.nan
    )
    known = flow if isinstance(flow, AbstractSequence) else AbstractSequence(None)
    return known.with_item(item)


@transfer("TensorArrayReadV3")
def tensor_array_read(ctx: Context, array: Any, index: Any, flow: Any) -> Any:
    return _element(ctx, flow)


@transfer("TensorArrayGatherV3")
def tensor_array_gather(ctx: Context, array: Any, index: Any = None, flow: Any = None) -> Any:
    source = flow if isinstance(flow, AbstractSequence) else index
    element = _element(ctx, source)
    shape = (
        None if element.shape is None or ctx.op.startswith("TensorArrayConcat") else (dims.unknown(0), *element.shape)
    )
    return AbstractTensor(element.dtype, shape or ctx.declared_shape(), element.lo, element.hi, None, element.nan)


@transfer("TensorArraySizeV3")
def tensor_array_size(ctx: Context, *_: Any) -> AbstractTensor:
    return AbstractTensor(dtypes.INT32, (), np.float64(0), np.float64(2.0**31 - 1))


@transfer("TensorArrayGradV3")
def tensor_array_gradient(ctx: Context, *_: Any) -> Any:
    empty = AbstractSequence(None)
    return empty, empty


@transfer("TensorListSetItem")
def list_set_item(ctx: Context, items: Any, index: Any, value: AbstractTensor) -> Any:
    known = items if isinstance(items, AbstractSequence) else AbstractSequence(None)
    return known.with_item(value)


@transfer("TensorListPushBack")
def list_push(ctx: Context, items: Any, value: AbstractTensor) -> Any:
    known = items if isinstance(items, AbstractSequence) else AbstractSequence(None)
    return known.with_item(value)


@transfer("TensorListFromTensor")
def list_from_tensor(ctx: Context, value: AbstractTensor, *_: Any) -> Any:
    rows = smashed(value)
    return AbstractSequence(
        AbstractTensor(value.dtype, None if value.shape is None else value.shape[1:], rows.lo, rows.hi, None, value.nan)
    )


@transfer("TensorListGetItem")
def list_get_item(ctx: Context, items: Any, *_: Any) -> Any:
    element = _element(ctx, items)
    zero = hull([element, AbstractTensor(element.dtype, element.shape, np.float64(0), np.float64(0))], element.shape)
    return (items, zero) if ctx.op == "TensorListPopBack" else zero


@transfer("TensorListStack")
def list_stack(ctx: Context, items: Any, *_: Any) -> Any:
    element = _element(ctx, items)
    lo, hi = min(element.low, 0.0), max(element.high, 0.0)  # elements never set read as zeros
    shape = None if element.shape is None or "Concat" in ctx.op else (dims.unknown(0), *element.shape)
    result = AbstractTensor(element.dtype, shape, np.float64(lo), np.float64(hi), None, element.nan)
    return result


@transfer("Assign")
def assign(ctx: Context, variable: Any, value: Any) -> Any:
    return value


@transfer("AssignAdd", "AssignSub")
def assign_add(ctx: Context, variable: Any, value: Any) -> Any:
    """The variable after an update: whatever is assumed of the variable covers its updated values too."""
    return variable


@transfer("IsVariableInitialized")
def is_initialised(ctx: Context, *_: Any) -> AbstractTensor:
    return AbstractTensor(dtypes.BOOL, (), np.float64(0), np.float64(1))
