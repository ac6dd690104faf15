"""TensorFlow: reshapes, transposes, added and removed axes, shapes as values."""

from __future__ import annotations

from analyzer.tracing.language.tensors import OpenSize, Size, Tensor, show_shape
from analyzer.tracing.language.values import Unknown, Value
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.element_types import asked_type
from analyzer.tracing.operators.hyperparameters import dropped, plain
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import like, shape_value, tensor
from analyzer.tracing.operators.torch_shape_rules import advise_batch, possible_shape
from analyzer.validity.terms import Poly, equal, product

# ------------------------------------------------------------------------------------------------ new shapes


@operator("tf.reshape", "tensor shape *rest")
def reshape(op: Op, tensor: Value, shape: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor_of(op.tr, tensor, "tf")
    if isinstance(shape, (int, Poly)) and not isinstance(shape, bool):
        shape = (shape,)
    dims = shape_value(op, shape)
    if source is None:
        return unknown_tensor(op, "tf")

    if dims is None:
        rank = shape.dims[0] if isinstance(shape, Tensor) and shape.dims and isinstance(shape.dims[0], int) else None
        return like(
            op,
            source,
            tuple(op.tr.fresh("reshape", "derived", 0, graph=source.graph) for _ in range(rank))
            if rank is not None
            else None,
            source.dtype,
        )
    negative = [d for d in dims if isinstance(d, Poly) and d.interval.lo < 0]
    if source.dims is None and not negative:
        possible_shape(op, source, dims)
    if source.dims is None or negative:
        return like(
            op,
            source,
            tuple(
                op.tr.fresh("reshape", "derived", 0, graph=source.graph)
                if (isinstance(d, int) and d == -1) or d in negative
                else d
                for d in dims
            ),
            source.dtype,
        )
    advise_batch(op, source, dims)
    same = Tensor(
        source.shape, source.dtype, "tf", site=source.site, name=source.name, sources=(source,), graph=source.graph
    )
    same.operation = source.operation
    result = apply(op, "torch", "reshape", (same,), {"shape": dims})
    if isinstance(result, Tensor):
        result.framework = "tf"
        result.value = source.value if isinstance(source.value, tuple) and len(dims) == 1 else None
    return result


@operator(
    "tf.layers.flatten tf.contrib.layers.flatten tf.contrib.slim.flatten tf.compat.v1.layers.flatten", "inputs *rest"
)
def flatten(op: Op, inputs: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, inputs)
    if source is None or source.dims is None or len(source.dims) < 1:
        return like(op, source, None) if source is not None else unknown_tensor(op, "tf")
    return like(op, source, (source.dims[0], product(source.dims[1:])), source.dtype, tags=source.tags)


@operator("tf.shape", "input out_type=None name=None")
def shape(op: Op, input: Value, out_type: Value, name: Value) -> Value:
    source = tensor(op, input)
    if source is None:
        return unknown_tensor(op, "tf")
    if source.dims is None:
        return Unknown("a shape", "data", "shape") if not source.graph else OpenSize(source)
    return Tensor(
        (len(source.dims),),
        asked_type(out_type, "int32"),
        "tf",
        site=op.where,
        value=tuple(source.dims),
        sources=(source,),
        graph=source.graph,
    )


@operator("tf.rank", "input *rest")
def rank(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, input)
    return (
        Tensor((), "int32", "tf", value=op.tr.rank_of(source))
        if source is not None
        else unknown_tensor(op, "tf", (), ())
    )


@operator("tf.size", "input out_type=None name=None")
def size(op: Op, input: Value, out_type: Value, name: Value) -> Value:
    source = tensor(op, input)
    count = product(source.dims) if source is not None and source.dims is not None else None
    return Tensor((), asked_type(out_type, "int32"), "tf", value=count)


@operator("tf.TensorShape", "dims")
def tensor_shape(op: Op, dims: Value) -> Value:
    found = plain(op.tr, dims)
    return Size(found) if isinstance(found, tuple) else op.tr.unknown("a shape", "data")


@operator("tf.expand_dims", "input axis=None name=None dim=None")
def expand_dims(op: Op, input: Value, axis: Value, name: Value, dim: Value) -> Value:
    source = tensor(op, input)
    axis = axis if axis is not None else dim
    if source is None or source.dims is None or not isinstance(axis, int):
        return like(op, source, None) if source is not None else unknown_tensor(op, "tf")
    rank_ = len(source.dims)
    if not -rank_ - 1 <= axis <= rank_:
        fail(op, "axis-in-range", f"axis {axis} is out of range for a tensor of {rank_} dimensions", (source,))
    position = axis % (rank_ + 1)
    return like(op, source, (*source.dims[:position], 1, *source.dims[position:]), source.dtype, tags=source.tags)


@operator("tf.squeeze", "input axis=None name=None squeeze_dims=None")
def squeeze(op: Op, input: Value, axis: Value, name: Value, squeeze_dims: Value) -> Value:
    source = tensor(op, input)
    axes = plain(op.tr, axis if axis is not None else squeeze_dims)
    if source is None or source.dims is None or dropped(axes):
        return like(op, source, None) if source is not None else unknown_tensor(op, "tf")
    if axes is None or axes == ():
        if any(isinstance(d, Poly) for d in source.dims):
            known = [d for d in source.dims if d != 1]
            batch = all(
                isinstance(d, int) or op.tr.symbols.kind(next(iter(d.symbols)).name) == "batch" for d in source.dims
            )
            return like(op, source, known if batch else None, source.dtype)
        return like(op, source, [d for d in source.dims if d != 1], source.dtype)
    numbers = axes if isinstance(axes, tuple) else (axes,)
    chosen = set()
    for number in numbers:
        if not isinstance(number, int):
            return like(op, source, None)
        if not -len(source.dims) <= number < len(source.dims):
            fail(
                op,
                "axis-in-range",
                f"axis {number} is out of range for a tensor of {len(source.dims)} dimensions",
                (source,),
            )
        require(
            op,
            equal(source.dims[number], 1),
            "squeeze",
            (
                f"axis {number} of {show_shape(source.dims)} has size {source.dims[number]}; only an "
                "axis of size 1 can be squeezed"
            ),
            (source,),
        )
        chosen.add(number % len(source.dims))
    return like(op, source, [d for i, d in enumerate(source.dims) if i not in chosen], source.dtype, tags=source.tags)


@operator("tf.transpose tf.linalg.matrix_transpose", "a perm=None *rest")
def transpose(op: Op, a: Value, perm: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, a)
    if source is None or source.dims is None:
        return like(op, source, None) if source is not None else unknown_tensor(op, "tf")
    order = plain(op.tr, perm) if perm is not None else tuple(reversed(range(len(source.dims))))
    if op.short == "matrix_transpose":
        order = (*range(len(source.dims) - 2), len(source.dims) - 1, len(source.dims) - 2)
    if dropped(order) or not isinstance(order, tuple) or not all(isinstance(i, int) for i in order):
        return like(op, source, None)
    if len(order) != len(source.dims) or {i % len(order) for i in order} != set(range(len(order))):
        fail(
            op,
            "permutation",
            f"perm {list(order)} does not permute the {len(source.dims)} dimensions of {show_shape(source.dims)}",
            (source,),
        )
    return like(op, source, [source.dims[i] for i in order], source.dtype)
