"""Conditions that are only bounds on single symbols, decided at once: most rules on an unknown size are thresholds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from analyzer.validity.terms import Cond, Poly, Symbol, symbol

Domain = Sequence[int] | None  # None: what the symbol's own bounds say


def decide_bounds(condition: Cond, domains: Mapping[str, Domain]) -> Mapping[str, int] | bool | None:
    """Values that satisfy `condition`, False if there are none, None if it is more than bounds on single symbols.

    A conjunction of bounds is an interval for each symbol; of a disjunction one such part must be satisfiable.
    """
    if condition.kind == "or":
        undecided = False
        for part in condition.args:
            found = decide_bounds(part, domains)
            if isinstance(found, Mapping):
                return found
            undecided = undecided or found is None
        return None if undecided else False
    parts = condition.args if condition.kind == "and" else (condition,)
    limits: dict[Symbol, tuple[float, float]] = {}
    for part in parts:
        bound = _bound(part)
        if bound is None:
            return None
        symbol, low, high = bound
        old_low, old_high = limits.get(symbol, (symbol.interval.lo, symbol.interval.hi))
        limits[symbol] = (max(old_low, low), min(old_high, high))
    model = {}
    for symbol, (low, high) in limits.items():
        value = _member(low, high, domains.get(symbol.name))
        if value is None:
            return False
        model[symbol.name] = value
    return model


def limits_of(conditions: Sequence[Any]) -> Mapping[str, Poly]:
    """Symbols with the bounds that those of the conditions state that bound a single symbol."""
    limits: dict[Symbol, tuple[float, float]] = {}
    parts = [p for c in conditions if isinstance(c, Cond) for p in (c.args if c.kind == "and" else (c,))]
    for bound in (_bound(part) for part in parts):
        if bound is not None:
            one, low, high = bound
            old_low, old_high = limits.get(one, (one.interval.lo, one.interval.hi))
            limits[one] = (max(old_low, low), min(old_high, high))
    return {
        one.name: symbol(one.name, None if low == -math.inf else int(low), None if high == math.inf else int(high))
        for one, (low, high) in limits.items()
        if low < high
    }


def _bound(part: Cond) -> tuple[Symbol, float, float] | None:
    """``c x + d >= 0`` and ``c x + d == 0`` as an interval of x."""
    if part.kind not in ("ge", "eq"):
        return None
    terms = part.args[0].terms
    monomial, factor = terms[0]
    if len(terms) > 2 or len(monomial) != 1 or not isinstance(monomial[0], Symbol) or (len(terms) == 2 and terms[1][0]):
        return None
    constant = part.args[0].constant
    if part.kind == "eq":
        if constant % factor:
            return monomial[0], math.inf, -math.inf
        return monomial[0], -constant // factor, -constant // factor
    if factor > 0:
        return monomial[0], -(constant // factor), math.inf
    return monomial[0], -math.inf, constant // -factor


def _member(low: float, high: float, domain: Domain) -> int | None:
    """An element of the domain within the bounds; of all integers where the domain is open."""
    if domain is not None:
        if isinstance(domain, range) and domain.step > 0:
            steps = max(0, math.ceil((low - domain.start) / domain.step)) if low > domain.start else 0
            return domain[steps] if steps < len(domain) and domain[steps] <= high else None
        return next((int(v) for v in domain if low <= v <= high), None)
    if low > high:
        return None
    return int(low) if low > -math.inf else int(min(high, 0))
