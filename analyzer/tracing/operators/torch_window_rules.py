"""torch: windows that take their rule from another layer: lazy convolutions, pools by powers, unpooling."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Layer, Value, is_term
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.layer_parameters import sizes_by_weight
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import Term, equal

_CONVOLUTION = "out_channels kernel_size stride=1 padding=0"


def _names(pattern: str, method: str) -> str:
    return " ".join(f"torch.nn.{pattern.format(rank)}.{method}" for rank in (1, 2, 3))


@operator(_names("LazyConv{}d", "__init__"), f"{_CONVOLUTION} dilation=1 groups=1 bias=True padding_mode='zeros'")
def lazy_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator(
    _names("LazyConvTranspose{}d", "__init__"),
    f"{_CONVOLUTION} output_padding=0 groups=1 bias=True dilation=1 padding_mode='zeros'",
)
def lazy_transposed_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator(f"{_names('LazyConv{}d', '__call__')} {_names('LazyConvTranspose{}d', '__call__')}", "layer input")
def lazy_convolution(op: Op, layer: Layer, input: Value) -> Value:
    """The first input tells the channels, which all others must have (`torch.nn.modules.lazy`)."""
    kind = layer.name.rpartition(".Lazy")[2]
    x, rank = tensor_of(op.tr, input, "torch"), int(kind[-2])
    if x is None or x.dims is None:
        return unknown_tensor(op, "torch")
    if len(x.dims) not in (rank + 1, rank + 2):
        shown = show_shape(x.dims)
        fail(op, "rank", f"the input must have {rank + 1} or {rank + 2} dimensions and has the shape {shown}", (x,))
    if "in_channels" not in layer.built:
        op.tr.touch(layer)
        layer.built["in_channels"] = x.dims[-rank - 1]
    return apply(op, "torch", kind, (x,), {**layer.args, "in_channels": layer.built["in_channels"]})


@operator(_names("ConvTranspose{}d", "__call__"), "layer input output_size=None")
def transposed_convolution(op: Op, layer: Layer, input: Value, output_size: Value) -> Value:
    """With a stride several sizes are possible, of which one is asked for (`torch.nn.ConvTranspose2d`)."""
    rank = int(layer.name[-2])
    result = apply(op, "torch", f"ConvTranspose{rank}d", (input,), {**layer.args, **sizes_by_weight(layer)})
    if output_size is None or not isinstance(result, Tensor) or result.dims is None:
        return result
    asked = plain(op.tr, output_size)
    if not isinstance(asked, tuple) or len(asked) < rank or not all(map(is_term, asked[-rank:])):
        asked = tuple(op.tr.fresh("output_size", "unknown", 1) for _ in range(rank))
    dims = (*result.dims[:-rank], *asked[-rank:])
    return Tensor(dims, result.dtype, "torch", site=op.where, sources=result.sources)


@operator(_names("LPPool{}d", "__init__"), "norm_type kernel_size stride=None ceil_mode=False")
def power_pool_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator(_names("LPPool{}d", "__call__"), "layer input")
def power_pool(op: Op, layer: Layer, input: Value) -> Value:
    settings = {name: value for name, value in layer.args.items() if name != "norm_type"}
    return apply(op, "torch", f"AvgPool{layer.name[-2]}d", (input,), settings)


@operator(
    " ".join(f"torch.nn.functional.lp_pool{rank}d" for rank in (1, 2, 3)),
    "input norm_type kernel_size stride=None ceil_mode=False",
)
def power_pool_function(
    op: Op, input: Value, norm_type: Value, kernel_size: Value, stride: Value, ceil_mode: Value
) -> Value:
    """`lp_pool1d` is an average pool of powers (`torch.nn.functional`)."""
    settings = {"kernel_size": kernel_size, "stride": stride, "ceil_mode": ceil_mode}
    return apply(op, "torch", f"AvgPool{op.short[-2]}d", (input,), settings)


@operator(_names("MaxUnpool{}d", "__init__"), "kernel_size stride=None padding=0")
def unpool_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator(_names("MaxUnpool{}d", "__call__"), "layer input indices output_size=None")
def unpool_layer(op: Op, layer: Layer, input: Value, indices: Value, output_size: Value) -> Value:
    given = {name: layer.args.get(name, default) for name, default in _UNPOOL.items()}
    return unpool(op, input, indices, output_size=output_size, rank=int(layer.name[-2]), **given)


_UNPOOL: dict[str, Value] = {"kernel_size": None, "stride": None, "padding": 0}


@operator(
    " ".join(f"torch.nn.functional.max_unpool{rank}d" for rank in (1, 2, 3)),
    "input indices kernel_size stride=None padding=0 output_size=None",
)
def unpool_function(op: Op, input: Value, indices: Value, **given: Value) -> Value:
    return unpool(op, input, indices, rank=int(op.short[-2]), **given)


def unpool(
    op: Op, input: Value, indices: Value, *, kernel_size: Value, stride: Value, padding: Value, output_size: Value,
    rank: int,
) -> Value:  # fmt: skip
    """What a pool of these windows was of, or the size that is asked for, near to it (`torch.nn.functional`)."""
    x, places = tensor_of(op.tr, input, "torch"), tensor_of(op.tr, indices, "torch")
    if x is None or x.dims is None or len(x.dims) not in (rank + 1, rank + 2):
        return unknown_tensor(op, "torch")
    if places is not None and places.dims is not None:
        said = f"the indices have the shape {show_shape(places.dims)} and the input {show_shape(x.dims)}"
        if len(places.dims) != len(x.dims):
            fail(op, "indices", said, (places, x))
        for have, want in zip(places.dims, x.dims, strict=True):
            require(op, equal(have, want), "indices", said, (places, x))
    used = kernel_size, kernel_size if stride is None else stride, padding
    kernel, steps, pads = (_each(op, value, rank) for value in used)
    asked = plain(op.tr, output_size) if output_size is not None else None
    if kernel is None or steps is None or pads is None or (asked is not None and not isinstance(asked, tuple)):
        return unknown_tensor(op, "torch")
    sizes = [(d - 1) * s + k - 2 * p for d, k, s, p in zip(x.dims[-rank:], kernel, steps, pads, strict=True)]
    if asked is not None:
        if len(asked) not in (rank, rank + 2):
            fail(op, "output-size", f"output_size must have {rank} or {rank + 2} sizes and is {asked}", (x,))
        for size, usual, step in zip(asked[-rank:], sizes, steps, strict=True):
            said = f"output_size {asked} is too far from {sizes}"
            require(op, usual - step < size, "output-size", said, (x,))
            require(op, size < usual + step, "output-size", said, (x,))
        sizes = list(asked[-rank:])
    return Tensor((*x.dims[:-rank], *sizes), x.dtype, "torch", site=op.where, sources=(x,))


def _each(op: Op, value: Value, rank: int) -> tuple[Term, ...] | None:
    """One number for each axis."""
    found = plain(op.tr, value)
    if isinstance(found, tuple):
        return found if len(found) == rank and all(map(is_term, found)) else (found * rank if len(found) == 1 else None)
    return (found,) * rank if is_term(found) else None
