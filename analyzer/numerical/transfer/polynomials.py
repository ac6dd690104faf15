"""Quotients of polynomials: ``f m / d`` is at most f where d - m is a polynomial that is never negative.

Numerator and denominator are written out as sums of products of what they read. Some of these lie in [0, 1], all
others are not negative. A polynomial of the former is not negative on [0, 1] if its coefficients in Bernstein's form
are not (Bernstein 1912; Farouki, "The Bernstein polynomial basis: a centennial retrospective", 2012), and a sum of
products of the latter with such coefficients is not. Monotone rational quadratic interpolation (Gregory and Delbourgo,
1982), as in spline flows, stays in its bin by it: ``h (s t² + a t (1 - t)) / (s + (a + b - 2 s) t (1 - t)) <= h``.

What is computed differs from the polynomial by parts of the sum of the sizes of its terms, one rounding an operator.
That sum must not be much larger than the denominator. A difference of what is read, as ``1 - t``, is rounded once and
counts as it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from analyzer.numerical.domain.tensor import AbstractTensor

DEPTH = 12  # operators followed back
MOST_TERMS = 64
MOST_POWER = 8
MOST_INSIDE = 2  # variables in [0, 1] of which a polynomial is looked at
RAISED = 6  # to what degree more: the coefficients come nearer to the least value
GROSS = 16  # times the denominator: what its terms may add up to, taken without their signs
LEAST_PART = 1e-6  # of the denominator: what may be lost where small numbers are flushed to 0

Monomial = tuple[tuple[int, int], ...]  # (key of a variable, power), in order
Terms = Mapping[Monomial, Fraction]


@dataclass(frozen=True, slots=True)
class _Polynomial:
    """What a tensor is a polynomial of: its terms, the same with all signs taken for plus, and its operators."""

    terms: Terms
    gross: Terms
    operators: int


def polynomial_quotient(a: AbstractTensor, b: AbstractTensor) -> float:
    """What ``a / b`` is at most, both being polynomials that share a variable; inf where nothing is known.

    `a` is not negative; that `b` is above 0 is part of the proof.
    """
    if a.nan or b.nan or not a.dtype.is_float or a.dtype.name != b.dtype.name:
        return math.inf
    variables: dict[int, AbstractTensor] = {}
    denominator = _expanded(b, variables, DEPTH)
    if denominator is None or len(denominator.terms) < 2 or not denominator.operators:
        return math.inf
    least = _least(denominator, variables)
    if least is None:
        return math.inf
    found = math.inf
    for factor, rest in _factored(a):
        seen = dict(variables)
        numerator = _expanded(rest, seen, DEPTH)
        if numerator is None or factor.low < 0 or not math.isfinite(factor.high):
            continue
        if not _shares(numerator.terms, denominator.terms) or not _never_negative(
            _sum(denominator.terms, numerator.terms, -1), seen
        ):
            continue
        operators = 2 * (numerator.operators + denominator.operators + 4)
        relative = operators * (GROSS + 1) * float(a.dtype.eps)
        largest = max([1.0, *(t.high for t in seen.values())]) ** _degree(numerator, denominator)
        lost = 4 * operators * float(a.dtype.tiny) * largest
        if relative < 0.1 and _gross_within(numerator, denominator, seen) and lost <= LEAST_PART * least:
            found = min(found, max(factor.high, 0.0) * (1 + 4 * relative + 2 * LEAST_PART) + float(a.dtype.tiny))
    return found


def _least(d: _Polynomial, variables: Mapping[int, AbstractTensor]) -> float | None:
    """A lower bound of the denominator, above 0; None where there is none, or its terms are much larger."""
    if not _known(variables) or not _never_negative(_sum(_scaled(d.terms, GROSS), d.gross, -1), variables):
        return None
    parts = list(_grouped(d.terms, variables))
    least = sum(float(c) * math.prod(variables[k].low ** p for k, p in m) for m, c in parts)
    return least if least > 0 and all(c >= 0 for _, c in parts) else None


def _gross_within(n: _Polynomial, d: _Polynomial, variables: Mapping[int, AbstractTensor]) -> bool:
    """Whether the numerator's terms, taken without signs, add up to no more than a multiple of the denominator."""
    return _never_negative(_sum(_scaled(d.terms, GROSS), n.gross, -1), variables)


def _factored(a: AbstractTensor) -> Iterator[tuple[AbstractTensor, AbstractTensor]]:
    """The factors of a product, each with the other one."""
    origin = a.origin
    if origin is not None and origin.rule.name == "Mul" and len(origin.inputs) == 2:
        first, second = origin.inputs
        yield first, second
        yield second, first


