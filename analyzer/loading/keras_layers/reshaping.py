"""Layers that move elements without computing with them, and resizing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import onnx_ir as ir

from analyzer.loading.keras_builder import Dims, KerasLayer, Unsupported, dims, known_dims, rank
from analyzer.loading.keras_layers.rules import Conversion, LayerCall
from analyzer.loading.keras_layers.shapes import is_channels_last, numbers, to_first, to_last, transpose


def _flatten(layer: KerasLayer, call: LayerCall) -> ir.Value:
    x = call.first()
    if not is_channels_last(layer.config) and rank(x) > 2:
        x = to_last(layer, x, True)
    shape = known_dims(x)
    size = None if None in shape[1:] else math.prod(int(d or 0) for d in shape[1:])
    target = [0, size] if size is not None else [0, -1]
    if rank(x) == 1:
        target, size = [-1, 1], 1
    result: ir.Value = layer.op("Reshape", x, layer.ints([int(t) for t in target]), shape=(shape[0], size))
    return result


def reshaped(layer: KerasLayer, x: ir.Value, target: list[int]) -> ir.Value:
    """To `target` below the batch dimension; one -1 may stand for what remains."""
    shape = known_dims(x)
    known = None if None in shape[1:] else math.prod(int(d or 0) for d in shape[1:])
    if -1 in target and known is not None:
        rest = math.prod(t for t in target if t != -1)
        target = [known // rest if t == -1 and rest else t for t in target]
    batch = -1 if -1 not in target else 0
    result: ir.Value = layer.op(
        "Reshape", x, layer.ints([batch, *target]), shape=(shape[0], *(None if t == -1 else t for t in target))
    )
    return result


def _reshape(layer: KerasLayer, call: LayerCall) -> ir.Value:
    target = list(layer.config.get("target_shape", ()))
    if not all(type(t) is int and t >= -1 for t in target) or target.count(-1) > 1:
        raise Unsupported
    return reshaped(layer, call.first(), target)


def _permute(layer: KerasLayer, call: LayerCall) -> ir.Value:
    x = call.first()
    order = [0, *layer.config.get("dims", ())]
    if sorted(order) != list(range(rank(x))):
        raise Unsupported
    return transpose(layer, x, order)


def _repeat_vector(layer: KerasLayer, call: LayerCall) -> ir.Value:
    x, count = call.first(), layer.config.get("n", 1)
    shape = known_dims(x)
    if type(count) is not int or count < 1:
        raise Unsupported
    longer = layer.op("Unsqueeze", x, layer.ints([1]), shape=(shape[0], 1, shape[1]))
    result: ir.Value = layer.op("Tile", longer, layer.ints([1, count, 1]), shape=(shape[0], count, shape[1]))
    return result


def _pairs(value: Any, spatial: int) -> list[tuple[int, int]]:
    """``2``, ``(1, 2)`` (a dimension each; before and after in one dimension), ``((1, 2), (3, 4))``."""
    if type(value) is int:
        return [(value, value)] * spatial
    parts = list(value)
    if spatial == 1 and len(parts) == 2 and all(type(p) is int for p in parts):
        return [(parts[0], parts[1])]
    if len(parts) != spatial:
        raise Unsupported
    return [(p, p) if type(p) is int else (int(p[0]), int(p[1])) for p in parts]


def _padding(spatial: int) -> Conversion:
    def convert(layer: KerasLayer, call: LayerCall) -> ir.Value:
        x = call.first()
        pairs = _pairs(layer.config.get("padding", 1), spatial)
        around = [(0, 0), *pairs, (0, 0)] if is_channels_last(layer.config) else [(0, 0), (0, 0), *pairs]
        shape = tuple(None if d is None else d + sum(p) for d, p in zip(known_dims(x), around, strict=True))
        pads = [p[0] for p in around] + [p[1] for p in around]
        zero = layer.constant(0, (x.dtype or layer.compute).numpy())
        result: ir.Value = layer.op("Pad", x, layer.ints(pads), zero, mode="constant", shape=shape)
        return result

    return convert


def _cropping(spatial: int) -> Conversion:
    def convert(layer: KerasLayer, call: LayerCall) -> ir.Value:
        x = call.first()
        last = is_channels_last(layer.config)
        pairs = _pairs(layer.config.get("cropping", 1), spatial)
        axes = list(range(1, spatial + 1)) if last else list(range(2, spatial + 2))
        shape = list(known_dims(x))
        for axis, pair in zip(axes, pairs, strict=True):
            size = shape[axis]
            shape[axis] = None if size is None else max(size - sum(pair), 0)
        far = np.iinfo(np.int64).max
        ends = [-after if after else far for _, after in pairs]
        starts = [before for before, _ in pairs]
        result: ir.Value = layer.op(
            "Slice", x, layer.ints(starts), layer.ints(ends), layer.ints(axes), shape=tuple(shape)
        )
        return result

    return convert


def _upsampling(spatial: int) -> Conversion:
    def convert(layer: KerasLayer, call: LayerCall) -> ir.Value:
        mode = layer.config.get("interpolation", "nearest")
        if mode not in ("nearest", "bilinear"):
            raise Unsupported
        last = is_channels_last(layer.config) or spatial == 1
        size = numbers(layer.config.get("size", 2), spatial)
        x = to_first(layer, call.first(), last)
        shape = known_dims(x)
        result = (*shape[:2], *(None if d is None else d * s for d, s in zip(shape[2:], size, strict=True)))
        y = _scaled(layer, x, [1.0, 1.0, *map(float, size)], mode, result)
        return to_last(layer, y, last)

    return convert


def _scaled(layer: KerasLayer, x: ir.Value, scales: list[float], mode: str, shape: Dims) -> ir.Value:
    """Resize, nearest as by repetition, linear with half-pixel centres."""
    nearest = mode == "nearest"
    result: ir.Value = layer.op(
        "Resize",
        x,
        None,
        layer.constant(scales, np.float32),
        mode="nearest" if nearest else "linear",
        coordinate_transformation_mode="asymmetric" if nearest else "half_pixel",
        nearest_mode="floor",
        shape=shape,
    )
    return result


def _resizing(layer: KerasLayer, call: LayerCall) -> ir.Value:
    config = layer.config
    mode = config.get("interpolation", "bilinear")
    keeps = config.get("crop_to_aspect_ratio") or config.get("pad_to_aspect_ratio")
    if mode != "bilinear" or keeps or config.get("antialias"):
        raise Unsupported
    last = is_channels_last(config)
    x = to_first(layer, layer.computed(call.first()), last)
    shape = known_dims(x)
    if len(shape) != 4 or shape[1] is None:
        raise Unsupported
    height, width = numbers([config.get("height"), config.get("width")], 2)
    batch = layer.op("Shape", x, start=0, end=2)
    sizes = layer.op("Concat", batch, layer.ints([height, width]), axis=0)
    y = layer.op(
        "Resize",
        x,
        None,
        None,
        sizes,
        mode="linear",
        coordinate_transformation_mode="half_pixel",
        shape=(*shape[:2], height, width),
    )
    return to_last(layer, y, last)


LAYERS: dict[str, Conversion] = {
    "Flatten": _flatten,
    "Reshape": _reshape,
    "Permute": _permute,
    "RepeatVector": _repeat_vector,
    "Resizing": _resizing,
    **{f"ZeroPadding{n}D": _padding(n) for n in (1, 2, 3)},
    **{f"Cropping{n}D": _cropping(n) for n in (1, 2, 3)},
    **{f"UpSampling{n}D": _upsampling(n) for n in (1, 2, 3)},
}

__all__ = ["LAYERS", "dims", "reshaped"]
