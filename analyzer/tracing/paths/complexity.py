"""How large a term is, so that nested choices do not grow without bound along a long program."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from analyzer.validity.terms import Cond, Poly

MOST_PARTS = 40  # of a finding's explanation


def parts(term: Any) -> int:
    """The number of symbols and operators that the term is written with."""
    if isinstance(term, (Poly, Cond)):
        return _parts(term)
    if isinstance(term, tuple):
        return sum(map(parts, term))
    return 1


@lru_cache(maxsize=100_000)
def _parts(term: Any) -> int:
    if isinstance(term, Poly):
        return sum(sum(_atom(a) for a in monomial) + 1 for monomial, _ in term.terms) + 1
    return 1 + sum(map(parts, term.args))


@lru_cache(maxsize=100_000)
def _atom(atom: Any) -> int:
    inner = getattr(atom, "args", None)
    if inner is not None:
        return 1 + sum(map(parts, inner))
    poly = getattr(atom, "poly", None)
    return 1 if poly is None else parts(poly)
