"""Dimension terms: the arithmetic in which refinement types are written once and read several ways.

A *term* is a Python ``int``, a NumPy integer array (many values at once), a `Poly` (our own symbolic integer), or a Z3
``ArithRef``. A *condition* is a ``bool``, a NumPy boolean array, a `Cond`, or a Z3 ``BoolRef``. ``+ - *`` and
``< <= > >=`` work on all of them; what differs between them is a function of this module: `floor_div`, `mod`, `equal`,
`all_of`, `any_of`, `choose`, `maximum`, `minimum`, `product`.

Division and remainder are total: a divisor below 1 gives 0. So a whole array can pass a rule that only some of its
values satisfy, and all readings agree on every value.

`Poly` and `Cond` keep themselves in normal form:

- sums of integer multiples of products of *atoms*; products of sums stay factored, so common factors cancel;
- ``floor((floor((x + a) / s) + b) / t)`` becomes ``floor((x + a + s b) / (s t))``, so a chain of convolutions with
  constant strides is a single division;
- ``floor(x / s) >= n`` becomes ``x >= s n``: no division is left in most rules;
- conditions that the intervals of the symbols decide are folded to ``bool``.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

Term = Any  # int | NumPy integer array | Poly | z3.ArithRef
Truth = Any  # bool | NumPy boolean array | Cond | z3.BoolRef

_HUGE = 10**200  # bounds beyond this are treated as infinite
Bound = int | float


def _bound(value: Bound) -> Bound:
    return value if -_HUGE < value < _HUGE else math.copysign(math.inf, value)


def _times(a: Bound, b: Bound) -> Bound:
    return 0 if a == 0 or b == 0 else _bound(a * b)


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """All integers from `lo` to `hi`, either of which may be infinite."""

    lo: Bound
    hi: Bound

    def __add__(self, other: Interval) -> Interval:
        return Interval(_bound(self.lo + other.lo), _bound(self.hi + other.hi))

    def __mul__(self, other: Interval) -> Interval:
        corners = [_times(a, b) for a in (self.lo, self.hi) for b in (other.lo, other.hi)]
        return Interval(min(corners), max(corners))

    def scaled(self, factor: int) -> Interval:
        a, b = _times(self.lo, factor), _times(self.hi, factor)
        return Interval(min(a, b), max(a, b))


class Atom:
    """What polynomials are made of: a `Symbol`, an `Op` or a wrapped `Sum`. Compared by structure, hashed once."""

    __slots__ = ("hash", "interval", "symbols")

    hash: int
    interval: Interval
    symbols: frozenset[Symbol]

    def __hash__(self) -> int:
        return self.hash


class Symbol(Atom):
    """An unknown integer, named as people know it (``batch``, ``conv1.kernel_size``), within inclusive bounds."""

    __slots__ = ("name",)

    def __init__(self, name: str, lo: int | None = None, hi: int | None = None) -> None:
        self.name = name
        self.interval = Interval(-math.inf if lo is None else lo, math.inf if hi is None else hi)
        self.hash = hash((1, zlib.crc32(name.encode())))
        self.symbols = frozenset((self,))

    __hash__ = Atom.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Symbol) and self.name == other.name)

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> Any:
        lo, hi = self.interval.lo, self.interval.hi
        return Symbol, (self.name, None if lo == -math.inf else lo, None if hi == math.inf else hi)


_KINDS = {"div": 2, "mod": 3, "max": 4, "min": 5, "ite": 6}


class Op(Atom):
    """``div`` (floor), ``mod``, ``max``, ``min`` of two terms, or ``ite`` of a condition and two terms."""

    __slots__ = ("args", "kind")

    def __init__(self, kind: str, args: tuple[Any, ...]) -> None:
        self.kind, self.args = kind, args
        self.hash = hash((_KINDS[kind], *args))
        self.symbols = frozenset().union(*(symbols_of(a) for a in args))
        self.interval = _op_interval(kind, args)

    __hash__ = Atom.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Op) and self.hash == other.hash and self.kind == other.kind and self.args == other.args
        )

    def __repr__(self) -> str:
        match self.kind, self.args:
            case "div", (a, b):
                return f"⌊{_wrapped(a)}/{_wrapped(b)}⌋"
            case "mod", (a, b):
                return f"{_wrapped(a)} % {_wrapped(b)}"
            case "ite", (c, a, b):
                return f"({a} if {c} else {b})"
            case kind, args:
                return f"{kind}({', '.join(map(str, args))})"

    def __reduce__(self) -> Any:
        return Op, (self.kind, self.args)


class Sum(Atom):
    """A sum used as a factor, so that products need not be multiplied out."""

    __slots__ = ("poly",)

    def __init__(self, poly: Poly) -> None:
        self.poly = poly
        self.hash = hash((7, poly.hash))
        self.symbols = poly.symbols
        self.interval = poly.interval

    __hash__ = Atom.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Sum) and self.hash == other.hash and self.poly.same(other.poly))

    def __repr__(self) -> str:
        return f"({self.poly})"

    def __reduce__(self) -> Any:
        return Sum, (self.poly,)


Monomial = tuple[Atom, ...]


def _op_interval(kind: str, args: tuple[Any, ...]) -> Interval:
    if kind == "ite":
        a, b = interval_of(args[1]), interval_of(args[2])
        return Interval(min(a.lo, b.lo), max(a.hi, b.hi))
    a, b = interval_of(args[0]), interval_of(args[1])
    if kind == "max":
        return Interval(max(a.lo, b.lo), max(a.hi, b.hi))
    if kind == "min":
        return Interval(min(a.lo, b.lo), min(a.hi, b.hi))
    if kind == "mod":
        return Interval(0, max(0, b.hi - 1) if a.lo < 0 else max(0, min(a.hi, b.hi - 1)))
    divisors = [max(1, b.lo), max(1, b.hi)]
    corners = [_floor(n, d) for n in (a.lo, a.hi) for d in divisors]
    if b.lo < 1:
        corners.append(0)
    return Interval(min(corners), max(corners))


def _floor(n: Bound, d: Bound) -> Bound:
    if d == math.inf:
        return -1 if n < 0 else 0
    return n if isinstance(n, float) else n // d


class Poly:
    """A symbolic integer in normal form: a sum of integer multiples of monomials. Never a constant (that is an int).

    ``==`` is Python identity of structure only through `same`; to state that two terms are equal use `equal`.
    """

    __slots__ = ("hash", "interval", "symbols", "terms")
    __array_ufunc__ = None  # NumPy must not swallow us

    def __init__(self, terms: Mapping[Monomial, int]) -> None:
        self.terms: tuple[tuple[Monomial, int], ...] = tuple(
            sorted(terms.items(), key=lambda item: (-len(item[0]), [a.hash for a in item[0]]))
        )
        self.hash = hash(self.terms)
        self.symbols: frozenset[Symbol] = frozenset().union(*(a.symbols for m, _ in self.terms for a in m))
        self.interval = reduce(Interval.__add__, (_monomial_interval(m).scaled(c) for m, c in self.terms))

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Poly) and self.same(other)

    def same(self, other: Poly) -> bool:
        return self is other or (self.hash == other.hash and self.terms == other.terms)

    def __reduce__(self) -> Any:
        return Poly, (dict(self.terms),)

    @property
    def constant(self) -> int:
        return dict(self.terms).get((), 0)

    def __add__(self, other: Term) -> Term:
        if not isinstance(other, (int, np.integer, Poly)):
            return NotImplemented
        result = dict(self.terms)
        for monomial, coefficient in _items(other):
            result[monomial] = result.get(monomial, 0) + coefficient
        return poly(result)

    __radd__ = __add__

    def __neg__(self) -> Poly:
        return Poly({m: -c for m, c in self.terms})

    def __sub__(self, other: Term) -> Term:
        return self + (-other)

    def __rsub__(self, other: Term) -> Term:
        return (-self) + other

    def __mul__(self, other: Term) -> Term:
        if isinstance(other, (int, np.integer)):
            return poly({m: c * int(other) for m, c in self.terms})
        if not isinstance(other, Poly):
            return NotImplemented
        coefficient, monomial = _factored(self)
        other_coefficient, other_monomial = _factored(other)
        atoms = tuple(sorted(monomial + other_monomial, key=lambda a: a.hash))
        return poly({atoms: coefficient * other_coefficient})

    __rmul__ = __mul__

    def __floordiv__(self, other: Term) -> Term:
        return floor_div(self, other)

    def __rfloordiv__(self, other: Term) -> Term:
        return floor_div(other, self)

    def __mod__(self, other: Term) -> Term:
        return mod(self, other)

    def __rmod__(self, other: Term) -> Term:
        return mod(other, self)

    def __ge__(self, other: Term) -> Truth:
        return at_least_zero(self - other)

    def __le__(self, other: Term) -> Truth:
        return at_least_zero(other - self)

    def __gt__(self, other: Term) -> Truth:
        return at_least_zero(self - other - 1)

    def __lt__(self, other: Term) -> Truth:
        return at_least_zero(other - self - 1)

    def __bool__(self) -> bool:
        raise TypeError(f"the size {self} is not known; a rule asked for its truth")

    def __repr__(self) -> str:
        return _joined(self.terms)


def symbol(name: str, lo: int | None = None, hi: int | None = None) -> Poly:
    """An unknown integer as a term."""
    return Poly({(Symbol(name, lo, hi),): 1})


def poly(terms: Mapping[Monomial, int]) -> Poly | int:
    """The normal form of a sum; an int when nothing symbolic is left."""
    kept = {m: c for m, c in terms.items() if c}
    if not kept:
        return 0
    if len(kept) == 1 and () in kept:
        return kept[()]
    for monomial, coefficient in kept.items():  # a lone wrapped sum is a sum after all
        if len(monomial) == 1 and isinstance(monomial[0], Sum):
            rest = {m: c for m, c in kept.items() if m != monomial}
            for inner, c in monomial[0].poly.terms:
                rest[inner] = rest.get(inner, 0) + c * coefficient
            return poly(rest)
    return Poly(kept)


def _atom(atom: Atom) -> Poly:
    return Poly({(atom,): 1})


def _items(value: Any) -> Iterable[tuple[Monomial, int]]:
    return value.terms if isinstance(value, Poly) else (((), int(value)),)


def _monomial_interval(monomial: Monomial) -> Interval:
    result = Interval(1, 1)
    index = 0
    while index < len(monomial):
        atom, power = monomial[index], 1
        while index + power < len(monomial) and monomial[index + power] == atom:
            power += 1
        box = atom.interval
        for _ in range(power - 1):
            box = box * atom.interval
        if power % 2 == 0:
            box = Interval(max(0, box.lo), box.hi)
        result = result * box
        index += power
    return result


def _factored(value: Poly) -> tuple[int, Monomial]:
    """`value` as coefficient x monomial; a sum becomes one `Sum` atom with its common factor taken out."""
    if len(value.terms) == 1:
        monomial, coefficient = value.terms[0]
        return coefficient, monomial
    content = math.gcd(*(c for _, c in value.terms))
    if value.terms[0][1] < 0:
        content = -content
    common = _common(m for m, _ in value.terms)
    rest = Poly({_without(m, common): c // content for m, c in value.terms})
    return content, (*common, Sum(rest))


def _common(monomials: Iterable[Monomial]) -> Monomial:
    shared: list[Atom] | None = None
    for monomial in monomials:
        if shared is None:
            shared = list(monomial)
            continue
        remaining = list(monomial)
        kept = []
        for atom in shared:
            if atom in remaining:
                remaining.remove(atom)
                kept.append(atom)
        shared = kept
    return tuple(shared or ())


def _without(monomial: Monomial, factors: Monomial) -> Monomial:
    remaining = list(monomial)
    for atom in factors:
        remaining.remove(atom)
    return tuple(remaining)


# ---------------------------------------------------------------------------------------------------- conditions


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
            return f"{_joined(tuple(right.items()))} {sign} {constant}"
        sign = {"ge": "≥", "eq": "=", "ne": "≠"}[self.kind]
        if constant > 0 and right:
            left[()] = constant
        elif constant:
            right[()] = -constant
        return f"{_joined(tuple(left.items()))} {sign} {_joined(tuple(right.items())) if right else 0}"


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
    common = _common(m for m, _ in value.terms)
    cancelled = tuple(a for a in common if a.interval.lo > 0 or a.interval.hi < 0)
    if cancelled:
        return equal_zero(poly({_without(m, cancelled): c for m, c in value.terms}))
    if value.interval.lo > 0 or value.interval.hi < 0:
        return False
    if value.interval.lo == value.interval.hi == 0:
        return True
    expanded = _expanded(value)
    if expanded is not value:
        simpler = poly(expanded)
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


def _lone_division(value: Poly) -> tuple[Op | None, int]:
    """The division when `value` is ± one floor division by a constant plus a constant."""
    parts = [(m, c) for m, c in value.terms if m]
    if len(parts) == 1 and abs(parts[0][1]) == 1 and len(parts[0][0]) == 1:
        atom = parts[0][0][0]
        if isinstance(atom, Op) and atom.kind == "div" and isinstance(atom.args[1], int):
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
        return equal(base, guess if target >= 0 else -guess)
    return any_of(equal(base, guess), equal(base, -guess))


def _unwrapped(atom: Atom) -> Poly:
    return atom.poly if isinstance(atom, Sum) else _atom(atom)


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


# ------------------------------------------------------------------------- functions over every kind of term


def is_z3(value: Any) -> bool:
    """Whether `value` is a Z3 expression, without importing Z3."""
    return type(value).__module__.startswith("z3")


def _reading(*values: Any) -> str:
    kind = "int"
    for value in values:
        if isinstance(value, (Poly, Cond)):
            kind = "poly"
        elif isinstance(value, np.ndarray):
            return "array"
        elif is_z3(value):
            return "z3"
    return kind


def floor_div(a: Term, b: Term) -> Term:
    """⌊a / b⌋, and 0 where b < 1."""
    match _reading(a, b):
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
        whole = {m: c // b for m, c in _items(a) if m and c % b == 0}
        constant = dict(_items(a)).get((), 0)
        rest: dict[Monomial, int] = {m: c for m, c in _items(a) if m and c % b}
        inner = _inner_division(rest, b)
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
        low, high = _floor(quotient.lo, b), _floor(quotient.hi, b)
        if low == high:
            return poly(whole) + int(low)
        return poly(whole) + _atom(Op("div", (numerator, b)))
    if isinstance(a, int) and a == 0:
        return 0
    return _atom(Op("div", (a, b)))


def _inner_division(rest: Mapping[Monomial, int], divisor: int) -> tuple[Term, int] | None:
    if len(rest) != 1:
        return None
    ((monomial, coefficient),) = rest.items()
    if coefficient != 1 or len(monomial) != 1:
        return None
    atom = monomial[0]
    if isinstance(atom, Op) and atom.kind == "div" and isinstance(atom.args[1], int):
        return atom.args
    return None


def ceil_div(a: Term, b: Term) -> Term:
    """⌈a / b⌉, and 0 where b < 1."""
    return floor_div(a + b - 1, b)


def mod(a: Term, b: Term) -> Term:
    """a − b ⌊a / b⌋, and 0 where b < 1."""
    match _reading(a, b):
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
        a = poly({m: c % b for m, c in _items(a)})
        if not isinstance(a, Poly):
            return a % b
        if a.interval.lo >= 0 and a.interval.hi < b:
            return a
    elif (isinstance(a, int) and a == 0) or (isinstance(a, Poly) and a.same(b)):
        return 0
    return _atom(Op("mod", (a, b)))


def maximum(a: Term, b: Term) -> Term:
    match _reading(a, b):
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
    return b if box.hi <= 0 else _atom(Op("max", (a, b)))


def minimum(a: Term, b: Term) -> Term:
    return -maximum(-a, -b) if _reading(a, b) in ("int", "array", "z3") else _poly_minimum(a, b)


def _poly_minimum(a: Term, b: Term) -> Term:
    box = interval_of(a - b if isinstance(a, Poly) else -(b - a))
    if box.hi <= 0:
        return a
    return b if box.lo >= 0 else _atom(Op("min", (a, b)))


def choose(condition: Truth, a: Term, b: Term) -> Term:
    """`a` where `condition` holds, else `b`."""
    if isinstance(condition, (bool, np.bool_)):
        return a if condition else b
    match _reading(condition, a, b):
        case "array":
            return np.where(condition, a, b)
        case "z3":
            import z3

            return z3.If(condition, a, b)
    if isinstance(a, Poly) and isinstance(b, Poly) and a.same(b):
        return a
    return a if isinstance(a, int) and isinstance(b, int) and a == b else _atom(Op("ite", (condition, a, b)))


def equal(a: Term, b: Term) -> Truth:
    """Whether two terms (or two plain values such as strings) are equal."""
    if isinstance(a, Poly) or isinstance(b, Poly):
        return equal_zero(a - b)
    result = a == b
    return bool(result) if _reading(a, b) == "int" else result


def unequal(a: Term, b: Term) -> Truth:
    return negate(equal(a, b))


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


def implies(condition: Truth, consequence: Truth) -> Truth:
    return any_of(negate(condition), consequence)


def _combine(kind: str, conditions: Iterable[Truth], *, neutral: bool) -> Truth:
    kept: list[Any] = []
    for condition in conditions:
        if isinstance(condition, (bool, np.bool_)):
            if bool(condition) is not neutral:
                return not neutral
        elif isinstance(condition, Cond) and condition.kind == kind:
            kept.extend(a for a in condition.args if a not in kept)
        elif not (isinstance(condition, Cond) and condition in kept):
            kept.append(condition)
    if not kept:
        return neutral
    if len(kept) == 1:
        return kept[0]
    match _reading(*kept):
        case "array":
            return reduce(np.logical_and if kind == "and" else np.logical_or, kept)
        case "z3":
            import z3

            return z3.And(*kept) if kind == "and" else z3.Or(*kept)
    if any(negate(a) in kept for a in kept if isinstance(a, Cond) and a.kind in ("ge", "eq", "ne")):
        return not neutral
    return Cond(kind, tuple(kept))


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


# ------------------------------------------------------------------------------------------------- inspection


def symbols_of(value: Any) -> frozenset[Symbol]:
    return value.symbols if isinstance(value, (Poly, Cond, Atom)) else frozenset()


def interval_of(value: Any) -> Interval:
    return value.interval if isinstance(value, (Poly, Atom)) else Interval(int(value), int(value))


def substitute(value: Any, values: Mapping[str, Any]) -> Any:
    """`value` with symbols replaced by name: ints, arrays, other terms or Z3 terms; the result is in that reading."""
    return Substitution(values)(value)


class Substitution:
    """Replaces symbols by name; equal subterms are computed once."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self._memo: dict[Any, Any] = {}

    def __call__(self, value: Any) -> Any:
        if not isinstance(value, (Poly, Cond)):
            return value
        found = self._memo.get(value)
        if found is None:
            found = self._memo[value] = self._poly(value) if isinstance(value, Poly) else self._cond(value)
        return found

    def _poly(self, value: Poly) -> Any:
        result: Any = 0
        for monomial, coefficient in value.terms:
            factor: Any = None
            for atom in monomial:
                factor = self._atom(atom) if factor is None else factor * self._atom(atom)
            part = coefficient if factor is None else factor if coefficient == 1 else factor * coefficient
            result = part if isinstance(result, int) and result == 0 else result + part
        return result

    def _atom(self, atom: Atom) -> Any:
        if isinstance(atom, Symbol):
            return self._values[atom.name] if atom.name in self._values else _atom(atom)
        if isinstance(atom, Sum):
            return self(atom.poly)
        found = self._memo.get(atom)
        if found is None:
            functions: dict[str, Callable[..., Any]] = {
                "div": floor_div,
                "mod": mod,
                "max": maximum,
                "min": minimum,
                "ite": choose,
            }
            assert isinstance(atom, Op)
            found = self._memo[atom] = functions[atom.kind](*(self(a) for a in atom.args))
        return found

    def _cond(self, value: Cond) -> Any:
        if value.kind in ("and", "or"):
            return (all_of if value.kind == "and" else any_of)(*(self(a) for a in value.args))
        inner = self(value.args[0])
        if value.kind == "ge":
            return inner >= 0
        return equal(inner, 0) if value.kind == "eq" else negate(equal(inner, 0))


def _joined(terms: Iterable[tuple[Monomial, int]]) -> str:
    """A polynomial as people write it: positive parts first, the constant last."""
    parts = sorted(terms, key=lambda item: (not item[0], item[1] < 0, sorted(map(str, item[0]))))
    text = ""
    for monomial, coefficient in parts:
        factors = "·".join(sorted(_factor(a) for a in monomial))
        size = abs(coefficient)
        body = str(size) if not monomial else factors if size == 1 else f"{size}·{factors}"
        sign = ("− " if coefficient < 0 else "+ ") if text else ("−" if coefficient < 0 else "")
        text += f" {sign}{body}" if text else f"{sign}{body}"
    return text or "0"


def _factor(atom: Atom) -> str:
    return f"({atom})" if isinstance(atom, Op) and atom.kind == "mod" else str(atom)


def _wrapped(value: Any) -> str:
    text = str(value)
    return f"({text})" if isinstance(value, Poly) and len(value.terms) > 1 else text
