"""Directions that are made of angles: (sin t cos p, sin t sin p, cos t) has length 1, whatever the angles are.

Squares of two products that are alike but for the sine of an angle here and its cosine there add up to the square of
what they share.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.transfer.facts import are_axes
from analyzer.operators.declaration import RESHAPES

DEPTH = 8  # operators between an element and its factors
MOST_PARTS = 16
MARGIN = 1e-3  # of sines, cosines, products and sums in float32, on any processor
NOTHING = (0.0, np.inf)

Factor = tuple[str, int]  # "Sin" or "Cos" and the key of the angle, or "" and the key of any other factor
Product = Counter[Factor]


def square_sum_bounds(x: AbstractTensor, axes: Any) -> tuple[float, float]:
    """Between which numbers sums of the squares of `x` along one axis lie, as far as its elements are such products."""
    if not are_axes(axes) or len(axes) != 1 or x.nan or not 0 < x.dtype.eps < 1e-6:
        return NOTHING
    parts = _parts(x, axes[0], DEPTH)
    if parts is None:
        return NOTHING
    sizes: dict[int, tuple[float, float]] = {}
    products = [_product(part, sizes, DEPTH) for part in parts]
    merged = _merged(products)
    if len(merged) == len(products):
        return NOTHING
    least = sum(float(np.prod([sizes[key][0] ** 2 for _, key in p.elements()])) for p in merged)
    most = sum(float(np.prod([sizes[key][1] ** 2 for _, key in p.elements()])) for p in merged)
    least = least * (1 - MARGIN) if least > x.dtype.tiny / x.dtype.eps**2 else 0.0
    return least, most * (1 + MARGIN) + len(parts) * x.dtype.tiny


def _merged(products: list[Product]) -> list[Product]:
    """The products whose squares have the same sum, after sines and cosines of one angle have met."""
    rest = list(products)
    while True:
        pair = next(((i, j, p) for i, a in enumerate(rest) for j, b in enumerate(rest) if (p := _shared(a, b))), None)
        if pair is None:
            return rest
        i, j, (shared,) = pair
        rest = [p for n, p in enumerate(rest) if n not in (i, j)] + [shared]


def _shared(a: Product, b: Product) -> tuple[Product] | None:
    """What two products share, the one of which goes on with a sine and the other with the cosine of the same angle."""
    own, other = list((a - b).elements()), list((b - a).elements())
    if len(own) != 1 or len(other) != 1 or (own[0][0], other[0][0]) != ("Sin", "Cos") or own[0][1] != other[0][1]:
        return None
    return (a & b,)


def _product(x: AbstractTensor, sizes: dict[int, tuple[float, float]], depth: int) -> Product:
    """The factors of every element; `sizes` keeps how small and how large factors are, but for their signs."""
    origin = x.origin
    name = origin.rule.name if origin is not None else ""
    if origin is not None and depth:
        inner = origin.inputs[0] if origin.inputs and isinstance(origin.inputs[0], AbstractTensor) else None
        if (name == "Neg" or origin.rule.operator.traits & RESHAPES) and inner is not None:
            return _product(inner, sizes, depth - 1)
        if name == "Mul" and x.shape is not None and all(t.shape == x.shape for t in origin.inputs[:2]):
            first, second = origin.inputs[:2]
            return _product(first, sizes, depth - 1) + _product(second, sizes, depth - 1)
        if name in ("Sin", "Cos") and inner is not None:
            sizes.setdefault(inner.key, (0.0, 1.0))
            return Counter({(name, inner.key): 1})
    least = 0.0 if x.low <= 0 <= x.high else min(abs(x.low), abs(x.high))
    sizes[x.key] = least, max(abs(x.low), abs(x.high))
    return Counter({("", x.key): 1})


def _parts(x: AbstractTensor, axis: int, depth: int) -> list[AbstractTensor] | None:
    """The slices of size 1 that lie side by side along `axis`: joined, stacked, or written one after the other."""
    origin, size = x.origin, x.shape[axis] if x.shape is not None else None
    if origin is None or not isinstance(size, int) or not 1 < size <= MOST_PARTS or depth == 0:
        return None
    name, context, inputs = origin.rule.name, origin.context, origin.inputs
    if name == "Transpose":
        order = inputs[1].integers() if context.is_tf else context.attr("perm")
        order = order or (None if context.is_tf else list(range(len(x.shape or ())))[::-1])
        return None if order is None else _parts(inputs[0], int(order[axis]), depth - 1)
    if name in ("Concat", "Pack"):
        tensor = name == "Concat" and context.is_tf
        where = inputs[-1].integers() if tensor else [int(context.attr("axis", 0))]
        joined = list(inputs[:-1] if tensor else inputs)
        alike = len(joined) == size and len({t.shape for t in joined}) == 1
        return joined if alike and where and where[0] % len(x.shape or ()) == axis else None
    return _written(x, axis, size) if name == "ScatterElements" else None


def _written(x: AbstractTensor, axis: int, size: int) -> list[AbstractTensor] | None:
    """The slices that were written across the whole of `x`, the last one of each place."""
    found: dict[int, AbstractTensor] = {}
    while len(found) < size:
        origin = x.origin
        if origin is None or origin.rule.name != "ScatterElements" or x.shape is None:
            return None
        base, places, updates = origin.inputs[:3]
        whole = tuple(1 if i == axis else d for i, d in enumerate(x.shape))
        if str(origin.context.attr("reduction", "none")) != "none" or places.low != places.high:
            return None
        if int(origin.context.attr("axis", 0)) % len(x.shape) != axis or not places.shape == updates.shape == whole:
            return None
        found.setdefault(int(places.low) % size, updates)
        x = base
    return [found[i] for i in range(size)]
