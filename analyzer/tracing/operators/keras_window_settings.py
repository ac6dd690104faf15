"""Sizes of windows as layers of Keras keep them: one for each axis over which the window moves."""

from __future__ import annotations

import re

from analyzer.tracing.language.values import Layer, ListV, Value
from analyzer.validity.terms import Poly

_AXES = re.compile(r"([123])D")
_OF_EACH = frozenset(("kernel_size", "strides", "pool_size", "dilation_rate", "output_size"))
_ON_BOTH_SIDES = frozenset(("padding", "cropping"))


def configured(layer: Layer) -> dict[str, Value]:
    """The arguments of a layer as its configuration has them: a number that is given for all axes stands for each."""
    axes = _AXES.search(layer.name.rpartition(".")[2])
    if axes is None or not layer.name.startswith("keras.layers."):
        return dict(layer.args)
    return {
        name: _of_axes(name, value, int(axes[1])) for name, value in layer.args.items() if not _left_out(name, value)
    }


def _left_out(name: str, value: Value) -> bool:
    """Steps that are not given are those of the window."""
    return name == "strides" and value is None


def _of_axes(name: str, value: Value, axes: int) -> Value:
    if isinstance(value, ListV) and not value.open and name in _OF_EACH | _ON_BOTH_SIDES:
        value = tuple(value.items)
    number = isinstance(value, (int, Poly)) and not isinstance(value, bool)
    if name in _OF_EACH or (name == "size" and axes > 1):
        return (value,) * axes if number else value
    if name in _ON_BOTH_SIDES and number:
        return (value, value) if axes == 1 else ((value, value),) * axes
    if name in _ON_BOTH_SIDES and axes > 1 and isinstance(value, tuple):
        return tuple((part, part) if isinstance(part, (int, Poly)) else part for part in value)
    return value
