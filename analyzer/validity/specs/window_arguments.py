"""How ONNX, Keras and TensorFlow state windows, paddings and layouts of convolutions and pools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType
from analyzer.validity.specs.common import (
    AXIS_NAMES,
    LENGTH,
    channels_last,
    each,
    layout_name,
    need_choice,
    need_layout,
    need_rank,
)
from analyzer.validity.specs.windows import Window, need_legal, slide, slide_same
from analyzer.validity.terms import Term, all_of, any_of, equal

STRIDE_OR_DILATION = Rule(
    "stride-or-dilation",
    Category.IMPROPER_VALUE,
    "stride {stride} and dilation {dilation} cannot both be larger than 1",
    ("stride", "dilation"),
)


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


def slide_as(case: Case, same: bool, sizes: Sequence[Term], windows: Sequence[Window]) -> tuple[Term, ...]:
    """Output sizes under padding SAME, or under the windows' own paddings."""
    return (slide_same if same else slide)(case, sizes, windows, spatial_names(len(sizes)))


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
    return slide_as(case, name != "valid", sizes, windows)


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
