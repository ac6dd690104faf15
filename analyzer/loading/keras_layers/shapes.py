"""Layouts and paddings of Keras in terms of ONNX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import onnx_ir as ir

from analyzer.loading.keras_builder import Config, Dims, KerasLayer, Unsupported, dims, rank
from analyzer.operators.windows import Window


def numbers(value: Any, count: int) -> list[int]:
    """A size that is one number or one a spatial dimension."""
    values = list(value) if isinstance(value, list | tuple) else [value] * count
    if len(values) != count or not all(type(v) is int for v in values):
        raise Unsupported
    return values


def number(config: Config, key: str, default: float) -> float:
    value = config.get(key, default)
    return default if value is None else float(value)


def is_channels_last(config: Config) -> bool:
    return config.get("data_format") != "channels_first"


def to_first(layer: KerasLayer, x: ir.Value, last: bool) -> ir.Value:
    """``N…C`` -> ``NC…`` if `last`."""
    if not last:
        return x
    size = rank(x)
    return transpose(layer, x, [0, size - 1, *range(1, size - 1)])


def to_last(layer: KerasLayer, x: ir.Value, last: bool) -> ir.Value:
    """``NC…`` -> ``N…C`` if `last`."""
    if not last:
        return x
    size = rank(x)
    return transpose(layer, x, [0, *range(2, size), 1])


def transpose(layer: KerasLayer, x: ir.Value, order: Sequence[int]) -> ir.Value:
    if list(order) == list(range(len(order))):
        return x
    shape = dims(x)
    result: ir.Value = layer.op(
        "Transpose", x, perm=list(order), shape=tuple(shape[i] for i in order) if shape is not None else None
    )
    return result


def window(
    spatial: Dims,
    kernel: Sequence[int],
    strides: Sequence[int],
    dilation: Sequence[int],
    padding: str,
) -> tuple[dict[str, Any], Dims]:
    """Attributes for the padding of a convolution or pooling, and the spatial dimensions that result."""
    if min(*kernel, *strides, *dilation) < 1:
        raise Unsupported
    windows = [Window(k, s, d) for k, s, d in zip(kernel, strides, dilation, strict=True)]
    if padding == "valid":
        return {"pads": [0] * 2 * len(kernel)}, _each(Window.positions, windows, spatial)
    if padding == "causal":
        first = windows[0]
        pads = [first.extent - 1, 0]
        return {"pads": pads}, _each(Window.positions, [replace(first, before=pads[0])] * len(spatial), spatial)
    if padding != "same":
        raise Unsupported
    result = _each(Window.positions_same, windows, spatial)
    before, after = [], []
    for n, w in zip(spatial, windows, strict=True):
        if n is None and w.stride != 1:
            return {"auto_pad": "SAME_UPPER"}, result
        front, back = w.same_padding(w.extent if n is None else n)  # at stride 1 it is the same for all sizes
        before.append(front)
        after.append(back)
    return {"pads": before + after}, result


def _each(positions: Callable[[Window, int], int], windows: Sequence[Window], sizes: Dims) -> Dims:
    return tuple(None if n is None else positions(w, n) for w, n in zip(windows, sizes, strict=True))


def broadcast(*shapes: Dims | None) -> Dims | None:
    """The shape of an elementwise result; None where it cannot be told."""
    if any(s is None for s in shapes):
        return None
    size = max(len(s) for s in shapes if s is not None)
    padded = [(1,) * (size - len(s)) + tuple(s) for s in shapes if s is not None]
    result: list[int | None] = []
    for parts in zip(*padded, strict=True):
        known = {p for p in parts if p is not None and p != 1}
        if len(known) > 1:
            raise Unsupported
        result.append(next(iter(known)) if known else (None if None in parts else 1))
    return tuple(result)
