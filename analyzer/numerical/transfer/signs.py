"""Values of one sign: ``x * sign(x) * w`` with w not below 0 is not below 0, as is what was rounded of x times x.

A value follows another where each of its elements is 0 or has the other's sign, and is 0 where the other is.
"""

from __future__ import annotations

from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.operators.declaration import IDENTITY, SIGN_OF_OPERAND

MOST = 24  # values looked at


def of_like_signs(a: AbstractTensor, b: AbstractTensor) -> bool:
    """Whether no product of an element of `a` and the same one of `b` is below 0: both follow one value."""
    return not followed(a).isdisjoint(followed(b))


def followed(tensor: AbstractTensor) -> set[int]:
    """The keys of values that `tensor` follows, itself among them.

    Operands are laid over each other from their last axes, so the elements of all on the way stand at one place.
    """
    found: set[int] = set()
    stack = [tensor]
    while stack and len(found) < MOST:
        current = stack.pop()
        if current.key in found:
            continue
        found.add(current.key)
        origin = current.origin
        if origin is None or not isinstance(first := origin.inputs[0], AbstractTensor):
            continue
        name, traits = origin.rule.name, origin.rule.operator.traits
        if traits & (SIGN_OF_OPERAND | IDENTITY) or (
            name == "Cast" and first.dtype.is_float and current.dtype.is_float
        ):
            stack.append(first)
        elif name in ("Mul", "Div") and isinstance(second := origin.inputs[1], AbstractTensor):
            if second.low >= 0 and (name == "Mul" or second.low >= second.dtype.smallest):
                stack.append(first)
            if name == "Mul" and first.low >= 0:
                stack.append(second)
    return found
