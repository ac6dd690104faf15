"""Symbolic integers in normal form: sums of integer multiples of products of atoms; factors stay factored."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from analyzer.validity.terms.intervals import IntRange, floor_bound
from analyzer.validity.terms.wording import polynomial, shortened, wrapped

if TYPE_CHECKING:
    from analyzer.validity.terms.conditions import Term, Truth


class Atom:
    """What polynomials are made of: a `Symbol`, an `App` or a wrapped `Sum`. Compared by structure, hashed once."""

    __slots__ = ("hash", "interval", "symbols")

    hash: int
    interval: IntRange
    symbols: frozenset[Symbol]

    def __hash__(self) -> int:
        return self.hash


class Symbol(Atom):
    """An unknown integer, named as people know it (``batch``, ``conv1.kernel_size``), within inclusive bounds."""

    __slots__ = ("name",)

    def __init__(self, name: str, lo: int | None = None, hi: int | None = None) -> None:
        self.name = name
        self.interval = IntRange(-math.inf if lo is None else lo, math.inf if hi is None else hi)
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


class App(Atom):
    """``div`` (floor), ``mod``, ``max``, ``min`` of two terms, or ``ite`` of a condition and two terms."""

    __slots__ = ("args", "kind", "text")

    def __init__(self, kind: str, args: tuple[Any, ...]) -> None:
        self.kind, self.args = kind, args
        self.text: str | None = None
        self.hash = hash((_KINDS[kind], *args))
        self.symbols = frozenset().union(*(symbols_of(a) for a in args))
        self.interval = _op_interval(kind, args)

    __hash__ = Atom.__hash__

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, App) or self.hash != other.hash or self.kind != other.kind or self.args != other.args:
            return False
        other.args = self.args  # shared from now on: parts that recur in a term would be compared each time
        return True

    def __repr__(self) -> str:
        if self.text is None:
            self.text = shortened(self._words())
        return self.text

    def _words(self) -> str:
        match self.kind, self.args:
            case "div", (a, b):
                return f"⌊{wrapped(a)}/{wrapped(b)}⌋"
            case "mod", (a, b):
                return f"{wrapped(a)} % {wrapped(b)}"
            case "ite", (c, a, b):
                return f"({a} if {c} else {b})"
            case kind, args:
                return f"{kind}({', '.join(map(str, args))})"

    def __reduce__(self) -> Any:
        return App, (self.kind, self.args)


class Sum(Atom):
    """A sum used as a factor, so that products need not be multiplied out."""

    __slots__ = ("poly", "text")

    def __init__(self, poly: Poly) -> None:
        self.poly = poly
        self.text: str | None = None
        self.hash = hash((7, poly.hash))
        self.symbols = poly.symbols
        self.interval = poly.interval

    __hash__ = Atom.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Sum) and self.hash == other.hash and self.poly.same(other.poly))

    def __repr__(self) -> str:
        if self.text is None:
            self.text = shortened(f"({self.poly})")
        return self.text

    def __reduce__(self) -> Any:
        return Sum, (self.poly,)


Monomial = tuple[Atom, ...]
_NOTHING: frozenset[Symbol] = frozenset()


def _op_interval(kind: str, args: tuple[Any, ...]) -> IntRange:
    if kind == "ite":
        a, b = interval_of(args[1]), interval_of(args[2])
        return IntRange(min(a.lo, b.lo), max(a.hi, b.hi))
    a, b = interval_of(args[0]), interval_of(args[1])
    if kind == "max":
        return IntRange(max(a.lo, b.lo), max(a.hi, b.hi))
    if kind == "min":
        return IntRange(min(a.lo, b.lo), min(a.hi, b.hi))
    if kind == "mod":
        return IntRange(0, max(0, b.hi - 1) if a.lo < 0 else max(0, min(a.hi, b.hi - 1)))
    divisors = [max(1, b.lo), max(1, b.hi)]
    corners = [floor_bound(n, d) for n in (a.lo, a.hi) for d in divisors]
    if b.lo < 1:
        corners.append(0)
    return IntRange(min(corners), max(corners))


class Poly:
    """A symbolic integer in normal form: a sum of integer multiples of monomials. Never a constant (that is an int).

    ``==`` is Python identity of structure only through `same`; to state that two terms are equal use `equal`.
    """

    __slots__ = ("_interval", "_symbols", "hash", "terms")
    __array_ufunc__ = None  # NumPy must not swallow us
    # `arithmetic` and `conditions` define division and order, which need terms themselves
    __floordiv__: ClassVar[Callable[[Poly, Term], Term]]
    __rfloordiv__: ClassVar[Callable[[Poly, Term], Term]]
    __mod__: ClassVar[Callable[[Poly, Term], Term]]
    __rmod__: ClassVar[Callable[[Poly, Term], Term]]
    __ge__: ClassVar[Callable[[Poly, Term], Truth]]
    __le__: ClassVar[Callable[[Poly, Term], Truth]]
    __gt__: ClassVar[Callable[[Poly, Term], Truth]]
    __lt__: ClassVar[Callable[[Poly, Term], Truth]]

    def __init__(self, terms: Mapping[Monomial, int]) -> None:
        parts = tuple(terms.items())
        if len(parts) > 1:
            parts = tuple(sorted(parts, key=lambda item: (-len(item[0]), [a.hash for a in item[0]])))
        self.terms: tuple[tuple[Monomial, int], ...] = parts
        self.hash = hash(parts)
        self._interval: IntRange | None = None
        self._symbols: frozenset[Symbol] | None = None

    @property
    def interval(self) -> IntRange:
        """All values that the bounds of the symbols allow, as far as interval arithmetic knows."""
        if self._interval is None:
            self._interval = reduce(IntRange.__add__, (_monomial_interval(m).scaled(c) for m, c in self.terms))
        return self._interval

    @property
    def symbols(self) -> frozenset[Symbol]:
        if self._symbols is None:
            self._symbols = frozenset().union(*(a.symbols for m, _ in self.terms for a in m))
        return self._symbols

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Poly) and self.same(other)

    def same(self, other: Poly) -> bool:
        if self is other:
            return True
        if self.hash != other.hash or self.terms != other.terms:
            return False
        other.terms = self.terms  # as in `App.__eq__`
        return True

    def __reduce__(self) -> Any:
        return Poly, (dict(self.terms),)

    @property
    def constant(self) -> int:
        monomial, coefficient = self.terms[-1]  # the shortest monomial is the last
        return 0 if monomial else coefficient

    def __add__(self, other: Term) -> Term:
        if not isinstance(other, (int, np.integer, Poly)):
            return NotImplemented
        result = dict(self.terms)
        for monomial, coefficient in items(other):
            result[monomial] = result.get(monomial, 0) + coefficient
        return poly(result)

    __radd__ = __add__

    def __neg__(self) -> Poly:
        negative = Poly.__new__(Poly)  # in the order of its own terms
        negative.terms = tuple((m, -c) for m, c in self.terms)
        negative.hash = hash(negative.terms)
        negative._interval, negative._symbols = None, self._symbols
        return negative

    def __sub__(self, other: Term) -> Term:
        if not isinstance(other, Poly):
            return self + (-other)
        result = dict(self.terms)
        for monomial, coefficient in other.terms:
            result[monomial] = result.get(monomial, 0) - coefficient
        return poly(result)

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

    def __bool__(self) -> bool:
        raise TypeError(f"the size {self} is not known; a rule asked for its truth")

    def __repr__(self) -> str:
        return polynomial(self.terms)


def symbol(name: str, lo: int | None = None, hi: int | None = None) -> Poly:
    """An unknown integer as a term."""
    return Poly({(Symbol(name, lo, hi),): 1})


def poly(terms: Mapping[Monomial, int]) -> Poly | int:
    """The normal form of a sum; an int when nothing symbolic is left."""
    kept = {m: c for m, c in terms.items() if c} if 0 in terms.values() else terms
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


def atom_term(atom: Atom) -> Poly:
    return Poly({(atom,): 1})


def items(value: Any) -> Iterable[tuple[Monomial, int]]:
    return value.terms if isinstance(value, Poly) else (((), int(value)),)


def _monomial_interval(monomial: Monomial) -> IntRange:
    if len(monomial) == 1:
        return monomial[0].interval
    result = IntRange(1, 1)
    index = 0
    while index < len(monomial):
        atom, power = monomial[index], 1
        while index + power < len(monomial) and monomial[index + power] == atom:
            power += 1
        box = atom.interval
        for _ in range(power - 1):
            box = box * atom.interval
        if power % 2 == 0:
            box = IntRange(max(0, box.lo), box.hi)
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
    common = common_factors(m for m, _ in value.terms)
    rest = Poly({without(m, common): c // content for m, c in value.terms})
    return content, (*common, Sum(rest))


def common_factors(monomials: Iterable[Monomial]) -> Monomial:
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


def without(monomial: Monomial, factors: Monomial) -> Monomial:
    remaining = list(monomial)
    for atom in factors:
        remaining.remove(atom)
    return tuple(remaining)


def symbols_of(value: Any) -> frozenset[Symbol]:
    """The symbols of a term or condition; none for numbers and arrays."""
    found: frozenset[Symbol] = getattr(value, "symbols", _NOTHING)
    return found


def interval_of(value: Any) -> IntRange:
    return value.interval if isinstance(value, (Poly, Atom)) else IntRange(int(value), int(value))
