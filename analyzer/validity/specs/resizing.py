"""Resizing, and moving elements between channels and space."""

from __future__ import annotations

from typing import Any

from analyzer.validity.spec import Case, Category, Quotient, Rule, TensorType, define, define_ranks
from analyzer.validity.specs.common import (
    AXIS_NAMES,
    LENGTH,
    axis_indices,
    channels_last,
    each,
    is_plain,
    layout_name,
    need_choice,
    need_layout,
    need_min_rank,
    need_positive,
    need_rank,
    need_vector,
    target_of,
)
from analyzer.validity.specs.window_arguments import joined_layout, split_layout
from analyzer.validity.terms import Term, equal, floor_div, mod

BLOCK = Rule(
    "block-size", Category.INCOMPATIBLE_SHAPE, "the {axis} of {size} is not a multiple of {block}", ("block_size",)
)


def need_block(case: Case, size: Term, block: Term, axis: str) -> None:
    case.require(BLOCK, equal(mod(size, block), 0), axis=axis, size=size, block=block)


@define("onnx", "DepthToSpace")
def onnx_depth_to_space(case: Case, x: TensorType, *, blocksize: Term, mode: str = "DCR") -> TensorType:
    """ONNX DepthToSpace."""
    need_choice(case, mode, ("DCR", "CRD"), "mode")
    need_positive(case, blocksize=blocksize)
    need_rank(case, x, 4)
    n, c, h, w = x.dims
    need_block(case, c, blocksize * blocksize, "channels")
    return x.with_shape((n, floor_div(c, blocksize * blocksize), h * blocksize, w * blocksize))


@define("onnx", "SpaceToDepth")
def onnx_space_to_depth(case: Case, x: TensorType, *, blocksize: Term) -> TensorType:
    """ONNX SpaceToDepth."""
    need_positive(case, blocksize=blocksize)
    need_rank(case, x, 4)
    n, c, h, w = x.dims
    need_block(case, h, blocksize, "height")
    need_block(case, w, blocksize, "width")
    return x.with_shape((n, c * blocksize * blocksize, floor_div(h, blocksize), floor_div(w, blocksize)))


@define("tf", "DepthToSpace")
def tf_depth_to_space(
    case: Case, x: TensorType, *, block_size: Term, data_format: str = "NHWC", **_others: Any
) -> TensorType:
    """GraphDef DepthToSpace."""
    channels, (h, w), last = split_layout(case, x, 2, data_format)
    need_block(case, channels, block_size * block_size, "channels")
    return joined_layout(x, floor_div(channels, block_size * block_size), (h * block_size, w * block_size), last)


@define("tf", "SpaceToDepth")
def tf_space_to_depth(
    case: Case, x: TensorType, *, block_size: Term, data_format: str = "NHWC", **_others: Any
) -> TensorType:
    """GraphDef SpaceToDepth."""
    channels, (h, w), last = split_layout(case, x, 2, data_format)
    need_block(case, h, block_size, "height")
    need_block(case, w, block_size, "width")
    sizes = (floor_div(h, block_size), floor_div(w, block_size))
    return joined_layout(x, channels * block_size * block_size, sizes, last)


@define("torch", "PixelShuffle", "pixel_shuffle")
def torch_pixel_shuffle(case: Case, x: TensorType, *, upscale_factor: Term) -> TensorType:
    """``nn.PixelShuffle``."""
    need_positive(case, upscale_factor=upscale_factor)
    need_min_rank(case, x, 3)
    *lead, c, h, w = x.dims
    need_block(case, c, upscale_factor * upscale_factor, "channels")
    return x.with_shape((*lead, floor_div(c, upscale_factor * upscale_factor), h * upscale_factor, w * upscale_factor))


@define("torch", "PixelUnshuffle", "pixel_unshuffle")
def torch_pixel_unshuffle(case: Case, x: TensorType, *, downscale_factor: Term) -> TensorType:
    """``nn.PixelUnshuffle``."""
    f = downscale_factor
    need_positive(case, downscale_factor=f)
    need_min_rank(case, x, 3)
    *lead, c, h, w = x.dims
    need_block(case, h, f, "height")
    need_block(case, w, f, "width")
    return x.with_shape((*lead, c * f * f, floor_div(h, f), floor_div(w, f)))


