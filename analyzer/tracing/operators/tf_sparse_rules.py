"""TensorFlow: sparse tensors, of which the shape is followed, and what is made of them."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.tensors import Size, Tensor, show_shape
from analyzer.tracing.language.values import Api, ListV, Object, Value
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.operands import items_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import shape_value
from analyzer.tracing.operators.tf_operands import tensor as tensor_
from analyzer.validity.terms import equal

SPARSE = "sparse tensor"


def sparse_tensor(op: Op, dims: Any, dtype: str | None, indices: Value = None, values: Value = None) -> Object:
    count = op.tr.fresh("entries", "unknown", 0)
    places = Tensor((count, len(dims)) if dims is not None else None, "int64", "tf", site=op.where)
    held = Tensor((count,), dtype, "tf", site=op.where)
    attrs = {"indices": places if indices is None else indices, "values": held if values is None else values}
    if dims is not None:
        sizes = ListV(dims)
        attrs |= {"shape": Size(dims), "dense_shape": call(op.tr, Api("tf.constant"), (sizes,), {"dtype": "int64"})}
    return Object(SPARSE, attrs, {"dims": dims, "dtype": dtype}, op.where)


def _shape(op: Op, value: Value) -> tuple[Any, str | None] | None:
    """The shape and element type of a sparse tensor, or of a placeholder for one."""
    if isinstance(value, Object) and value.kind == SPARSE:
        return value.data["dims"], value.data["dtype"]
    return (value.dims, value.dtype) if isinstance(value, Tensor) else None


@operator("tf.SparseTensor tf.sparse.SparseTensor tf.SparseTensorValue", "indices values dense_shape *rest")
def made(op: Op, indices: Value, values: Value, dense_shape: Value, rest: tuple[Value, ...]) -> Value:
    dims = shape_value(op, dense_shape)
    places, held = tensor_(op, indices), tensor_(op, values)
    if places is not None and held is not None and places.dims is not None and held.dims is not None:
        told = f"the indices have the shape {show_shape(places.dims)} and the values {show_shape(held.dims)}"
        if len(places.dims) == 2 and len(held.dims) == 1:
            require(op, equal(places.dims[0], held.dims[0]), "entries", told, (places, held))
            if dims is not None:
                require(op, equal(places.dims[1], len(dims)), "rank", f"{told}; the rank is {len(dims)}", (places,))
    return sparse_tensor(op, dims, None if held is None else held.dtype, places, held)


@operator("tf.sparse.from_dense", "tensor *rest")
def from_dense(op: Op, tensor: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor_(op, tensor)
    return sparse_tensor(op, None if source is None else source.dims, None if source is None else source.dtype)


@operator("tf.sparse.to_dense tf.sparse_tensor_to_dense", "sp_input *rest")
def to_dense(op: Op, sp_input: Value, rest: tuple[Value, ...]) -> Value:
    found = _shape(op, sp_input)
    return unknown_tensor(op, "tf") if found is None else Tensor(found[0], found[1], "tf", site=op.where)


@operator(
    "tf.sparse.reorder tf.sparse.softmax tf.sparse.retain tf.sparse_reorder tf.sparse_retain",
    "sp_input *rest",
)
def same_shape(op: Op, sp_input: Value, rest: tuple[Value, ...]) -> Value:
    found = _shape(op, sp_input)
    return op.tr.unknown("a sparse tensor") if found is None else sparse_tensor(op, *found)


@operator("tf.sparse.sparse_dense_matmul tf.sparse_tensor_dense_matmul", "sp_a b adjoint_a=False adjoint_b=False *rest")
def product(op: Op, sp_a: Value, b: Value, adjoint_a: Value, adjoint_b: Value, rest: tuple[Value, ...]) -> Value:
    """Of two matrices, one of which is sparse."""
    first, second = _shape(op, sp_a), _shape(op, b) or _shape(op, tensor_(op, b))
    if first is None or second is None or first[0] is None or second[0] is None:
        return unknown_tensor(op, "tf")
    if not isinstance(adjoint_a, bool) or not isinstance(adjoint_b, bool):
        return unknown_tensor(op, "tf")
    left, right = first[0][::-1] if adjoint_a else first[0], second[0][::-1] if adjoint_b else second[0]
    sources = tuple(v for v in (sp_a, b) if isinstance(v, Tensor))
    told = f"the matrices {show_shape(left)} and {show_shape(right)} do not fit"
    if len(left) != 2 or len(right) != 2:
        fail(op, "rank", told, sources)
    require(op, equal(left[1], right[0]), "inner-size", told, sources)
    graph = any(s.graph for s in sources)
    return Tensor((left[0], right[1]), second[1], "tf", site=op.where, sources=sources, graph=graph)


@operator("tf.sparse.reshape tf.sparse_reshape", "sp_input shape *rest")
def reshaped(op: Op, sp_input: Value, shape: Value, rest: tuple[Value, ...]) -> Value:
    found, dims = _shape(op, sp_input), shape_value(op, shape)
    known = dims is not None and -1 not in dims
    return sparse_tensor(op, dims if known else None, None if found is None else found[1])


@operator("tf.sparse.transpose tf.sparse_transpose", "sp_input perm=None *rest")
def transposed(op: Op, sp_input: Value, perm: Value, rest: tuple[Value, ...]) -> Value:
    found, order = _shape(op, sp_input), plain(op.tr, perm) if perm is not None else None
    if found is None or found[0] is None:
        return op.tr.unknown("a sparse tensor")
    axes = tuple(range(len(found[0])))[::-1] if perm is None else order
    if not isinstance(axes, tuple) or sorted(axes, key=str) != list(range(len(found[0]))):
        return op.tr.unknown("a sparse tensor")
    return sparse_tensor(op, tuple(found[0][a] for a in axes), found[1])


@operator("tf.sparse.expand_dims", "sp_input axis=-1 *rest")
def expanded(op: Op, sp_input: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    found = _shape(op, sp_input)
    if found is None or found[0] is None or type(axis) is not int:
        return op.tr.unknown("a sparse tensor")
    at = axis if axis >= 0 else axis + len(found[0]) + 1
    return sparse_tensor(op, (*found[0][:at], 1, *found[0][at:]), found[1])


@operator("tf.sparse.reduce_sum tf.sparse.reduce_max tf.sparse_reduce_sum", "sp_input axis=None keepdims=False *rest")
def reduced(op: Op, sp_input: Value, axis: Value, keepdims: Value, rest: tuple[Value, ...]) -> Value:
    found = _shape(op, sp_input)
    if found is None or found[0] is None or not isinstance(keepdims, bool):
        return unknown_tensor(op, "tf")
    dense = Tensor(found[0], found[1], "tf", site=op.where)
    return call(op.tr, Api("tf.reduce_sum"), (dense, axis), {"keepdims": keepdims})


@operator("tf.sparse.concat", "axis sp_inputs *rest")
def joined(op: Op, axis: Value, sp_inputs: Value, rest: tuple[Value, ...]) -> Value:
    found = [_shape(op, v) for v in items_of(sp_inputs)]
    if any(f is None or f[0] is None for f in found):
        return op.tr.unknown("a sparse tensor")
    parts = ListV([Tensor(f[0], f[1], "tf", site=op.where) for f in found if f is not None])
    whole = call(op.tr, Api("tf.concat"), (parts, axis), {})
    return sparse_tensor(op, whole.dims, whole.dtype) if isinstance(whole, Tensor) else op.tr.unknown("a sparse tensor")


@operator("tf.sparse.add", "a b *rest")
def added(op: Op, a: Value, b: Value, rest: tuple[Value, ...]) -> Value:
    first, second = _shape(op, a), _shape(op, b)
    if first is None or second is None or first[0] is None or second[0] is None:
        return op.tr.unknown("a sum", "imprecise")
    told = f"the tensors {show_shape(first[0])} and {show_shape(second[0])} differ"
    if len(first[0]) != len(second[0]):
        fail(op, "rank", told)
    if isinstance(a, Object) and isinstance(b, Object):
        return sparse_tensor(op, *first)
    return Tensor(first[0], first[1], "tf", site=op.where)


@operator("tf.sparse.eye", "num_rows num_columns=None *rest")
def eye(op: Op, num_rows: Value, num_columns: Value, rest: tuple[Value, ...]) -> Value:
    rows, columns = op.tr.term_of(num_rows), op.tr.term_of(num_rows if num_columns is None else num_columns)
    return sparse_tensor(op, None if rows is None or columns is None else (rows, columns), "float32")


@operator("tf.sparse.placeholder tf.sparse_placeholder", "dtype shape=None *rest")
def placeholder(op: Op, dtype: Value, shape: Value, rest: tuple[Value, ...]) -> Value:
    return call(op.tr, Api("tf.placeholder"), (dtype, shape), {})


# ------------------------------------------------------------------------------------------ rows by their places


@operator("tf.IndexedSlices", "values indices dense_shape=None")
def slices(op: Op, values: Value, indices: Value, dense_shape: Value) -> Value:
    return Object(
        "rows by their places", {"values": values, "indices": indices, "dense_shape": dense_shape}, {}, op.where
    )
