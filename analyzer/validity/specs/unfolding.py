"""Sliding blocks laid out as columns, and back."""

from __future__ import annotations

from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.common import AXIS_NAMES, each, need_rank, need_size
from analyzer.validity.specs.window_arguments import exact, onnx_windows, spatial_names
from analyzer.validity.specs.windows import Window, need_legal, slide
from analyzer.validity.terms import Term, equal, floor_div

FOLD_BLOCKS = Rule(
    "fold-blocks", Category.INCOMPATIBLE_SHAPE, "the input has {actual} blocks; the output size needs {expected}"
)
FOLD_CHANNELS = Rule(
    "fold-channels",
    Category.INCOMPATIBLE_SHAPE,
    "the input has {channels} channels, which is not a multiple of the kernel's {area} elements",
    ("kernel_size",),
)


@define("torch", "Unfold", "unfold")
def torch_unfold(
    case: Case, x: TensorType, *, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> TensorType:
    """``nn.Unfold``: (batch, channels × kernel, blocks)."""
    need_rank(case, x, 3, 4)
    windows = _two(case, kernel_size, stride, dilation, padding)
    lead = x.rank - 2
    out = slide(case, x.dims[lead:], windows, AXIS_NAMES[2])
    area = windows[0].kernel * windows[1].kernel
    return x.with_shape((*x.dims[: lead - 1], x.dims[lead - 1] * area, out[0] * out[1]))


@define("torch", "Fold", "fold")
def torch_fold(
    case: Case,
    x: TensorType,
    *,
    output_size: Any,
    kernel_size: Any,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> TensorType:
    """``nn.Fold``: the reverse of Unfold."""
    need_rank(case, x, 2, 3)
    windows = _two(case, kernel_size, stride, dilation, padding)
    sizes = each(case, output_size, 2, "output_size")
    blocks = slide(case, sizes, windows, AXIS_NAMES[2])
    area = windows[0].kernel * windows[1].kernel
    channels = x.dims[-2]
    case.require(FOLD_CHANNELS, equal(channels - floor_div(channels, area) * area, 0), channels=channels, area=area)
    expected = blocks[0] * blocks[1]
    case.require(FOLD_BLOCKS, equal(x.dims[-1], expected), actual=x.dims[-1], expected=expected)
    return x.with_shape((*x.dims[:-2], floor_div(channels, area), *sizes))


def _two(case: Case, kernel_size: Any, stride: Any, dilation: Any, padding: Any) -> list[Window]:
    parts = [
        each(case, v, 2, n)
        for v, n in ((kernel_size, "kernel_size"), (stride, "stride"), (dilation, "dilation"), (padding, "padding"))
    ]
    windows = [Window(k, s, d, p, p) for k, s, d, p in zip(*parts, strict=True)]
    need_legal(case, windows)
    return windows


@define("onnx", "Col2Im")
def onnx_col2im(
    case: Case,
    x: TensorType,
    image: TensorType,
    block: TensorType,
    *,
    dilations: Any = None,
    pads: Any = None,
    strides: Any = None,
) -> TensorType:
    """ONNX Col2Im: (batch, channels × block, blocks) to an image."""
    need_rank(case, x, 3)
    counts = [("the image shape", image), ("the block shape", block)]
    spatial = None
    for name, operand in counts:
        if operand.shape is not None:
            need_rank(case, operand, 1, operand=name)
            spatial = operand.dims[0] if spatial is None else spatial
            need_size(case, operand.dims[0], spatial, f"the length of {name}")
    for name, attribute, factor in (("strides", strides, 1), ("dilations", dilations, 1), ("pads", pads, 2)):
        if attribute is not None and isinstance(spatial, int):
            exact(case, attribute, factor * spatial, name)
    if not isinstance(image.value, tuple) or not isinstance(block.value, tuple):
        return x.with_shape(None)
    windows = onnx_windows(case, block.value, strides, pads, dilations, "NOTSET")
    need_legal(case, windows)
    blocks: Term = 1
    for count in slide(case, image.value, windows, spatial_names(len(windows))):
        blocks = blocks * count
    area: Term = 1
    for w in windows:
        area = area * w.kernel
    channels = x.dims[1]
    case.require(FOLD_CHANNELS, equal(channels - floor_div(channels, area) * area, 0), channels=channels, area=area)
    case.require(FOLD_BLOCKS, equal(x.dims[2], blocks), actual=x.dims[2], expected=blocks)
    return x.with_shape((x.dims[0], floor_div(channels, area), *image.value))
