"""Which tensor of a TensorFlow Lite file is the output of which layer of the model that it was made from.

The converter keeps the scopes of operations, the last one of a fused operation first:
``functional_1/re_lu_1/Relu;functional_1/conv2d_1/convolution``. TensorFlow numbers the scopes of a file all or none:
the layer ``conv2d_1`` stands there as ``conv2d_1`` or as ``conv2d_1_2``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Sizes = Sequence[int | None]


@dataclass(frozen=True)
class Made:
    """A tensor that an operation of the file makes; `readers`: the tensors that are computed from it."""

    index: int
    name: str
    shape: Sizes
    readers: tuple[int, ...]


@dataclass(frozen=True)
class LayerOutput:
    """What a layer of the other model gives. `shape` None: it is not known."""

    layer: str
    tensor: str
    shape: Sizes | None


def matched(made: Sequence[Made], layers: Sequence[LayerOutput]) -> dict[int, LayerOutput]:
    """Tensor of the file -> the layer whose output it is. Both are in the order of computation.

    A tensor with the very name of a layer is its output. Else the last one in a layer's scope that something outside of
    it reads is; a tensor of several scopes belongs to the last of their layers. One of other sizes is no layer's.
    """
    order = {each.layer: index for index, each in enumerate(layers)}
    found: dict[int, str] = {}
    for numbered in (False, True):
        scopes = {each.index: _layer_of(each.name, order, numbered) for each in made}
        named = {index: layer for index, layer in scopes.items() if layer}
        if len(set(named.values())) > len(set(found.values())):
            found = named
    last: dict[str, Made] = {}
    for each in made:
        layer = found.get(each.index)
        if layer is not None and any(found.get(reader) != layer for reader in each.readers):
            last[layer] = each
    return {
        last[each.layer].index: each
        for each in layers
        if each.layer in last and _fits(last[each.layer].shape, each.shape)
    }


def _layer_of(name: str, order: Mapping[str, int], numbered: bool) -> str:
    if name in order:
        return name
    scopes = [_scope(part, order, numbered) for part in name.split(";")]
    return max(scopes, key=lambda layer: order.get(layer, -1))


def _scope(name: str, order: Mapping[str, int], numbered: bool) -> str:
    """The outermost layer that `name` lies in, a nested one by its whole path; a name ends with its operation."""
    parts = [re.sub(r"_\d+$", "", part) if numbered else part for part in name.split("/")[:-1]]
    runs = ("/".join(parts[a:b]) for a in range(len(parts)) for b in range(len(parts), a, -1))
    return next((run for run in runs if run in order), "")


def _fits(mine: Sizes, theirs: Sizes | None) -> bool:
    """Whether sizes agree beyond the first axis, the instances, where both are known."""
    if theirs is None:
        return True
    pairs = list(zip(mine, theirs, strict=False))[1:]
    return len(mine) == len(theirs) and all(a == b for a, b in pairs if a is not None and b is not None)
