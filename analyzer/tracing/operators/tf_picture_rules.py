"""TensorFlow: pictures (`tf.image`): colours, cuts, patches and how alike two are."""

from __future__ import annotations

from typing import Any

from analyzer.operators.windows import Window
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.element_types import dtype_name
from analyzer.tracing.operators.hyperparameters import dropped, plain
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import like, shape_value, tensor
from analyzer.validity.terms import Poly, at_least_zero, equal, floor_div, product


def _named(words: str) -> str:
    return " ".join(f"tf.image.{word}" for word in words.split())


def _pictures(op: Op, image: Value) -> Tensor | None:
    """A picture of height, width and channels, or a batch of them; None where its shape is not known."""
    source = tensor(op, image)
    if source is None or source.dims is None:
        return None
    if len(source.dims) not in (3, 4):
        fail(
            op,
            "rank",
            f"the picture must have 3 or 4 dimensions and has the shape {show_shape(source.dims)}",
            (source,),
        )
    return source


def _with_sides(source: Tensor, height: Any, width: Any) -> tuple[Any, ...]:
    assert source.dims is not None
    return (*source.dims[:-3], height, width, source.dims[-1])


def _whole(*values: Value) -> bool:
    return all(isinstance(v, (int, Poly)) and not isinstance(v, bool) for v in values)


@operator(
    _named(
        "adjust_brightness adjust_contrast adjust_gamma adjust_hue adjust_saturation flip_left_right flip_up_down "
        "random_brightness random_contrast random_hue random_saturation random_flip_left_right random_flip_up_down "
        "stateless_random_brightness stateless_random_contrast stateless_random_hue stateless_random_saturation "
        "stateless_random_flip_left_right stateless_random_flip_up_down adjust_jpeg_quality random_jpeg_quality"
    ),
    "image *rest",
)
def recoloured(op: Op, image: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, op.extra.get("images", image))
    return unknown_tensor(op, "tf") if source is None else like(op, source, source.shape, source.dtype)


@operator(_named("hsv_to_rgb rgb_to_hsv rgb_to_yuv yuv_to_rgb rgb_to_yiq yiq_to_rgb rgb_to_grayscale"), "images *rest")
def colours(op: Op, images: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, images)
    if source is None or not source.dims:
        return unknown_tensor(op, "tf")
    message = f"the last axis must hold 3 colours and the shape is {show_shape(source.dims)}"
    require(op, equal(source.dims[-1], 3), "channels", message, (source,))
    last = 1 if op.short == "rgb_to_grayscale" else source.dims[-1]
    return like(op, source, (*source.dims[:-1], last), source.dtype)


@operator("tf.image.grayscale_to_rgb", "images *rest")
def from_gray(op: Op, images: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, images)
    if source is None or not source.dims:
        return unknown_tensor(op, "tf")
    message = f"the last axis must hold one colour and the shape is {show_shape(source.dims)}"
    require(op, equal(source.dims[-1], 1), "channels", message, (source,))
    return like(op, source, (*source.dims[:-1], 3), source.dtype)


@operator("tf.image.per_image_standardization", "image")
def standardized(op: Op, image: Value) -> Value:
    source = tensor(op, image)
    kept = source is not None and source.dtype in ("float16", "float32")
    return (
        unknown_tensor(op, "tf") if source is None else like(op, source, source.shape, source.dtype if kept else None)
    )


@operator("tf.image.convert_image_dtype", "image dtype *rest")
def converted(op: Op, image: Value, dtype: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, image)
    return unknown_tensor(op, "tf") if source is None else like(op, source, source.shape, dtype_name(dtype))


@operator(_named("transpose rot90"), "image k=1 name=None")
def turned(op: Op, image: Value, k: Value, name: Value) -> Value:
    source = _pictures(op, image)
    if source is None or source.dims is None or not isinstance(k, int):
        return unknown_tensor(op, "tf")
    height, width = source.dims[-3:-1]
    odd = op.short == "transpose" or k % 2 == 1
    return like(op, source, _with_sides(source, *((width, height) if odd else (height, width))), source.dtype)


@operator("tf.image.central_crop", "image central_fraction")
def central_crop(op: Op, image: Value, central_fraction: Value) -> Value:
    source = _pictures(op, image)
    if source is None or source.dims is None:
        return unknown_tensor(op, "tf")
    sides: list[Any] = []
    for side in source.dims[-3:-1]:
        if isinstance(side, int) and isinstance(central_fraction, (int, float)) and 0 < central_fraction <= 1:
            sides.append(side - 2 * int((side - side * central_fraction) / 2))
        else:
            sides.append(op.tr.fresh("size", "unknown", 0))
    return like(op, source, _with_sides(source, *sides), source.dtype)