@define("torch", "ChannelShuffle", "channel_shuffle")
def torch_channel_shuffle(case: Case, x: TensorType, *, groups: Term) -> TensorType:
    """``nn.ChannelShuffle``."""
    need_positive(case, groups=groups)
    need_min_rank(case, x, 3)
    need_block(case, x.dims[1], groups, "channels")
    return x


@define("torch", "Upsample", "UpsamplingNearest2d", "UpsamplingBilinear2d", "interpolate")
def torch_interpolate(
    case: Case,
    x: TensorType,
    *,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: Any = None,
    recompute_scale_factor: Any = None,
    antialias: bool = False,
) -> TensorType:
    """``functional.interpolate`` with a size or a factor."""
    ranks = {"nearest": (3, 4, 5), "nearest-exact": (3, 4, 5), "area": (3, 4, 5), "linear": (3,), "bilinear": (4,),
             "bicubic": (4,), "trilinear": (5,)}  # fmt: skip
    need_choice(case, mode, tuple(ranks), "mode")
    smooth = mode in ("linear", "bilinear", "bicubic", "trilinear")
    case.require(ALIGN_CORNERS, align_corners is None or smooth, mode=mode, value=align_corners)
    need_rank(case, x, *ranks[mode])
    spatial = x.rank - 2
    case.require(SIZE_OR_SCALE, (size is None) != (scale_factor is None))
    for name, given in (("size", size), ("scale_factor", scale_factor)):
        if isinstance(given, (tuple, list)):
            case.require(LENGTH, len(given) == spatial, name=name, actual=len(given), expected=spatial)
    if size is not None:
        out = each(case, size, spatial, "size")
    else:
        factors = each(case, scale_factor, spatial, "scale_factor")
        out = tuple(scaled_size(n, f) for n, f in zip(x.dims[2:], factors, strict=True))
    for axis, n in zip(AXIS_NAMES[spatial], out, strict=True):
        case.require(RESIZED, n >= 1, axis=axis, size=n)
    return x.with_shape((*x.dims[:2], *out))


ALIGN_CORNERS = Rule(
    "align-corners",
    Category.IMPROPER_VALUE,
    "`align_corners` is {value}, but mode '{mode}' does not interpolate; leave it out",
    ("align_corners", "mode"),
)
SIZE_OR_SCALE = Rule(
    "size-or-scale", Category.IMPROPER_VALUE, "give one of `size` and `scale_factor`", ("size", "scale_factor")
)
RESIZED = Rule("resized-size", Category.ILLEGAL_SHAPE, "the {axis} would become {size}", ("size", "scale_factor"))


def scaled_size(size: Term, factor: Any) -> Term:
    """⌊size × factor⌋ for a whole or a fractional factor."""
    if isinstance(factor, float) and factor.is_integer():
        factor = int(factor)
    if not isinstance(factor, float):
        return size * factor
    if isinstance(size, int):
        return int(size * factor)
    numerator, denominator = factor.as_integer_ratio()
    return floor_div(size * numerator, denominator)


RESIZE_BY = Rule("resize-by", Category.IMPROPER_VALUE, "Resize needs either `scales` or `sizes`, and not both")


