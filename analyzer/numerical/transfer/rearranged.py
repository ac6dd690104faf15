"""Sums of three, of which one is the negative of what the other two have as their greatest: ``(k + f) + g`` with
``f = -logsumexp(k + g)``, as normalisations in turns leave it. In real numbers it is not above 0, however it is added.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.transfer.facts import difference_sign

ROUNDINGS = 32.0  # half a dozen operators, each of the size of its largest term
Negative = Callable[[AbstractTensor], AbstractTensor | None]


def most_of_three(a: AbstractTensor, b: AbstractTensor, negative_of: Negative) -> float:
    """An upper bound of a + b; infinity where nothing is known."""
    for whole, last in ((a, b), (b, a)):
        for taken, rest in _taken(whole, last, negative_of):
            total = taken.facts.get("reduced", (None, None, None, False))[1]
            if not isinstance(total, AbstractTensor) or total.origin is None or total.origin.rule.name != "Add":
                continue
            if sorted(t.key for t in total.origin.inputs) != sorted(t.key for t in rest):
                continue
            known = (taken, total, whole, *rest)
            if difference_sign(taken, total)[0] and not any(t.nan or t.may_be_infinite for t in known):
                size = max(max(abs(t.low), abs(t.high)) for t in known)
                return ROUNDINGS * float(a.dtype.eps) * size + float(a.dtype.tiny)
    return math.inf


def _taken(
    whole: AbstractTensor, last: AbstractTensor, negative_of: Negative
) -> Iterator[tuple[AbstractTensor, tuple[AbstractTensor, AbstractTensor]]]:
    """What may be taken away in ``whole + last``, beside the two other terms."""
    origin = whole.origin
    if origin is None or origin.rule.name not in ("Add", "Sub") or len(origin.inputs) != 2:
        return
    p, q = origin.inputs
    if origin.rule.name == "Sub":
        yield q, (p, last)
        return
    for term, rest in ((q, (p, last)), (p, (q, last)), (last, (p, q))):
        taken = negative_of(term)
        if taken is not None:
            yield taken, rest
