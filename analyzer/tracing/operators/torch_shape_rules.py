"""torch: reshapes, views, transposes, repeats."""

from __future__ import annotations

import ast
from typing import Any

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import ListV, Unknown, Value
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.element_types import asked_type, dtype_name
from analyzer.tracing.operators.hyperparameters import dropped, plain
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.reinterpretation import reinterpreted
from analyzer.tracing.operators.strides import viewed
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import (
    axis_of,
    bounded,
    is_size,
    may_be_negative,
    shape_argument,
    take_as_sizes,
)
from analyzer.validity.terms import Poly, Term, equal, product

# ----------------------------------------------------------------------------------------------- new shapes


def _fits(op: Op, value: Value) -> tuple[Any, ...] | None:
    return shape_argument(op, value if isinstance(value, tuple) else (value,))


@operator("torch.reshape Tensor.reshape Tensor.view numpy.Tensor.reshape", "input *shape")
def reshape(op: Op, input: Value, shape: tuple[Value, ...]) -> Value:
    return reshaped(op, input, shape or (op.extra.get("shape", ()),))


def reshaped(op: Op, input: Value, shape: tuple[Value, ...], framework: str = "torch") -> Value:
    source = tensor_of(op.tr, input, framework)
    dtype = op.extra.get("dtype") if op.short == "view" else None
    if dtype is None and len(shape) == 1 and dtype_name(shape[0]) is not None:
        dtype = shape[0]
    if dtype is not None and source is not None:
        return reinterpreted(op, source, dtype_name(dtype))
    dims = shape_argument(op, shape)
    if dims is None or source is None:
        return unknown_tensor(op, source.framework if source else framework, (source,) if source else ())
    if "shape" not in op.nodes and op.node is not None and len(shape) > 1:
        op.nodes = {"shape": ast.Tuple(list(op.node.args[-len(shape) :]), ast.Load())}
    take_as_sizes(op, dims)
    if any(isinstance(d, Poly) and may_be_negative(op.tr, d) for d in dims):
        # an unknown number may be -1: "whatever is left"
        return unknown_tensor(
            op,
            source.framework,
            (source,),
            tuple(
                d
                if (isinstance(d, int) and d >= 0) or (isinstance(d, Poly) and not may_be_negative(op.tr, d))
                else op.tr.fresh("reshape", "derived", 0)
                for d in dims
            ),
        )
    if source.dims is None:
        if source.framework in ("torch", "numpy"):
            possible_shape(op, source, dims)
        kind = "lost" if source.shape.vague or source.operation or source.sources else "derived"
        known = tuple(op.tr.fresh("reshape", kind, 0) if isinstance(d, int) and d == -1 else d for d in dims)
        return unknown_tensor(op, source.framework, (source,), known)
    advise_batch(op, source, dims)
    dims = tuple(bounded(op.tr, d) for d in dims)
    result = apply(op, "torch", "reshape", (source,), {"shape": dims})
    if op.short == "view" and source.framework == "torch" and source.strides is not None and isinstance(result, Tensor):
        _need_view(op, source, result)
    if isinstance(result, Tensor):
        result.framework = source.framework
        result.graph = source.graph
    return result


def possible_shape(op: Op, source: Tensor, dims: tuple[Any, ...]) -> None:
    """What no tensor is reshaped to, whatever its shape. To NumPy each negative size is the one that is inferred."""
    sizes = [d for d in dims if isinstance(d, int)]
    if any(d < -1 for d in sizes) and source.framework != "numpy":
        fail(op, "negative-size", f"the target shape has the size {min(sizes)}", (source,))
    if sizes.count(-1) > 1:
        fail(op, "inferred-size", f"the target shape {show_shape(dims)} leaves more than one size open", (source,))
    if -1 in sizes and 0 in sizes:
        fail(op, "inferred-size", f"the size -1 of {show_shape(dims)} cannot be inferred beside a size of 0", (source,))


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
    source = tensor_of(op.tr, input, "torch")
    sizes = (*dims, *source.dims) if source is not None and source.dims is not None else (None,)
    # Of no elements anything is expanded.
    if source is not None and all(isinstance(d, int) and d != 0 for d in sizes) and any(d < -1 for d in dims):
        fail(
            op,
            "negative-size",
            f"the target shape {show_shape(dims)} has a negative size that is not -1",
            (source,),
        )
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


