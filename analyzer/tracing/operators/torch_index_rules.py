"""torch: gather and scatter, sizes, padding, attention."""

from __future__ import annotations

from analyzer.tracing.language.packed_sequences import packing_of
from analyzer.tracing.language.tensors import Size, Tensor
from analyzer.tracing.language.values import DictV, ListV, SliceV, Unknown, Value
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.hyperparameters import dropped, plain
from analyzer.tracing.operators.index_values import check_along
from analyzer.tracing.operators.indexing import check_assigned, index_tensor
from analyzer.tracing.operators.operands import items_of, tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import axis_of, shape_argument
from analyzer.tracing.operators.trainable import choose_trained
from analyzer.validity.terms import equal, product


@operator(
    ("torch.gather Tensor.gather torch.index_select Tensor.index_select"),
    "input dim index *rest",
)
def gather(op: Op, input: Value, dim: Value, index: Value, rest: tuple[Value, ...]) -> Value:
    result = apply(op, "torch", op.short, (input, index), {"dim": dim})
    check_along(op, input, dim, index)
    return result


@operator("torch.unravel_index", "indices shape")
def unravel_index(op: Op, indices: Value, shape: Value) -> Value:
    """The places of flat numbers, a tensor for each axis."""
    found, dims = tensor_of(op.tr, indices, "torch"), shape_argument(op, (shape,))
    if found is None or dims is None:
        return op.tr.unknown("unravel_index()")
    return tuple(Tensor(found.shape, "int64", "torch", site=op.where, sources=(found,)) for _ in dims)


@operator("torch.ops.aten.slice", "input dim=0 start=None end=None step=1")
def sliced(op: Op, input: Value, dim: Value, start: Value, end: Value, step: Value) -> Value:
    """`input[:, start:end:step]` along the axis."""
    whole = tensor_of(op.tr, input, "torch")
    axis = axis_of(op, whole, dim) if whole is not None else None
    if whole is None or axis is None:
        return unknown_tensor(op, "torch")
    return index_tensor(op.tr, whole, (*(SliceV(),) * axis, SliceV(start, end, step)), op.node)


