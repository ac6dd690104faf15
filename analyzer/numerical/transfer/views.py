"""What a tensor shows of another: its elements moved, repeated, negated or multiplied by a constant.

Each axis of what is shown lies along an axis of a result, or is summed, or has size 1: its *role*.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from analyzer.numerical.domain.tensor import AbstractTensor

LONGEST_DIAGONAL = 4096
VIEWS = 6  # operators that only move elements, one after another

Role = int | tuple[str, int] | None  # of an axis: along this one of the result; summed, as the n-th; of size 1
Vector = tuple[int, tuple[tuple[int, Role], ...]]


@dataclass(frozen=True, slots=True)
class AxisView:
    """`factor` times a tensor, whose axes play `roles`; `roundings` of what it is part of."""

    tensor: AbstractTensor
    roles: tuple[Role, ...]
    factor: float = 1.0
    roundings: int = 1

    @property
    def largest(self) -> float:
        return max(abs(self.tensor.low), abs(self.tensor.high))

    def vector(self) -> Vector:
        return self.tensor.key, tuple((axis, role) for axis, role in enumerate(self.roles) if role is not None)


def aligned(x: AbstractTensor, axes: tuple[Role, ...]) -> tuple[Role, ...]:
    """The roles of the axes of `x`, which broadcasts to `axes`: of size 1 they play none."""
    assert x.shape is not None
    lead = len(axes) - len(x.shape)
    return tuple(None if size == 1 else axes[lead + i] for i, size in enumerate(x.shape))


def viewed(value: AxisView, *, scaled: bool = True) -> AxisView:
    """The same behind operators that move or repeat elements, negate them or multiply them by a constant (`scaled`)."""
    for _ in range(VIEWS):
        behind = _moved(value) or (_scaled(value) if scaled else None)
        if behind is None:
            return value
        value = behind
    return value


def _moved(value: AxisView) -> AxisView | None:
    x = value.tensor
    source, offsets, kept = x.facts.get("window", (None, (), ()))
    if source is None and x.origin is not None and x.origin.rule.name in ("StridedSlice", "Reshape", "Identity"):
        return _reshaped(value)
    whole = all(isinstance(o, int) and o == 0 for o in offsets)
    if source is None or source.shape is None or x.shape is None or not whole:
        return _diagonal(value)
    roles: list[Role] = [None] * len(source.shape)
    for axis, old in enumerate(kept):
        if old is not None and source.shape[old] != 1:
            if source.shape[old] != x.shape[axis]:
                return None
            roles[old] = value.roles[axis]
    if any(size != 1 and axis not in kept for axis, size in enumerate(source.shape)):
        return None
    return AxisView(source, tuple(roles), value.factor, value.roundings)


def _reshaped(value: AxisView) -> AxisView | None:
    """Axes of size 1 come and go, in order."""
    origin, x = value.tensor.origin, value.tensor
    source = origin.inputs[0] if origin.inputs else None
    if not isinstance(source, AbstractTensor) or source.shape is None or x.shape is None:
        return None
    before = [(i, d) for i, d in enumerate(source.shape) if d != 1]
    after = [(i, d) for i, d in enumerate(x.shape) if d != 1]
    if [d for _, d in before] != [d for _, d in after]:
        return None
    if origin.rule.name == "StridedSlice":
        steps = origin.inputs[3].integers() if len(origin.inputs) > 3 else None
        if steps is None or any(s != 1 for s in steps) or not all(isinstance(d, int) for _, d in before):
            return None
    roles: list[Role] = [None] * len(source.shape)
    for (old, _), (new, _) in zip(before, after, strict=True):
        roles[old] = value.roles[new]
    return AxisView(source, tuple(roles), value.factor, value.roundings)


def _diagonal(value: AxisView) -> AxisView | None:
    """The diagonal of square matrices, taken by itself or out of their elements in one row."""
    origin, x = value.tensor.origin, value.tensor
    if origin is None or not origin.inputs or not isinstance(origin.inputs[0], AbstractTensor) or not x.shape:
        return None
    source = origin.inputs[0]
    size = x.shape[-1]
    if origin.rule.name == "Gather" and len(origin.inputs) == 2 and source.origin is not None:
        flat = source.origin.rule.name == "Reshape" and source.shape is not None and len(source.shape) == len(x.shape)
        last = not origin.context.is_tf and int(origin.context.attr("axis", 0)) in (-1, len(x.shape) - 1)
        if not flat or not last or not isinstance(size, int) or size > LONGEST_DIAGONAL:
            return None
        if origin.inputs[1].integers() != [i * (size + 1) for i in range(size)]:
            return None
        source = source.origin.inputs[0]
    elif origin.rule.name != "MatrixDiagPart" or len(source.shape or ()) != len(x.shape) + 1:
        return None
    if not isinstance(source, AbstractTensor) or source.shape != (*x.shape[:-1], size, size):
        return None
    return AxisView(source, (*value.roles, value.roles[-1]), value.factor, value.roundings)


def _scaled(value: AxisView) -> AxisView | None:
    origin, x = value.tensor.origin, value.tensor
    if origin is None or not origin.inputs or not all(isinstance(i, AbstractTensor) for i in origin.inputs):
        return None
    name, inputs = origin.rule.name, origin.inputs
    if name == "Neg":
        return AxisView(inputs[0], value.roles, -value.factor, value.roundings)
    if name not in ("Mul", "Div") or len(inputs) != 2:
        return None
    for part, constant in (inputs, inputs[::-1])[: 1 if name == "Div" else 2]:
        c = constant.low
        if c == constant.high and not constant.nan and 2**-20 <= abs(c) <= 2**20 and part.shape == x.shape:
            exact = math.frexp(abs(c))[0] == 0.5
            factor = value.factor / c if name == "Div" else value.factor * c
            return AxisView(part, value.roles, factor, value.roundings + (0 if exact else 2))
    return None


def own_axes(a: AbstractTensor, b: AbstractTensor, shape: Sequence[object] | None) -> tuple[int, int] | None:
    """Axes i and j of a common shape along which `a` and `b` lay the same numbers: where i = j, they are the same.

    ``x[:, None]`` and ``x[None, :]``: each row, and each column, of what is computed of both has such an element.
    """
    laid = laid_apart(a, b, shape)
    return None if laid is None else laid[2:]


def laid_apart(
    a: AbstractTensor, b: AbstractTensor, shape: Sequence[object] | None
) -> tuple[AbstractTensor, int, int, int] | None:
    """The tensor whose numbers along an axis `a` and `b` lay along axes i and j of a common shape; the three axes."""
    if a.shape is None or b.shape is None or shape is None or not a.shape or not b.shape:
        return None
    axes = tuple(range(len(shape)))
    first, second = (
        viewed(AxisView(x, aligned(x, axes[len(axes) - len(x.shape or ()) :])), scaled=False) for x in (a, b)
    )
    if first.tensor.key != second.tensor.key or len(first.roles) != len(second.roles):
        return None
    apart = [(axis, i, j) for axis, (i, j) in enumerate(zip(first.roles, second.roles, strict=True)) if i != j]
    if len(apart) != 1:
        return None
    axis, i, j = apart[0]
    found = isinstance(i, int) and isinstance(j, int) and shape[i] == shape[j]
    return (first.tensor, axis, i, j) if found else None  # type: ignore[return-value]
