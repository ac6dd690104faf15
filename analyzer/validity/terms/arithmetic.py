"""The arithmetic of dimensions in every reading: integers, NumPy arrays, our polynomials, Z3 terms."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from analyzer.validity.terms.conditions import Term, Truth, equal_zero, negate, reading
from analyzer.validity.terms.intervals import floor_bound
from analyzer.validity.terms.polynomials import App, Monomial, Poly, atom_term, interval_of, items, poly, without


def floor_div(a: Term, b: Term) -> Term:
    """⌊a / b⌋, and 0 where b < 1."""
    match reading(a, b):
        case "int":
            return int(a) // int(b) if b >= 1 else 0
        case "array":
            safe = np.maximum(b, 1)
            return np.where(np.asarray(b) >= 1, a // safe, 0) if np.any(np.asarray(b) < 1) else a // safe
        case "z3":
            import z3

            if isinstance(b, int):
                return a / z3.IntVal(b) if b >= 1 else z3.IntVal(0)
            return z3.If(b >= 1, z3.IntVal(a) / b if isinstance(a, int) else a / b, z3.IntVal(0))
    if isinstance(b, (int, np.integer)):
        b = int(b)
        if b < 1:
            return 0
        if b == 1:
            return a
        whole = {m: c // b for m, c in items(a) if m and c % b == 0}
        constant = dict(items(a)).get((), 0)
        rest: dict[Monomial, int] = {m: c for m, c in items(a) if m and c % b}
        inner = _inner_division(rest)
        if inner is not None:
            numerator, denominator = inner
            whole[()] = constant // b
            composed = floor_div(numerator + denominator * (constant % b), denominator * b)
            return poly(whole) + composed
        whole[()] = constant // b
        if not rest:
            return poly(whole)
        rest[()] = constant % b
        numerator = poly(rest)
        shared = math.gcd(b, *(c for m, c in rest.items() if m))
        if shared > 1:  # floor((g x + c) / (g d)) = floor((x + floor(c / g)) / d)
            return poly(whole) + floor_div(poly({m: c // shared for m, c in rest.items()}), b // shared)
        quotient = interval_of(numerator)
        low, high = floor_bound(quotient.lo, b), floor_bound(quotient.hi, b)
        if low == high:
            return poly(whole) + int(low)
        return poly(whole) + atom_term(App("div", (numerator, b)))
    if isinstance(a, int) and a == 0:
        return 0
    exact = _exact_quotient(a, b) if interval_of(b).lo >= 1 else None
    return atom_term(App("div", (a, b))) if exact is None else exact


def _exact_quotient(a: Term, b: Term) -> Term | None:
    """a / b where b is a single product that every term of a holds."""
    ((monomial, coefficient), *more) = b.terms
    if more or coefficient < 1:
        return None
    result: dict[Monomial, int] = {}
    for other, factor in items(a):
        missing = Counter(monomial) - Counter(other)
        if missing or factor % coefficient:
            return None
        result[without(other, monomial)] = factor // coefficient
    return poly(result)


def _inner_division(rest: Mapping[Monomial, int]) -> tuple[Term, int] | None:
    if len(rest) != 1:
        return None
    ((monomial, coefficient),) = rest.items()
    if coefficient != 1 or len(monomial) != 1:
        return None
    atom = monomial[0]
    if isinstance(atom, App) and atom.kind == "div" and isinstance(atom.args[1], int):
        return atom.args
    return None


def ceil_div(a: Term, b: Term) -> Term:
    """⌈a / b⌉, and 0 where b < 1."""
    return floor_div(a + b - 1, b)


def mod(a: Term, b: Term) -> Term:
    """a − b ⌊a / b⌋, and 0 where b < 1."""
    match reading(a, b):
        case "int":
            return int(a) % int(b) if b >= 1 else 0
        case "array":
            safe = np.maximum(b, 1)
            return np.where(np.asarray(b) >= 1, a % safe, 0)
        case "z3":
            import z3

            if isinstance(b, int):
                return a % z3.IntVal(b) if b >= 1 else z3.IntVal(0)
            return z3.If(b >= 1, (z3.IntVal(a) if isinstance(a, int) else a) % b, z3.IntVal(0))
    if isinstance(b, (int, np.integer)):
        b = int(b)
        if b <= 1:
            return 0
        a = poly({m: c % b for m, c in items(a)})
        if not isinstance(a, Poly):
            return a % b
        if a.interval.lo >= 0 and a.interval.hi < b:
            return a
    elif (isinstance(a, int) and a == 0) or (isinstance(a, Poly) and a.same(b)) or _exact_quotient(a, b) is not None:
        return 0
    return atom_term(App("mod", (a, b)))


def maximum(a: Term, b: Term) -> Term:
    match reading(a, b):
        case "int":
            return max(int(a), int(b))
        case "array":
            return np.maximum(a, b)
        case "z3":
            import z3

            return z3.If(a >= b, a, b)
    decided = a - b if isinstance(a, Poly) else -(b - a)
    box = interval_of(decided)
    if box.lo >= 0:
        return a
    return b if box.hi <= 0 else atom_term(App("max", (a, b)))


def minimum(a: Term, b: Term) -> Term:
    return -maximum(-a, -b) if reading(a, b) in ("int", "array", "z3") else _poly_minimum(a, b)


def _poly_minimum(a: Term, b: Term) -> Term:
    box = interval_of(a - b if isinstance(a, Poly) else -(b - a))
    if box.hi <= 0:
        return a
    return b if box.lo >= 0 else atom_term(App("min", (a, b)))


def choose(condition: Truth, a: Term, b: Term) -> Term:
    """`a` where `condition` holds, else `b`."""
    if isinstance(condition, (bool, np.bool_)):
        return a if condition else b
    match reading(condition, a, b):
        case "array":
            return np.where(condition, a, b)
        case "z3":
            import z3

            return z3.If(condition, a, b)
    if isinstance(a, Poly) and isinstance(b, Poly) and a.same(b):
        return a
    return a if isinstance(a, int) and isinstance(b, int) and a == b else atom_term(App("ite", (condition, a, b)))


def equal(a: Term, b: Term) -> Truth:
    """Whether two terms (or two plain values such as strings) are equal."""
    if isinstance(a, Poly) or isinstance(b, Poly):
        return True if a is b else equal_zero(a - b)
    result = a == b
    return bool(result) if reading(a, b) == "int" else result


def unequal(a: Term, b: Term) -> Truth:
    return negate(equal(a, b))


def product(values: Iterable[Term]) -> Term:
    """The product of the terms, 1 for none."""
    result: Term = 1
    for value in values:
        result = result * value
    return result


def total(values: Iterable[Term]) -> Term:
    """The sum of the terms, 0 for none."""
    result: Term = 0
    for value in values:
        result = result + value
    return result


Poly.__floordiv__ = floor_div
Poly.__rfloordiv__ = lambda self, other: floor_div(other, self)
Poly.__mod__ = mod
Poly.__rmod__ = lambda self, other: mod(other, self)