def _expanded(x: AbstractTensor, variables: dict[int, AbstractTensor], depth: int) -> _Polynomial | None:
    """`x` written out; what is no sum, difference, product or power joins `variables`. None if it grows too large."""
    if x.low == x.high and not x.nan and math.isfinite(x.low):
        value = Fraction(x.low)
        return _Polynomial({(): value}, {(): abs(value)}, 0) if value else _Polynomial({}, {}, 0)
    origin = x.origin
    name = origin.rule.name if origin is not None and depth else ""
    inputs: tuple[AbstractTensor, ...] = origin.inputs if origin is not None else ()
    if name in ("Add", "Sub", "Mul") and len(inputs) == 2 and all(isinstance(i, AbstractTensor) for i in inputs):
        p, q = (_expanded(i, variables, depth - 1) for i in inputs)
        if p is None or q is None:
            return None
        if name == "Mul":
            return _checked(_product(p.terms, q.terms), _product(p.gross, q.gross), p.operators + q.operators + 1)
        net = _sum(p.terms, q.terms, 1 if name == "Add" else -1)
        once = p.operators == q.operators == 0 and _never_negative(net, variables)  # rounded once: ``1 - t``
        return _checked(net, net if once else _sum(p.gross, q.gross, 1), p.operators + q.operators + 1)
    if name == "Pow" and isinstance(inputs[1], AbstractTensor):
        power = inputs[1].low
        if power == inputs[1].high and power in range(2, MOST_POWER + 1):
            return _power(_expanded(inputs[0], variables, depth - 1), int(power))
    if name in ("Square", "Neg"):
        inner = _expanded(inputs[0], variables, depth - 1)
        if name == "Square" or inner is None:
            return _power(inner, 2)
        return _Polynomial(_scaled(inner.terms, -1), inner.gross, inner.operators)
    variables[x.key] = x
    return _Polynomial({((x.key, 1),): Fraction(1)}, {((x.key, 1),): Fraction(1)}, 0)


def _power(p: _Polynomial | None, power: int) -> _Polynomial | None:
    result = p
    for _ in range(power - 1):
        if result is None or p is None:
            return None
        operators = result.operators + p.operators + 2  # a power is a few units off
        result = _checked(_product(result.terms, p.terms), _product(result.gross, p.gross), operators)
    return result


def _checked(terms: Terms, gross: Terms, operators: int) -> _Polynomial | None:
    small = len(gross) <= MOST_TERMS and all(power <= MOST_POWER for m in gross for _, power in m)
    return _Polynomial(terms, gross, operators) if small else None


def _sum(p: Terms, q: Terms, sign: int) -> dict[Monomial, Fraction]:
    result = dict(p)
    for monomial, c in q.items():
        result[monomial] = result.get(monomial, Fraction(0)) + sign * c
    return {m: c for m, c in result.items() if c}


def _scaled(p: Terms, factor: int) -> dict[Monomial, Fraction]:
    return {m: factor * c for m, c in p.items()}


def _product(p: Terms, q: Terms) -> dict[Monomial, Fraction]:
    result: dict[Monomial, Fraction] = {}
    for first, c in p.items():
        for second, d in q.items():
            powers = dict(first)
            for key, power in second:
                powers[key] = powers.get(key, 0) + power
            monomial = tuple(sorted(powers.items()))
            result[monomial] = result.get(monomial, Fraction(0)) + c * d
    return {m: c for m, c in result.items() if c}


def _shares(p: Terms, q: Terms) -> bool:
    first, second = ({key for m in terms for key, _ in m} for terms in (p, q))
    return not first.isdisjoint(second)


def _degree(*polynomials: _Polynomial) -> int:
    return max((sum(power for _, power in m) for p in polynomials for m in p.gross), default=0)


def _known(variables: Mapping[int, AbstractTensor]) -> bool:
    return all(t.low >= 0 and math.isfinite(t.high) and not t.nan and t.dtype.is_float for t in variables.values())


def _never_negative(terms: Terms, variables: Mapping[int, AbstractTensor]) -> bool:
    """Whether a polynomial is certainly not negative where no variable is."""
    return _known(variables) and all(least >= 0 for _, least in _grouped(terms, variables))


def _grouped(terms: Terms, variables: Mapping[int, AbstractTensor]) -> Iterator[tuple[Monomial, Fraction]]:
    """Products of variables that are not in [0, 1], each with a lower bound of the polynomial that it multiplies."""
    inside = [key for key, t in variables.items() if t.high <= 1][:MOST_INSIDE]
    groups: dict[Monomial, dict[tuple[int, ...], Fraction]] = {}
    for monomial, c in terms.items():
        powers = dict(monomial)
        outer = tuple((k, p) for k, p in monomial if k not in inside)
        groups.setdefault(outer, {})[tuple(powers.get(k, 0) for k in inside)] = c
    for outer, coefficients in groups.items():
        yield outer, _bernstein(coefficients, len(inside))


def _bernstein(coefficients: Mapping[tuple[int, ...], Fraction], rank: int) -> Fraction:
    """The least coefficient in Bernstein's form on the unit cube: no value of the polynomial is smaller."""
    degrees = [max(p[i] for p in coefficients) for i in range(rank)]
    degrees = [d + RAISED if d > 1 else d for d in degrees]
    found = []
    for place in np.ndindex(*(d + 1 for d in degrees)):
        total = Fraction(0)
        for powers, c in coefficients.items():
            if all(p <= i for p, i in zip(powers, place, strict=True)):
                share = Fraction(1)
                for p, i, d in zip(powers, place, degrees, strict=True):
                    share *= Fraction(math.comb(i, p), math.comb(d, p))
                total += c * share
        found.append(total)
    return min(found)
