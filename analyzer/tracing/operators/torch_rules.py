"""torch functions and tensor methods that no refinement type covers alone: creation, reductions, shape arguments."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.operators.apply import apply, dropped, fail, plain, require, tensor_of, unknown_tensor
from analyzer.tracing.operators.element_types import dtype_name
from analyzer.tracing.operators.elementwise import broadcast, unary
from analyzer.tracing.operators.linear import matmul as product_of
from analyzer.tracing.operators.strides import viewed
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.values import Fields, ListV, OpenSize, Size, Tensor, Unknown, Value, show_shape
from analyzer.validity.terms import Poly, equal, product


def shape_argument(op: Op, parts: tuple[Value, ...]) -> tuple[Any, ...] | None:
    """`(2, 3)`, `[2, 3]` or `2, 3` as dimensions; None when the number of dimensions is not known."""
    if len(parts) == 1 and isinstance(parts[0], (tuple, ListV, Tensor, OpenSize)):
        value = plain(op.tr, parts[0])
        return (
            value if isinstance(value, tuple) and all(not isinstance(v, (tuple, str, float)) for v in value) else None
        )
    if len(parts) == 1 and isinstance(parts[0], Unknown) and parts[0].pytype != "int" and parts[0].term is None:
        return None
    dims = []
    for part in parts:
        term = op.tr.term_of(part, "size")
        if term is None:
            return None
        dims.append(term)
    return tuple(dims)


def made(op: Op, dims: Any, dtype: str | None = "float32") -> Tensor:
    given = op.extra.get("dtype")
    if given is not None:
        dtype = dtype_name(given)
    if dims is not None:
        for size in dims:
            if isinstance(size, int) and size < 0:
                fail(op, "positive", f"a dimension of {show_shape(dims)} is negative")
    return Tensor(dims, dtype, "torch", site=op.where)


@operator("torch.zeros torch.ones torch.rand torch.randn torch.empty", "*size")
def create(op: Op, size: tuple[Value, ...]) -> Value:
    if not size and "size" in op.extra:
        size = (op.extra["size"],)
    return made(op, shape_argument(op, size))


@operator("torch.Tensor torch.FloatTensor torch.cuda.FloatTensor torch.DoubleTensor", "*size")
def create_typed(op: Op, size: tuple[Value, ...]) -> Value:
    if len(size) == 1 and not isinstance(size[0], (int, Poly)):
        return tensor_like(op, size[0], "float32")
    return made(op, shape_argument(op, size))


@operator("torch.LongTensor torch.cuda.LongTensor torch.IntTensor torch.ByteTensor", "*size")
def create_integers(op: Op, size: tuple[Value, ...]) -> Value:
    if len(size) == 1 and not isinstance(size[0], (int, Poly)):
        return tensor_like(op, size[0], "int64")
    return made(op, shape_argument(op, size), "int64")


def tensor_like(op: Op, data: Value, dtype: str | None) -> Tensor:
    found = tensor_of(op.tr, data, "torch")
    if found is None:
        return unknown_tensor(op, "torch")
    return Tensor(found.shape, dtype, "torch", site=op.where, value=found.value, sources=(found,))


@operator(
    ("torch.tensor torch.as_tensor torch.from_numpy torch.autograd.Variable torch.asarray"),
    "data dtype=None device=None requires_grad=False",
)
def convert(op: Op, data: Value, dtype: Value, device: Value, requires_grad: Value) -> Value:
    found = tensor_of(op.tr, data, "torch")
    if found is None:
        return unknown_tensor(op, "torch")
    kept = (
        dtype_name(dtype)
        if dtype is not None
        else found.dtype
        if isinstance(data, Tensor) and found.dtype in ("int64", "bool", "uint8")
        else None
    )
    if dtype is None and isinstance(data, (ListV, tuple)) and isinstance(found.value, tuple):
        kept = "int64"
    return Tensor(found.shape, kept, "torch", site=op.where, value=found.value, sources=(found,), tags=found.tags)


@operator("torch.full", "size fill_value")
def full(op: Op, size: Value, fill_value: Value) -> Value:
    return made(op, shape_argument(op, (size,)), None)


@operator("torch.randint", "*args")
def randint(op: Op, args: tuple[Value, ...]) -> Value:
    size = op.extra.get("size", args[-1] if len(args) >= 2 else None)
    return made(op, shape_argument(op, (size,)), "int64")


@operator("torch.normal", "mean std=None size=None")
def normal(op: Op, mean: Value, std: Value, size: Value) -> Value:
    if size is not None:
        return made(op, shape_argument(op, (size,)))
    found = mean if isinstance(mean, Tensor) else std
    return unary(op.tr, found, "normal") if isinstance(found, Tensor) else unknown_tensor(op, "torch")


@operator("torch.arange torch.range", "*args")
def arange(op: Op, args: tuple[Value, ...]) -> Value:
    start = op.extra.get("start", args[0] if len(args) > 1 else 0)
    end = op.extra.get("end", args[1] if len(args) > 1 else args[0] if args else None)
    step = op.extra.get("step", args[2] if len(args) > 2 else 1)
    a, b, c = (op.tr.term_of(v) if not isinstance(v, float) else None for v in (start, end, step))
    length: Any = None
    if a is not None and b is not None and isinstance(c, int) and c > 0:
        length = b - a if c == 1 else (b - a + c - 1) // c
        if isinstance(length, int) and length < 0:
            length = None
    return made(
        op,
        (length if length is not None else op.tr.fresh("arange", "unknown", 0),),
        None if op.extra.get("dtype") else "int64",
    )


@operator("torch.linspace torch.logspace", "start end steps=100")
def linspace(op: Op, start: Value, end: Value, steps: Value) -> Value:
    term = op.tr.term_of(steps)
    return made(op, (term if term is not None else op.tr.fresh("steps", "unknown", 0),))


@operator("torch.eye", "n m=None")
def eye(op: Op, n: Value, m: Value) -> Value:
    rows, columns = op.tr.term_of(n), op.tr.term_of(m if m is not None else n)
    return made(op, None if rows is None or columns is None else (rows, columns))


@operator("torch.randperm", "n")
def randperm(op: Op, n: Value) -> Value:
    term = op.tr.term_of(n)
    return made(op, (term,) if term is not None else None, "int64")


@operator(
    "torch.zeros_like torch.ones_like torch.rand_like torch.randn_like torch.empty_like "
    "torch.full_like torch.bernoulli "
    "torch.tril torch.triu torch.isnan torch.isinf "
    "torch.isfinite "
    "torch.sigmoid_ torch.nn.functional.dropout2d torch.nn.functional.dropout1d "
    "torch.nn.functional.dropout3d torch.fft.fft "
    "torch.fft.ifft torch.nn.functional.alpha_dropout torch.expm1 torch.trunc torch.frac "
    "torch.nn.functional.instance_norm torch.nn.functional.prelu "
    "torch.nn.functional.threshold torch.lgamma torch.digamma torch.softmax_ torch.angle "
    "torch.conj torch.nn.functional.rrelu torch.nn.functional.gumbel_softmax",
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
        if op.short.startswith("is")
        else found.dtype
    )
    return Tensor(found.shape, dtype, "torch", site=op.where, sources=(found,), graph=found.graph, tags=found.tags)


@operator(
    "torch.cumsum Tensor.cumsum torch.cumprod Tensor.cumprod torch.argsort Tensor.argsort "
    "torch.cumsum_ torch.logcumsumexp Tensor.logcumsumexp",
    "input dim=-1 *rest",
)
def along(op: Op, input: Value, dim: Value, rest: tuple[Value, ...]) -> Value:
    """The same shape; the axis must exist."""
    found = tensor_of(op.tr, input, "torch")
    if found is None:
        return unknown_tensor(op, "torch")
    axis_of(op, found, op.extra.get("axis", dim))
    dtype = "int64" if op.short == "argsort" or found.dtype == "bool" else found.dtype
    return Tensor(found.shape, dtype, found.framework, site=op.where, sources=(found,), graph=found.graph)


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


@operator("torch.nn.functional.batch_norm torch.batch_norm", "input running_mean weight=None bias=None *rest")
def batch_norm(op: Op, input: Value, running_mean: Value, weight: Value, bias: Value, rest: tuple[Value, ...]) -> Value:
    found = tensor_of(op.tr, input, "torch")
    return (
        Tensor(found.shape, found.dtype, "torch", site=op.where, sources=(found,))
        if found is not None
        else unknown_tensor(op, "torch")
    )


@operator("torch.nn.functional.layer_norm torch.nn.functional.rms_norm", "input normalized_shape *rest")
def layer_norm(op: Op, input: Value, normalized_shape: Value, rest: tuple[Value, ...]) -> Value:
    return apply(op, "torch", "LayerNorm", (input,), {"normalized_shape": normalized_shape})


@operator("torch.nn.functional.group_norm", "input num_groups *rest")
def group_norm(op: Op, input: Value, num_groups: Value, rest: tuple[Value, ...]) -> Value:
    found = tensor_of(op.tr, input, "torch")
    if found is None or found.dims is None or len(found.dims) < 2:
        return same_shape(op, input, ())
    return apply(op, "torch", "GroupNorm", (input,), {"num_groups": num_groups, "num_channels": found.dims[1]})


@operator("torch.nn.functional.embedding", "input weight *rest")
def embedding(op: Op, input: Value, weight: Value, rest: tuple[Value, ...]) -> Value:
    x, table = tensor_of(op.tr, input, "torch"), tensor_of(op.tr, weight, "torch")
    if x is None or table is None or x.dims is None or not table.dims:
        return unknown_tensor(op, "torch")
    return Tensor((*x.dims, table.dims[-1]), table.dtype, "torch", site=op.where, sources=(x, table))


# ----------------------------------------------------------------------------------------------- new shapes


def _fits(op: Op, value: Value) -> tuple[Any, ...] | None:
    return shape_argument(op, value if isinstance(value, tuple) else (value,))


@operator("torch.reshape Tensor.reshape torch.Tensor.view Tensor.view numpy.Tensor.reshape", "input *shape")
def reshape(op: Op, input: Value, shape: tuple[Value, ...]) -> Value:
    return reshaped(op, input, shape or (op.extra.get("shape", ()),))


def reshaped(op: Op, input: Value, shape: tuple[Value, ...], framework: str = "torch") -> Value:
    if len(shape) == 1 and dtype_name(shape[0]) is not None:
        return same_shape(op, input, ())
    source = tensor_of(op.tr, input, framework)
    dims = shape_argument(op, shape)
    if dims is None or source is None:
        return unknown_tensor(op, source.framework if source else framework, (source,) if source else ())
    if "shape" not in op.nodes and op.node is not None and len(shape) > 1:
        import ast

        op.nodes = {"shape": ast.Tuple(list(op.node.args[-len(shape) :]), ast.Load())}
    if any(isinstance(d, Poly) and d.interval.lo < 0 for d in dims):
        # an unknown number may be -1: "whatever is left"
        return unknown_tensor(
            op,
            source.framework,
            (source,),
            tuple(
                d
                if (isinstance(d, int) and d >= 0) or (isinstance(d, Poly) and d.interval.lo >= 0)
                else op.tr.fresh("reshape", "derived", 0)
                for d in dims
            ),
        )
    if source.dims is None:
        known = tuple(op.tr.fresh("reshape", "derived", 0) if isinstance(d, int) and d == -1 else d for d in dims)
        return unknown_tensor(op, source.framework, (source,), known)
    advise_batch(op, source, dims)
    result = apply(op, "torch", "reshape", (source,), {"shape": dims})
    if op.short == "view" and source.framework == "torch" and source.strides is not None and isinstance(result, Tensor):
        _need_view(op, source, result)
    if isinstance(result, Tensor):
        result.framework = source.framework
        result.graph = source.graph
    return result


def _need_view(op: Op, source: Tensor, result: Tensor) -> None:
    """`view` copies nothing, so the layout in memory must allow it."""
    if source.dims is None or source.strides is None or result.dims is None:
        return
    if viewed(source.dims, source.strides, result.dims) is False:
        sentence = (
            f"{show_shape(source.dims)} is not contiguous (strides {show_shape(source.strides)}), so it cannot be "
            f"viewed as {show_shape(result.dims)}; use reshape, or contiguous() before view"
        )
        fail(op, "contiguous", sentence, (source,))


def advise_batch(op: Op, source: Tensor, dims: tuple[Any, ...]) -> None:
    """A reshape to `[-1, k]` that only fits because rows are taken from the batch axis."""
    if (
        source.dims is None
        or ("batch" not in source.tags and not _has_batch(op, source))
        or len(dims) < 2
        or dims[0] != -1
        or len(source.dims) < 2
    ):
        return
    rest, before = product(dims[1:]), product(source.dims[1:])
    if isinstance(rest, int) and isinstance(before, int) and rest != before and rest > 0:
        verdict = (before * 10**6) % rest
        del verdict
        if before % rest != 0 or len(dims) == len(source.dims) == 2:
            op.tr.advise(
                "tracing/batch-axis-reshaped",
                (
                    f"{show_shape(source.dims)} reshaped to {show_shape(dims)} changes the batch axis: "
                    f"each row has {before} elements, the new rows {rest}"
                ),
                op.where,
                "reshape",
            )


def _has_batch(op: Op, source: Tensor) -> bool:
    first = source.dims[0] if source.dims else None
    return isinstance(first, Poly) and all(op.tr.symbols.kind(s.name) == "batch" for s in first.symbols)


@operator("Tensor.view_as Tensor.reshape_as", "input other")
def view_as(op: Op, input: Value, other: Value) -> Value:
    target = tensor_of(op.tr, other, "torch")
    if target is None or target.dims is None:
        return unknown_tensor(op, "torch")
    return reshaped(op, input, target.dims)


@operator("Tensor.expand_as", "input other")
def expand_as(op: Op, input: Value, other: Value) -> Value:
    target = tensor_of(op.tr, other, "torch")
    if target is None or target.dims is None:
        return unknown_tensor(op, "torch")
    return apply(op, "torch", "expand", (input,), {"size": target.dims})


@operator("Tensor.expand torch.broadcast_to", "input *size")
def expand(op: Op, input: Value, size: tuple[Value, ...]) -> Value:
    dims = shape_argument(op, size)
    if dims is None:
        return unknown_tensor(op, "torch")
    if any(isinstance(d, Poly) and d.interval.lo < 0 for d in dims):
        return unknown_tensor(op, "torch", (), tuple(op.tr.fresh("expand", "derived", 0) for _ in dims))
    return apply(op, "torch", "expand", (input,), {"size": dims})


@operator("Tensor.repeat torch.tile Tensor.tile", "input *repeats")
def repeat(op: Op, input: Value, repeats: tuple[Value, ...]) -> Value:
    """`tile` takes fewer numbers than dimensions, `repeat` does not."""
    dims = shape_argument(op, repeats or (op.extra.get("dims", op.extra.get("repeats")),))
    source = tensor_of(op.tr, input, "torch")
    if dims is None or source is None or (op.short == "tile" and source.dims is None):
        return unknown_tensor(op, "torch")
    if op.short == "tile":
        dims = (1,) * (len(source.dims or ()) - len(dims)) + dims
    return apply(op, "torch", "repeat", (source,), {"repeats": dims})


@operator("torch.repeat_interleave Tensor.repeat_interleave", "input repeats dim=None *rest")
def repeat_interleave(op: Op, input: Value, repeats: Value, dim: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor_of(op.tr, input, "torch")
    if source is None or source.dims is None or isinstance(dim, Unknown):
        return unknown_tensor(op, "torch")
    times = op.tr.term_of(repeats) if isinstance(repeats, (int, Poly, Unknown)) else None
    if dim is not None and not source.dims:
        fail(op, "axis-in-range", "a tensor without dimensions has no axis to repeat", (source,))
    axis = axis_of(op, source, dim) if dim is not None else None
    if times is None:
        length = op.tr.fresh("repeated", "unknown", 0)
    else:
        length = times * (product(source.dims) if axis is None else source.dims[axis])
    dims = (length,) if axis is None else (*source.dims[:axis], length, *source.dims[axis + 1 :])
    return Tensor(dims, source.dtype, "torch", site=op.where, sources=(source,))


def axis_of(op: Op, source: Tensor, axis: Value) -> int | None:
    """The axis counted from the front; fails where there is none; None when it is not known."""
    if not isinstance(axis, int) or source.dims is None:
        return None
    rank = max(len(source.dims), 1)
    if not -rank <= axis < rank:
        sentence = f"axis {axis} is out of range for a tensor of {len(source.dims)} dimensions"
        fail(op, "axis-in-range", f"{sentence} (shape {show_shape(source.dims)})", (source,))
    return axis % rank


@operator("Tensor.permute torch.permute", "input *dims")
def permute(op: Op, input: Value, dims: tuple[Value, ...]) -> Value:
    axes = plain(
        op.tr, dims[0] if len(dims) == 1 and isinstance(dims[0], (tuple, ListV)) else dims or op.extra.get("dims")
    )
    if dropped(axes) or not isinstance(axes, tuple):
        return unknown_tensor(op, "torch")
    return apply(op, "torch", "permute", (input,), {"dims": axes})


@operator("torch.movedim Tensor.movedim torch.moveaxis Tensor.moveaxis", "input source destination")
def moved(op: Op, input: Value, source: Value, destination: Value) -> Value:
    tensor = tensor_of(op.tr, input, "torch")
    pairs = [v if isinstance(v, tuple) else (v,) for v in (plain(op.tr, source), plain(op.tr, destination))]
    if tensor is None or tensor.dims is None or len(pairs[0]) != len(pairs[1]):
        return unknown_tensor(op, "torch")
    taken, wanted = ([axis_of(op, tensor, a) for a in axes] for axes in pairs)
    if None in taken or None in wanted:
        return unknown_tensor(op, "torch")
    left = iter(i for i in range(len(tensor.dims)) if i not in taken)
    order = [taken[wanted.index(i)] if i in wanted else next(left) for i in range(len(tensor.dims))]
    return apply(op, "torch", "permute", (tensor,), {"dims": tuple(order)})


@operator("Tensor.transpose_ torch.swapdims Tensor.swapdims torch.swapaxes", "input dim0 dim1")
def swapped(op: Op, input: Value, dim0: Value, dim1: Value) -> Value:
    return apply(op, "torch", "transpose", (input,), {"dim0": dim0, "dim1": dim1})


@operator("Tensor.flatten torch.flatten", "input start_dim=0 end_dim=-1")
def flatten(op: Op, input: Value, start_dim: Value, end_dim: Value) -> Value:
    found = tensor_of(op.tr, input, "torch")
    if found is not None and found.framework == "numpy":
        return reshaped(op, found, (-1,))
    return apply(op, "torch", "flatten", (input,), {"start_dim": start_dim, "end_dim": end_dim, "module": False})


@operator("Tensor.ravel torch.ravel numpy.ravel", "input *rest")
def ravel(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    return reshaped(op, input, (-1,))


@operator(
    ("Tensor.new_zeros Tensor.new_ones Tensor.new_empty Tensor.new_tensor Tensor.new Tensor.resize_"), "input *size"
)
def new(op: Op, input: Value, size: tuple[Value, ...]) -> Value:
    if op.short in ("new_tensor", "new"):
        return unknown_tensor(op, "torch")
    return Tensor(shape_argument(op, size), getattr(input, "dtype", None), "torch", site=op.where)


@operator("Tensor.new_full", "input size fill_value")
def new_full(op: Op, input: Value, size: Value, fill_value: Value) -> Value:
    return Tensor(shape_argument(op, (size,)), None, "torch", site=op.where)


@operator(
    (
        "torch.unflatten Tensor.unfold Tensor.as_strided torch.meshgrid torch.nonzero torch.unique "
        "torch.masked_select torch.bincount"
    ),
    "*args",
)
def data_dependent(op: Op, args: tuple[Value, ...]) -> Value:
    if op.short in ("meshgrid", "unique"):
        return op.tr.unknown(op.short, "data")
    return unknown_tensor(op, "torch")


@operator("torch.matmul torch.mm_ Tensor.matmul Tensor.__matmul__ numpy.matmul", "input other")
def matmul(op: Op, input: Value, other: Value) -> Value:
    framework = "numpy" if op.name.startswith("numpy") else "torch"
    return product_of(op, input, other, framework)


@operator("torch.baddbmm Tensor.baddbmm", "input batch1 batch2 beta=1 alpha=1")
def baddbmm(op: Op, input: Value, batch1: Value, batch2: Value, beta: Value, alpha: Value) -> Value:
    return apply(op, "torch", "bmm", (batch1, batch2))


@operator("torch.outer torch.ger", "a b")
def outer(op: Op, a: Value, b: Value) -> Value:
    x, y = tensor_of(op.tr, a, "torch"), tensor_of(op.tr, b, "torch")
    if x is None or y is None or x.dims is None or y.dims is None or len(x.dims) != 1 or len(y.dims) != 1:
        return unknown_tensor(op, "torch")
    return Tensor((x.dims[0], y.dims[0]), x.dtype, "torch", site=op.where, sources=(x, y))


@operator("torch.einsum", "equation *operands")
def einsum(op: Op, equation: Value, operands: tuple[Value, ...]) -> Value:
    if len(operands) == 1 and isinstance(operands[0], (ListV, tuple)):
        operands = tuple(operands[0].items if isinstance(operands[0], ListV) else operands[0])
    if not isinstance(equation, str):
        return unknown_tensor(op, "torch")
    return apply(op, "torch", "einsum", operands, {"equation": equation})


@operator("torch.where", "condition input=None other=None")
def where(op: Op, condition: Value, input: Value, other: Value) -> Value:
    if input is None:
        return op.tr.unknown("torch.where(condition)", "data")
    return apply(op, "torch", "where", (condition, input, other))


@operator("torch.split Tensor.split Tensor.chunk torch.chunk Tensor.unbind torch.unbind", "tensor number=0 dim=0")
def split(op: Op, tensor: Value, number: Value, dim: Value) -> Value:
    if op.short == "unbind":
        axis = number if isinstance(number, int) else 0
        return apply_many(op, "unbind", tensor, {"dim": op.extra.get("dim", axis)})
    key = "split_size_or_sections" if op.short == "split" else "chunks"
    if isinstance(number, int) and number == 0:
        number = op.extra.get("split_size_or_sections", op.extra.get("split_size", op.extra.get("chunks", 1)))
    return apply_many(op, op.short, tensor, {key: number, "dim": dim})


def apply_many(op: Op, name: str, tensor: Value, hyper: dict[str, Value]) -> Value:
    found = tensor_of(op.tr, tensor, "torch")
    if found is None or found.dims is None:
        return op.tr.unknown(f"{name}()", "data")
    result = apply(op, "torch", name, (found,), hyper)
    if isinstance(result, Tensor):
        known = result.dims is not None
        return (result,) if known else op.tr.unknown(f"{name}()", "data")
    return result


# ------------------------------------------------------------------------------------------------ reductions

_REDUCTIONS = "sum mean prod std var amax amin logsumexp norm any all median nanmean nansum nanmedian count_nonzero"


def reduced_dims(op: Op, source: Tensor, axes: Value, keep: Value) -> tuple[Any, ...] | None:
    """The shape after a reduction; None when it is not known."""
    axes = plain(op.tr, axes) if axes is not None else None
    if dropped(axes) or isinstance(keep, Unknown) or source.dims is None:
        return None
    rank = len(source.dims)
    numbers = range(rank) if axes is None or axes == () else axes if isinstance(axes, tuple) else (axes,)
    chosen = set()
    for axis in numbers:
        if not isinstance(axis, int):
            return None
        if not -max(rank, 1) <= axis < max(rank, 1):
            fail(
                op,
                "axis-in-range",
                (f"axis {axis} is out of range for a tensor of {rank} dimensions (shape {show_shape(source.dims)})"),
                (source,),
            )
        place = axis % rank if rank else 0
        if place in chosen and source.framework in ("torch", "tf"):
            fail(op, "axis-twice", f"axis {axis} is reduced twice (shape {show_shape(source.dims)})", (source,))
        chosen.add(place)
    return tuple(1 if keep else 0 for _ in ()) or tuple(
        d if i not in chosen else 1 for i, d in enumerate(source.dims) if i not in chosen or keep
    )


@operator(
    " ".join(f"torch.{n} Tensor.{n}" for n in _REDUCTIONS.split()) + " torch.linalg.norm torch.linalg.vector_norm",
    "input *rest",
)
def reduce(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor_of(op.tr, input, "torch")
    if source is None:
        return unknown_tensor(op, "torch")
    extra = dict(op.extra)
    position = 1 if op.short in ("norm", "vector_norm") else 0
    axes = extra.get("dim", extra.get("axis", rest[position] if len(rest) > position else None))
    if isinstance(axes, bool) or (op.short in ("std", "var") and isinstance(axes, bool)):
        axes = None
    keep = extra.get(
        "keepdim",
        extra.get(
            "keepdims", rest[position + 1] if len(rest) > position + 1 and op.short not in ("std", "var") else False
        ),
    )
    dims = () if axes is None and not keep else reduced_dims(op, source, axes, keep)
    if op.short in ("amax", "amin", "median") and (axes is None or isinstance(axes, int)):
        _not_empty(op, source, axes)
    if op.short in ("median", "nanmedian", "mode") and axes is not None:
        return _valued(op, source, dims)
    dtype = "bool" if op.short in ("any", "all") else source.dtype
    return Tensor(
        dims,
        dtype,
        source.framework if source.framework != "unknown" else "torch",
        site=op.where,
        sources=(source,),
        graph=source.graph,
    )


@operator("torch.max torch.min Tensor.max Tensor.min", "input *rest")
def extremum(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor_of(op.tr, input, "torch")
    if source is None:
        return unknown_tensor(op, "torch")
    axis = op.extra.get("dim", rest[0] if rest else op.extra.get("axis"))
    if source.framework == "numpy":
        return Tensor(
            () if axis is None else reduced_dims(op, source, axis, op.extra.get("keepdims", False)),
            source.dtype,
            "numpy",
            site=op.where,
        )
    if isinstance(axis, Tensor):
        return broadcast(op, "maximum", source, axis, "torch")
    if axis is None:
        _not_empty(op, source, None)
        return Tensor((), source.dtype, "torch", site=op.where, sources=(source,))
    dims = reduced_dims(op, source, axis, op.extra.get("keepdim", rest[1] if len(rest) > 1 else False))
    _not_empty(op, source, axis)
    _advise_axis(op, source, axis)
    return _valued(op, source, dims)


def _valued(op: Op, source: Tensor, dims: Any) -> Value:
    """What `max`, `sort` and `topk` give: values and where they stood."""
    values = Tensor(dims, source.dtype, "torch", site=op.where, name="values", sources=(source,))
    places = Tensor(
        dims, "int64", "torch", site=op.where, name="indices", sources=(source,), tags=frozenset(("classes",))
    )
    return Fields((values, places), ("values", "indices"))


def _not_empty(op: Op, source: Tensor, axis: Value) -> None:
    """The largest of nothing does not exist."""
    if not source.dims:
        return
    if axis is None:
        empty = any(d == 0 for d in source.dims)
    else:
        place = axis_of(op, source, axis)
        empty = place is not None and source.dims[place] == 0
    if empty:
        fail(op, "not-empty", f"the axis to reduce is empty (shape {show_shape(source.dims)})", (source,))


@operator("torch.argmax torch.argmin Tensor.argmax Tensor.argmin", "input dim=None keepdim=False")
def argmax(op: Op, input: Value, dim: Value, keepdim: Value) -> Value:
    source = tensor_of(op.tr, input, "torch")
    if source is None:
        return unknown_tensor(op, "torch")
    dim = op.extra.get("axis", dim)
    if dim is not None:
        _advise_axis(op, source, dim)
    dims = () if dim is None else reduced_dims(op, source, dim, keepdim)
    if source.framework == "torch":
        _not_empty(op, source, dim)
    return Tensor(
        dims,
        "int64",
        source.framework,
        site=op.where,
        sources=(source,),
        tags=frozenset(("classes",)),
        graph=source.graph,
    )


def _advise_axis(op: Op, source: Tensor, axis: Value) -> None:
    advise_argmax(op, source, axis)


def advise_argmax(op: Op, source: Tensor, axis: Value) -> None:
    """The position of the largest of one is always 0."""
    if (
        source.dims
        and isinstance(axis, int)
        and -len(source.dims) <= axis < len(source.dims)
        and source.dims[axis] == 1
        and len(source.dims) > 1
    ):
        op.tr.advise(
            "tracing/argmax-over-size-one",
            (
                f"{op.short} over axis {axis} of shape {show_shape(source.dims)}: that axis has size "
                "1, so the index is always 0"
            ),
            op.where,
            op.short,
        )


@operator(
    (
        "torch.softmax torch.nn.functional.softmax torch.nn.functional.log_softmax "
        "torch.log_softmax Tensor.softmax Tensor.log_softmax"
    ),
    "input dim=None",
)
def softmax(op: Op, input: Value, dim: Value) -> Value:
    source = tensor_of(op.tr, input, "torch")
    if source is not None:
        advise_softmax(op, source, dim)
    result = apply(op, "torch", "softmax" if op.short == "softmax" else "log_softmax", (input,), {"dim": dim})
    if isinstance(result, Tensor) and op.short == "softmax":
        result.tags |= {"probabilities"}
    return result


def advise_softmax(op: Op, source: Tensor, axis: Value) -> None:
    """Softmax over the rows of a batch normalises over examples instead of classes."""
    if (
        source.dims
        and len(source.dims) == 2
        and axis in (0, -2)
        and not isinstance(axis, bool)
        and ("batch" in source.tags or _has_batch(op, source))
    ):
        op.tr.advise(
            "tracing/softmax-over-batch",
            (
                f"softmax over axis {axis} of shape {show_shape(source.dims)} normalises over the "
                "batch, so the classes of one example do not sum to 1"
            ),
            op.where,
            "softmax",
        )


@operator(
    ("torch.sort Tensor.sort torch.topk Tensor.topk torch.kthvalue Tensor.kthvalue torch.cummax torch.cummin"),
    "input k=None dim=-1 *rest",
)
def ordered(op: Op, input: Value, k: Value, dim: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor_of(op.tr, input, "torch")
    if source is None:
        return unknown_tensor(op, "torch")
    if op.short in ("sort", "cummax", "cummin"):
        axis_of(op, source, op.extra.get("dim", k if k is not None else -1))
        return _valued(op, source, source.shape)
    if op.short == "kthvalue":
        return _valued(op, source, reduced_dims(op, source, dim, op.extra.get("keepdim", rest[0] if rest else False)))
    result = apply(op, "torch", "topk", (source,), {"k": k, "dim": dim})
    if isinstance(result, tuple):
        return Fields(result, ("values", "indices"))
    return _valued(op, source, result.shape) if isinstance(result, Tensor) else result


@operator(
    ("torch.gather Tensor.gather torch.index_select Tensor.index_select torch.take_along_dim Tensor.take_along_dim"),
    "input dim index *rest",
)
def gather(op: Op, input: Value, dim: Value, index: Value, rest: tuple[Value, ...]) -> Value:
    if op.short == "take_along_dim":
        dim, index = index, dim
    return apply(op, "torch", op.short, (input, index), {"dim": dim})


@operator(
    (
        "torch.scatter Tensor.scatter Tensor.scatter_ Tensor.scatter_add Tensor.scatter_add_ "
        "Tensor.index_add_ Tensor.index_copy_ Tensor.masked_scatter torch.scatter_add"
    ),
    "input *rest",
)
def scatter(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    return input


@operator("Tensor.sum_to_size torch.trace torch.det torch.logdet torch.dist torch.numel_", "*args")
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
    if isinstance(data, Tensor):
        return Tensor(data.shape, data.dtype, "torch", site=op.where, tags=frozenset(("variable",)))
    return data if isinstance(data, Unknown) else unknown_tensor(op, "torch")


@operator("torch.is_tensor", "value")
def is_tensor(op: Op, value: Value) -> Value:
    return (
        op.tr.unknown("a type test", value.origin, pytype="bool")
        if isinstance(value, Unknown)
        else isinstance(value, Tensor)
    )


@operator("torch.nn.functional.pad Tensor.pad", "input pad mode='constant' value=None")
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
    return Tensor((*q.dims[:-1], v.dims[-1]), q.dtype, "torch", site=op.where, sources=(q, k, v))


@operator(
    (
        "torch.load torch.jit.load torch.hub.load torch.device torch.no_grad "
        "torch.set_grad_enabled torch.enable_grad torch.autocast"
    ),
    "*args",
)
def outside(op: Op, args: tuple[Value, ...]) -> Value:
    op.tr.types_open = op.tr.types_open or op.short == "autocast"
    return op.tr.unknown(op.short, "data", op.short)


@operator(
    (
        "torch.manual_seed torch.set_default_dtype torch.cuda.manual_seed torch.save "
        "torch.set_num_threads torch.cuda.manual_seed_all torch.nn.init.normal_ "
        "torch.nn.init.xavier_uniform_"
    ),
    "*args",
)
def nothing(op: Op, args: tuple[Value, ...]) -> Value:
    op.tr.types_open = op.tr.types_open or op.short == "set_default_dtype"
    return args[0] if op.short.endswith("_") and args else None


@operator("torch.nn.utils.rnn.pack_padded_sequence", "input lengths batch_first=False enforce_sorted=True")
def pack(op: Op, input: Value, lengths: Value, batch_first: Value, enforce_sorted: Value) -> Value:
    return input


@operator("torch.nn.utils.rnn.pad_packed_sequence", "sequence batch_first=False *rest")
def unpack(op: Op, sequence: Value, batch_first: Value, rest: tuple[Value, ...]) -> Value:
    return sequence, op.tr.unknown("lengths", "data")


@operator(
    (
        "torch.jit.script torch.compile torch.jit.ignore torch.nn.DataParallel "
        "torch.nn.parallel.DistributedDataParallel torch.jit.trace torch.nn.utils.weight_norm "
        "torch.nn.utils.spectral_norm torch.nn.utils.parametrizations.weight_norm"
    ),
    "module=None *rest",
)
def transparent(op: Op, module: Value, rest: tuple[Value, ...]) -> Value:
    return module


@operator("torch.cuda.is_available torch.backends.mps.is_available torch.cuda.device_count", "")
def machine(op: Op) -> Value:
    return op.tr.unknown("what the machine has", "data", op.short, "bool")
