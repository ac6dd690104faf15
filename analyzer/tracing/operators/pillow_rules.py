"""Pillow: pictures of files, arrays and sizes."""

from __future__ import annotations

from analyzer.tracing.language.tensors import show_shape
from analyzer.tracing.language.values import ListV, Object, Value
from analyzer.tracing.operators.numpy_operands import array
from analyzer.tracing.operators.pictures import CHANNELS, ENHANCER, is_picture, picture, sides_of, told_of
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op, operator


@operator("PIL.Image.open", "fp *rest")
def opened(op: Op, fp: Value, rest: tuple[Value, ...]) -> Value:
    """Of any mode and size."""
    return picture(op.tr, None, None, None, op.where)


@operator("PIL.Image.new", "mode size *rest")
def new(op: Op, mode: Value, size: Value, rest: tuple[Value, ...]) -> Value:
    return picture(op.tr, mode if isinstance(mode, str) else None, *sides_of(op.tr, size), op.where)


_BY_TYPE = {"bool": "1", "uint8": "L", "int8": "L", "int16": "I", "int32": "I", "uint32": "I", "uint16": "I;16",
            "float32": "F", "float64": "F"}  # fmt: skip
_BY_CHANNELS = {2: "LA", 3: "RGB", 4: "RGBA"}


@operator("PIL.Image.fromarray", "obj mode=None")
def from_array(op: Op, obj: Value, mode: Value) -> Value:
    """Of (height, width), or of bytes in (height, width, channels) with two to four channels; no other is read.

    Behind a mode that is given, an older Pillow reads the memory of any other as it lies there.
    """
    found = array(op, obj) if not is_picture(obj) else None
    if found is None or found.dims is None or found.framework != "numpy" or len(found.dims) < 2:
        return picture(op.tr, mode if isinstance(mode, str) else None, None, None, op.where)
    height, width, *channels = found.dims
    told = f"an array of the shape {show_shape(found.dims)} is no picture"
    read = mode is not None
    if not read and (len(channels) > 1 or (channels and type(channels[0]) is int and channels[0] not in _BY_CHANNELS)):
        fail(op, "picture", f"{told}: one has two axes, or a third of 2 to 4 channels", (found,))
    if not read and channels and found.dtype is not None and found.dtype != "uint8":
        fail(op, "picture", f"{told}: only bytes (uint8) have channels, not {found.dtype}", (found,))
    own = _BY_CHANNELS.get(channels[0]) if channels else _BY_TYPE.get(found.dtype or "")
    if own is None and isinstance(mode, str) and bool(channels) == (mode in CHANNELS):
        own = mode
    return picture(op.tr, own if mode is None or mode == own else None, width, height, op.where)


@operator("PIL.Image.merge", "mode bands")
def merged(op: Op, mode: Value, bands: Value) -> Value:
    first = next(iter(bands.items if isinstance(bands, ListV) else bands if isinstance(bands, tuple) else ()), None)
    _, width, height = told_of(first)
    return picture(op.tr, mode if isinstance(mode, str) else None, width, height, op.where)


@operator("PIL.Image.blend PIL.Image.alpha_composite PIL.Image.composite", "image1 *rest")
def blended(op: Op, image1: Value, rest: tuple[Value, ...]) -> Value:
    return picture(op.tr, *told_of(image1), op.where)


@operator(" ".join(f"PIL.ImageEnhance.{name}" for name in ("Brightness", "Color", "Contrast", "Sharpness")), "image")
def enhancer(op: Op, image: Value) -> Value:
    if not is_picture(image):
        return op.tr.unknown(f"an enhancer of {op.short}", "foreign")
    return Object(ENHANCER, {"image": image}, {}, op.where)


@operator(
    "PIL.ImageOps.autocontrast PIL.ImageOps.equalize PIL.ImageOps.flip PIL.ImageOps.invert PIL.ImageOps.mirror "
    "PIL.ImageOps.posterize PIL.ImageOps.solarize PIL.ImageOps.grayscale",
    "image *rest",
)
def changed(op: Op, image: Value, rest: tuple[Value, ...]) -> Value:
    mode, width, height = told_of(image)
    return picture(op.tr, "L" if op.short == "grayscale" else mode, width, height, op.where)
