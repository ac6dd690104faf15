"""What torch keeps of a convolution: its sizes for each axis, the shape of its kernel, what its base class makes."""

from __future__ import annotations

import re
from collections.abc import Mapping

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


_BASE = re.compile(r"torch\.nn\.modules\.conv\._Conv(Transpose)?Nd")
_OF_BASE = (
    "in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation", "transposed", "output_padding",
    "groups", "bias", "padding_mode", "device", "dtype",
)  # fmt: skip
_OPTIONAL = 2
_ONLY_KEPT = ("transposed", "output_padding")


def of_base(
    base: str, args: tuple[Value, ...], kwargs: Mapping[str, Value]
) -> tuple[str, dict[str, Value], dict[str, Value]] | None:
    """The layer that has the parameters which `_ConvNd.__init__` makes, its arguments, and what is kept beside them.

    `_ConvNd` has no `forward`: only what it keeps is that of the layer. None where the number of axes is not known.
    """
    if not _BASE.fullmatch(base) or len(args) > len(_OF_BASE):
        return None
    given = {**dict(zip(_OF_BASE, args, strict=False)), **kwargs}
    kernel, transposed = given.get("kernel_size"), given.get("transposed")
    whole = set(_OF_BASE[:-_OPTIONAL]) <= given.keys() <= set(_OF_BASE)
    if not whole or not isinstance(kernel, tuple) or len(kernel) not in (1, 2, 3) or not isinstance(transposed, bool):
        return None
    name = f"torch.nn.Conv{'Transpose' if transposed else ''}{len(kernel)}d"
    kept = {part: given[part] for part in _ONLY_KEPT}
    return name, {part: value for part, value in given.items() if part not in kept}, kept
