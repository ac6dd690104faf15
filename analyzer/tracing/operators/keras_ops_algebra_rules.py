"""``keras.ops``: bits, diagonals, pieces along axes, segments, linear algebra; shapes as Keras 3 has them."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import ListV, Value
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.keras_ops_rules import keras_ops, promoted
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator, rules, run_entry
from analyzer.tracing.operators.tf_math_rules import need_axis
from analyzer.tracing.operators.tf_operands import like, shape_value, tensor
from analyzer.validity.terms import Term, equal, floor_div, product


@operator(
    keras_ops(
        "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift left_shift right_shift gcd lcm"
    ),
    "x1 x2 *rest",
)
def of_two(op: Op, x1: Value, x2: Value, rest: tuple[Value, ...]) -> Value:
    return broadcast(op, "+", x1, x2, "tf")


@operator(keras_ops("cholesky inv"), "x *rest")
def same_matrix(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, x)
    if source is None or source.dims is None:
        return unknown_tensor(op, "tf", () if source is None else (source,))
    _need_square(op, source)
    return like(op, source, source.dims, source.dtype)


@operator(keras_ops("det logdet slogdet trace"), "x *rest")
def of_matrices(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    """One number for each matrix of the last two axes."""
    source = tensor(op, x)
    if source is None or source.dims is None or rest or op.extra:
        return unknown_tensor(op, "tf", () if source is None else (source,))
    if op.short == "trace":
        return like(op, source, source.dims[2:]) if len(source.dims) >= 2 else unknown_tensor(op, "tf", (source,))
    _need_square(op, source)
    made = like(op, source, source.dims[:-2], source.dtype)
    return (made, like(op, source, source.dims[:-2], source.dtype)) if op.short == "slogdet" else made


def _need_square(op: Op, source: Tensor) -> None:
    dims = source.dims or ()
    if len(dims) < 2:
        fail(op, "rank", f"a matrix must have at least 2 dimensions and has the shape {show_shape(dims)}", (source,))
    require(op, equal(dims[-1], dims[-2]), "square", f"the matrices {show_shape(dims)} must be square", (source,))


@operator(keras_ops("solve"), "a b *rest")
def solve(op: Op, a: Value, b: Value, rest: tuple[Value, ...]) -> Value:
    left, right = tensor(op, a), tensor(op, b)
    if left is None or right is None or left.dims is None or right.dims is None or len(left.dims) < 2:
        return unknown_tensor(op, "tf")
    _need_square(op, left)
    if len(left.dims) != len(right.dims):
        return unknown_tensor(op, "tf", (left, right))
    told = f"{show_shape(left.dims)} has other rows than {show_shape(right.dims)}"
    require(op, equal(left.dims[-2], right.dims[-2]), "rows", told, (left, right))
    return like(op, right, right.dims, right.dtype)


@operator(keras_ops("diagonal"), "x offset=0 axis1=0 axis2=1")
def diagonal(op: Op, x: Value, offset: Value, axis1: Value, axis2: Value) -> Value:
    """The two axes become one, at the end."""
    source = tensor(op, x)
    if source is None or source.dims is None or not isinstance(axis1, int) or not isinstance(axis2, int):
        return unknown_tensor(op, "tf")
    need_axis(op, source, axis1)
    need_axis(op, source, axis2)
    rank = len(source.dims)
    one, other = source.dims[axis1], source.dims[axis2]
    if offset != 0 or not (isinstance(one, int) and isinstance(other, int)):
        return unknown_tensor(op, "tf", (source,))
    kept = [d for i, d in enumerate(source.dims) if i not in (axis1 % rank, axis2 % rank)]
    return like(op, source, (*kept, min(one, other)), source.dtype)


@operator(keras_ops("diag"), "x k=0")
def diag(op: Op, x: Value, k: Value) -> Value:
    """A vector becomes a matrix, a matrix its diagonal."""
    source = tensor(op, x)
    if source is None or source.dims is None or not isinstance(k, int) or len(source.dims) not in (1, 2):
        return unknown_tensor(op, "tf")
    if len(source.dims) == 1:
        return like(op, source, (source.dims[0] + abs(k),) * 2, source.dtype)
    return diagonal(op, x, k, 0, 1)


@operator(keras_ops("diff"), "a n=1 axis=-1")
def diff(op: Op, a: Value, n: Value, axis: Value) -> Value:
    source = tensor(op, a)
    if source is None or source.dims is None or type(n) is not int or not isinstance(axis, int):
        return unknown_tensor(op, "tf")
    need_axis(op, source, axis)
    dims = list(source.dims)
    size = dims[axis]
    dims[axis] = max(0, size - n) if isinstance(size, int) else size - n
    return like(op, source, tuple(dims), source.dtype)


@operator(keras_ops("rot90"), "array k=1 axes=(0,1)")
def turned(op: Op, array: Value, k: Value, axes: Value) -> Value:
    source, pair = tensor(op, array), plain(op.tr, axes)
    if source is None or source.dims is None or type(k) is not int or not isinstance(pair, tuple) or len(pair) != 2:
        return unknown_tensor(op, "tf")
    dims = list(source.dims)
    one, other = pair
    if k % 2:
        dims[one], dims[other] = dims[other], dims[one]
    return like(op, source, tuple(dims), source.dtype)


@operator(keras_ops("inner"), "x1 x2")
def inner(op: Op, x1: Value, x2: Value) -> Value:
    """Over the last axes."""
    a, b = tensor(op, x1), tensor(op, x2)
    if a is None or b is None or not a.dims or not b.dims:
        return unknown_tensor(op, "tf")
    told = f"the last axes of {show_shape(a.dims)} and {show_shape(b.dims)} differ"
    require(op, equal(a.dims[-1], b.dims[-1]), "inner-size", told, (a, b))
    return like(op, a, (*a.dims[:-1], *b.dims[:-1]), a.dtype)


@operator(keras_ops("kron"), "x1 x2")
def kronecker(op: Op, x1: Value, x2: Value) -> Value:
    a, b = tensor(op, x1), tensor(op, x2)
    if a is None or b is None or a.dims is None or b.dims is None or len(a.dims) != len(b.dims):
        return unknown_tensor(op, "tf")
    return like(op, a, tuple(x * y for x, y in zip(a.dims, b.dims, strict=True)), a.dtype)


@operator(keras_ops("tensordot"), "x1 x2 axes=2")
def tensordot(op: Op, x1: Value, x2: Value, axes: Value) -> Value:
    return run_entry(op.tr, rules()["tf.tensordot"], "tf.tensordot", (*promoted(op, x1, x2), axes), {}, op.node)


@operator(keras_ops("unravel_index"), "indices shape")
def unravelled(op: Op, indices: Value, shape: Value) -> Value:
    source, sizes = tensor(op, indices), shape_value(op, shape)
    if source is None or sizes is None:
        return op.tr.unknown("unravel_index()", "imprecise")
    return tuple(like(op, source, source.shape, source.dtype) for _ in sizes)


@operator(keras_ops("isin digitize searchsorted"), "x bins *rest")
def placed(op: Op, x: Value, bins: Value, rest: tuple[Value, ...]) -> Value:
    """One result for each element; `searchsorted` looks for those of its second operand."""
    source = tensor(op, bins if op.short == "searchsorted" else x)
    if source is None:
        return unknown_tensor(op, "tf")
    return like(op, source, source.shape, "bool" if op.short == "isin" else None)


@operator(keras_ops("quantile percentile nanquantile nanpercentile"), "x q axis=None *rest keepdims=False")
def quantile(op: Op, x: Value, q: Value, axis: Value, rest: tuple[Value, ...], keepdims: Value) -> Value:
    """The axes of `q` stand first."""
    source, asked = tensor(op, x), tensor(op, q)
    if source is None or source.dims is None or asked is None or asked.dims is None or keepdims is not False or rest:
        return unknown_tensor(op, "tf")
    if axis is None:
        return like(op, source, asked.dims)
    if not isinstance(axis, int):
        return unknown_tensor(op, "tf", (source,))
    need_axis(op, source, axis)
    at = axis % len(source.dims)
    return like(op, source, (*asked.dims, *source.dims[:at], *source.dims[at + 1 :]))


@operator(keras_ops("segment_sum segment_max segment_min segment_prod"), "data segment_ids num_segments=None *rest")
def segments(op: Op, data: Value, segment_ids: Value, num_segments: Value, rest: tuple[Value, ...]) -> Value:
    """One row for each segment; the first axes of both must fit (`keras.ops.segment_sum`)."""
    source, places = tensor(op, data), tensor(op, segment_ids)
    if source is None or places is None or not source.dims or not places.dims:
        return unknown_tensor(op, "tf")
    told = f"{show_shape(source.dims)} has another number of rows than there are segment ids, {places.dims[0]}"
    require(op, equal(source.dims[0], places.dims[0]), "rows", told, (source, places))
    count = op.tr.term_of(num_segments) if num_segments is not None else None
    return like(op, source, (op.tr.fresh("segments", "unknown", 0) if count is None else count, *source.dims[1:]))


@operator(keras_ops("scatter"), "indices values shape")
def scatter(op: Op, indices: Value, values: Value, shape: Value) -> Value:
    return Tensor(shape_value(op, shape), None, "tf", site=op.where)


@operator(keras_ops("in_top_k"), "targets predictions k")
def in_top(op: Op, targets: Value, predictions: Value, k: Value) -> Value:
    source = tensor(op, targets)
    return unknown_tensor(op, "tf") if source is None else like(op, source, source.shape, "bool")


@operator(keras_ops("multi_hot"), "inputs num_classes=None axis=-1 *rest")
def multi_hot(op: Op, inputs: Value, num_classes: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    """The last axis of classes becomes one place for each class."""
    source, count = tensor(op, inputs), op.tr.term_of(num_classes) if num_classes is not None else None
    if source is None or not source.dims or count is None or axis != -1 or len(source.dims) < 2:
        return unknown_tensor(op, "tf")
    return like(op, source, (*source.dims[:-1], count))


@operator(keras_ops("bartlett blackman hamming hanning"), "x")
def window(op: Op, x: Value) -> Value:
    size = op.tr.term_of(x)
    return Tensor(None if size is None else (size,), None, "tf", site=op.where)


@operator(keras_ops("rfft"), "x fft_length=None")
def half_spectrum(op: Op, x: Value, fft_length: Value) -> Value:
    """Real and imaginary parts, of half of the last axis and one more."""
    pair = x if isinstance(x, tuple) else ()
    source = tensor(op, x) if not pair else None
    size: Term | None = op.tr.term_of(fft_length) if fft_length is not None else None
    if source is None or not source.dims or (fft_length is not None and size is None):
        return op.tr.unknown("rfft()", "imprecise")
    dims = (*source.dims[:-1], floor_div(source.dims[-1] if size is None else size, 2) + 1)
    return tuple(like(op, source, dims, source.dtype) for _ in range(2))


@operator(keras_ops("vectorized_map"), "function elements")
def mapped(op: Op, function: Value, elements: Value) -> Value:
    return run_entry(op.tr, rules()["tf.map_fn"], "tf.map_fn", (function, elements), {}, op.node)


@operator(keras_ops("fori_loop"), "lower upper body_fun init_val")
def counted(op: Op, lower: Value, upper: Value, body_fun: Value, init_val: Value) -> Value:
    """A body keeps the shape of what it is given: one round tells whether it fits."""
    made = call(op.tr, body_fun, (lower, init_val), {})
    return (
        made
        if isinstance(made, Tensor) and isinstance(init_val, Tensor) and made.dims == init_val.dims
        else (op.tr.unknown("result of a loop", "imprecise"))
    )


@operator(keras_ops("cond"), "pred true_fn false_fn")
def chosen(op: Op, pred: Value, true_fn: Value, false_fn: Value) -> Value:
    return run_entry(op.tr, rules()["tf.cond"], "tf.cond", (pred, true_fn, false_fn), {}, op.node)


@operator(keras_ops("glu"), "x axis=-1")
def gated(op: Op, x: Value, axis: Value) -> Value:
    source = tensor(op, x)
    if source is None or source.dims is None or not isinstance(axis, int):
        return unknown_tensor(op, "tf")
    need_axis(op, source, axis)
    dims = list(source.dims)
    if isinstance(dims[axis], int) and dims[axis] % 2:
        fail(op, "half", f"axis {axis} of {show_shape(source.dims)} must be even", (source,))
    dims[axis] = floor_div(dims[axis], 2)
    return like(op, source, tuple(dims), source.dtype)


@operator(keras_ops("dot_product_attention"), "query key value *rest")
def attention(op: Op, query: Value, key: Value, value: Value, rest: tuple[Value, ...]) -> Value:
    """(batch, time, heads, features) each; keys and values share their time (`keras.ops.nn.dot_product_attention`)."""
    found = [tensor(op, v) for v in (query, key, value)]
    dims: list[Any] = [f.dims for f in found if f is not None and f.dims is not None]
    if len(dims) < 3 or any(len(d) != 4 for d in dims):
        return unknown_tensor(op, "tf")
    q, k, v = dims
    kept = tuple(f for f in found if f is not None)
    require(op, equal(q[3], k[3]), "features", f"the query has {q[3]} features but the key {k[3]}", kept)
    require(op, equal(k[1], v[1]), "positions", f"the key has {k[1]} positions but the value {v[1]}", kept)
    return like(op, kept[0], (*q[:3], v[3]), kept[0].dtype)


@operator(keras_ops("extract_sequences"), "x sequence_length sequence_stride *rest")
def sequences(op: Op, x: Value, sequence_length: Value, sequence_stride: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, x)
    length, stride = op.tr.term_of(sequence_length), op.tr.term_of(sequence_stride)
    if source is None or not source.dims or length is None or not isinstance(stride, int) or stride < 1:
        return unknown_tensor(op, "tf")
    count = floor_div(source.dims[-1] - length, stride) + 1
    return like(op, source, (*source.dims[:-1], count, length), source.dtype)


@operator(keras_ops("hsplit vsplit dsplit"), "x indices_or_sections")
def split_along(op: Op, x: Value, indices_or_sections: Value) -> Value:
    source = tensor(op, x)
    rank = len(source.dims) if source is not None and source.dims is not None else 0
    axis = {"v": 0, "h": 0 if rank == 1 else 1, "d": 2}[op.short[0]]
    return run_entry(op.tr, rules()["keras.ops.split"], "keras.ops.split", (x, indices_or_sections, axis), {}, op.node)


@operator(keras_ops("average"), "x axis=None weights=None")
def average(op: Op, x: Value, axis: Value, weights: Value) -> Value:
    return run_entry(op.tr, rules()["keras.ops.mean"], "keras.ops.mean", (x, axis), {}, op.node)


@operator(keras_ops("append"), "x1 x2 axis=None")
def append(op: Op, x1: Value, x2: Value, axis: Value) -> Value:
    a, b = tensor(op, x1), tensor(op, x2)
    if a is None or b is None or a.dims is None or b.dims is None:
        return unknown_tensor(op, "tf")
    if axis is None:
        return like(op, a, (product(a.dims) + product(b.dims),), a.dtype)
    return run_entry(op.tr, rules()["tf.concat"], "tf.concat", (ListV([a, b]), axis), {}, op.node)


@operator(keras_ops("corrcoef"), "x")
def correlations(op: Op, x: Value) -> Value:
    source = tensor(op, x)
    return like(op, source, (source.dims[0],) * 2) if source is not None and source.dims else unknown_tensor(op, "tf")


@operator(keras_ops("nonzero"), "x")
def nonzero(op: Op, x: Value) -> Value:
    """One vector of places for each axis, all of one unknown length."""
    source = tensor(op, x)
    if source is None or source.dims is None:
        return op.tr.unknown("nonzero()", "imprecise")
    count = op.tr.fresh("nonzero", "unknown", 0)
    return tuple(Tensor((count,), None, "tf", site=op.where) for _ in source.dims)
