"""Why a vector is invalid, as sentences a person can check, and what to change."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from analyzer.validity.architecture import Demand
from analyzer.validity.decide import VALID_FOR_ALL, Structure, first_failing
from analyzer.validity.elaboration import elaborate
from analyzer.validity.evaluator import VALID, first_failures, names_of
from analyzer.validity.solver import Z3Process
from analyzer.validity.space import Space
from analyzer.validity.spec import show
from analyzer.validity.terms import Poly, substitute

CORE_CELLS = 2_000_000  # vectors that are evaluated for one core
REACH = 4096  # values of an unbounded hyperparameter that are tried in a repair


@dataclass(frozen=True)
class Core:
    """A minimal set of hyperparameter values that makes one rule fail whatever the others are."""

    step: Demand
    values: Mapping[str, Any]
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class VectorRepair:
    """A nearest valid change, re-checked by running the refinement types on the changed vector."""

    changes: Mapping[str, tuple[Any, Any]]  # name -> from, to

    @property
    def sentence(self) -> str:
        return " and ".join(f"{name} {old} → {new}" for name, (old, new) in self.changes.items())


def check_vector(space: Space, vector: Mapping[str, Any]) -> Demand | None:
    """The first rule that a full vector breaks, by running the types on plain numbers; None if it is valid."""
    architecture, filters = space.instantiate(vector)
    if any(f is False for f in filters):
        raise ValueError("the vector is not in the space")
    program = elaborate(architecture, structural=False)
    return next((s for s in program.steps if s.condition is False), None)


def core(space: Space, structure: Structure, vector: Mapping[str, Any], solver: Z3Process | None = None) -> Core | None:
    """The core of the first failing rule of `vector`, minimised by deletion; None for a valid vector."""
    steps = structure.program.steps
    index = first_failing(steps, vector)
    if index is None:
        return None
    step = steps[index]
    needed = [n for n in space.by_name if n in names_of(step.condition)]
    for name in list(needed):
        rest = [n for n in needed if n != name]
        if _always_fails(space, step, {n: vector[n] for n in rest}, solver):
            needed = rest
    fixed = [n for n in structure.fixed if _matters(space, vector, n, step)]
    values = {n: vector[n] for n in (*fixed, *needed)}
    return Core(step, values, tuple(_sentences(space, step, values, vector)))


def _always_fails(space: Space, step: Demand, fixed: Mapping[str, Any], solver: Z3Process | None) -> bool:
    condition = substitute(step.condition, fixed)
    free = sorted(names_of(condition))
    if not free:
        return condition is False
    domains = {n: space.by_name[n].values for n in free}
    finite = {n: d for n, d in domains.items() if d is not None}
    if len(finite) == len(domains) and math.prod(len(d) for d in finite.values()) <= CORE_CELLS:
        return not (first_failures([condition], [], finite) == VALID).any()
    if solver is None:
        with Z3Process() as own:
            return own.satisfy([condition], domains).status == "unsat"
    return solver.satisfy([condition], domains).status == "unsat"


def _matters(space: Space, vector: Mapping[str, Any], name: str, step: Demand) -> bool:
    """Whether another value of a structural hyperparameter makes the same rule of the same layer pass."""
    for other in space.by_name[name].values or ():
        if other != vector[name]:
            try:
                found = check_vector(space, {**vector, name: other})
            except ValueError:
                continue
            if found is None or (found.layer.name, found.requirement.rule) != (step.layer.name, step.requirement.rule):
                return True
    return False


def _sentences(space: Space, step: Demand, values: Mapping[str, Any], vector: Mapping[str, Any]) -> Iterator[str]:
    for name, value in values.items():
        line = space.by_name[name].line
        where = f" ({space.name}:{line})" if line else ""
        yield f"`{name}` is {show(value)}{where}."
    numbers = {k: v for k, v in vector.items() if isinstance(v, int)}
    seen: set[str] = set()
    for fact, term in step.requirement.facts.items():
        for part in term if isinstance(term, (tuple, list)) else (term,):
            text = str(part)
            if isinstance(part, Poly) and text not in numbers and text not in seen:
                seen.add(text)
                value = substitute(part, numbers)
                yield f"In layer `{step.layer.name}` the {fact.replace('_', ' ')} is {text}, here {show(value)}."
    place = step.layer.location
    where = f" ({place.path}:{place.line})" if place else ""
    rule = step.requirement.rule
    message = step.sentence(numbers)
    yield f"Layer `{step.layer.name}` ({step.layer.operator}){where}: {message} [{rule.category}/{rule.id}]."


def repairs(
    space: Space, structure: Structure, vector: Mapping[str, Any], solver: Z3Process | None = None, limit: int = 5
) -> tuple[VectorRepair, ...]:
    """Nearest valid changes of `vector`: single ones first; several together only where no single one helps.

    Where the space was enumerated the fewest and then nearest changes are read off it; elsewhere the solver looks for
    them. Every repair is re-checked by the types on plain numbers.
    """
    singles = sorted(_singles(space, structure, vector), key=lambda item: item[0])
    found = [VectorRepair({name: (vector[name], value)}) for _, name, value in singles]
    confirmed = [r for r in found if _confirmed(space, vector, r)][:limit]
    if confirmed:
        return tuple(confirmed)
    joint = tuple(r for r in _joint(space, structure, vector) if _confirmed(space, vector, r))[:limit]
    if joint or all(part.first is not None or part.verdict == VALID_FOR_ALL for part in structure.parts):
        return joint
    with nullcontext(solver) if solver else Z3Process() as running:
        return tuple(r for r in _solved(space, structure, vector, running) if _confirmed(space, vector, r))[:1]


def _solved(space: Space, structure: Structure, vector: Mapping[str, Any], solver: Z3Process) -> Iterator[VectorRepair]:
    """Changes that the solver finds: first of the hyperparameters behind the failing rules, then of any."""
    steps = structure.program.steps
    numbers = {k: v for k, v in vector.items() if type(v) is int and k not in structure.fixed}
    _, filters = space.instantiate(structure.fixed)
    conditions = [c for c in (*(s.condition for s in steps), *filters) if c is not True]
    failing = [c for c in conditions if substitute(c, numbers) is False]
    behind = frozenset().union(*(names_of(c) for c in failing))
    domains = {n: space.by_name[n].values for n in numbers}
    for free in dict.fromkeys((tuple(n for n in numbers if n in behind), tuple(numbers))):
        answer = solver.nearest(conditions, domains, numbers, free)
        if answer.status == "sat":
            found = _pulled_back({n: answer.model[n] for n in numbers}, numbers, conditions, domains)
            yield VectorRepair({n: (numbers[n], v) for n, v in found.items() if v != numbers[n]})


def _pulled_back(
    found: Mapping[str, int],
    goal: Mapping[str, int],
    conditions: Sequence[Any],
    domains: Mapping[str, Sequence[int] | None],
) -> Mapping[str, int]:
    """`found`, each value moved as near to `goal` as the conditions allow with the others as they are.

    The solver's time may run out before its optimum; afterwards no single value can come any nearer.
    """
    current = dict(found)
    moved = True
    while moved:
        moved = False
        for name, value in current.items():
            distance = abs(value - goal[name])
            if not distance:
                continue
            domain = domains[name]
            span = range(min(value, goal[name]), max(value, goal[name]) + 1)
            nearer = [v for v in (span if domain is None else domain) if abs(v - goal[name]) < distance][:CORE_CELLS]
            rest = {n: v for n, v in current.items() if n != name}
            left = [c for c in (substitute(c, rest) for c in conditions) if c is not True]
            if not nearer or any(c is False for c in left):
                continue
            good = np.flatnonzero(first_failures(left, [], {name: nearer}) == VALID)
            if len(good):
                current[name] = min((nearer[int(i)] for i in good), key=lambda v: abs(v - goal[name]))
                moved = True
    return current


def _confirmed(space: Space, vector: Mapping[str, Any], repair: VectorRepair) -> bool:
    try:
        return check_vector(space, {**vector, **{n: new for n, (_, new) in repair.changes.items()}}) is None
    except ValueError:
        return False


def _distance(space: Space, name: str, old: Any, new: Any) -> float:
    values = space.by_name[name].values
    if type(old) is int and type(new) is int:
        return abs(new - old) / (1 + abs(old))
    order = list(values or ())
    return 1.0 + abs(order.index(new) - order.index(old)) / max(1, len(order))


def _singles(space: Space, structure: Structure, vector: Mapping[str, Any]) -> Iterator[tuple[float, str, Any]]:
    """The nearest valid value of each hyperparameter with all others as they are."""
    numbers = {k: v for k, v in vector.items() if type(v) is int}
    for name, hyperparameter in space.by_name.items():
        if name in space.free and hyperparameter.size == 1:
            continue
        if name in structure.fixed:
            others = [v for v in hyperparameter.values or () if v != vector[name]]
            good = []
            for other in others:
                try:
                    if check_vector(space, {**vector, name: other}) is None:
                        good.append(other)
                except ValueError:
                    continue
        else:
            values = hyperparameter.values
            if values is None:
                values = range(hyperparameter.lo or 1, max(REACH, 4 * numbers.get(name, 1)))
            rest = {k: v for k, v in numbers.items() if k != name}
            conditions = [substitute(s.condition, rest) for s in structure.program.steps]
            if any(c is False for c in conditions):
                continue
            first = first_failures([c for c in conditions if c is not True], [], {name: values})
            good = [values[int(i)] for i in np.flatnonzero(first == VALID)]
        if good:
            nearest = min(good, key=lambda v: _distance(space, name, vector[name], v))
            yield _distance(space, name, vector[name], nearest), name, nearest


def _joint(space: Space, structure: Structure, vector: Mapping[str, Any]) -> Iterator[VectorRepair]:
    """Fewest changes that lead to a valid cell, component by component; then nearest in each."""
    changes: dict[str, tuple[Any, Any]] = {}
    for part in structure.parts:
        if part.first is None or not (part.first == VALID).any():
            if part.first is not None:
                return
            continue
        cells = np.argwhere(part.first == VALID)
        domains = [space.by_name[n].values or () for n in part.names]
        position = np.array([list(d).index(vector[n]) for d, n in zip(domains, part.names, strict=True)])
        differing = (cells != position).sum(axis=1)
        fewest = differing.min()
        near = cells[differing == fewest]
        spans = np.array([max(1, len(d)) for d in domains])
        best = near[np.argmin((np.abs(near - position) / spans).sum(axis=1))]
        for name, domain, index in zip(part.names, domains, best, strict=True):
            if domain[int(index)] != vector[name]:
                changes[name] = (vector[name], domain[int(index)])
    if changes:
        yield VectorRepair(changes)
