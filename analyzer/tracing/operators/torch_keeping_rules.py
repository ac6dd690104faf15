"""torch: functions that keep the shape of their operand, lookups."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.construction import check_probability
from analyzer.tracing.operators.element_types import dtype_name
from analyzer.tracing.operators.element_values import running
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.index_values import check_indices
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import axis_of
from analyzer.tracing.operators.typed import floating
from analyzer.tracing.paths.attained import making_of


@operator(
    "torch.zeros_like torch.ones_like torch.rand_like torch.randn_like torch.empty_like "
    "torch.full_like "
    "torch.tril torch.triu torch.isnan torch.isinf "
    "torch.isfinite torch.logical_not "
    "torch.sigmoid_ torch.nn.functional.dropout2d torch.nn.functional.dropout1d "
    "torch.nn.functional.dropout3d "
    "torch.nn.functional.alpha_dropout torch.expm1 torch.trunc torch.frac "
    "torch.nn.functional.prelu "
    "torch.nn.functional.threshold torch.lgamma torch.digamma torch.angle "
    "torch.conj torch.nn.functional.rrelu torch.nn.functional.gumbel_softmax "
    "torch.poisson torch.hardshrink torch.dequantize torch.threshold torch.threshold_ torch.rrelu torch.rrelu_ "
    "torch.celu_ torch.selu_ Tensor.hardshrink",
    "input *rest",
)
def same_shape(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    found = tensor_of(op.tr, input, "torch")
    if found is None:
        return unknown_tensor(op, "torch")
    dtype = (
        dtype_name(op.extra["dtype"])
        if op.extra.get("dtype") is not None
        else "bool"
        if op.short.startswith("is") or op.short == "logical_not"
        else floating(op.short, found.dtype)
    )
    return Tensor(found.shape, dtype, "torch", site=op.where, sources=(found,), graph=found.graph, tags=found.tags)


@operator("torch.bernoulli", "input *rest")
def bernoulli(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    """Draws with the probabilities that it is given, or with `p` for every element."""
    found = tensor_of(op.tr, input, "torch")
    if found is not None and all(isinstance(d, int) and d > 0 for d in found.dims or (0,)):
        stated = op.extra.get("p", rest[0] if rest else None)
        check_probability(op, "the probability", _filled_with(found) if stated is None else stated)
    return same_shape(op, input, rest)


def _filled_with(tensor: Tensor) -> Value:
    """The number that every element is; None where it is not known to be one."""
    making = making_of(tensor)
    if making is None or making.name != "torch.full":
        return None
    return making.args[1] if len(making.args) > 1 else making.kwargs.get("fill_value")


@operator(
    "torch.cumsum Tensor.cumsum torch.cumprod Tensor.cumprod torch.argsort Tensor.argsort "
    "torch.logcumsumexp Tensor.logcumsumexp",
    "input dim=-1 *rest",
)
def along(op: Op, input: Value, dim: Value, rest: tuple[Value, ...]) -> Value:
    """The same shape; the axis must exist."""
    found = tensor_of(op.tr, input, "torch")
    if found is None:
        return unknown_tensor(op, "torch")
    axis_of(op, found, op.extra.get("axis", dim))
    whole = (found.dtype or "").startswith(("int", "uint", "bool"))  # sums and products of these are int64
    dtype = "int64" if op.short == "argsort" or (whole and op.short != "logcumsumexp") else found.dtype
    if op.extra.get("dtype") is not None:
        dtype = dtype_name(op.extra["dtype"])
    elements = running(op.short, found.value) if op.extra.get("dtype") is None else None
    return Tensor(
        found.shape, dtype, found.framework, site=op.where, value=elements, sources=(found,), graph=found.graph
    )


@operator("torch.nn.functional.normalize", "input p=2.0 dim=1 *rest")
def normalize(op: Op, input: Value, p: Value, dim: Value, rest: tuple[Value, ...]) -> Value:
    return along(op, input, dim, ())


@operator("torch.flip Tensor.flip", "input *dims")
def flip(op: Op, input: Value, dims: tuple[Value, ...]) -> Value:
    return _at_axes(op, input, dims[0] if len(dims) == 1 else dims or op.extra.get("dims"))


@operator("torch.roll Tensor.roll", "input shifts dims=None")
def roll(op: Op, input: Value, shifts: Value, dims: Value) -> Value:
    return _at_axes(op, input, dims)


def _at_axes(op: Op, input: Value, axes: Value) -> Value:
    found = tensor_of(op.tr, input, "torch")
    if found is None:
        return unknown_tensor(op, "torch")
    chosen = plain(op.tr, axes) if axes is not None else ()
    for axis in chosen if isinstance(chosen, tuple) else (chosen,):
        axis_of(op, found, axis)
    return Tensor(found.shape, found.dtype, found.framework, site=op.where, sources=(found,), graph=found.graph)


@operator("torch.is_floating_point Tensor.is_floating_point torch.is_complex Tensor.is_complex", "input")
def of_kind(op: Op, input: Value) -> Value:
    found = tensor_of(op.tr, input, "torch")
    if found is None or found.dtype is None:
        return op.tr.unknown("a type test", "data", op.short, "bool")
    return "complex" in found.dtype if op.short == "is_complex" else "float" in found.dtype


@operator("torch.nn.functional.embedding", "input weight *rest")
def embedding(op: Op, input: Value, weight: Value, rest: tuple[Value, ...]) -> Value:
    x, table = tensor_of(op.tr, input, "torch"), tensor_of(op.tr, weight, "torch")
    if x is None or table is None or x.dims is None or not table.dims:
        return unknown_tensor(op, "torch")
    check_indices(op, x, table.dims[0], "a table")
    return Tensor((*x.dims, table.dims[-1]), table.dtype, "torch", site=op.where, sources=(x, table))


@operator("torch.nn.Identity.__call__", "layer input")
def identity(op: Op, layer: Value, input: Value) -> Value:
    """What it is given, tensor or not."""
    return input