@define("onnx", "Resize", "Upsample")
def onnx_resize(
    case: Case,
    x: TensorType,
    roi: TensorType | None = None,
    scales: TensorType | None = None,
    sizes: TensorType | None = None,
    *,
    axes: Any = None,
    mode: str = "nearest",
    keep_aspect_ratio_policy: str = "stretch",
    **_others: Any,
) -> TensorType:
    """ONNX Resize by sizes, or by scales where they are short fractions."""
    given = [t for t in (scales, sizes) if t is not None and t.shape != (0,)]
    if case.at_least(11):  # before, the scales were the second operand
        known = all(t.shape is not None for t in given)
        case.require(RESIZE_BY, len(given) == 1 or (len(given) > 1 and not known))
    for name, operand in (("the scales", scales), ("the sizes", sizes)):
        need_vector(case, operand, name)
    places = axis_indices(case, tuple(axes), x.rank) if axes is not None else tuple(range(x.rank))
    target = target_of(sizes) if sizes is not None else None
    for name, operand in (("scales", scales), ("sizes", sizes)):
        if operand is not None and operand.shape and isinstance(operand.shape[0], int) and operand.shape[0] > 0:
            ok = operand.shape[0] == len(places)
            case.require(LENGTH, ok, name=name, actual=operand.shape[0], expected=len(places))
    if target is not None and keep_aspect_ratio_policy == "stretch" and len(target) == len(places):
        dims = list(x.dims)
        for axis, size in zip(places, target, strict=True):
            case.require(RESIZED, size >= 0, axis=f"axis {axis}", size=size)
            dims[axis] = size
        return x.with_shape(dims)
    by = scales if case.at_least(11) or scales is not None else roi
    factors = by.value if by is not None else None
    if isinstance(factors, tuple) and len(factors) == len(places) and all(_exact(f) for f in factors):
        grown = dict(zip(places, factors, strict=True))
        return x.with_shape(tuple(_scaled(d, grown[i]) if i in grown else d for i, d in enumerate(x.dims)))
    return x.with_shape(tuple(case.fresh("size", 0) if i in places else d for i, d in enumerate(x.dims)))


def _exact(factor: Any) -> bool:
    """Whether a factor is a known whole number or fraction."""
    return is_plain(factor) or (isinstance(factor, Quotient) and is_plain(factor.term))


def _scaled(size: Term, factor: Any) -> Term:
    if isinstance(factor, Quotient):
        return floor_div(size * factor.term, factor.divisor)
    return size * factor


@define("tf", "ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic", "ResizeArea")
def tf_resize(case: Case, x: TensorType, size: TensorType, **_others: Any) -> TensorType:
    """GraphDef Resize*: (batch, height, width, channels) to a size of two numbers."""
    need_rank(case, x, 4)
    need_layout(case, x, "NHWC")
    target = target_of(size)
    if target is None:
        target = (case.fresh("height", 1), case.fresh("width", 1))
    case.require(LENGTH, len(target) == 2, name="size", actual=len(target), expected=2)
    for axis, n in zip(AXIS_NAMES[2], target, strict=True):
        case.require(RESIZED, n >= 1, axis=axis, size=n)
    return TensorType((x.dims[0], *target, x.dims[3]), x.dtype, x.format)


@define_ranks("keras", "UpSampling{}D")
def _keras_upsampling(spatial: int) -> Any:
    def upsample(
        case: Case, x: TensorType, *, size: Any = 2, data_format: str | None = None, interpolation: str = "nearest"
    ) -> TensorType:
        """``keras.layers.UpSampling{1,2,3}D``."""
        need_choice(case, interpolation, ("nearest", "bilinear", "bicubic", "lanczos3", "lanczos5"), "interpolation")
        factors = each(case, size, spatial, "size")
        for factor in factors:
            need_positive(case, size=factor)
        channels, sizes, last = split_layout(case, x, spatial, data_format)
        return joined_layout(x, channels, [n * f for n, f in zip(sizes, factors, strict=True)], last)

    return upsample


@define("keras", "Resizing", "CenterCrop", "RandomCrop")
def keras_resizing(
    case: Case, x: TensorType, *, height: Term, width: Term, data_format: str | None = None, **_others: Any
) -> TensorType:
    """``keras.layers.Resizing`` and croppers: an image, batched or not."""
    need_positive(case, height=height, width=width)
    need_rank(case, x, 3, 4)
    last = channels_last(case, data_format, 2)
    if x.rank == 4:
        need_layout(case, x, layout_name(2, last))
    if last:
        return x.with_shape((*x.dims[:-3], height, width, x.dims[-1]))
    return x.with_shape((*x.dims[:-2], height, width))
