"""Questions about conditions: satisfiable, forced to which values, explained by which. Z3 is asked only for the rest.

Every question has a resource limit; "undecided" never becomes a finding. Conditions are the `Cond` terms of
`analyzer.validity.terms`, most of which fold to ``bool`` before they get here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd, inf
from typing import Any

from analyzer.validity.terms import Cond, Symbol, Truth, equal, mod, negate, substitute, symbols_of, unequal

RESOURCES = 1_500_000  # z3's own step count: the same answer on every machine
MOST_CONDITIONS = 300


class Solver:
    """A growing list of conditions over integer symbols."""

    def __init__(self, conditions: Iterable[Truth] = ()) -> None:
        import z3

        self._z3: Any = z3
        self._solver = z3.Solver()
        self._solver.set("rlimit", RESOURCES)
        self._solver.set("timeout", 2000)
        self._variables: dict[str, Any] = {}
        self._labels: list[Any] = []
        self.add(conditions)

    def _formula(self, condition: Truth) -> Any:
        if isinstance(condition, bool):
            return self._z3.BoolVal(condition)
        for sym in condition.symbols:
            self._variable(sym)
        return substitute(condition, self._variables)

    def _variable(self, sym: Symbol) -> Any:
        found = self._variables.get(sym.name)
        if found is None:
            found = self._variables[sym.name] = self._z3.Int(sym.name)
            if sym.interval.lo != -inf:
                self._solver.add(found >= int(sym.interval.lo))
            if sym.interval.hi != inf:
                self._solver.add(found <= int(sym.interval.hi))
        return found

    def add(self, conditions: Iterable[Truth]) -> None:
        for condition in conditions:
            label = self._z3.Bool(f"condition!{len(self._labels)}")
            self._labels.append(label)
            self._solver.add(self._z3.Implies(label, self._formula(condition)))

    def check(self, indices: Iterable[int] | None = None, extra: Truth = True) -> bool | None:
        """Whether the conditions with these indices and `extra` hold together; None when undecided."""
        chosen = self._labels if indices is None else [self._labels[i] for i in indices]
        extras = [] if extra is True else [self._formula(extra)]
        try:
            answer = self._solver.check(*chosen, *extras)
        except self._z3.Z3Exception:
            return None
        return None if answer == self._z3.unknown else bool(answer == self._z3.sat)

    def value(self, sym: Symbol) -> int | None:
        """The symbol's value in the model of the last satisfiable check."""
        found = self._solver.model().eval(self._variable(sym), model_completion=True)
        return int(found.as_long()) if self._z3.is_int_value(found) else None

    def core(self) -> list[int]:
        """Indices of an unsatisfiable subset after an unsatisfiable check, minimal if it is small."""
        names = {str(label): i for i, label in enumerate(self._labels)}
        core = sorted({names[str(c)] for c in self._solver.unsat_core() if str(c) in names})
        if len(core) <= 16:
            for index in list(core):
                smaller = [i for i in core if i != index]
                if self.check(smaller) is False:
                    core = smaller
        return core


def relevant(conditions: Sequence[Truth], wanted: Iterable[Symbol]) -> list[int]:
    """Indices of the conditions connected to the wanted symbols through shared symbols."""
    reached = set(wanted)
    pending = {i: c.symbols for i, c in enumerate(conditions) if isinstance(c, Cond)}
    chosen: list[int] = []
    grew = True
    while grew:
        grew = False
        for i, names in list(pending.items()):
            if names & reached:
                reached |= names
                chosen.append(i)
                del pending[i]
                grew = True
    return sorted(chosen)


def satisfiable(conditions: Sequence[Truth]) -> bool | None:
    """Whether all conditions can hold together; None when undecided."""
    if any(c is False for c in conditions):
        return False
    rest = list(dict.fromkeys(c for c in conditions if isinstance(c, Cond)))
    if not rest:
        return True
    if any(negate(c) in rest for c in rest if c.kind in ("ge", "eq", "ne")):
        return False
    return None if len(rest) > MOST_CONDITIONS else Solver(rest).check()


def first_conflict(conditions: Sequence[Truth]) -> tuple[int, list[int]] | None:
    """(index of the first condition that cannot hold after those before it, a minimal core), or None.

    Binary search over prefixes, as ShapeTracer's reporter does. Undecided prefixes count as satisfiable.
    """
    false = next((i for i, c in enumerate(conditions) if c is False), None)
    at_false = None if false is None else (false, [false])
    before = conditions[:false]
    if len(before) > MOST_CONDITIONS or not any(isinstance(c, Cond) for c in before):
        return at_false
    solver = Solver(before)
    if solver.check() is not False:
        return at_false
    low, high = 1, len(before)  # the prefix of length `high` is unsatisfiable
    while low < high:
        middle = (low + high) // 2
        if solver.check(range(middle)) is False:
            high = middle
        else:
            low = middle + 1
    return (high - 1, solver.core()) if solver.check(range(high)) is False else at_false


def forced_values(conditions: Sequence[Truth], wanted: Symbol, most: int = 3) -> list[int] | None:
    """All values that the symbol can take if there are at most `most`; None otherwise, or when undecided."""
    chosen = [conditions[i] for i in relevant(conditions, [wanted])]
    if not chosen or len(chosen) > MOST_CONDITIONS:
        return None
    solver = Solver(chosen)
    found: list[int] = []
    while True:
        answer = solver.check()
        if answer is None:
            return None
        if answer is False:
            return sorted(found)
        value = solver.value(wanted)
        if value is None or len(found) == most:
            return None
        found.append(value)
        solver.add([unequal(_of(wanted), value)])


def forced_multiple(conditions: Sequence[Truth], wanted: Symbol) -> int | None:
    """m > 1 if every admissible value of the symbol is a multiple of m; None if there is none, or when undecided."""
    chosen = [conditions[i] for i in relevant(conditions, [wanted])]
    if not chosen or len(chosen) > MOST_CONDITIONS:
        return None
    solver = Solver(chosen)
    divisor = 0
    for _ in range(8):
        extra = True if divisor == 0 else negate(equal(mod(_of(wanted), divisor), 0))
        answer = solver.check(extra=extra)
        if answer is None:
            return None
        if answer is False:
            return divisor or None
        value = solver.value(wanted)
        if value is None:
            return None
        divisor = gcd(divisor, value)
        if divisor == 1:
            return None
    return None


def _of(sym: Symbol) -> Any:
    from analyzer.validity.terms import Poly

    return Poly({(sym,): 1})


__all__ = ["Solver", "first_conflict", "forced_multiple", "forced_values", "relevant", "satisfiable", "symbols_of"]