@operator(
    _named("crop_to_bounding_box pad_to_bounding_box"), "image offset_height offset_width target_height target_width"
)
def boxed(op: Op, image: Value, **numbers: Value) -> Value:
    source = _pictures(op, image)
    places, sides = (
        [numbers["offset_height"], numbers["offset_width"]],
        [numbers["target_height"], numbers["target_width"]],
    )
    if source is None or source.dims is None or not _whole(*places, *sides):
        return unknown_tensor(op, "tf", (source,) if source else ())
    for own, place, side in zip(source.dims[-3:-1], places, sides, strict=True):
        inner, outer = (own, side) if op.short.startswith("pad") else (side, own)
        message = f"{inner} places from {place} on do not lie within {outer}"
        require(op, at_least_zero(outer - place - inner), "bounds", message, (source,))
    return like(op, source, _with_sides(source, *sides), source.dtype)


@operator(_named("random_crop stateless_random_crop"), "value size *rest")
def random_crop(op: Op, value: Value, size: Value, rest: tuple[Value, ...]) -> Value:
    source, sides = tensor(op, value), shape_value(op, size)
    if source is None or sides is None or not _whole(*sides):
        return unknown_tensor(op, "tf", (source,) if source else ())
    if source.dims is not None:
        if len(source.dims) != len(sides):
            fail(op, "rank", f"the size {show_shape(sides)} has another rank than {show_shape(source.dims)}", (source,))
        for own, side in zip(source.dims, sides, strict=True):
            require(op, at_least_zero(own - side), "bounds", f"{side} of {own} cannot be cut", (source,))
    return like(op, source, tuple(sides), source.dtype)


@operator("tf.image.resize_with_pad", "image target_height target_width *rest")
def resize_with_pad(op: Op, image: Value, target_height: Value, target_width: Value, rest: tuple[Value, ...]) -> Value:
    source = _pictures(op, image)
    if source is None or not _whole(target_height, target_width):
        return unknown_tensor(op, "tf", (source,) if source else ())
    return like(op, source, _with_sides(source, target_height, target_width), None)


@operator("tf.image.extract_patches", "images sizes strides rates padding name=None")
def extract_patches(op: Op, images: Value, **given: Value) -> Value:
    source = tensor(op, images)
    sizes, strides, rates = (plain(op.tr, given[word]) for word in ("sizes", "strides", "rates"))
    padding = given["padding"]
    rows = (sizes, strides, rates)
    if (
        source is None or source.dims is None or not isinstance(padding, str)
        or any(dropped(row) or not isinstance(row, (list, tuple)) or len(row) != 4 for row in rows)
    ):  # fmt: skip
        return unknown_tensor(op, "tf", (source,) if source else ())
    if len(source.dims) != 4:
        fail(op, "rank", f"the pictures must have 4 dimensions and have the shape {show_shape(source.dims)}", (source,))
    sides = []
    for axis in (1, 2):
        window = Window(sizes[axis], strides[axis], rates[axis])
        count = window.positions_same if padding.upper() == "SAME" else window.positions
        sides.append(count(source.dims[axis], floor_div))
    return like(op, source, (source.dims[0], *sides, product((sizes[1], sizes[2], source.dims[3]))), source.dtype)


@operator("tf.image.image_gradients", "image")
def image_gradients(op: Op, image: Value) -> Value:
    source = tensor(op, image)
    if source is None:
        return unknown_tensor(op, "tf"), unknown_tensor(op, "tf")
    return tuple(like(op, source, source.shape, source.dtype) for _ in range(2))


@operator("tf.image.sobel_edges", "image")
def sobel_edges(op: Op, image: Value) -> Value:
    source = tensor(op, image)
    if source is None or source.dims is None:
        return unknown_tensor(op, "tf")
    return like(op, source, (*source.dims, 2), source.dtype)


@operator("tf.image.total_variation", "images *rest")
def total_variation(op: Op, images: Value, rest: tuple[Value, ...]) -> Value:
    source = _pictures(op, images)
    return unknown_tensor(op, "tf") if source is None or source.dims is None else like(op, source, source.dims[:-3])


@operator(_named("psnr ssim ssim_multiscale"), "a|img1 b|img2 *rest")
def likeness(op: Op, a: Value, b: Value, rest: tuple[Value, ...]) -> Value:
    """Compared over the last three axes; those before are a batch, which both broadcast to."""
    one, other = tensor(op, a), tensor(op, b)
    if one is None or other is None or one.dims is None or other.dims is None or one.dims != other.dims:
        return unknown_tensor(op, "tf", tuple(t for t in (one, other) if t is not None))
    return like(op, one, one.dims[:-3], "float32") if len(one.dims) > 2 else unknown_tensor(op, "tf", (one, other))


@operator("tf.image.crop_and_resize", "image boxes box_indices crop_size *rest")
def crop_and_resize(
    op: Op, image: Value, boxes: Value, box_indices: Value, crop_size: Value, rest: tuple[Value, ...]
) -> Value:
    source, places, sides = tensor(op, image), tensor(op, boxes), shape_value(op, crop_size)
    if source is None or source.dims is None or len(source.dims) != 4 or sides is None or len(sides) != 2:
        return unknown_tensor(op, "tf", (source,) if source else ())
    known = places is not None and places.dims is not None and len(places.dims) == 2
    count = (
        places.dims[0]
        if known and places is not None and places.dims is not None
        else op.tr.fresh("boxes", "unknown", 0)
    )
    return like(op, source, (count, *sides, source.dims[3]), "float32")
