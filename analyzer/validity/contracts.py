"""Contracts: for which values of an unknown size a model is valid, as a short condition that is proved, not guessed.

A candidate (threshold, interval, congruence or their conjunction) is read off the evaluated values and then checked
both ways by the solver; without that proof it is only stated for the values that were evaluated.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from analyzer.validity.evaluator import VALID, first_failures, names_of
from analyzer.validity.solver import Z3Process
from analyzer.validity.terms import Truth, all_of, any_of, equal, mod, negate, substitute, symbol

REACH = 4096  # sizes of an axis without an upper end that are tried one by one


@dataclass(frozen=True)
class Contract:
    """What one size must satisfy. `forced` is the only value, when there is just one."""

    name: str
    condition: Truth
    text: str
    proved: bool
    forced: int | None = None
    empty: bool = False


def contract(
    name: str,
    conditions: Sequence[Truth],
    bounds: tuple[int, int | None],
    solver: Z3Process | None = None,
) -> Contract | None:
    """The contract of the single symbol `name`, over which all `conditions` are; None when every value is fine."""
    low, high = bounds
    top = min(high, low + 2 * REACH) if high is not None else max(REACH, low + REACH)
    values = range(low, top + 1)
    good = first_failures(list(conditions), [], {name: values}) == VALID
    if good.all() and high is not None and high <= top:
        return None
    variable = symbol(name, low, high)
    candidate, text, forced = _describe(name, variable, np.flatnonzero(good) + low, values)
    complete = high is not None and high <= top
    if not complete:
        complete = _equivalent(all_of(*conditions), candidate, solver)
    if candidate is True:
        return None if complete else Contract(name, True, f"{name} may be anything up to {top}", False)
    if not complete:
        text = f"{text} (for {name} up to {top})"
    return Contract(name, candidate, text, complete, forced, candidate is False)


def _equivalent(actual: Truth, candidate: Truth, solver: Z3Process | None) -> bool:
    """Whether no value satisfies one and not the other."""
    difference = any_of(all_of(actual, negate(candidate)), all_of(candidate, negate(actual)))
    if difference is False:
        return True
    if difference is True:
        return False
    if solver is None:
        with Z3Process() as own:
            return own.satisfy([difference]).status == "unsat"
    return solver.satisfy([difference]).status == "unsat"


def _describe(name: str, variable: Any, good: Any, values: range) -> tuple[Truth, str, int | None]:
    """A condition that fits the evaluated values, with its text."""
    numbers = [int(v) for v in good]
    if not numbers:
        return False, f"no value of {name} is valid", None
    if len(numbers) == len(values):
        return True, "", None
    if len(numbers) == 1:
        return equal(variable, numbers[0]), f"{name} = {numbers[0]}", numbers[0]
    first, last = numbers[0], numbers[-1]
    gaps = {b - a for a, b in itertools.pairwise(numbers)}
    step = math.gcd(*gaps)
    open_end = last + step > values[-1]
    if len(gaps) == 1:
        parts, texts = [], []
        if first >= values[0] + step:
            parts.append(variable >= first)
            texts.append(f"{name} ≥ {first}")
        if not open_end:
            parts.append(variable <= last)
            texts.append(f"{name} ≤ {last}")
        if step > 1:
            rest = first % step
            parts.append(equal(mod(variable - rest, step), 0))
            texts.append(f"({name} − {rest}) % {step} = 0" if rest else f"{name} % {step} = 0")
        if len(numbers) <= 4 and not open_end:
            return all_of(*parts), f"{name} ∈ {{{', '.join(map(str, numbers))}}}", None
        return all_of(*parts), " and ".join(texts), None
    runs = list(_runs(numbers))
    if len(runs) <= 8:
        pieces = [all_of(variable >= a, variable <= b) if b + 1 <= values[-1] else variable >= a for a, b in runs]
        texts = [
            f"{name} = {a}" if a == b else f"{a} ≤ {name} ≤ {b}" if b + 1 <= values[-1] else f"{name} ≥ {a}"
            for a, b in runs
        ]
        return any_of(*pieces), " or ".join(texts), None
    period = _period(numbers, values)
    if period is not None:
        step, residues, start = period
        fits = any_of(*(equal(mod(variable - r, step), 0) for r in residues))
        head = f"{name} ≥ {start} and " if start > values[0] else ""
        shown = ", ".join(map(str, residues[:6])) + (", …" if len(residues) > 6 else "")
        text = f"{head}{name} % {step} ∈ {{{shown}}}"
        return all_of(variable >= start, fits), text, None
    shown = ", ".join(map(str, numbers[:8]))
    return any_of(*(equal(variable, v) for v in numbers)), f"{name} ∈ {{{shown}, …}}", None


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    start = previous = numbers[0]
    for number in numbers[1:]:
        if number != previous + 1:
            yield start, previous
            start = number
        previous = number
    yield start, previous


def _period(numbers: Sequence[int], values: range) -> tuple[int, tuple[int, ...], int] | None:
    """A period, its residues and where it starts, if the set is periodic from some point on."""
    present = set(numbers)
    for step in range(2, 257):
        start = numbers[0]
        if start + 3 * step > values[-1]:
            break
        if all((v in present) == (v + step in present) for v in range(start, values[-1] - step + 1)):
            residues = tuple(sorted({v % step for v in range(start, start + step) if v in present}))
            return step, residues, start
    return None


def contract_of(decision: Any, solver: Z3Process | None = None) -> Iterator[str]:
    """Contracts of a decided space's unknown sizes, given that the tunable hyperparameters are fixed or few."""
    space = decision.space
    for name in space.unbounded:
        for structure in decision.structures:
            mine = [s.condition for s in structure.program.steps if name in names_of(s.condition)]
            if not mine:
                continue
            others = frozenset().union(*(names_of(c) for c in mine)) - {name}
            fixed = {n: v for n, v in (decision.example or {}).items() if n in others and isinstance(v, int)}
            conditions = [substitute(c, fixed) for c in mine]
            if frozenset().union(*(names_of(c) for c in conditions)) - {name}:
                continue
            hyperparameter = space.by_name[name]
            found = contract(name, conditions, (hyperparameter.lo or 1, hyperparameter.hi), solver)
            if found is not None:
                given = f" (with {', '.join(f'{k} = {v}' for k, v in fixed.items())})" if fixed else ""
                yield f"{found.text}{given}"
                break
