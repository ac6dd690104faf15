"""Sums of exponentials beside their common maximum: ``exp(p - m) s + exp(q - m) t`` with m = max(p, q).

Wherever an element stands, m is p or q, exactly, so that one of the exponentials is 1 and what it weighs remains: the
running denominators of a softmax computed in steps (online, blockwise, recurrent) never fall below the first one. A sum
over an axis, ``sum(exp(x - m))`` beside q = max(x), has such an element too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.transfer.facts import are_axes

EXPONENTIAL_OF_ZERO = 4.0  # roundings that exp(0) may be away from 1
LEAST = 2.0  # times the smallest normal number: less may be flushed to 0


@dataclass(frozen=True, slots=True)
class _Weighed:
    """``exp(value - maximum)`` times what is at least `weight`; with `axes`, its sum over them."""

    value: AbstractTensor
    maximum: AbstractTensor
    weight: float
    axes: tuple[int, ...] | None = None


def least_beside_maximum(a: AbstractTensor, b: AbstractTensor) -> float:
    """What a + b is at least by this relation; -inf where it does not hold of them."""
    if a.low < 0 or b.low < 0 or a.nan or b.nan:
        return -np.inf
    for first in _weighed(a):
        for second in _weighed(b):
            if first.maximum.key == second.maximum.key and _covers(first, second):
                least = min(first.weight, second.weight) * (1 - EXPONENTIAL_OF_ZERO * float(a.dtype.eps))
                return least if least >= LEAST * float(a.dtype.tiny) else 0.0
    return -np.inf


def _covers(first: _Weighed, second: _Weighed) -> bool:
    """Whether the common maximum is that of the two values and nothing else."""
    origin = first.maximum.origin
    if origin is None or origin.rule.name != "Max" or len(origin.inputs) != 2:
        return False
    p, q = origin.inputs
    if any(t.nan or t.low == -np.inf or t.high == np.inf for t in (p, q)):
        return False
    return (_is(first, p) and _is(second, q)) or (_is(first, q) and _is(second, p))


def _is(term: _Weighed, operand: AbstractTensor) -> bool:
    """Whether the operand of the maximum is the value of the term, or the greatest along the axes of its sum."""
    if term.axes is None:
        return term.value.key == operand.key
    kind, source, axes, kept = operand.facts.get("reduced", ("", operand, None, False))
    return bool(
        kind == "max" and kept and are_axes(axes) and source.key == term.value.key and set(axes) == set(term.axes)
    )


def _weighed(x: AbstractTensor) -> Iterator[_Weighed]:
    """The ways in which x is an exponential beside a maximum, with a weight that is not negative."""
    found = _exponential(x)
    if found is not None:
        yield found
    kind, source, axes, kept = x.facts.get("reduced", ("", x, None, False))
    inner = _exponential(source) if kind == "sum" and kept and are_axes(axes) else None
    if inner is not None and inner.value.shape == source.shape and _alike(inner.maximum, axes, len(source.shape or ())):
        yield _Weighed(inner.value, inner.maximum, 1.0, tuple(axes))
    origin = x.origin
    if origin is not None and origin.rule.name == "Mul" and len(origin.inputs) == 2:
        for part, factor in (origin.inputs, origin.inputs[::-1]):
            inner = _exponential(part)
            if inner is not None and factor.low >= 0 and not factor.nan:
                yield _Weighed(inner.value, inner.maximum, float(factor.low))


def _alike(maximum: AbstractTensor, axes: Any, rank: int) -> bool:
    """Whether all elements along the axes of a tensor of this rank meet the same maximum."""
    if maximum.shape is None:
        return False
    lead = rank - len(maximum.shape)
    return all(a % rank < lead or maximum.shape[a % rank - lead] == 1 for a in axes)


def _exponential(x: Any) -> _Weighed | None:
    origin = x.origin if isinstance(x, AbstractTensor) else None
    if origin is None or origin.rule.name != "Exp" or not isinstance(origin.inputs[0], AbstractTensor):
        return None
    below = origin.inputs[0].origin
    if below is None or below.rule.name != "Sub" or len(below.inputs) != 2:
        return None
    return _Weighed(below.inputs[0], below.inputs[1], 1.0)
