"""Questions about conditions: satisfiable, forced to which values, explained by which. Z3 is asked only for the rest.

Every question has a resource limit; "undecided" never becomes a finding. Conditions are the `Cond` terms of
`analyzer.validity.terms`, most of which fold to ``bool`` before they get here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import gcd, inf
from typing import Any

from analyzer.tracing.paths.complexity import parts
from analyzer.tracing.paths.witness import satisfied_by_trying
from analyzer.validity.terms import Cond, Poly, Symbol, Truth, equal, mod, negate, substitute, symbols_of, unequal

RESOURCES = 200_000  # of one question, in z3's own steps: the same answer on every machine
SECONDS = 20  # for a question that z3 forgets to count
MOST_CONDITIONS = 300  # of a path that Z3 is given at once, so that a question takes milliseconds


@dataclass
class Effort:
    """What the questions about one file may still cost, in z3's own steps, and the answers found so far.

    About half a million steps take a second. Paths of one program ask mostly the same questions.
    """

    left: int = 300_000
    spent: bool = False  # a question was left undecided for want of it
    answers: dict[Any, Any] = field(default_factory=dict)
    formulas: dict[Cond, Any] = field(default_factory=dict)  # conditions in z3's terms
    variables: dict[str, Any] = field(default_factory=dict)

    @contextmanager
    def at_most(self, steps: int) -> Iterator[None]:
        """Inside, questions cost at most so many steps together; the rest stays for others."""
        kept = max(0, self.left - steps)
        self.left -= kept
        try:
            yield
        finally:
            self.left += kept

    def formula(self, condition: Cond) -> Any:
        """The condition in z3's terms; building them costs more than most questions."""
        found = self.formulas.get(condition)
        if found is None:
            found = self.formulas[condition] = substitute(condition, self.variables)
            self.left -= 20 * parts(condition)
        return found

    def once(self, key: Any, conditions: Sequence[Truth], answer: Callable[[], Any]) -> Any:
        """The answer to a question about conditions; symbols of one name may have other bounds on another path."""
        key = (
            key,
            *conditions,
            frozenset((s.name, s.interval.lo, s.interval.hi) for c in conditions for s in symbols_of(c)),
        )
        if key not in self.answers:
            self.answers[key] = answer()
        return self.answers[key]


class PathSolver:
    """A growing list of conditions over integer symbols."""

    def __init__(self, conditions: Iterable[Truth] = (), effort: Effort | None = None) -> None:
        import z3

        self._effort = effort or Effort()

        self._z3: Any = z3
        self._solver = z3.Solver()
        self._solver.set("timeout", SECONDS * 1000)
        self._bounded: set[str] = set()
        self._labels: list[Any] = []
        self.add(conditions)

    def _formula(self, condition: Truth) -> Any:
        if isinstance(condition, bool):
            return self._z3.BoolVal(condition)
        for sym in condition.symbols:
            self._variable(sym)
        return self._effort.formula(condition)

    def _variable(self, sym: Symbol) -> Any:
        found = self._effort.variables.get(sym.name)
        if found is None:
            found = self._effort.variables[sym.name] = self._z3.Int(sym.name)
        if sym.name not in self._bounded:
            self._bounded.add(sym.name)
            if sym.interval.lo != -inf:
                self._solver.add(found >= int(sym.interval.lo))
            if sym.interval.hi != inf:
                self._solver.add(found <= int(sym.interval.hi))
        return found

    def add(self, conditions: Iterable[Truth]) -> None:
        for condition in conditions:
            if self._effort.left <= 0:
                return  # `check` will not decide anything
            label = self._z3.Bool(f"condition!{len(self._labels)}")
            self._labels.append(label)
            self._solver.add(self._z3.Implies(label, self._formula(condition)))

    def check(self, indices: Iterable[int] | None = None, extra: Truth = True) -> bool | None:
        """Whether the conditions with these indices and `extra` hold together; None when undecided."""
        if self._effort.left <= 0:
            self._effort.spent = True
            return None
        chosen = self._labels if indices is None else [self._labels[i] for i in indices]
        extras = [] if extra is True else [self._formula(extra)]
        self._solver.set("rlimit", min(RESOURCES, self._effort.left))
        before = self._counted()
        try:
            answer = self._solver.check(*chosen, *extras)
        except self._z3.Z3Exception:
            return None
        finally:
            self._effort.left -= self._counted() - before
        return None if answer == self._z3.unknown else bool(answer == self._z3.sat)

    def _counted(self) -> int:
        """z3's steps so far, of all solvers together."""
        return int(self._solver.statistics().get_key_value("rlimit count"))

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


