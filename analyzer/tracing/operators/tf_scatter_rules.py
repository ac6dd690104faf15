"""TensorFlow: rows chosen by indices and masks, and values written to places."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Fields, Value
from analyzer.tracing.operators.element_values import count_true
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import like, shape_value
from analyzer.tracing.operators.tf_operands import tensor as tensor_
from analyzer.validity.terms import equal


@operator("tf.boolean_mask", "tensor mask axis=None *rest")
def boolean_mask(op: Op, tensor: Value, mask: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    """The axes of the mask become one, with as many elements as it has true ones."""
    source, chosen = tensor_(op, tensor), tensor_(op, mask)
    first = plain(op.tr, axis) if axis is not None else 0
    if source is None or chosen is None or source.dims is None or chosen.dims is None or not isinstance(first, int):
        return unknown_tensor(op, "tf", tuple(t for t in (source, chosen) if t is not None))
    sentence = f"a mask {show_shape(chosen.dims)} does not fit axis {first} of {show_shape(source.dims)}"
    if not chosen.dims:
        fail(op, "rank", "the mask must not be a scalar", (source, chosen))
    if first < 0:
        first += len(source.dims)
    if not 0 <= first <= len(source.dims) - len(chosen.dims):
        fail(op, "mask", sentence, (source, chosen))
    end = first + len(chosen.dims)
    for p, q in zip(source.dims[first:end], chosen.dims, strict=True):
        require(op, equal(p, q), "mask", sentence, (source, chosen))
    count: Any = count_true(chosen.value)
    count = op.tr.fresh("selected", "unknown", 0, graph=source.graph) if count is None else count
    return like(op, source, (*source.dims[:first], count, *source.dims[end:]), source.dtype)


@operator("tf.gather_nd", "params indices batch_dims=0 *rest")
def gather_nd(op: Op, params: Value, indices: Value, batch_dims: Value, rest: tuple[Value, ...]) -> Value:
    """The last axis of the indices says where, in the first axes behind those of the batch."""
    table, places = tensor_(op, params), tensor_(op, indices)
    if table is None or places is None or table.dims is None or not places.dims or not isinstance(batch_dims, int):
        return unknown_tensor(op, "tf", tuple(t for t in (table, places) if t is not None))
    depth = places.dims[-1]
    if not isinstance(depth, int) or batch_dims < 0 or batch_dims >= len(places.dims):
        return unknown_tensor(op, "tf", (table, places))
    sentence = f"indices {show_shape(places.dims)} name {depth} axes of {show_shape(table.dims)}"
    if batch_dims + depth > len(table.dims):
        fail(op, "rank", sentence, (table, places))
    for p, q in zip(table.dims[:batch_dims], places.dims[:batch_dims], strict=True):
        require(op, equal(p, q), "batch", sentence, (table, places))
    dims = (*places.dims[:-1], *table.dims[batch_dims + depth :])
    return Tensor(dims, table.dtype, "tf", site=op.where, sources=(table, places), graph=table.graph or places.graph)


@operator("tf.scatter_nd", "indices updates shape *rest")
def scatter_nd(op: Op, indices: Value, updates: Value, shape: Value, rest: tuple[Value, ...]) -> Value:
    places, values, dims = tensor_(op, indices), tensor_(op, updates), shape_value(op, shape)
    if dims is None:
        return unknown_tensor(op, "tf", tuple(t for t in (places, values) if t is not None))
    _need_updates(op, places, values, dims)
    graph = any(t is not None and t.graph for t in (places, values))
    return Tensor(dims, values.dtype if values is not None else None, "tf", site=op.where, graph=graph)


@operator(
    " ".join(f"tf.tensor_scatter_nd_{n}" for n in ("update", "add", "sub", "max", "min")),
    "tensor indices updates *rest",
)
def tensor_scatter(op: Op, tensor: Value, indices: Value, updates: Value, rest: tuple[Value, ...]) -> Value:
    target = tensor_(op, tensor)
    if target is None:
        return unknown_tensor(op, "tf")
    if target.dims is not None:
        _need_updates(op, tensor_(op, indices), tensor_(op, updates), target.dims)
    return like(op, target, target.shape, target.dtype)


def _need_updates(op: Op, places: Tensor | None, values: Tensor | None, dims: tuple[Any, ...]) -> None:
    """One part of the target for each index."""
    if places is None or values is None or not places.dims or values.dims is None:
        return
    depth = places.dims[-1]
    if not isinstance(depth, int) or 0 in places.dims or 0 in values.dims or 0 in dims:
        return
    sentence = f"indices {show_shape(places.dims)} and updates {show_shape(values.dims)} do not fit {show_shape(dims)}"
    if depth > len(dims):
        fail(op, "rank", sentence, (places, values))
    wanted = (*places.dims[:-1], *dims[depth:])
    if len(wanted) != len(values.dims):
        fail(op, "updates", sentence, (places, values))
    for p, q in zip(wanted, values.dims, strict=True):
        require(op, equal(p, q), "updates", sentence, (places, values))


@operator("tf.unique tf.unique_with_counts", "x *rest")
def unique(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor_(op, x)
    if source is None or source.dims is None:
        return op.tr.unknown(f"{op.short}()", "imprecise")
    if len(source.dims) != 1:
        fail(op, "rank", f"a vector is needed and the shape is {show_shape(source.dims)}", (source,))
    count = op.tr.fresh("values", "unknown", 0, graph=source.graph)
    parts = [like(op, source, (count,), source.dtype), like(op, source, source.dims, "int32")]
    names = ["y", "idx"]
    if op.short == "unique_with_counts":
        parts.append(like(op, source, (count,), "int32"))
        names.append("count")
    return Fields(parts, names)


@operator(
    " ".join(f"tf.math.segment_{n}" for n in ("sum", "mean", "max", "min", "prod"))
    + " tf.segment_sum tf.segment_mean tf.segment_max tf.segment_min tf.segment_prod",
    "data segment_ids *rest",
)
def segments(op: Op, data: Value, segment_ids: Value, rest: tuple[Value, ...]) -> Value:
    """Rows with one number are put together; there are as many as the largest number, and one."""
    source, numbers = tensor_(op, data), tensor_(op, segment_ids)
    if source is None or numbers is None or not source.dims or numbers.dims is None:
        return unknown_tensor(op, "tf", tuple(t for t in (source, numbers) if t is not None))
    if len(numbers.dims) != 1:
        fail(op, "rank", f"the numbers of rows must be a vector, and are {show_shape(numbers.dims)}", (numbers,))
    told = f"{show_shape(numbers.dims)} numbers for the rows of {show_shape(source.dims)}"
    require(op, equal(numbers.dims[0], source.dims[0]), "size", told, (source, numbers))
    known = numbers.value if isinstance(numbers.value, tuple) and numbers.value else ()
    whole = bool(known) and all(isinstance(n, int) for n in known)
    count: Any = max(known) + 1 if whole else op.tr.fresh("segments", "unknown", 0, graph=source.graph)
    return like(op, source, (count, *source.dims[1:]), source.dtype)


@operator(
    " ".join(f"tf.math.unsorted_segment_{n}" for n in ("sum", "mean", "max", "min", "prod", "sqrt_n"))
    + " tf.unsorted_segment_sum tf.unsorted_segment_mean tf.unsorted_segment_max",
    "data segment_ids num_segments *rest",
)
def unsorted_segments(
    op: Op, data: Value, segment_ids: Value, num_segments: Value, rest: tuple[Value, ...]
) -> Value:  # fmt: skip
    source, numbers = tensor_(op, data), tensor_(op, segment_ids)
    count = op.tr.term_of(num_segments, "segments")
    if source is None or numbers is None or source.dims is None or numbers.dims is None or count is None:
        return unknown_tensor(op, "tf", tuple(t for t in (source, numbers) if t is not None))
    told = f"{show_shape(numbers.dims)} numbers for {show_shape(source.dims)}"
    if len(numbers.dims) > len(source.dims):
        fail(op, "rank", told, (source, numbers))
    for p, q in zip(numbers.dims, source.dims, strict=False):
        require(op, equal(p, q), "size", told, (source, numbers))
    return like(op, source, (count, *source.dims[len(numbers.dims) :]), source.dtype)