@operator("torch.repeat_interleave Tensor.repeat_interleave", "input repeats=None dim=None *rest output_size=None")
def repeat_interleave(
    op: Op, input: Value, repeats: Value, dim: Value, rest: tuple[Value, ...], output_size: Value
) -> Value:
    source = tensor_of(op.tr, input, "torch")
    if source is None or source.dims is None or isinstance(dim, Unknown):
        return unknown_tensor(op, "torch")
    sizes = source.dims
    if repeats is None:  # so often each place of the tensor itself
        repeats, source = source, Tensor(sizes, "int64", "torch", site=op.where, sources=(source,))
    times = op.tr.term_of(repeats) if isinstance(repeats, (int, Poly, Unknown)) else None
    if dim is not None and not sizes:
        fail(op, "axis-in-range", "a tensor without dimensions has no axis to repeat", (source,))
    axis = axis_of(op, source, dim) if dim is not None else None
    size = product(sizes) if axis is None else sizes[axis]
    length = _repeated(op, repeats, size) if times is None else times * size
    told = op.tr.term_of(output_size) if output_size is not None else None
    if length is not None and told is not None:
        sentence = f"the repeats make {length} of {size}, and `output_size` is {told}"
        require(op, equal(length, told), "output-size", sentence, (source,))
    if length is None:
        length = told if isinstance(told, int) and told >= 0 else op.tr.fresh("repeated", "unknown", 0)
    dims = (length,) if axis is None else (*sizes[:axis], length, *sizes[axis + 1 :])
    return Tensor(dims, source.dtype, "torch", site=op.where, sources=(source,))


def _repeated(op: Op, repeats: Value, size: Term) -> Term | None:
    """How many elements there are where each is repeated as often as a tensor says, whose numbers may be known."""
    if not isinstance(repeats, Tensor):
        return None
    counts: Any = repeats.value
    if op.tr.sampler is not None and isinstance(found := op.tr.sampler.listed(repeats), ListV):
        counts = tuple(found.items)
    if type(counts) is not tuple or not counts or not all(type(n) is int for n in counts):
        return None
    return counts[0] * size if len(counts) == 1 else sum(counts) if len(counts) == size else None


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


@operator("Tensor.transpose_ torch.swapdims Tensor.swapdims torch.swapaxes", "input dim0|axis0 dim1|axis1")
def swapped(op: Op, input: Value, dim0: Value, dim1: Value) -> Value:
    return apply(op, "torch", "transpose", (input,), {"dim0": dim0, "dim1": dim1})


@operator("Tensor.flatten torch.flatten", "input start_dim=0 end_dim=-1")
def flatten(op: Op, input: Value, start_dim: Value, end_dim: Value) -> Value:
    found = tensor_of(op.tr, input, "torch")
    if found is not None and found.framework == "numpy":
        return reshaped(op, found, (-1,))
    return apply(op, "torch", "flatten", (input,), {"start_dim": start_dim, "end_dim": end_dim, "module": False})


@operator("Tensor.ravel torch.ravel", "input *rest")
def ravel(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    return reshaped(op, input, (-1,))


@operator(
    ("Tensor.new_zeros Tensor.new_ones Tensor.new_empty Tensor.new_tensor Tensor.new Tensor.resize_"), "input *size"
)
def new(op: Op, input: Value, size: tuple[Value, ...]) -> Value:
    if op.short == "new" and len(size) < 2 and not (size and is_size(size[0])):
        return _like_data(op, input, size)
    given = op.extra.get("dtype")
    dtype = asked_type(given, getattr(input, "dtype", None))
    if op.short == "new_tensor":
        found = tensor_of(op.tr, size[0] if size else op.extra.get("data"), "torch")
        return unknown_tensor(op, "torch") if found is None else Tensor(found.shape, dtype, "torch", site=op.where)
    return Tensor(shape_argument(op, size), dtype, "torch", site=op.where)


def _like_data(op: Op, input: Value, given: tuple[Value, ...]) -> Value:
    """``tensor.new``, of other things than sizes: a tensor of what a row or an array holds, in the tensor's type."""
    dtype = getattr(input, "dtype", None)
    if not given and not op.extra:
        return Tensor((0,), dtype, "torch", site=op.where)
    one = given[0] if given and is_size(given[0]) is False else None
    found = tensor_of(op.tr, one, "torch") if isinstance(one, (tuple, ListV, Tensor)) else None
    return unknown_tensor(op, "torch") if found is None else Tensor(found.shape, dtype, "torch", site=op.where)


@operator("Tensor.new_full", "input size fill_value dtype=None")
def new_full(op: Op, input: Value, size: Value, fill_value: Value, dtype: Value) -> Value:
    kind = asked_type(dtype, getattr(input, "dtype", None))
    return Tensor(shape_argument(op, (size,)), kind, "torch", site=op.where)


@operator("Tensor.as_strided torch.as_strided", "input size stride storage_offset=None")
def as_strided(op: Op, input: Value, size: Value, stride: Value, storage_offset: Value) -> Value:
    """The result has the sizes that are asked for, whatever the layout."""
    source, dims = tensor_of(op.tr, input, "torch"), shape_argument(op, (size,))
    if dims is None or source is None:
        return unknown_tensor(op, "torch", (source,) if source is not None else ())
    return Tensor(dims, source.dtype, "torch", site=op.where, sources=(source,))
