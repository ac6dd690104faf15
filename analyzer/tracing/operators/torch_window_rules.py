"""torch: windows that take their rule from another layer: lazy convolutions, and pools by powers."""

from __future__ import annotations

from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.tensors import show_shape
from analyzer.tracing.values import Layer, Value

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
