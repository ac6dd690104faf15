"""Dimension terms: the arithmetic in which refinement types are written once and read several ways.

A *term* is a Python ``int``, a NumPy integer array (many values at once), a `Poly` (our own symbolic integer), or a Z3
``ArithRef``. A *condition* is a ``bool``, a NumPy boolean array, a `Cond`, or a Z3 ``BoolRef``. ``+ - *`` and
``< <= > >=`` work on all of them; what differs between them is a function of this package: `floor_div`, `mod`, `equal`,
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

from analyzer.validity.terms.arithmetic import (
    ceil_div,
    choose,
    equal,
    floor_div,
    maximum,
    minimum,
    mod,
    product,
    total,
    unequal,
)
from analyzer.validity.terms.conditions import (
    Cond,
    Term,
    Truth,
    all_of,
    any_of,
    at_least_zero,
    equal_zero,
    is_z3,
    negate,
)
from analyzer.validity.terms.intervals import IntRange
from analyzer.validity.terms.polynomials import App, Atom, Poly, Sum, Symbol, interval_of, poly, symbol, symbols_of
from analyzer.validity.terms.substitution import Substitution, substitute

__all__ = [
    "App",
    "Atom",
    "Cond",
    "IntRange",
    "Poly",
    "Substitution",
    "Sum",
    "Symbol",
    "Term",
    "Truth",
    "all_of",
    "any_of",
    "at_least_zero",
    "ceil_div",
    "choose",
    "equal",
    "equal_zero",
    "floor_div",
    "interval_of",
    "is_z3",
    "maximum",
    "minimum",
    "mod",
    "negate",
    "poly",
    "product",
    "substitute",
    "symbol",
    "symbols_of",
    "total",
    "unequal",
]
