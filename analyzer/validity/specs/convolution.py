"""Convolutions of ONNX, PyTorch, Keras and TensorFlow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define, define_ranks
from analyzer.validity.specs.common import (
    FLOATS,
    all_positive,
    each,
    layout_name,
    need_choice,
    need_dtype,
    need_layout,
    need_positive,
    need_rank,
    same_dtype,
)
from analyzer.validity.specs.padding import padded
from analyzer.validity.specs.window_arguments import (
    exact,
    joined_layout,
    keras_windows,
    onnx_windows,
    padded_slide,
    slide_as,
    split_layout,
    tf_windows,
)
from analyzer.validity.specs.windows import Window, need_legal
from analyzer.validity.terms import Term, all_of, equal, floor_div, mod

CHANNELS = Rule(
    "channels",
    Category.INCOMPATIBLE_SHAPE,
    "the input has {channels} channels but the convolution takes {expected}",
    ("in_channels", "groups"),
)
GROUPS_DIVIDE_INPUT = Rule(
    "groups-divide-input",
    Category.IMPROPER_VALUE,
    "{groups} groups do not divide {channels} input channels",
    ("groups", "in_channels"),
)
GROUPS_DIVIDE_OUTPUT = Rule(
    "groups-divide-output",
    Category.IMPROPER_VALUE,
    "{groups} groups do not divide {channels} output channels",
    ("groups", "out_channels"),
)
SAME_NEEDS_UNIT_STRIDE = Rule(
    "same-needs-unit-stride",
    Category.IMPROPER_VALUE,
    "padding 'same' needs stride 1, not {stride}",
    ("stride", "padding"),
)
CAUSAL = Rule("causal", Category.IMPROPER_VALUE, "padding 'causal' needs a one-dimensional, channels-last convolution")
KERNEL_SHAPE = Rule(
    "kernel-shape",
    Category.INCOMPATIBLE_SHAPE,
    "`kernel_shape` is {stated} but the weight's is {actual}",
    ("kernel_shape",),
)
BIAS = Rule("bias", Category.INCOMPATIBLE_SHAPE, "the bias is {shape}; it must have {channels} values")


def need_bias(case: Case, bias: TensorType | None, channels: Term) -> None:
    if bias is not None:
        case.require(BIAS, bias.rank == 1, shape=bias.dims, channels=channels)
        case.require(BIAS, equal(bias.dims[0], channels), shape=bias.dims, channels=channels)


def need_groups(case: Case, groups: Term, inputs: Term, outputs: Term) -> None:
    need_positive(case, groups=groups)
    case.require(GROUPS_DIVIDE_INPUT, equal(mod(inputs, groups), 0), groups=groups, channels=inputs)
    case.require(GROUPS_DIVIDE_OUTPUT, equal(mod(outputs, groups), 0), groups=groups, channels=outputs)


def need_kernel_shape(case: Case, stated: Any, kernel: Sequence[Term]) -> None:
    """The attribute `kernel_shape`, when there is one, must be what the weight says."""
    if stated is not None:
        exact(case, stated, len(kernel), "kernel_shape")
        agree = all_of(*(equal(a, b) for a, b in zip(stated, kernel, strict=True)))
        case.require(KERNEL_SHAPE, agree, stated=tuple(stated), actual=tuple(kernel))


def _torch(
    case: Case,
    x: TensorType,
    spatial: int,
    in_channels: Term,
    out_channels: Term,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: Term,
    dtype: str,
) -> TensorType:
    need_positive(case, groups=groups)
    need_positive(case, in_channels=in_channels, out_channels=out_channels)
    need_groups(case, groups, in_channels, out_channels)
    kernel = each(case, kernel_size, spatial, "kernel_size")
    strides = each(case, stride, spatial, "stride")
    dilations = each(case, dilation, spatial, "dilation")
    same = isinstance(padding, str) and padding == "same"
    if isinstance(padding, str):
        need_choice(case, padding, ("same", "valid"), "padding")
        if same:
            unit = all_of(*(equal(s, 1) for s in strides))
            case.require(SAME_NEEDS_UNIT_STRIDE, unit, stride=strides)
        pads: Sequence[Term] = (0,) * spatial
    else:
        pads = each(case, padding, spatial, "padding")
    windows = [Window(k, s, d, p, p) for k, s, d, p in zip(kernel, strides, dilations, pads, strict=True)]
    need_rank(case, x, spatial + 1, spatial + 2)
    if x.rank == spatial + 2:
        need_layout(case, x, layout_name(spatial, last=False))
    need_legal(case, windows)
    need_dtype(case, x, (dtype,))
    channel = x.rank - spatial - 1
    case.require(CHANNELS, equal(x.dims[channel], in_channels), channels=x.dims[channel], expected=in_channels)
    sizes = x.dims[channel + 1 :]
    all_positive(case, x, batch=0 if x.rank == spatial + 2 else None)
    out = slide_as(case, same, sizes, windows)
    return x.with_shape((*x.dims[:channel], out_channels, *out))


@define_ranks("torch", "Conv{}d")
def _torch_conv(spatial: int) -> Any:
    def conv(
        case: Case,
        x: TensorType,
        *,
        in_channels: Term,
        out_channels: Term,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: Term = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        dtype: str = "float32",
    ) -> TensorType:
        """``nn.Conv{1,2,3}d``: batched or unbatched, channels first, `dtype` of its weight."""
        need_choice(case, padding_mode, ("zeros", "reflect", "replicate", "circular"), "padding_mode")
        if padding_mode != "zeros" and not isinstance(padding, str):  # pads as `functional.pad` does, then convolves
            need_rank(case, x, spatial + 1, spatial + 2)
            amounts = [(p, p) for p in each(case, padding, spatial, "padding")]
            x = padded(case, x, [(0, 0)] * (x.rank - spatial) + amounts, padding_mode)
            padding = 0
        return _torch(
            case, x, spatial, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, dtype
        )

    return conv


@define_ranks("torch", "conv{}d")
def _torch_functional(spatial: int) -> Any:
    def conv(
        case: Case,
        x: TensorType,
        weight: TensorType,
        bias: TensorType | None = None,
        *,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: Term = 1,
    ) -> TensorType:
        """``functional.conv{1,2,3}d`` with an explicit weight (out, in / groups, kernel…)."""
        need_rank(case, weight, spatial + 2, operand="the weight")
        same_dtype(case, ("the input", x), ("the weight", weight))
        out_channels, per_group, *kernel = weight.dims
        need_bias(case, bias, out_channels)
        need_positive(case, groups=groups)
        y = _torch(
            case,
            x,
            spatial,
            per_group * groups,
            out_channels,
            tuple(kernel),
            stride,
            padding,
            dilation,
            groups,
            x.dtype or weight.dtype or "float32",
        )
        return y

    return conv


@define("onnx", "Conv")
def onnx_conv(
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
) -> TensorType:
    """ONNX Conv: weight (out, in / group, kernel…)."""
    need_dtype(case, x, FLOATS)
    same_dtype(case, ("the input", x), ("the weight", weight))
    return x.with_shape(conv_shape(case, x, weight, bias, kernel_shape, strides, pads, dilations, group, auto_pad))


def conv_shape(
    case: Case,
    x: TensorType,
    weight: TensorType,
    bias: TensorType | None,
    kernel_shape: Any,
    strides: Any,
    pads: Any,
    dilations: Any,
    group: Term,
    auto_pad: str,
) -> tuple[Term, ...]:
    case.require(RANK_AT_LEAST_3, x.rank >= 3, shape=x.dims)
    need_rank(case, weight, x.rank, operand="the weight")
    out_channels, per_group, *kernel = weight.dims
    need_kernel_shape(case, kernel_shape, kernel)
    need_positive(case, group=group)
    windows = onnx_windows(case, kernel, strides, pads, dilations, auto_pad)
    need_legal(case, windows)
    expected = per_group * group
    case.require(CHANNELS, equal(x.dims[1], expected), channels=x.dims[1], expected=expected)
    case.require(GROUPS_DIVIDE_OUTPUT, equal(mod(out_channels, group), 0), groups=group, channels=out_channels)
    need_bias(case, bias, out_channels)
    out = slide_as(case, auto_pad.startswith("SAME"), x.dims[2:], windows)
    return (x.dims[0], out_channels, *out)


RANK_AT_LEAST_3 = Rule(
    "rank", Category.INCOMPATIBLE_SHAPE, "the input must be batch × channels × at least one axis, and is {shape}"
)


@define_ranks("keras", "Conv{}D", "Convolution{}D")
def keras_conv(spatial: int) -> Any:
    def conv(
        case: Case,
        x: TensorType,
        *,
        filters: Term,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        groups: Term = 1,
        use_bias: bool = True,
    ) -> TensorType:
        """``keras.layers.Conv{1,2,3}D``."""
        need_positive(case, filters=filters, groups=groups)
        case.require(GROUPS_DIVIDE_OUTPUT, equal(mod(filters, groups), 0), groups=groups, channels=filters)
        windows = keras_windows(case, spatial, kernel_size, strides, dilation_rate)
        if padding == "causal":
            case.require(CAUSAL, spatial == 1 and data_format in (None, "channels_last"))
        channels, sizes, last = split_layout(case, x, spatial, data_format)
        case.require(GROUPS_DIVIDE_INPUT, equal(mod(channels, groups), 0), groups=groups, channels=channels)
        all_positive(case, x)
        return joined_layout(x, filters, padded_slide(case, padding, sizes, windows, causal=True), last)

    return conv


@define_ranks("keras", "DepthwiseConv{}D", ranks=(1, 2))
def _keras_depthwise(spatial: int) -> Any:
    def conv(
        case: Case,
        x: TensorType,
        *,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        depth_multiplier: Term = 1,
        data_format: str | None = None,
        dilation_rate: Any = 1,
        use_bias: bool = True,
    ) -> TensorType:
        """``keras.layers.DepthwiseConv{1,2}D``."""
        need_positive(case, depth_multiplier=depth_multiplier)
        windows = keras_windows(case, spatial, kernel_size, strides, dilation_rate)
        channels, sizes, last = split_layout(case, x, spatial, data_format)
        all_positive(case, x)
        return joined_layout(x, channels * depth_multiplier, padded_slide(case, padding, sizes, windows), last)

    return conv


@define_ranks("keras", "SeparableConv{}D", ranks=(1, 2))
def _keras_separable(spatial: int) -> Any:
    def conv(
        case: Case,
        x: TensorType,
        *,
        filters: Term,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        depth_multiplier: Term = 1,
        use_bias: bool = True,
    ) -> TensorType:
        """``keras.layers.SeparableConv{1,2}D``."""
        need_positive(case, filters=filters, depth_multiplier=depth_multiplier)
        windows = keras_windows(case, spatial, kernel_size, strides, dilation_rate)
        _channels, sizes, last = split_layout(case, x, spatial, data_format)
        all_positive(case, x)
        return joined_layout(x, filters, padded_slide(case, padding, sizes, windows), last)

    return conv


def _tf_conv(spatial: int) -> Any:
    def conv(
        case: Case,
        x: TensorType,
        weight: TensorType,
        *,
        strides: Any,
        padding: str = "VALID",
        data_format: str = "NHWC",
        dilations: Any = None,
        explicit_paddings: Any = (),
        **_others: Any,
    ) -> TensorType:
        """GraphDef Conv2D and Conv3D: weight (kernel…, in / groups, out)."""
        need_dtype(case, x, (*FLOATS, "int32"))
        same_dtype(case, ("the input", x), ("the filter", weight))
        channels, sizes, last = split_layout(case, x, spatial, data_format)
        need_rank(case, weight, spatial + 2, operand="the filter")
        *kernel, per_group, filters = weight.dims
        need_choice(case, padding, ("VALID", "SAME", "EXPLICIT"), "padding")
        windows = tf_windows(case, kernel, strides, dilations, last, explicit_paddings, padding)
        need_positive(case, filter_channels=per_group)
        groups = floor_div(channels, per_group)
        case.require(CHANNELS, equal(mod(channels, per_group), 0), channels=channels, expected=per_group)
        case.require(CHANNELS, channels >= 1, channels=channels, expected=per_group)
        out = slide_as(case, padding == "SAME", sizes, windows)
        case.require(GROUPS_DIVIDE_OUTPUT, equal(mod(filters, groups), 0), groups=groups, channels=filters)
        return joined_layout(x, filters, out, last)

    return conv


tf_conv2d = define("tf", "Conv2D")(_tf_conv(2))
tf_conv3d = define("tf", "Conv3D")(_tf_conv(3))


@define("tf", "DepthwiseConv2dNative")
def tf_depthwise(
    case: Case,
    x: TensorType,
    weight: TensorType,
    *,
    strides: Any,
    padding: str = "VALID",
    data_format: str = "NHWC",
    dilations: Any = None,
    explicit_paddings: Any = (),
    **_others: Any,
) -> TensorType:
    """GraphDef DepthwiseConv2dNative: filter (height, width, in, multiplier)."""
    need_dtype(case, x, FLOATS)
    same_dtype(case, ("the input", x), ("the filter", weight))
    channels, sizes, last = split_layout(case, x, 2, data_format)
    need_rank(case, weight, 4, operand="the filter")
    height, width, inputs, multiplier = weight.dims
    windows = tf_windows(case, (height, width), strides, dilations, last, explicit_paddings, padding)
    case.require(CHANNELS, equal(channels, inputs), channels=channels, expected=inputs)
    out = slide_as(case, padding == "SAME", sizes, windows)
    return joined_layout(x, inputs * multiplier, out, last)
