"""Conditions over terms in normal form, and how they combine in every reading."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from analyzer.validity.terms.polynomials import (
    App,
    Atom,
    Monomial,
    Poly,
    Sum,
    Symbol,
    atom_term,
    common_factors,
    poly,
    symbols_of,
    without,
)
from analyzer.validity.terms.wording import polynomial

Term = Any  # int | NumPy integer array | Poly | z3.ArithRef
Truth = Any  # bool | NumPy boolean array | Cond | z3.BoolRef
Terms = tuple[tuple[Monomial, int], ...]


class Cond:
    """A symbolic condition in normal form: ``ge`` (poly >= 0), ``eq``, ``ne`` (poly ==, != 0), ``and``, ``or``."""

    __slots__ = ("args", "hash", "kind", "symbols")
    __array_ufunc__ = None

    def __init__(self, kind: str, args: tuple[Any, ...]) -> None:
        self.kind, self.args = kind, args
        self.hash = hash(({"ge": 11, "eq": 12, "ne": 13, "and": 14, "or": 15}[kind], *args))
        self.symbols: frozenset[Symbol] = frozenset().union(*(symbols_of(a) for a in args))

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Cond) and self.hash == other.hash and self.kind == other.kind and self.args == other.args
        )

    def __reduce__(self) -> Any:
        return Cond, (self.kind, self.args)

    def __bool__(self) -> bool:
        raise TypeError(f"whether {self} holds is not known; use all_of, any_of or choose in a rule")

    def __repr__(self) -> str:
        if self.kind in ("and", "or"):
            parts = (f"({a})" if isinstance(a, Cond) and a.kind == "or" else str(a) for a in self.args)
            return f" {self.kind} ".join(parts)
        (value,) = self.args
        left = {m: c for m, c in value.terms if c > 0 and m}
        right = {m: -c for m, c in value.terms if c < 0 and m}
        constant = value.constant
        if not left:  # -x + 5 >= 0 reads x <= 5
            sign = {"ge": "≤", "eq": "=", "ne": "≠"}[self.kind]
            return f"{polynomial(tuple(right.items()))} {sign} {constant}"
        sign = {"ge": "≥", "eq": "=", "ne": "≠"}[self.kind]
        if constant > 0 and right:
            left[()] = constant
        elif constant:
            right[()] = -constant
        return f"{polynomial(tuple(left.items()))} {sign} {polynomial(tuple(right.items())) if right else 0}"


def at_least_zero(value: Term) -> Truth:
    """``value >= 0`` of an int or a `Poly`."""
    if not isinstance(value, Poly):
        return bool(value >= 0)
    divisor = math.gcd(*(c for m, c in value.terms if m))
    if divisor > 1:
        constant = value.constant // divisor
        value = Poly({**{m: c // divisor for m, c in value.terms if m}, **({(): constant} if constant else {})})
    if value.interval.lo >= 0:
        return True
    if value.interval.hi < 0:
        return False
    atom, sign = _lone_division(value)
    if atom is not None:
        numerator, denominator = atom.args
        bound = value.constant  # sign * floor(n / d) + bound >= 0
        if sign > 0:
            return at_least_zero(numerator + denominator * bound)
        return at_least_zero(denominator * bound + denominator - 1 - numerator)
    return Cond("ge", (value,))


def equal_zero(value: Term) -> Truth:
    """``value == 0`` of an int or a `Poly`."""
    if not isinstance(value, Poly):
        return bool(value == 0)
    divisor = math.gcd(*(c for m, c in value.terms if m))
    if value.constant % divisor:
        return False
    if divisor > 1:
        value = Poly({m: c // divisor for m, c in value.terms})
    common = common_factors(m for m, _ in value.terms)
    cancelled = tuple(a for a in common if a.interval.lo > 0 or a.interval.hi < 0)
    if cancelled:
        return equal_zero(poly({without(m, cancelled): c for m, c in value.terms}))
    if value.interval.lo > 0 or value.interval.hi < 0:
        return False
    if value.interval.lo == value.interval.hi == 0:
        return True
    multiplied = _expanded(value)
    if multiplied is not value:
        simpler = poly(multiplied)
        if not isinstance(simpler, Poly):
            return simpler == 0
    root = _root(value)
    if root is not None:
        return root
    atom, sign = _lone_division(value)
    if atom is not None:
        numerator, denominator = atom.args
        quotient = -sign * value.constant
        low = at_least_zero(numerator - denominator * quotient)
        high = at_least_zero(denominator * quotient + denominator - 1 - numerator)
        return all_of(low, high)
    if value.terms[0][1] < 0:
        value = -value
    return Cond("eq", (value,))


def _lone_division(value: Poly) -> tuple[App | None, int]:
    """The division when `value` is ± one floor division by a constant plus a constant."""
    parts = [(m, c) for m, c in value.terms if m]
    if len(parts) == 1 and abs(parts[0][1]) == 1 and len(parts[0][0]) == 1:
        atom = parts[0][0][0]
        if isinstance(atom, App) and atom.kind == "div" and isinstance(atom.args[1], int):
            return atom, parts[0][1]
    return None, 0


def _root(value: Poly) -> Truth | None:
    """``c x^n == k`` becomes ``x == root`` (for even n: or ``x == -root``), or False."""
    parts = [(m, c) for m, c in value.terms if m]
    if len(parts) != 1 or len(set(parts[0][0])) != 1 or len(parts[0][0]) < 2:
        return None
    monomial, coefficient = parts[0]
    target, power = -value.constant // coefficient, len(monomial)
    if abs(target) >= 2**52:
        return None
    guess = round(abs(target) ** (1 / power))
    if guess**power != abs(target) or (target < 0 and power % 2 == 0):
        return False
    base = _unwrapped(monomial[0])
    if power % 2:
        return equal_zero(base - (guess if target >= 0 else -guess))
    return any_of(equal_zero(base - guess), equal_zero(base + guess))


def _unwrapped(atom: Atom) -> Poly:
    return atom.poly if isinstance(atom, Sum) else atom_term(atom)


def _expanded(value: Poly, limit: int = 64) -> Any:
    """`value` with its factored sums multiplied out, as a mapping; `value` itself if that would be large or nothing."""
    if len(value.terms) < 2 or not any(isinstance(a, Sum) for m, _ in value.terms for a in m):
        return value
    result: dict[Monomial, int] = {}
    for monomial, coefficient in value.terms:
        partial: dict[Monomial, int] = {(): coefficient}
        for atom in monomial:
            factors = atom.poly.terms if isinstance(atom, Sum) else (((atom,), 1),)
            grown: dict[Monomial, int] = {}
            for m, c in partial.items():
                for n, d in factors:
                    key = tuple(sorted(m + n, key=lambda a: a.hash))
                    grown[key] = grown.get(key, 0) + c * d
            partial = grown
            if len(partial) > limit:
                return value
        for m, c in partial.items():
            result[m] = result.get(m, 0) + c
    return result


def is_z3(value: Any) -> bool:
    """Whether `value` is a Z3 expression, without importing Z3."""
    return type(value).__module__.startswith("z3")


def reading(*values: Any) -> str:
    kind = "int"
    for value in values:
        if isinstance(value, (Poly, Cond)):
            kind = "poly"
        elif isinstance(value, np.ndarray):
            return "array"
        elif is_z3(value):
            return "z3"
    return kind


def negate(condition: Truth) -> Truth:
    """The opposite condition."""
    if isinstance(condition, (bool, np.bool_)):
        return not condition
    if isinstance(condition, np.ndarray):
        return ~condition
    if is_z3(condition):
        import z3

        return z3.Not(condition)
    match condition.kind:
        case "ge":
            return at_least_zero(-condition.args[0] - 1)
        case "eq":
            return Cond("ne", condition.args)
        case "ne":
            return Cond("eq", condition.args)
        case "and":
            return any_of(*(negate(a) for a in condition.args))
        case _:
            return all_of(*(negate(a) for a in condition.args))


def all_of(*conditions: Truth) -> Truth:
    """Whether all conditions hold."""
    return _combine("and", conditions, neutral=True)


def any_of(*conditions: Truth) -> Truth:
    """Whether at least one condition holds."""
    return _combine("or", conditions, neutral=False)


def _combine(kind: str, conditions: Iterable[Truth], *, neutral: bool) -> Truth:
    parts: list[Any] = []
    for condition in conditions:
        if isinstance(condition, (bool, np.bool_)):
            if bool(condition) is not neutral:
                return not neutral
        elif isinstance(condition, Cond) and condition.kind == kind:
            parts.extend(condition.args)
        else:
            parts.append(condition)
    if not parts:
        return neutral
    if len(parts) == 1:
        return parts[0]
    match reading(*parts):
        case "array":
            return reduce(np.logical_and if kind == "and" else np.logical_or, parts)
        case "z3":
            import z3

            return z3.And(*parts) if kind == "and" else z3.Or(*parts)
    kept = _merged(kind, parts)
    if kept is None:
        return not neutral
    return kept[0] if len(kept) == 1 else Cond(kind, tuple(kept))


def _merged(kind: str, parts: Sequence[Cond]) -> list[Cond] | None:
    """Each condition once; of bounds on one sum only the tightest (``or``: the loosest); None if they decide it all."""
    others: dict[Cond, None] = {}
    bounds: dict[Terms, int] = {}  # a sum without its constant -> the constant c of `sum + c >= 0`
    order: dict[Any, None] = {}
    tighter = min if kind == "and" else max
    for part in parts:
        if part.kind != "ge":
            others[part] = order[part] = None
            continue
        value = part.args[0]
        constant = value.constant
        rest = value.terms[:-1] if constant else value.terms
        bounds[rest] = tighter(bounds[rest], constant) if rest in bounds else constant
        order[rest] = None
    for rest, constant in bounds.items():
        opposite = bounds.get(tuple((m, -c) for m, c in rest))
        if opposite is not None and (constant + opposite < 0 if kind == "and" else constant + opposite >= -1):
            return None  # -c <= sum <= d is empty; sum >= -c or sum <= d is everything
    if any(Cond(_OPPOSITE[part.kind], part.args) in others for part in others if part.kind in _OPPOSITE):
        return None
    return [key if isinstance(key, Cond) else Cond("ge", (_shifted(key, bounds[key]),)) for key in order]


_OPPOSITE = {"eq": "ne", "ne": "eq"}


def _shifted(rest: Terms, constant: int) -> Poly:
    return Poly({**dict(rest), **({(): constant} if constant else {})})


Poly.__ge__ = lambda self, other: at_least_zero(self - other)
Poly.__le__ = lambda self, other: at_least_zero(other - self)
Poly.__gt__ = lambda self, other: at_least_zero(self - (other + 1))
Poly.__lt__ = lambda self, other: at_least_zero((other - 1) - self)