@operator(
    "Tensor.masked_scatter_ Tensor.index_fill Tensor.index_fill_ torch.index_fill",
    "input *rest",
)
def refilled(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    return input


@operator("torch.index_put Tensor.index_put Tensor.index_put_", "input indices values *rest")
def index_put(op: Op, input: Value, indices: Value, values: Value, rest: tuple[Value, ...]) -> Value:
    """`input[indices] = values`, or in a copy."""
    owner, places = tensor_of(op.tr, input, "torch"), tuple(items_of(indices))
    if owner is not None and places:
        check_assigned(op, owner, places, tensor_of(op.tr, values, "torch"))
    return (
        input
        if op.short.endswith("_") or owner is None
        else Tensor(owner.shape, owner.dtype, "torch", site=op.where, sources=(owner,))
    )


@operator("torch.take_along_dim Tensor.take_along_dim", "input indices dim=None")
def take_along(op: Op, input: Value, indices: Value, dim: Value) -> Value:
    """Both are broadcast, but along the axis, which has the places' size."""
    x, places = tensor_of(op.tr, input, "torch"), tensor_of(op.tr, indices, "torch")
    if x is None or places is None or x.dims is None or places.dims is None:
        return unknown_tensor(op, "torch")
    if dim is None:
        return Tensor((product(places.dims),), x.dtype, "torch", site=op.where, sources=(x, places))
    axis = axis_of(op, x, dim)
    if axis is None or len(x.dims) != len(places.dims):
        return unknown_tensor(op, "torch", (x, places))
    dims = [p if i == axis or p != 1 else d for i, (d, p) in enumerate(zip(x.dims, places.dims, strict=True))]
    return Tensor(tuple(dims), x.dtype, "torch", site=op.where, sources=(x, places))


@operator("torch.broadcast_tensors", "*tensors")
def broadcast_tensors(op: Op, tensors: tuple[Value, ...]) -> Value:
    given = [tensor_of(op.tr, value, "torch") for value in tensors]
    if not given or any(t is None for t in given):
        return op.tr.unknown("broadcast tensors", "foreign")
    common: Value = given[0]
    for tensor in given[1:]:
        common = broadcast(op, "+", common, tensor, "torch")
    if not isinstance(common, Tensor):
        return op.tr.unknown("broadcast tensors", "foreign")
    return tuple(
        Tensor(common.shape, t.dtype, "torch", site=op.where, sources=(t, common)) for t in given if t is not None
    )


@operator("torch.broadcast_shapes", "*shapes")
def broadcast_shapes(op: Op, shapes: tuple[Value, ...]) -> Value:
    common: Value = Tensor((), "float32", "torch", site=op.where)
    for shape in shapes:
        dims = shape_argument(op, (shape,))
        if dims is None:
            return op.tr.unknown("a shape")
        common = broadcast(op, "+", common, Tensor(dims, "float32", "torch", site=op.where), "torch")
    if not isinstance(common, Tensor) or common.dims is None:
        return op.tr.unknown("a shape")
    return Size(common.dims)


@operator("Tensor.sum_to_size", "input *size")
def sum_to_size(op: Op, input: Value, size: tuple[Value, ...]) -> Value:
    return Tensor(shape_argument(op, size), None, "torch", site=op.where)


@operator("torch.trace torch.dist", "*args")
def scalar(op: Op, args: tuple[Value, ...]) -> Value:
    return Tensor((), None, "torch", site=op.where)


@operator("torch.numel", "input")
def numel(op: Op, input: Value) -> Value:
    source = tensor_of(op.tr, input, "torch")
    return (
        product(source.dims)
        if source is not None and source.dims is not None
        else op.tr.unknown("a size", "data", pytype="int")
    )


@operator("torch.Size", "value=()")
def size_object(op: Op, value: Value) -> Value:
    dims = plain(op.tr, value)
    return Size(dims) if isinstance(dims, tuple) else op.tr.unknown("a size", "data")


@operator("torch.nn.Parameter torch.nn.parameter.Parameter torch.nn.Buffer", "data=None requires_grad=True")
def parameter(op: Op, data: Value, requires_grad: Value) -> Value:
    choose_trained(op.tr, requires_grad if op.short == "Parameter" else True)
    if isinstance(data, Tensor):
        own = () if op.short == "Parameter" else (data,)  # a buffer is no parameter
        return Tensor(data.shape, data.dtype, "torch", site=op.where, sources=own, tags=frozenset(("variable",)))
    return data if isinstance(data, Unknown) else unknown_tensor(op, "torch")


@operator("torch.overrides.is_tensor_like", "inp")
def is_tensor_like(op: Op, inp: Value) -> Value:
    """A tensor, or an object whose class says so itself."""
    plain = inp is None or isinstance(inp, (Tensor, bool, int, float, str, bytes, tuple, ListV, DictV))
    return isinstance(inp, Tensor) if plain else op.tr.unknown("a type test", pytype="bool")


@operator("torch.is_tensor", "value")
def is_tensor(op: Op, value: Value) -> Value:
    if packing_of(value) is not None:
        return False
    return (
        op.tr.unknown("a type test", value.origin, pytype="bool")
        if isinstance(value, Unknown)
        else isinstance(value, Tensor)
    )


@operator("torch.nn.functional.pad", "input pad mode='constant' value=None")
def pad(op: Op, input: Value, pad: Value, mode: Value, value: Value) -> Value:
    amounts = plain(op.tr, pad)
    if dropped(amounts) or not isinstance(amounts, tuple):
        return unknown_tensor(op, "torch")
    return apply(op, "torch", "pad", (input,), {"pad": amounts, "mode": mode if isinstance(mode, str) else "constant"})


@operator("torch.nn.functional.scaled_dot_product_attention", "query key value *rest")
def attention(op: Op, query: Value, key: Value, value: Value, rest: tuple[Value, ...]) -> Value:
    q, k, v = (tensor_of(op.tr, t, "torch") for t in (query, key, value))
    if (
        q is None
        or k is None
        or v is None
        or q.dims is None
        or k.dims is None
        or v.dims is None
        or min(len(q.dims), len(k.dims), len(v.dims)) < 2
    ):
        return unknown_tensor(op, "torch")
    require(
        op,
        equal(q.dims[-1], k.dims[-1]),
        "size",
        f"the query has {q.dims[-1]} features but the key {k.dims[-1]}",
        (q, k),
    )
    require(
        op,
        equal(k.dims[-2], v.dims[-2]),
        "size",
        f"the key has {k.dims[-2]} positions but the value {v.dims[-2]}",
        (k, v),
    )
    if not len(q.dims) == len(k.dims) == len(v.dims):
        return unknown_tensor(op, "torch", (q, k, v))
    lead = (next((d for d in ds if d != 1), 1) for ds in zip(q.dims[:-2], k.dims[:-2], v.dims[:-2], strict=True))
    return Tensor((*lead, q.dims[-2], v.dims[-1]), q.dtype, "torch", site=op.where, sources=(q, k, v))