def connected(conditions: Sequence[Truth]) -> list[list[int]]:
    """Indices of the conditions in groups that share no symbol, each in order: they hold or fail for themselves."""
    group_of: dict[Symbol, list[int]] = {}
    for index, condition in enumerate(conditions):
        if not isinstance(condition, Cond):
            continue
        joined = [index]
        for group in {id(g): g for s in condition.symbols if (g := group_of.get(s)) is not None}.values():
            joined += group
        for member in joined:
            for sym in conditions[member].symbols:
                group_of[sym] = joined
    return sorted(sorted(g) for g in {id(g): g for g in group_of.values()}.values())


def satisfiable(conditions: Sequence[Truth], effort: Effort | None = None) -> bool | None:
    """Whether all conditions can hold together; None when undecided.

    Groups without a common symbol are asked for alone: the questions are smaller, and paths ask most of them again.
    """
    if any(c is False for c in conditions):
        return False
    rest = list(dict.fromkeys(c for c in conditions if isinstance(c, Cond)))
    if not rest:
        return True
    if any(negate(c) in rest for c in rest if c.kind in ("ge", "eq", "ne")):
        return False
    effort = effort or Effort()
    answers = [_holds([rest[i] for i in group], effort) for group in connected(rest)]
    return False if False in answers else None if None in answers else True


def _holds(conditions: Sequence[Cond], effort: Effort) -> bool | None:
    if len(conditions) > MOST_CONDITIONS:
        return None
    found: bool | None = effort.once("satisfiable", conditions, lambda: _asked(conditions, effort))
    return found


def _asked(conditions: Sequence[Cond], effort: Effort) -> bool | None:
    if effort.left > 0 and satisfied_by_trying(conditions):
        effort.left -= 10 * sum(map(parts, conditions))
        return True
    return PathSolver(conditions, effort).check()


def first_conflict(conditions: Sequence[Truth], effort: Effort | None = None) -> tuple[int, list[int]] | None:
    """(index of the first condition that cannot hold after those before it, a minimal core), or None.

    Binary search over prefixes, as ShapeTracer's reporter does. Undecided prefixes count as satisfiable.
    """
    false = next((i for i, c in enumerate(conditions) if c is False), None)
    at_false = None if false is None else (false, [false])
    before = conditions[:false]
    if not any(isinstance(c, Cond) for c in before):
        return at_false
    effort = effort or Effort()
    found = []
    for group in connected(before):
        chosen = [before[i] for i in group]
        if satisfiable(chosen, effort) is False:
            conflict = _search(chosen, effort)
            if conflict is not None:
                found.append((group[conflict[0]], [group[i] for i in conflict[1]]))
    return min(found, default=at_false)


def _search(conditions: Sequence[Truth], effort: Effort) -> tuple[int, list[int]] | None:
    """The same for conditions that are known not to hold together."""
    if len(conditions) > MOST_CONDITIONS:
        return None
    solver = PathSolver(conditions, effort)
    low, high = 1, len(conditions)  # the prefix of length `high` is unsatisfiable
    while low < high:
        middle = (low + high) // 2
        if solver.check(range(middle)) is False:
            high = middle
        else:
            low = middle + 1
    return (high - 1, solver.core()) if solver.check(range(high)) is False else None


def forced_values(
    conditions: Sequence[Truth], wanted: Symbol, effort: Effort | None = None, most: int = 3
) -> list[int] | None:
    """All values that the symbol can take if there are at most `most`; None otherwise, or when undecided."""
    chosen = [conditions[i] for i in relevant(conditions, [wanted])]
    if not chosen or len(chosen) > MOST_CONDITIONS:
        return None
    effort = effort or Effort()
    values: list[int] | None = effort.once(
        ("values", wanted), chosen, lambda: _few_values(PathSolver(chosen, effort), wanted, most)
    )
    return values


def _few_values(solver: PathSolver, wanted: Symbol, most: int) -> list[int] | None:
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


def forced_multiple(conditions: Sequence[Truth], wanted: Symbol, effort: Effort | None = None) -> int | None:
    """m > 1 if every admissible value of the symbol is a multiple of m; None if there is none, or when undecided."""
    chosen = [conditions[i] for i in relevant(conditions, [wanted])]
    if not chosen or len(chosen) > MOST_CONDITIONS:
        return None
    effort = effort or Effort()
    divisor: int | None = effort.once(
        ("multiple", wanted), chosen, lambda: _common_divisor(PathSolver(chosen, effort), wanted)
    )
    return divisor


def _common_divisor(solver: PathSolver, wanted: Symbol) -> int | None:
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
    return Poly({(sym,): 1})


__all__ = ["PathSolver", "first_conflict", "forced_multiple", "forced_values", "relevant", "satisfiable", "symbols_of"]
