"""TensorFlow: repeats, grids of numbers, counts, masks of lengths, draws."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import Size, Tensor, show_shape
from analyzer.tracing.language.values import ListV, Value
from analyzer.tracing.operators.element_types import asked_type, dtype_name
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.operands import items_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_math_rules import need_axis
from analyzer.tracing.operators.tf_operands import like, shape_value, tensor
from analyzer.tracing.operators.torch_operands import reduced_dims
from analyzer.validity.terms import Poly, product


@operator("tf.roll tf.reverse_sequence", "input shift=None axis=None *rest")
def kept(op: Op, input: Value, shift: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, input)
    if source is None:
        return unknown_tensor(op, "tf")
    if op.short == "roll":
        axes = plain(op.tr, axis)
        for number in axes if isinstance(axes, tuple) else (axes,):
            need_axis(op, source, number)
    return like(op, source, source.shape, source.dtype)


@operator("tf.repeat", "input repeats axis=None *rest")
def repeat(op: Op, input: Value, repeats: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    """Each element so often, along one axis or of all of them in a row."""
    source, times = tensor(op, input), plain(op.tr, repeats)
    if source is None or source.dims is None or not isinstance(axis, (int, type(None))):
        return unknown_tensor(op, "tf", (source,) if source is not None else ())
    dims = (product(source.dims),) if axis is None else source.dims or (1,)
    place = 0 if axis is None else axis
    if not -len(dims) <= place < len(dims):
        return unknown_tensor(op, "tf", (source,))
    place %= len(dims)
    length = dims[place]
    if isinstance(times, tuple) and len(times) == 1:
        times = times[0]
    count: Any
    if isinstance(times, (int, Poly)) and not isinstance(times, bool):
        count = length * times
    elif isinstance(times, tuple) and all(isinstance(t, int) for t in times) and (length in (1, len(times))):
        count = sum(times)
    else:
        count = op.tr.fresh("repeated", "unknown", 0, graph=source.graph)
    return like(op, source, (*dims[:place], count, *dims[place + 1 :]), source.dtype)


@operator("tf.meshgrid", "*args")
def meshgrid(op: Op, args: tuple[Value, ...]) -> Value:
    """One grid for each vector; the first two axes are exchanged but for `indexing="ij"`."""
    found = [tensor(op, a) for a in args]
    indexing = op.extra.get("indexing", "xy")
    if not found or any(f is None or f.dims is None for f in found) or indexing not in ("xy", "ij"):
        return op.tr.unknown("meshgrid()", "imprecise")
    sizes = [product(f.dims) for f in found if f is not None and f.dims is not None]
    if indexing == "xy" and len(sizes) > 1:
        sizes[0], sizes[1] = sizes[1], sizes[0]
    return ListV([like(op, f, tuple(sizes), f.dtype) for f in found if f is not None])


@operator("tf.math.count_nonzero tf.count_nonzero", "input axis=None keepdims=None dtype='int64' *rest")
def count_nonzero(
    op: Op, input: Value, axis: Value, keepdims: Value, dtype: Value, rest: tuple[Value, ...]
) -> Value:  # fmt: skip
    source = tensor(op, input)
    if source is None:
        return unknown_tensor(op, "tf")
    keep = op.extra.get("keep_dims", keepdims) or False
    dims = () if axis is None and not keep else reduced_dims(op, source, axis, keep)
    return like(op, source, dims, dtype_name(dtype))


@operator("tf.sequence_mask", "lengths maxlen=None dtype=None *rest")
def sequence_mask(op: Op, lengths: Value, maxlen: Value, dtype: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, lengths)
    if source is None or source.dims is None:
        return unknown_tensor(op, "tf")
    last: Any = op.tr.term_of(maxlen, "maxlen") if maxlen is not None else None
    known = source.value if isinstance(source.value, tuple) else (source.value,)
    if maxlen is None and known and all(isinstance(n, int) for n in known):
        last = max(known)
    if last is None:
        last = op.tr.fresh("longest", "unknown", 0, graph=source.graph)
    return like(op, source, (*source.dims, last), asked_type(dtype, "bool"))


@operator("tf.searchsorted", "sorted_sequence values side='left' out_type=None *rest")
def searchsorted(
    op: Op, sorted_sequence: Value, values: Value, side: Value, out_type: Value, rest: tuple[Value, ...]
) -> Value:  # fmt: skip
    source = tensor(op, values)
    if source is None:
        return unknown_tensor(op, "tf")
    return like(op, source, source.shape, asked_type(out_type, "int32"))


@operator("tf.histogram_fixed_width", "values value_range nbins=100 dtype=None *rest")
def histogram(
    op: Op, values: Value, value_range: Value, nbins: Value, dtype: Value, rest: tuple[Value, ...]
) -> Value:  # fmt: skip
    bins = op.tr.term_of(nbins, "bins")
    kind = asked_type(dtype, "int32")
    return unknown_tensor(op, "tf") if bins is None else Tensor((bins,), kind, "tf", site=op.where)


@operator("tf.math.confusion_matrix tf.confusion_matrix", "labels predictions num_classes=None *rest")
def confusion_matrix(
    op: Op, labels: Value, predictions: Value, num_classes: Value, rest: tuple[Value, ...]
) -> Value:  # fmt: skip
    count = op.tr.term_of(num_classes, "classes") if num_classes is not None else op.tr.fresh("classes", "unknown", 0)
    return unknown_tensor(op, "tf") if count is None else Tensor((count, count), None, "tf", site=op.where)


@operator("tf.random.categorical tf.multinomial", "logits num_samples *rest")
def categorical(op: Op, logits: Value, num_samples: Value, rest: tuple[Value, ...]) -> Value:
    source, count = tensor(op, logits), op.tr.term_of(num_samples, "samples")
    if source is None or source.dims is None or count is None:
        return unknown_tensor(op, "tf")
    if len(source.dims) != 2:
        fail(op, "rank", f"logits must have 2 dimensions, and have the shape {show_shape(source.dims)}", (source,))
    return like(op, source, (source.dims[0], count), dtype_name(op.extra.get("dtype", "int64")))


@operator("tf.broadcast_static_shape tf.broadcast_dynamic_shape", "shape_x shape_y")
def broadcast_shape(op: Op, shape_x: Value, shape_y: Value) -> Value:
    shapes = [shape_value(op, s) for s in (shape_x, shape_y)]
    if any(s is None for s in shapes):
        return op.tr.unknown("a shape", "data")
    longest = max(len(s) for s in shapes if s is not None)
    both = [(1,) * (longest - len(s)) + tuple(s) for s in shapes if s is not None]
    if not all(p == q or 1 in (p, q) for p, q in zip(*both, strict=True)):
        return op.tr.unknown("a shape", "data")
    dims = tuple(q if p == 1 else p for p, q in zip(*both, strict=True))
    if op.short == "broadcast_static_shape":
        return Size(dims)
    return Tensor((len(dims),), "int32", "tf", site=op.where, value=dims)


@operator("tf.dynamic_partition", "data partitions num_partitions *rest")
def dynamic_partition(
    op: Op, data: Value, partitions: Value, num_partitions: Value, rest: tuple[Value, ...]
) -> Value:  # fmt: skip
    source, numbers = tensor(op, data), tensor(op, partitions)
    if source is None or numbers is None or source.dims is None or numbers.dims is None:
        return op.tr.unknown("dynamic_partition()", "imprecise")
    if not isinstance(num_partitions, int) or not 0 < num_partitions <= 64:
        return op.tr.unknown("dynamic_partition()", "imprecise")
    inner = source.dims[len(numbers.dims) :]
    sizes = (op.tr.fresh("partition", "unknown", 0, graph=source.graph) for _ in range(num_partitions))
    return ListV([like(op, source, (size, *inner), source.dtype) for size in sizes])


@operator("tf.math.zero_fraction tf.nn.zero_fraction", "value *rest")
def zero_fraction(op: Op, value: Value, rest: tuple[Value, ...]) -> Value:
    return Tensor((), "float32", "tf", site=op.where, sources=tuple(items_of((tensor(op, value),))))
