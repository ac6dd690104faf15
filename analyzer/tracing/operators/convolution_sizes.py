"""What torch keeps of a convolution: its sizes for each axis, and the shape of its kernel."""

from __future__ import annotations

import re

from analyzer.tracing.language.values import Layer, Value, is_term
from analyzer.validity.terms import floor_div

SIZES_OF_CONVOLUTIONS = {"kernel_size": None, "stride": 1, "padding": 0, "dilation": 1}


def of_convolution(layer: Layer, name: str) -> Value:
    """What torch keeps of a convolution: one size for each axis, also of those that are not given. None if no such."""
    found = re.fullmatch(r"torch\.nn\.Conv(?:Transpose)?([123])d", layer.name)
    if found is None or name not in (*SIZES_OF_CONVOLUTIONS, "groups"):
        return None
    value = (
        layer.attrs[name]
        if name in layer.attrs
        else layer.args.get(name, 1 if name == "groups" else SIZES_OF_CONVOLUTIONS[name])
    )
    return (value,) * int(found[1]) if name != "groups" and is_term(value) else value


def kernel_of(layer: Layer) -> list[Value] | None:
    """The shape of the kernel of a convolution; None where it is none, or where it is not known."""
    sizes, groups = of_convolution(layer, "kernel_size"), of_convolution(layer, "groups")
    outer, inner = layer.args.get("out_channels"), layer.args.get("in_channels")
    if (
        not isinstance(sizes, tuple)
        or not isinstance(groups, int)
        or groups < 1
        or not (is_term(outer) and is_term(inner))
    ):
        return None
    if "Transpose" in layer.name:
        outer, inner = inner, outer
    return [outer, inner if groups == 1 else floor_div(inner, groups), *sizes]
