"""TensorFlow: concatenate, stack, split, tile, pad, slice, gather."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import ListV, Value
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.element_types import asked_type
from analyzer.tracing.operators.hyperparameters import dropped, plain
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_math_rules import need_axis
from analyzer.tracing.operators.tf_operands import like, shape_value, tensor, tensors_of
from analyzer.validity.terms import Poly, equal, floor_div, mod


@operator("tf.concat", "values axis=None name=None")
def concat(op: Op, values: Value, axis: Value, name: Value) -> Value:
    if isinstance(values, int) and not isinstance(axis, int):  # before TensorFlow 1.0: (axis, values)
        values, axis = axis, values
    axis = op.extra.get("concat_dim", axis)
    if not isinstance(axis, int):
        return unknown_tensor(op, "tf")
    found, known = tensors_of(op, values)
    if not known:
        return unknown_tensor(op, "tf", found)
    stated = [isinstance(f.value, (tuple, int, Poly)) and len(f.dims or ()) == 1 for f in found]
    if axis == 0 and any(stated) and all(isinstance(f.value, tuple) for f in found):
        return _vector(op, tuple(x for f in found for x in f.value), found)
    return apply(op, "keras", "Concatenate", _loose(found), {"axis": axis}) if len(found) > 1 else _loose(found)[0]


def _loose(found: tuple[Tensor, ...]) -> list[Tensor]:
    """The tensors without their element types, which the operator casts."""
    return [Tensor(f.shape, None, "tf", site=f.site, name=f.name, sources=(f,), graph=f.graph) for f in found]


def _vector(op: Op, values: tuple[Any, ...], found: tuple[Tensor, ...]) -> Tensor:
    """A vector of integers, as far as they are known."""
    known = all(isinstance(v, (int, Poly)) for v in values)
    graph = any(f.graph for f in found)
    return Tensor(
        (len(values),), "int32" if known else None, "tf", site=op.where, value=values if known else None,
        sources=found, graph=graph,
    )  # fmt: skip


@operator("tf.stack tf.pack tf.parallel_stack", "values axis=0 name=None")
def stack(op: Op, values: Value, axis: Value, name: Value) -> Value:
    found, known = tensors_of(op, values)
    if not known or not isinstance(axis, int):
        return unknown_tensor(op, "tf", found if isinstance(axis, int) else ())
    if found and all(f.dims == () for f in found):
        if axis not in (0, -1):
            fail(op, "axis-in-range", f"axis {axis} is out of range: stacked scalars are a vector", found)
        return _vector(op, tuple(f.value for f in found), found)
    made = apply(op, "tf", "Pack", _loose(found), {"axis": axis})
    rows = tuple(f.value for f in found)
    if isinstance(made, Tensor) and all(isinstance(row, tuple) and all(map(_is_term, row)) for row in rows):
        made.value = rows if axis in (0, -2) else tuple(zip(*rows, strict=True))
    return made


def _is_term(value: Any) -> bool:
    return isinstance(value, (int, Poly)) and not isinstance(value, bool)


@operator("tf.unstack tf.unpack", "value num=None axis=0 name=None")
def unstack(op: Op, value: Value, num: Value, axis: Value, name: Value) -> Value:
    source = tensor(op, value)
    if source is None or source.dims is None or not isinstance(axis, int):
        return op.tr.unknown("unstack()", "imprecise")
    need_axis(op, source, axis)
    if not source.dims:
        fail(op, "rank", "a scalar has no axis along which it is taken apart", (source,))
    count = source.dims[axis] if isinstance(source.dims[axis], int) else op.tr.term_of(num) if num is not None else None
    rest = [d for i, d in enumerate(source.dims) if i != axis % len(source.dims)]
    if not isinstance(count, int) or count > 512:
        return op.tr.unknown("unstack()", "imprecise")
    known = source.value if isinstance(source.value, tuple) and len(source.value) == count else (None,) * count
    return ListV([like(op, source, rest, source.dtype, value=value) for value in known])  # of a shape, each size


@operator("tf.split", "value num_or_size_splits=None axis=0 *rest")
def split(op: Op, value: Value, num_or_size_splits: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, value)
    if isinstance(value, int) and not isinstance(num_or_size_splits, int):  # before TensorFlow 1.0
        return op.tr.unknown("split()", "imprecise")
    if source is None or source.dims is None or not isinstance(axis, int):
        return op.tr.unknown("split()", "imprecise")
    need_axis(op, source, axis)
    if not source.dims:
        fail(op, "rank", "a scalar has no axis along which it is taken apart", (source,))
    parts = plain(op.tr, num_or_size_splits)
    size_ = source.dims[axis]
    position = axis % len(source.dims)

    def piece(length: Any) -> Tensor:
        return like(
            op,
            source,
            (*source.dims[:position], length, *source.dims[position + 1 :]) if source.dims else None,
            source.dtype,
        )

    if isinstance(parts, int) and parts > 0:
        require(
            op,
            equal(mod(size_, parts), 0),
            "split",
            f"axis {axis} of {show_shape(source.dims)} has size {size_}, which {parts} does not divide",
            (source,),
        )
        return ListV([piece(floor_div(size_, parts)) for _ in range(min(parts, 512))])
    if isinstance(parts, tuple) and all(isinstance(p, (int, Poly)) for p in parts):
        total: Any = 0
        for p in parts:
            total = total + p
        if -1 not in parts:
            require(
                op,
                equal(total, size_),
                "split",
                f"the parts {list(parts)} sum to {total} but axis {axis} of {show_shape(source.dims)} has size {size_}",
                (source,),
            )
        return ListV([piece(p if not (isinstance(p, int) and p == -1) else size_ - total - 1) for p in parts])
    return op.tr.unknown("split()", "imprecise")


@operator("tf.tile", "input multiples *rest")
def tile(op: Op, input: Value, multiples: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, input)
    times = shape_value(op, multiples)
    if source is None or source.dims is None or times is None:
        return like(op, source, None) if source is not None else unknown_tensor(op, "tf")
    if len(times) != len(source.dims):
        fail(
            op,
            "tile",
            f"multiples {show_shape(times)} must have one entry for each of the {len(source.dims)} dimensions",
            (source,),
        )
    return like(op, source, [d * t for d, t in zip(source.dims, times, strict=True)], source.dtype)


@operator("tf.broadcast_to", "input shape *rest")
def broadcast_to(op: Op, input: Value, shape: Value, rest: tuple[Value, ...]) -> Value:
    """An axis of one is repeated, new ones come first; any other axis has to be as long already."""
    source, dims = tensor(op, input), shape_value(op, shape)
    if source is not None and source.dims is not None and isinstance(dims, tuple):
        pairs = list(zip(source.dims[::-1], dims[::-1], strict=False))
        wide = len(source.dims) > len(dims)
        if wide or any(type(a) is int and type(b) is int and a not in (1, b) and b >= 0 for a, b in pairs):
            told = f"{show_shape(source.dims)} cannot be broadcast to {show_shape(dims)}"
            fail(op, "broadcast", told, (source,))
        dims = None if any(type(d) is int and d < 0 for d in dims) else dims
    return Tensor(dims, None, "tf", site=op.where) if source is None else like(op, source, dims, source.dtype)


@operator("tf.pad", "tensor paddings mode='CONSTANT' *rest")
def pad(op: Op, tensor: Value, paddings: Value, mode: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor_of(op.tr, tensor, "tf")
    amounts = plain(op.tr, paddings)
    _need_pairs(op, source, paddings)
    if (
        source is None
        or source.dims is None
        or dropped(amounts)
        or not isinstance(amounts, tuple)
        or not all(isinstance(a, tuple) and len(a) == 2 for a in amounts)
    ):
        return like(op, source, None) if source is not None else unknown_tensor(op, "tf")
    if len(amounts) != len(source.dims):
        fail(
            op, "paddings", f"paddings has {len(amounts)} rows for a tensor of {len(source.dims)} dimensions", (source,)
        )
    low = [a for pair in amounts for a in pair if isinstance(a, int) and a < 0]
    if low:
        fail(op, "paddings", f"a padding of {low[0]} is negative", (source,))
    return like(op, source, [d + a + b for d, (a, b) in zip(source.dims, amounts, strict=True)], source.dtype)


def _need_pairs(op: Op, source: Tensor | None, paddings: Value) -> None:
    """Paddings are one pair for each axis, also where their numbers are not known."""
    pairs = paddings.dims if isinstance(paddings, Tensor) else None
    if source is None or source.dims is None or pairs is None:
        return
    told = f"the paddings have the shape {show_shape(pairs)} for a tensor of {len(source.dims)} dimensions"
    if len(pairs) != 2:
        fail(op, "paddings", told, (source, paddings))
    require(op, equal(pairs[0], len(source.dims)), "paddings", told, (source, paddings))
    require(op, equal(pairs[1], 2), "paddings", told, (source, paddings))


@operator("tf.slice", "input_ begin size *rest")
def slice_(op: Op, input_: Value, begin: Value, size: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, input_)
    starts, sizes = shape_value(op, begin), shape_value(op, size)
    if source is None or source.dims is None or starts is None or sizes is None:
        return like(op, source, None) if source is not None else unknown_tensor(op, "tf")
    if not (len(starts) == len(sizes) == len(source.dims)):
        given = f"`begin` has {len(starts)} entries and `size` {len(sizes)}"
        fail(op, "slice", f"{given}, but the tensor has {len(source.dims)} dimensions", (source,))
    dims = [d - s if isinstance(n, int) and n == -1 else n for d, s, n in zip(source.dims, starts, sizes, strict=True)]
    for d, s, n in zip(source.dims, starts, dims, strict=True):
        if isinstance(d, int) and isinstance(s, int) and isinstance(n, int) and s + n > d:
            fail(op, "slice", f"begin {s} and size {n} exceed a dimension of {show_shape(source.dims)}", (source,))
    return like(op, source, dims, source.dtype)


@operator("tf.gather tf.nn.embedding_lookup tf.embedding_lookup", "params indices *rest")
def gather(op: Op, params: Value, indices: Value, rest: tuple[Value, ...]) -> Value:
    parts = op.short == "embedding_lookup" and isinstance(params, (tuple, ListV))  # of one table
    table, where_ = None if parts else tensor(op, params), tensor(op, indices)
    batch = op.extra.get("batch_dims", 0)
    axis = op.extra.get("axis")
    axis = batch if axis is None else axis
    if (
        table is None
        or where_ is None
        or table.dims is None
        or where_.dims is None
        or not isinstance(axis, int)
        or not table.dims
        or not isinstance(batch, int)
        or not -len(where_.dims) <= batch <= len(where_.dims)
    ):
        return unknown_tensor(op, "tf", tuple(t for t in (table, where_) if t is not None))
    need_axis(op, table, axis)
    position = axis % len(table.dims)
    shared = batch + len(where_.dims) if batch < 0 else batch
    if position < shared:
        return unknown_tensor(op, "tf", (table, where_))
    sentence = (
        f"the first {shared} dimensions of {show_shape(where_.dims)} and {show_shape(table.dims)} are those of a batch"
    )
    for have, wanted in zip(where_.dims[:shared], table.dims[:shared], strict=False):
        require(op, equal(have, wanted), "batch", sentence, (table, where_))
    return Tensor(
        (*table.dims[:position], *where_.dims[shared:], *table.dims[position + 1 :]),
        table.dtype,
        "tf",
        site=op.where,
        sources=(table, where_),
        graph=table.graph or where_.graph,
    )


@operator("tf.one_hot", "indices depth on_value=None off_value=None axis=None dtype=None name=None")
def one_hot(
    op: Op, indices: Value, depth: Value, on_value: Value, off_value: Value, axis: Value, dtype: Value, name: Value
) -> Value:
    """float32, unless a type is asked for or values are given, which then have it."""
    source, classes = tensor(op, indices), op.tr.term_of(depth, "depth")
    if source is None or source.dims is None or classes is None or axis not in (None, -1):
        return unknown_tensor(op, "tf", (source,) if source else ())
    kind = asked_type(dtype, "float32" if on_value is None and off_value is None else None)
    return like(op, source, (*source.dims, classes), kind, tags=source.tags)
