"""Masks of exactly 0 and 1, which truth values were cast to: applied a second time they change nothing."""

from __future__ import annotations

from analyzer.numerical.domain import dtypes
from analyzer.numerical.domain.dims import broadcast_shapes
from analyzer.numerical.domain.tensor import AbstractTensor

DEPTH = 6  # operators between a masked value and its mask: signs, other masks


def truth_of(mask: AbstractTensor) -> AbstractTensor | None:
    """The truth values that `mask` was cast from: it is exactly 0 or 1."""
    origin = mask.origin
    if origin is None or origin.rule.name not in ("Cast", "CastLike") or not origin.inputs:
        return None
    source = origin.inputs[0]
    return source if isinstance(source, AbstractTensor) and source.dtype.kind == dtypes.BOOLEAN else None


def masked_already(a: AbstractTensor, b: AbstractTensor) -> AbstractTensor | None:
    """Which of both the product a b is, bit by bit, since the other one is a mask that it holds already."""
    for value, mask in ((a, b), (b, a)):
        if truth_of(mask) is None or value.shape is None or value.dtype is not mask.dtype:
            continue
        if broadcast_shapes([value.shape, mask.shape]) == value.shape and _holds(value, mask, DEPTH):
            return value
    return None


def _holds(value: AbstractTensor, mask: AbstractTensor, depth: int) -> bool:
    """Whether `value` is a product with `mask`, or what such a product is negated or multiplied to."""
    origin = value.origin
    if origin is None or depth == 0 or origin.rule.name not in ("Mul", "Neg"):
        return False
    given = origin.inputs
    if any(t.key == mask.key for t in given):
        return bool(origin.rule.name == "Mul")
    return any(t.shape == value.shape and _holds(t, mask, depth - 1) for t in given)
