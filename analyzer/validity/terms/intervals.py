"""Intervals of integers with open ends, and their arithmetic."""

from __future__ import annotations

import math
from dataclasses import dataclass

_HUGE = 10**200  # bounds beyond this are treated as infinite
Bound = int | float


def _bound(value: Bound) -> Bound:
    return value if -_HUGE < value < _HUGE else math.copysign(math.inf, value)


def _times(a: Bound, b: Bound) -> Bound:
    return 0 if a == 0 or b == 0 else _bound(a * b)


@dataclass(frozen=True, slots=True, eq=False)
class IntRange:
    """All integers from `lo` to `hi`, either of which may be infinite."""

    lo: Bound
    hi: Bound

    def __add__(self, other: IntRange) -> IntRange:
        return IntRange(_bound(self.lo + other.lo), _bound(self.hi + other.hi))

    def __mul__(self, other: IntRange) -> IntRange:
        corners = [_times(a, b) for a in (self.lo, self.hi) for b in (other.lo, other.hi)]
        return IntRange(min(corners), max(corners))

    def scaled(self, factor: int) -> IntRange:
        if factor == 1:
            return self
        a, b = _times(self.lo, factor), _times(self.hi, factor)
        return IntRange(min(a, b), max(a, b))


def floor_bound(n: Bound, d: Bound) -> Bound:
    if d == math.inf:
        return -1 if n < 0 else 0
    return n if isinstance(n, float) else n // d
