"""Sums in which something is taken away and given back: ``t + (s - t) / 2`` of numbers t <= s that are not negative.

What remains is not negative, and rounding does not make it so, because what cancels is no larger than what remains:
the roundings are small parts of the result, however large the bounds of its terms. So is a union ``p + q - t``, where t
is at most p and at most q: half of both remains.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.transfer.facts import are_axes
from analyzer.numerical.transfer.order import at_least

DEPTH = 8  # operators between a sum and its terms
MOST_LEAVES = 24
HALF = 0.49  # of what covers something twice, that remains without it: what is nearly at least it may be 1 % smaller
UNDERFLOWN = 4.0  # units of the least normal number that each operator may lose where such numbers are flushed


@dataclass(slots=True)
class _Term:
    tensor: AbstractTensor
    net: float = 0.0
    gross: float = 0.0  # sum of the coefficients' absolute values


def cancelled_bound(a: AbstractTensor, b: AbstractTensor, scale: float) -> float | None:
    """A lower bound (nearly 0) of ``a + scale * b``; None where what remains may be negative, or nothing cancels."""
    terms: dict[int, _Term] = {}
    operators = 0
    for tensor, coefficient in (*_leaves(a, 1.0, DEPTH), *_leaves(b, scale, DEPTH)):
        operators += 1
        term = terms.setdefault(tensor.key, _Term(tensor))
        term.net, term.gross = term.net + coefficient, term.gross + abs(coefficient)
        if operators > MOST_LEAVES:
            return None
    known = all(t.tensor.low >= 0 and t.tensor.high < np.inf and not t.tensor.nan for t in terms.values())
    if not known or all(t.gross == t.net for t in terms.values()):
        return None
    remaining = [t for t in terms.values() if t.net > 0]
    kept = dict.fromkeys((t.tensor.key for t in remaining), 1.0)  # the part of each that remains
    lost = 0.0  # of what cancels, in units of what remains
    for term in terms.values():
        if term.net >= 0:
            continue
        over = [t for t in remaining if _nearly_at_least(t.tensor, term.tensor)]
        covered = sum(t.net for t in over)
        if covered < -2 * term.net or min(kept.values()) < 1:
            return None
        kept |= dict.fromkeys((t.tensor.key for t in over), HALF)
        lost += 1.01 * term.gross / (HALF * covered)
    for term in terms.values():
        if term.net > 0:
            lost += term.gross / (kept[term.tensor.key] * term.net)
        elif term.net == 0:
            over = [t for t in remaining if _nearly_at_least(t.tensor, term.tensor)]
            if not over:
                return None
            lost += 1.01 * term.gross / max(kept[t.tensor.key] * t.net for t in over)
    eps = float(a.dtype.eps)
    if 4 * operators * eps * lost > 0.5:
        return None
    return -UNDERFLOWN * operators * DEPTH * float(a.dtype.tiny)


def _leaves(x: AbstractTensor, coefficient: float, depth: int) -> Iterator[tuple[AbstractTensor, float]]:
    """The terms that `x` is the sum of, with powers of two as their coefficients: those round nothing."""
    origin = x.origin
    inputs: tuple[AbstractTensor, ...] = origin.inputs if origin is not None else ()
    name = origin.rule.name if origin is not None else ""
    if depth == 0 or not all(isinstance(i, AbstractTensor) for i in inputs):
        yield x, coefficient
    elif name in ("Add", "Sub") and len(inputs) == 2 and all(i.shape == x.shape for i in inputs):
        yield from _leaves(inputs[0], coefficient, depth - 1)
        yield from _leaves(inputs[1], coefficient if name == "Add" else -coefficient, depth - 1)
    elif name in ("Mul", "Div") and len(inputs) == 2 and _power_of_two(inputs[1]) and inputs[0].shape == x.shape:
        factor = inputs[1].low if name == "Mul" else 1 / inputs[1].low
        yield from _leaves(inputs[0], coefficient * factor, depth - 1)
    else:
        yield x, coefficient


def _power_of_two(x: AbstractTensor) -> bool:
    return x.low == x.high and x.low in (0.25, 0.5, 1.0, 2.0, 4.0)


def _nearly_at_least(b: AbstractTensor, a: AbstractTensor) -> bool:
    """Whether b >= a (1 - 1 %): sums of elements in order, which kernels may take in different orders; areas."""
    first, over, axes, _ = b.facts.get("reduced", ("", b, None, False))
    second, under, others, _ = a.facts.get("reduced", ("", a, None, False))
    if a.origin is None or b.shape != a.shape:
        return False
    run = a.origin.context.run
    if first == second and first in ("sum", "product") and are_axes(axes) and axes == others:
        sizes = [d for d in over.shape or () if isinstance(d, int)]
        known = over.shape is not None and len(sizes) == len(over.shape) and under.low >= 0
        # of more than two factors one order may underflow on the way where another does not
        two = first == "sum" or (axes is not None and math.prod(sizes[i] for i in axes) <= 2)
        return bool(known and two and over.shape == under.shape and at_least(run, over, under))
    return at_least(run, b, a)
