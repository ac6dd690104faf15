"""Small sizes that satisfy some conditions, found by trying: most questions are answered so, and products of
quotients too, which a solver searches long for. What is not found here says nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

from analyzer.validity.terms import Cond, Poly, Symbol, substitute

STARTS = (1, 2, 8, 64)  # what a symbol gets that no equation decides
MOST_SYMBOLS = 60  # in one example; Z3 slows down beyond


def satisfied_by_trying(conditions: Sequence[Cond]) -> bool:
    """Whether one of a few simple assignments makes all conditions true."""
    symbols = sorted({s for c in conditions for s in c.symbols}, key=lambda s: s.name)
    if len(symbols) > MOST_SYMBOLS:
        return False
    return any(_holds(conditions, symbols, start) for start in STARTS)


def _holds(conditions: Sequence[Cond], symbols: Sequence[Symbol], start: int) -> bool:
    values: dict[str, int] = {}
    pending = [c for c in conditions if c.kind == "eq"]
    for sym in symbols:
        pending = _propagate(pending, values)
        if sym.name not in values:
            values[sym.name] = _clamped(start, sym)
    if any(not sym.interval.lo <= values[sym.name] <= sym.interval.hi for sym in symbols):
        return False
    return all(substitute(c, values) is True for c in conditions)


def _propagate(equations: list[Cond], values: dict[str, int]) -> list[Cond]:
    """Give values to symbols that are alone in an equation; the equations that are still open."""
    grew = True
    while grew:
        grew, rest = False, []
        for equation in equations:
            open_ = [s for s in equation.symbols if s.name not in values]
            if len(open_) > 1:
                rest.append(equation)
            elif open_:
                solution = _solved(equation, open_[0], values)
                if solution is not None:
                    values[open_[0].name] = solution
                    grew = True
        equations = rest
    return equations


def _solved(equation: Cond, wanted: Symbol, values: Mapping[str, int]) -> int | None:
    left = substitute(equation, values)
    if not isinstance(left, Cond) or left.kind != "eq" or not isinstance(left.args[0], Poly):
        return None
    poly = left.args[0]
    parts = [(monomial, coefficient) for monomial, coefficient in poly.terms if monomial]
    if len(parts) != 1 or parts[0][0] != (wanted,):
        return None
    value, remainder = divmod(-poly.constant, parts[0][1])
    return value if remainder == 0 else None


def _clamped(value: int, sym: Symbol) -> int:
    low, high = sym.interval.lo, sym.interval.hi
    return int(min(max(value, low if low != -inf else value), high if high != inf else value))
