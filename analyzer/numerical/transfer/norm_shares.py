"""A norm over what is at least the same norm, written another way: ``sqrt(sum x²) / max(e, (sum x²) ** 0.5 + c)``.

A speed that is kept below that of light by its own energy is at most 1 so, but for roundings.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from analyzer.numerical.domain.tensor import AbstractTensor, count
from analyzer.numerical.transfer.facts import are_axes
from analyzer.operators.declaration import RESHAPES

DEPTH = 8  # operators between a norm and its quotient: a squeeze, an epsilon, a maximum
ROUNDED = 16  # units in the last place: two roots or powers, an epsilon and a division
CLEAR = 1e3  # times the root of the least normal number: squares that are lost below it do not matter


class _OwnNorm(NamedTuple):
    """The Euclidean norm of a value, by its key, over axes of so many elements at most."""

    key: int
    axes: tuple[int, ...]
    most: float


def norm_share(a: AbstractTensor, b: AbstractTensor) -> float:
    """What a / b is at most, a norm over what is at least that norm; infinity where it is none."""
    if a.shape is None or a.shape != b.shape or not a.dtype.is_float or a.nan or b.nan:
        return math.inf
    norm = _norm(a, DEPTH)
    if norm is None or not math.isfinite(norm.most) or b.low < CLEAR * math.sqrt(norm.most * a.dtype.tiny):
        return math.inf
    if not _at_least(b, norm, DEPTH):
        return math.inf
    return 1 + (norm.most / 2 + ROUNDED) * a.dtype.eps + math.sqrt(norm.most * a.dtype.tiny) / b.low


def _norm(x: AbstractTensor, depth: int) -> _OwnNorm | None:
    origin = x.origin
    kind, source, axes, _ = x.facts.get("reduced", ("", x, None, False))
    if kind != "norm" and origin is not None and origin.inputs and isinstance(origin.inputs[0], AbstractTensor):
        inner, name = origin.inputs[0], origin.rule.name
        if depth and origin.rule.operator.traits & RESHAPES:
            return _norm(inner, depth - 1)
        if name == "Sqrt" or (name == "Pow" and origin.inputs[1].low == origin.inputs[1].high == 0.5):
            kind, source, axes, _ = inner.facts.get("reduced", ("", x, None, False))
            kind = "norm" if kind == "sum of squares" else ""
    if kind != "norm" or not are_axes(axes) or source.shape is None:
        return None
    rank = len(source.shape)
    return _OwnNorm(source.key, tuple(sorted(a % rank for a in axes)), count(source.shape, axes)[1])


def _at_least(b: AbstractTensor, norm: _OwnNorm, depth: int) -> bool:
    """Whether every element of b is at least the norm that stands in the same place."""
    if _norm(b, depth) == norm:
        return True
    origin = b.origin
    if origin is None or depth == 0 or b.shape is None:
        return False
    name, parts = origin.rule.name, [p for p in origin.inputs if isinstance(p, AbstractTensor)]
    if origin.rule.operator.traits & RESHAPES:
        return _at_least(parts[0], norm, depth - 1)
    alike = [p for p in parts if p.shape == b.shape]
    if name == "Max":
        return any(_at_least(p, norm, depth - 1) for p in alike)
    if name == "Add" and len(parts) == 2:
        return any(o.low >= 0 and _at_least(p, norm, depth - 1) for p, o in (parts, parts[::-1]) if p.shape == b.shape)
    return False
