"""torch: products, einsum, where, split."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.tracing.language.iteration import SLICES
from analyzer.tracing.language.tensors import Making, Shape, Tensor
from analyzer.tracing.language.values import ListV, Unknown, Value
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.axis_names import tell_renamed
from analyzer.tracing.operators.element_values import count_true
from analyzer.tracing.operators.linear import matmul as product_of
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import Term

MOST_PARTS = 4096  # of a tensor that are told one by one
MOST_CHUNKS = 64  # of a size that is not known


@operator("torch.matmul Tensor.matmul Tensor.__matmul__ numpy.matmul", "input other")
def matmul(op: Op, input: Value, other: Value) -> Value:
    framework = "numpy" if op.name.startswith("numpy") else "torch"
    if op.extra.get("axes") is not None or op.extra.get("axis") is not None:
        return unknown_tensor(op, framework)  # of other axes than the last
    return product_of(op, input, other, framework)


@operator("torch.baddbmm Tensor.baddbmm", "input batch1 batch2 beta=1 alpha=1")
def baddbmm(op: Op, input: Value, batch1: Value, batch2: Value, beta: Value, alpha: Value) -> Value:
    return apply(op, "torch", "bmm", (batch1, batch2))


@operator("torch.outer torch.ger", "a|input b|vec2")
def outer(op: Op, a: Value, b: Value) -> Value:
    x, y = tensor_of(op.tr, a, "torch"), tensor_of(op.tr, b, "torch")
    if x is None or y is None or x.dims is None or y.dims is None or len(x.dims) != 1 or len(y.dims) != 1:
        return unknown_tensor(op, "torch")
    dtype = x.dtype if x.dtype == y.dtype else None
    return Tensor((x.dims[0], y.dims[0]), dtype, "torch", site=op.where, sources=(x, y))


@operator("torch.einsum", "equation *operands")
def einsum(op: Op, equation: Value, operands: tuple[Value, ...]) -> Value:
    if len(operands) == 1 and isinstance(operands[0], (ListV, tuple)):
        operands = tuple(operands[0].items if isinstance(operands[0], ListV) else operands[0])
    if not isinstance(equation, str):
        return unknown_tensor(op, "torch")
    _rank_by_letters(op, equation, operands)
    result = apply(op, "torch", "einsum", operands, {"equation": equation})
    tell_renamed(op, operands, equation)
    if isinstance(result, Tensor) and result.making is None:  # of what is no tensor but here, nobody else notes it
        result.making = Making(op.name, (equation, *operands), {}, result.memory.writes)
    return result


def _rank_by_letters(op: Op, equation: str, operands: tuple[Value, ...]) -> None:
    """An operand of unknown rank has as many axes as its letters say."""
    parts = equation.replace(" ", "").partition("->")[0].split(",")
    for operand, letters in zip(operands, parts, strict=False):
        found = tensor_of(op.tr, operand, "torch") if isinstance(operand, (Tensor, Unknown)) else None
        if found is not None and found.dims is None and letters.isalpha():
            op.tr.set_rank(found, len(letters))


@operator("opt_einsum.contract", "equation *operands")
def contract(op: Op, equation: Value, operands: tuple[Value, ...]) -> Value:
    """The same in the best order, for the arrays of any framework."""
    frameworks = {o.framework for o in operands if isinstance(o, Tensor)}
    if frameworks and frameworks != {"torch"}:
        return op.tr.unknown_call("opt_einsum.contract")
    return einsum(op, equation, operands)


@operator("torch.where", "condition input=None other=None")
def where(op: Op, condition: Value, input: Value, other: Value) -> Value:
    if input is None:
        chosen = tensor_of(op.tr, condition, "torch")
        if chosen is None or chosen.dims is None:
            return op.tr.unknown("torch.where(condition)", "data")
        found = count_true(chosen.value)
        count = op.tr.fresh("true", "unknown", 0) if found is None else found
        places = (Tensor((count,), "int64", "torch", site=op.where, sources=(chosen,)) for _ in chosen.dims or (1,))
        return tuple(places)
    return apply(op, "torch", "where", (condition, input, other))


@operator(
    "torch.split Tensor.split Tensor.chunk torch.chunk torch.split_with_sizes torch.unsafe_split torch.unsafe_chunk",
    "tensor|input number|chunks|split_size_or_sections|split_size|split_sizes dim=0",
)
def split(op: Op, tensor: Value, number: Value, dim: Value) -> Value:
    name = "chunk" if op.short.endswith("chunk") else "split"
    key = "split_size_or_sections" if name == "split" else "chunks"
    return apply_many(op, name, tensor, {key: number, "dim": dim})


@operator("Tensor.unbind torch.unbind", "tensor|input dim=0")
def unbind(op: Op, tensor: Value, dim: Value) -> Value:
    found, result = tensor_of(op.tr, tensor, "torch"), apply_many(op, "unbind", tensor, {"dim": dim})
    if found is None or not found.dims or not isinstance(result, Unknown) or not isinstance(dim, int):
        return result
    dims = found.dims
    if -len(dims) <= dim < len(dims):
        rest = (d for axis, d in enumerate(dims) if axis != dim % len(dims))
        rows = Tensor((dims[dim], *rest), found.dtype, "torch", site=op.where, sources=(found,))
        result.attrs[SLICES] = rows  # who unpacks it says how many there are
    return result


def apply_many(op: Op, name: str, tensor: Value, hyper: dict[str, Value]) -> Value:
    found = tensor_of(op.tr, tensor, "torch")
    if found is not None and found.dims is None and hyper["dim"] == -1 and name != "unbind":
        return _asked_for(op, name, found, hyper, _last_axis(op, name, found, hyper))
    if found is None or found.dims is None:
        return _asked_for(op, name, found, hyper, op.tr.unknown(f"{name}()", "foreign"))
    if _parts(name, found.dims, hyper) > MOST_PARTS:
        return op.tr.unknown(f"{name}() into many parts", "foreign")
    result = apply(op, "torch", name, (found,), hyper)
    if isinstance(result, Tensor):
        known = result.dims is not None
        return (result,) if known else _asked_for(op, name, found, hyper, op.tr.unknown(f"{name}()", "foreign"))
    return result


def _asked_for(op: Op, name: str, source: Tensor | None, hyper: dict[str, Value], result: Value) -> Value:
    """As many chunks as were asked for, where their sizes are not known: there may be fewer, which nobody means."""
    chunks, dim = hyper.get("chunks"), hyper["dim"]
    if name != "chunk" or not isinstance(result, Unknown) or not isinstance(chunks, int) or chunks > MOST_CHUNKS:
        return result
    result.parts = max(chunks, 0)
    if source is not None and source.dims is not None and isinstance(dim, int) and -len(source.dims) <= dim:
        axis = dim % len(source.dims)
        for index in range(result.parts):
            dims = (*source.dims[:axis], op.tr.fresh("chunk", "derived", 1), *source.dims[axis + 1 :])
            result.items[index] = Tensor(dims, source.dtype, source.framework, site=op.where, sources=(source,))
    return result


def _parts(name: str, dims: Sequence[Term], hyper: dict[str, Value]) -> int:
    """How many parts there are; 0 where that is not known."""
    dim, number = hyper["dim"], hyper.get("chunks", hyper.get("split_size_or_sections", 1))
    known = isinstance(dim, int) and -len(dims) <= dim < len(dims)
    size = dims[dim] if known and isinstance(dim, int) else None
    if not isinstance(size, int) or not isinstance(number, int) or number < 1:
        return 0
    return min(number, size) if name == "chunk" else -(-size // number)


def _last_axis(op: Op, name: str, source: Tensor, hyper: dict[str, Value]) -> Value:
    """Parts of the last axis of a tensor whose rank is not known."""
    row = Tensor((op.tr.dimension(source, -1),), source.dtype, source.framework, sources=(source,))
    parts = apply(op, "torch", name, (row,), {**hyper, "dim": 0})
    if not isinstance(parts, tuple) or any(p.dims is None for p in parts):
        return op.tr.unknown(f"{name}()", "foreign")
    found = []
    for part in parts:
        shape = Shape(None, vague=source.shape.vague)
        shape.back[-1] = part.dims[0]
        found.append(Tensor(shape, source.dtype, source.framework, site=op.where, sources=(source,)))
    return tuple(found)
