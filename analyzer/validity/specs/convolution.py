"""Convolutions and transposed convolutions of ONNX, PyTorch, Keras and TensorFlow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.common import (
    AXIS_NAMES,
    FLOATS,
    LENGTH,
    all_positive,
    channels_last,
    each,
    is_number,
    layout_name,
    need_choice,
    need_dtype,
    need_layout,
    need_positive,
    need_rank,
    same_dtype,
)
from analyzer.validity.specs.windows import (
    Window,
    need_legal,
    slide,
    slide_same,
)
from analyzer.validity.terms import Term, all_of, any_of, equal, floor_div, mod

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


STRIDE_OR_DILATION = Rule(
    "stride-or-dilation",
    Category.IMPROPER_VALUE,
    "stride {stride} and dilation {dilation} cannot both be larger than 1",
    ("stride", "dilation"),
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
    axes = AXIS_NAMES[spatial]
    out = slide_same(case, sizes, windows, axes) if same else slide(case, sizes, windows, axes)
    return x.with_shape((*x.dims[:channel], out_channels, *out))


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
        y = _torch(case, x, spatial, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, dtype)
        return y

    return conv


torch_conv1d = define("torch", "Conv1d")(_torch_conv(1))


torch_conv2d = define("torch", "Conv2d")(_torch_conv(2))


torch_conv3d = define("torch", "Conv3d")(_torch_conv(3))


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


torch_functional_conv1d = define("torch", "conv1d")(_torch_functional(1))


torch_functional_conv2d = define("torch", "conv2d")(_torch_functional(2))


torch_functional_conv3d = define("torch", "conv3d")(_torch_functional(3))


def onnx_windows(
    case: Case, kernel: Sequence[Term], strides: Any, pads: Any, dilations: Any, auto_pad: str
) -> list[Window]:
    """Windows from ONNX attributes; `pads` lists all begins, then all ends."""
    spatial = len(kernel)
    need_choice(case, auto_pad, ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"), "auto_pad")
    strides = exact(case, strides if strides is not None else (1,) * spatial, spatial, "strides")
    dilations = exact(case, dilations if dilations is not None else (1,) * spatial, spatial, "dilations")
    pads = exact(case, pads if pads is not None else (0,) * (2 * spatial), 2 * spatial, "pads")
    if auto_pad != "NOTSET":
        pads = (0,) * (2 * spatial)
    return [
        Window(k, s, d, b, a)
        for k, s, d, b, a in zip(kernel, strides, dilations, pads[:spatial], pads[spatial:], strict=True)
    ]


def exact(case: Case, values: Any, count: int, name: str) -> tuple[Term, ...]:
    """A list attribute of ONNX: one entry for each axis, no shorthand."""
    case.require(LENGTH, len(values) == count, name=name, actual=len(values), expected=count)
    return tuple(values)


def spatial_names(count: int) -> tuple[str, ...]:
    return AXIS_NAMES.get(count) or tuple(f"spatial axis {i}" for i in range(count))


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
    if kernel_shape is not None:
        exact(case, kernel_shape, len(kernel), "kernel_shape")
        agree = all_of(*(equal(a, b) for a, b in zip(kernel_shape, kernel, strict=True)))
        case.require(KERNEL_SHAPE, agree, stated=tuple(kernel_shape), actual=tuple(kernel))
    need_positive(case, group=group)
    windows = onnx_windows(case, kernel, strides, pads, dilations, auto_pad)
    need_legal(case, windows)
    expected = per_group * group
    case.require(CHANNELS, equal(x.dims[1], expected), channels=x.dims[1], expected=expected)
    case.require(GROUPS_DIVIDE_OUTPUT, equal(mod(out_channels, group), 0), groups=group, channels=out_channels)
    need_bias(case, bias, out_channels)
    axes = spatial_names(len(kernel))
    same = auto_pad.startswith("SAME")
    out = slide_same(case, x.dims[2:], windows, axes) if same else slide(case, x.dims[2:], windows, axes)
    return (x.dims[0], out_channels, *out)


RANK_AT_LEAST_3 = Rule(
    "rank", Category.INCOMPATIBLE_SHAPE, "the input must be batch × channels × at least one axis, and is {shape}"
)


def split_layout(
    case: Case, x: TensorType, spatial: int, data_format: str | None
) -> tuple[Term, tuple[Term, ...], bool]:
    """Channels, spatial sizes and whether channels are last, of a batched image."""
    last = channels_last(case, data_format, spatial)
    need_rank(case, x, spatial + 2)
    need_layout(case, x, layout_name(spatial, last))
    return (x.dims[-1], x.dims[1:-1], True) if last else (x.dims[1], x.dims[2:], False)


def joined_layout(x: TensorType, channels: Term, sizes: Sequence[Term], last: bool) -> TensorType:
    return x.with_shape((x.dims[0], *sizes, channels) if last else (x.dims[0], channels, *sizes))


def keras_windows(case: Case, spatial: int, kernel_size: Any, strides: Any, dilation_rate: Any) -> list[Window]:
    """Windows of a Keras layer; strides and dilations may not both exceed 1."""
    kernel = each(case, kernel_size, spatial, "kernel_size")
    steps = each(case, strides, spatial, "strides")
    rates = each(case, dilation_rate, spatial, "dilation_rate")
    windows = [Window(k, s, d) for k, s, d in zip(kernel, steps, rates, strict=True)]
    need_legal(case, windows)
    need_one_of_stride_and_dilation(case, steps, rates)
    return windows


def need_one_of_stride_and_dilation(case: Case, strides: Sequence[Term], dilations: Sequence[Term]) -> None:
    plain_stride = all_of(*(equal(s, 1) for s in strides))
    plain_dilation = all_of(*(equal(d, 1) for d in dilations))
    case.require(
        STRIDE_OR_DILATION, any_of(plain_stride, plain_dilation), stride=tuple(strides), dilation=tuple(dilations)
    )


def padded_slide(
    case: Case, padding: str, sizes: Sequence[Term], windows: Sequence[Window], *, causal: bool = False
) -> tuple[Term, ...]:
    """Output sizes for padding given by name, in any letter case."""
    name = padding.lower() if isinstance(padding, str) else padding
    need_choice(case, name, ("valid", "same", "causal") if causal else ("valid", "same"), "padding")
    axes = spatial_names(len(sizes))
    if name == "valid":
        return slide(case, sizes, windows, axes)
    return slide_same(case, sizes, windows, axes)


def _keras_conv(spatial: int) -> Any:
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


keras_conv1d = define("keras", "Conv1D", "Convolution1D")(_keras_conv(1))


keras_conv2d = define("keras", "Conv2D", "Convolution2D")(_keras_conv(2))


keras_conv3d = define("keras", "Conv3D", "Convolution3D")(_keras_conv(3))


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


keras_depthwise1d = define("keras", "DepthwiseConv1D")(_keras_depthwise(1))


keras_depthwise2d = define("keras", "DepthwiseConv2D")(_keras_depthwise(2))


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


keras_separable1d = define("keras", "SeparableConv1D")(_keras_separable(1))


keras_separable2d = define("keras", "SeparableConv2D")(_keras_separable(2))


def tf_windows(
    case: Case, kernel: Sequence[Term], strides: Any, dilations: Any, last: bool, explicit: Any, padding: str
) -> list[Window]:
    """Windows of a GraphDef operator, whose strides and dilations cover all dimensions in the layout's order."""
    spatial = len(kernel)
    picked = slice(1, 1 + spatial) if last else slice(2, 2 + spatial)
    strides = exact(case, strides, spatial + 2, "strides")[picked]
    dilations = (1,) * spatial if not dilations else exact(case, dilations, spatial + 2, "dilations")[picked]
    pads = [(0, 0)] * spatial
    if padding == "EXPLICIT":
        flat = exact(case, explicit, 2 * (spatial + 2), "explicit_paddings")
        pads = list(zip(flat[0::2], flat[1::2], strict=True))[picked]
    windows = [Window(k, s, d, b, a) for k, s, d, (b, a) in zip(kernel, strides, dilations, pads, strict=True)]
    need_legal(case, windows)
    return windows


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
        axes = spatial_names(spatial)
        out = slide_same(case, sizes, windows, axes) if padding == "SAME" else slide(case, sizes, windows, axes)
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
    axes = spatial_names(2)
    out = slide_same(case, sizes, windows, axes) if padding == "SAME" else slide(case, sizes, windows, axes)
    return joined_layout(x, inputs * multiplier, out, last)


def is_padding_name(value: Any) -> bool:
    return isinstance(value, str) or not is_number(value)
