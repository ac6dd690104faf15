"""Transposed convolutions, which undo the shape of a convolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define, define_ranks
from analyzer.validity.specs.common import (
    AXIS_NAMES,
    FLOATS,
    all_positive,
    each,
    need_choice,
    need_dtype,
    need_not_negative,
    need_positive,
    need_rank,
    need_size,
    same_dtype,
)
from analyzer.validity.specs.convolution import (
    CHANNELS,
    GROUPS_DIVIDE_INPUT,
    RANK_AT_LEAST_3,
    need_bias,
    need_groups,
    need_kernel_shape,
)
from analyzer.validity.specs.window_arguments import (
    exact,
    joined_layout,
    keras_windows,
    onnx_windows,
    slide_as,
    spatial_names,
    split_layout,
    tf_windows,
)
from analyzer.validity.specs.windows import POSITIVE_OUTPUT, Window, need_legal, unslide, unslide_valid
from analyzer.validity.terms import Term, any_of, ceil_div, equal, floor_div, mod

OUTPUT_PADDING = Rule(
    "output-padding",
    Category.IMPROPER_VALUE,
    "output padding {extra} must be smaller than the stride {stride} or the dilation {dilation}",
    ("output_padding", "stride", "dilation"),
)
CONVOLVED_BACK = Rule(
    "convolved-back",
    Category.INCOMPATIBLE_SHAPE,
    "the {axis} of {size} becomes {made}, which a stride of {stride} does not bring back to {size}",
    ("output_padding", "kernel_size", "strides"),
)


def need_small_output_padding(case: Case, extra: Sequence[Term], windows: Sequence[Window]) -> None:
    for more, w in zip(extra, windows, strict=True):
        need_not_negative(case, output_padding=more)
        small = any_of(more < w.stride, more < w.dilation)
        case.require(OUTPUT_PADDING, small, extra=more, stride=w.stride, dilation=w.dilation)


@define_ranks("torch", "ConvTranspose{}d")
def _torch_transposed(spatial: int) -> Any:
    def conv(
        case: Case,
        x: TensorType,
        *,
        in_channels: Term,
        out_channels: Term,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: Term = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        dtype: str = "float32",
    ) -> TensorType:
        """``nn.ConvTranspose{1,2,3}d``."""
        need_choice(case, padding_mode, ("zeros",), "padding_mode")
        need_positive(case, groups=groups)
        need_positive(case, in_channels=in_channels, out_channels=out_channels)
        need_groups(case, groups, in_channels, out_channels)
        kernel, strides, pads, extra, dilations = (
            each(case, v, spatial, n)
            for v, n in (
                (kernel_size, "kernel_size"),
                (stride, "stride"),
                (padding, "padding"),
                (output_padding, "output_padding"),
                (dilation, "dilation"),
            )
        )
        windows = [Window(k, s, d, p, p) for k, s, d, p in zip(kernel, strides, dilations, pads, strict=True)]
        need_rank(case, x, spatial + 1, spatial + 2)
        need_legal(case, windows)
        need_small_output_padding(case, extra, windows)
        need_dtype(case, x, (dtype,))
        channel = x.rank - spatial - 1
        case.require(CHANNELS, equal(x.dims[channel], in_channels), channels=x.dims[channel], expected=in_channels)
        all_positive(case, x, batch=0 if x.rank == spatial + 2 else None)
        out = unslide(case, x.dims[channel + 1 :], windows, extra, AXIS_NAMES[spatial])
        return x.with_shape((*x.dims[:channel], out_channels, *out))

    return conv


@define("onnx", "ConvTranspose")
def onnx_conv_transpose(
    case: Case,
    x: TensorType,
    weight: TensorType,
    bias: TensorType | None = None,
    *,
    kernel_shape: Any = None,
    strides: Any = None,
    pads: Any = None,
    dilations: Any = None,
    group: Term = 1,
    auto_pad: str = "NOTSET",
    output_padding: Any = None,
    output_shape: Any = None,
) -> TensorType:
    """ONNX ConvTranspose: weight (in, out / group, kernel…)."""
    need_dtype(case, x, FLOATS)
    same_dtype(case, ("the input", x), ("the weight", weight))
    case.require(RANK_AT_LEAST_3, x.rank >= 3, shape=x.dims)
    need_rank(case, weight, x.rank, operand="the weight")
    in_channels, per_group, *kernel = weight.dims
    need_kernel_shape(case, kernel_shape, kernel)
    need_positive(case, group=group)
    windows = onnx_windows(case, kernel, strides, pads, dilations, auto_pad)
    need_legal(case, windows)
    case.require(CHANNELS, equal(x.dims[1], in_channels), channels=x.dims[1], expected=in_channels)
    case.require(GROUPS_DIVIDE_INPUT, equal(mod(in_channels, group), 0), groups=group, channels=in_channels)
    out_channels = per_group * group
    need_bias(case, bias, out_channels)
    spatial = len(kernel)
    extra = exact(case, output_padding if output_padding is not None else (0,) * spatial, spatial, "output_padding")
    need_small_output_padding(case, extra, windows)
    if output_shape is not None:
        whole = len(output_shape) == spatial + 2  # runtimes also take the shape with batch and channels in front
        stated = exact(case, tuple(output_shape)[2:] if whole else tuple(output_shape), spatial, "output_shape")
        return x.with_shape((x.dims[0], out_channels, *stated))
    if auto_pad.startswith("SAME"):
        out: tuple[Term, ...] = tuple(n * w.stride for n, w in zip(x.dims[2:], windows, strict=True))
    else:
        out = unslide(case, x.dims[2:], windows, extra, spatial_names(spatial))
    return x.with_shape((x.dims[0], out_channels, *out))


@define_ranks("keras", "Conv{}DTranspose", "Convolution{}DTranspose")
def _keras_transposed(spatial: int) -> Any:
    def conv(
        case: Case,
        x: TensorType,
        *,
        filters: Term,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        output_padding: Any = None,
        data_format: str | None = None,
        dilation_rate: Any = 1,
        use_bias: bool = True,
    ) -> TensorType:
        """``keras.layers.Conv{1,2,3}DTranspose``."""
        need_positive(case, filters=filters)
        windows = keras_windows(case, spatial, kernel_size, strides, dilation_rate)
        _channels, sizes, last = split_layout(case, x, spatial, data_format)
        need_choice(case, padding, ("valid", "same"), "padding")
        all_positive(case, x)
        if output_padding is None:
            if padding == "same":
                out: tuple[Term, ...] = tuple(n * w.stride for n, w in zip(sizes, windows, strict=True))
            else:
                out = unslide_valid(sizes, windows)
        else:
            extra = each(case, output_padding, spatial, "output_padding")
            for more, w in zip(extra, windows, strict=True):
                case.require(OUTPUT_PADDING, more < w.stride, extra=more, stride=w.stride, dilation=w.dilation)
            halves = [floor_div(w.extent, 2) if padding == "same" else 0 for w in windows]
            out = tuple(
                (n - 1) * w.stride + w.extent - 2 * h + more
                for n, w, h, more in zip(sizes, windows, halves, extra, strict=True)
            )
            if padding == "same":  # TensorFlow convolves back and must arrive at the input's size
                for axis, n, made, w in zip(spatial_names(spatial), sizes, out, windows, strict=True):
                    back = equal(ceil_div(made, w.stride), n)
                    case.require(CONVOLVED_BACK, back, axis=axis, size=n, made=made, stride=w.stride)
        for axis, size in zip(spatial_names(spatial), out, strict=True):
            case.require(POSITIVE_OUTPUT, size >= 1, axis=axis, size=size)
        return joined_layout(x, filters, out, last)

    return conv


@define("tf", "Conv2DBackpropInput")
def tf_conv2d_backprop_input(
    case: Case,
    sizes: TensorType,
    weight: TensorType,
    gradient: TensorType,
    *,
    strides: Any,
    padding: str = "VALID",
    data_format: str = "NHWC",
    dilations: Any = None,
    explicit_paddings: Any = (),
    **_others: Any,
) -> TensorType:
    """GraphDef Conv2DBackpropInput, which is also ``conv2d_transpose``: the forward convolution must fit its output."""
    channels, spatial_sizes, last = split_layout(case, gradient, 2, data_format)
    need_rank(case, weight, 4, operand="the filter")
    height, width, _inputs, outputs = weight.dims
    case.require(CHANNELS, equal(channels, outputs), channels=channels, expected=outputs)
    windows = tf_windows(case, (height, width), strides, dilations, last, explicit_paddings, padding)
    if not isinstance(sizes.value, tuple) or len(sizes.value) != 4:
        return TensorType((case.fresh("batch"), *(case.fresh("size") for _ in range(3))), gradient.dtype)
    result = TensorType(tuple(sizes.value), gradient.dtype)
    inner = result.dims[1:3] if last else result.dims[2:4]
    forward = slide_as(case, padding == "SAME", inner, windows)
    for axis, expected, actual in zip(spatial_names(2), forward, spatial_sizes, strict=True):
        need_size(case, actual, expected, f"the {axis} of the gradient")
    return result
