"""Overlaps over squares: ``(2 Σ p q + c) / (Σ p² + Σ q² + c)`` is at most 1, since ``2 p q <= p² + q²``.

Of numbers in [0, 1] their sum may stand for that of their squares, which it is at least. What the sums round is added;
where squares underflow, so do products that are larger than the other square.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from analyzer.numerical.domain.tensor import AbstractTensor, count
from analyzer.numerical.transfer.rounding import accumulation_unit, rounding_terms
from analyzer.numerical.transfer.unit_rows import factors

DEPTH = 8  # additions, constant factors and bounds between a quotient's operands and the sums
OPERATORS = 16  # roundings beside those of the sums
UNDERFLOWN = 1e6  # times what may be lost where products underflow: the denominator's least size

Term = tuple[float, AbstractTensor]


def overlap_share(a: AbstractTensor, b: AbstractTensor) -> float:
    """What ``a / b`` is at most by the sums that both are made of; infinity where nothing is known."""
    if a.nan or b.nan or not a.dtype.is_float or b.low <= 0 or not math.isfinite(b.high):
        return math.inf
    above, below = list(_terms(a, 1.0, DEPTH, exact=True)), list(_terms(b, 1.0, DEPTH, exact=False))
    sums = [(k, x) for k, x in above if x.low != x.high]
    if len(sums) != 1 or any(k * x.low < 0 for k, x in below):
        return math.inf
    (share, overlap), source = sums[0], _reduced(sums[0][1])
    p, q = factors(source[0]) if source is not None else (None, None)
    if source is None or p is None or q is None or p.shape is None or p.shape != q.shape or share < 0:
        return math.inf
    sides = [_square_of(x, below, source[1], overlap) for x in (p, q)]
    constants = [sum(k * x.low for k, x in terms if x.low == x.high) for terms in (above, below)]
    if 2 * min(sides) < share or p.key == q.key or not 0 <= constants[0] <= constants[1]:
        return math.inf
    terms = count(p.shape, source[1])[1]
    lost = 2 * rounding_terms(terms) * accumulation_unit(a.dtype) + OPERATORS * float(a.dtype.eps)
    if not math.isfinite(terms) or lost > 0.1 or b.low < UNDERFLOWN * terms * float(a.dtype.tiny) * max(share, 1.0):
        return math.inf
    return 1 + 2 * lost + 2 / UNDERFLOWN


def _square_of(x: AbstractTensor, terms: list[Term], axes: Any, overlap: AbstractTensor) -> float:
    """How often the sum of squares of `x` over `axes` is counted at least."""
    found = 0.0
    for k, term in terms:
        made = _reduced(term)
        if made is None or made[1] != axes or term.shape != overlap.shape:
            continue
        first, second = factors(made[0])
        squares = first is not None and second is not None and first.key == second.key == x.key
        found += k if squares or (made[0].key == x.key and x.low >= 0 and x.high <= 1) else 0.0
    return found


def _reduced(x: AbstractTensor) -> tuple[AbstractTensor, Any] | None:
    """What a sum is over, and its axes."""
    origin = x.origin
    kind, _, axes, _ = x.facts.get("reduced", ("", x, None, False))
    if origin is None or origin.rule.name != "ReduceSum" or kind not in ("sum", "sum of squares") or axes is None:
        return None
    return origin.inputs[0], axes


def _terms(x: AbstractTensor, factor: float, depth: int, *, exact: bool) -> Iterator[Term]:
    """What a sum consists of, each with a constant factor; unless `exact`, `x` may be larger than that sum."""
    origin = x.origin
    given: tuple[Any, ...] = origin.inputs if origin is not None and depth else ()
    name = (
        origin.rule.name
        if origin is not None and x.low != x.high and isinstance(given and given[0], AbstractTensor)
        else ""
    )
    if name == "Add":
        for part in given:
            yield from _terms(part, factor, depth - 1, exact=exact)
        return
    if name == "Mul":
        for part, scale in (given, given[::-1]):
            if scale.low == scale.high and scale.low >= 0:
                yield from _terms(part, factor * scale.low, depth - 1, exact=exact)
                return
    if not exact and name in ("Clip", "Max") and (name == "Max" or len(given) == 2 or given[2] is None):
        yield from _terms(given[0], factor, depth - 1, exact=exact)
        return
    yield factor, x
