"""Squares and absolute values: what another tensor is but for its sign."""

from __future__ import annotations

from analyzer.numerical.domain.tensor import AbstractTensor


def square_of(b: AbstractTensor, a: AbstractTensor) -> bool:
    base = root_of(b)
    return base is not None and same_magnitude(base, a)


def root_of(b: AbstractTensor) -> AbstractTensor | None:
    """What `b` is the square of."""
    origin = b.origin
    if origin is None:
        return None
    name, inputs = origin.rule.name, origin.inputs
    if name == "Square" or (name == "Mul" and inputs[0].key == inputs[1].key):
        base: AbstractTensor = inputs[0]
        return base
    return inputs[0] if name == "Pow" and inputs[1].low == inputs[1].high == 2 else None


def absolute_of(b: AbstractTensor, a: AbstractTensor) -> bool:
    origin = b.origin
    return origin is not None and origin.rule.name == "Abs" and same_magnitude(origin.inputs[0], a)


def same_magnitude(b: AbstractTensor, a: AbstractTensor) -> bool:
    """Whether b is a, -a or |a|."""
    if b.key == a.key:
        return True
    for one, other in ((a, b), (b, a)):
        origin = one.origin
        if origin is not None and origin.rule.name in ("Neg", "Abs") and origin.inputs[0].key == other.key:
            return True
    return False
