"""Exact arithmetic on what is computed from sizes: whole numbers, their quotients and conditions.

Whole numbers are terms, quotients of them `Quotient`, truths conditions. Nothing is rounded: what is no such value
raises `NotCarried`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from analyzer.validity.spec import Quotient
from analyzer.validity.specs.common import is_plain
from analyzer.validity.terms import Cond, Poly, Term, ceil_div, choose, floor_div, interval_of, maximum, minimum, mod

MAX_DENOMINATOR = 4096  # quotients with larger denominators are not exact in 32 bits for the sizes that occur


class NotCarried(Exception):
    """The result is not a value that can be followed."""


def number_of(value: float) -> Any:
    """A constant of floating point as a whole number or a `Quotient`; None where it is no short fraction."""
    if not math.isfinite(value):
        return None
    numerator, denominator = float(value).as_integer_ratio()
    if denominator == 1:
        return numerator
    return Quotient(numerator, denominator) if denominator <= MAX_DENOMINATOR else None


def parts(value: Any) -> tuple[Term, int]:
    """A number as a term and the whole number that divides it."""
    if isinstance(value, Quotient):
        return value.term, value.divisor
    if isinstance(value, Cond):
        raise NotCarried
    return value, 1


def quotient(term: Term, divisor: int) -> Any:
    """`term` / `divisor` in lowest terms."""
    if is_plain(term):
        shared = math.gcd(term, divisor)
        term, divisor = term // shared, divisor // shared
    elif isinstance(term, Poly):
        shared = math.gcd(divisor, *(c for _, c in term.terms))
        term, divisor = floor_div(term, shared), divisor // shared
    if divisor == 1:
        return term
    if divisor > MAX_DENOMINATOR:
        raise NotCarried
    return Quotient(term, divisor)


def add(a: Any, b: Any) -> Any:
    """a + b."""
    (x, d), (y, e) = parts(a), parts(b)
    return quotient(x * e + y * d, d * e)


def multiply(a: Any, b: Any) -> Any:
    """a * b."""
    (x, d), (y, e) = parts(a), parts(b)
    return quotient(x * y, d * e)


def negative(value: Any) -> Any:
    """-value."""
    term, divisor = parts(value)
    return quotient(-term, divisor)


def truncated(a: Term, b: Term) -> Term:
    """a / b towards 0, as whole numbers divide in ONNX and C."""
    if is_plain(b) and b < 0:
        a, b = -a, -b
    if interval_of(b).lo < 1:
        raise NotCarried
    if interval_of(a).lo >= 0:
        return floor_div(a, b)
    return choose(a >= 0, floor_div(a, b), -floor_div(-a, b))


def divided(a: Any, b: Any, floating: bool) -> Any:
    """a / b, exact in floating point, towards 0 in whole numbers."""
    (x, d), (y, e) = parts(a), parts(b)
    if not floating:
        return truncated(x, y)
    if is_plain(y) and y < 0:
        x, y = -x, -y
    if is_plain(y) and y > 0:
        return quotient(x * e, d * y)
    if d == e == 1 and isinstance(y, Poly) and (x == y or (isinstance(x, Poly) and x.same(y))) and y.interval.lo >= 1:
        return 1
    raise NotCarried


def c_remainder(a: Any, b: Any) -> Any:
    """The remainder with the sign of `a` (C's ``fmod``), of what is not negative."""
    (x, d), (y, e) = parts(a), parts(b)
    if d != 1 or e != 1 or interval_of(x).lo < 0 or interval_of(y).lo < 1:
        raise NotCarried
    return mod(x, y)


def floor_remainder(a: Any, b: Any) -> Any:
    """The remainder with the sign of `b`, as Python's ``%``."""
    (x, d), (y, e) = parts(a), parts(b)
    if d != 1 or e != 1 or interval_of(y).lo < 1:
        raise NotCarried
    return mod(x, y)


def floored_quotient(a: Any, b: Any) -> Any:
    """a // b, as Python has it."""
    (x, d), (y, e) = parts(a), parts(b)
    if d != 1 or e != 1 or interval_of(y).lo < 1:
        raise NotCarried
    return floor_div(x, y)


def floored(value: Any) -> Any:
    """The largest whole number that is not above `value`."""
    term, divisor = parts(value)
    return floor_div(term, divisor)


def rounded_up(value: Any) -> Any:
    """The smallest whole number that is not below `value`."""
    term, divisor = parts(value)
    return ceil_div(term, divisor)


def absolute(value: Any) -> Any:
    """|value|."""
    term, divisor = parts(value)
    return quotient(maximum(term, -term), divisor)


def sign(value: Any) -> Any:
    """-1, 0 or 1."""
    term, _ = parts(value)
    return choose(term >= 1, 1, choose(term <= -1, -1, 0))


def power(a: Any, b: Any) -> Any:
    """a to a small known whole power."""
    if not is_plain(b) or not 0 <= b <= 4:
        raise NotCarried
    result: Any = 1
    for _ in range(b):
        result = multiply(result, a)
    return result


def whole(value: Any) -> Any:
    """A cast to whole numbers."""
    term, divisor = parts(value)
    return term if divisor == 1 else truncated(term, divisor)


def whole_only(value: Any) -> Term:
    """`value` as a term; a quotient is none."""
    term, divisor = parts(value)
    if divisor != 1:
        raise NotCarried
    return term


def answer(truth: Any) -> Any:
    """A condition as an element of a Boolean tensor."""
    return int(truth) if isinstance(truth, (bool, np.bool_)) else truth


def truth(value: Any) -> Any:
    """An element of a Boolean tensor as a condition."""
    return value if isinstance(value, Cond) else bool(value)


def chosen(condition: Any, a: Any, b: Any) -> Any:
    """`a` where the condition holds, else `b`."""
    if is_plain(condition):
        return a if condition else b
    return choose(truth(condition), whole_only(a), whole_only(b))


def smallest(a: Any, b: Any) -> Any:
    """The smaller of two whole numbers."""
    return minimum(whole_only(a), whole_only(b))


def largest(a: Any, b: Any) -> Any:
    """The larger of two whole numbers."""
    return maximum(whole_only(a), whole_only(b))
