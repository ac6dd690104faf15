"""Deciding a space: evaluation for what is finite, Z3 for the rest, one answer for the whole."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from analyzer.problem import UsageProblem
from analyzer.validity.architecture import Demand, Requirements, Structural
from analyzer.validity.boxes import Box, cover, merge
from analyzer.validity.elaboration import elaborate
from analyzer.validity.evaluator import OUTSIDE, VALID, components, first_failures, names_of
from analyzer.validity.solver import Z3Process
from analyzer.validity.space import Hyperparameter, Space
from analyzer.validity.terms import all_of, any_of, negate, substitute

GRID_LIMIT = 50_000_000  # cells of one component that are evaluated at once
STRUCTURE_LIMIT = 20_000  # combinations of values that change a model's structure

VALID_FOR_ALL, VALID_FOR_NONE, DEPENDS, UNDECIDED = "valid for all", "valid for none", "depends", "undecided"


@dataclass(frozen=True)
class FailingVectors:
    """All vectors of one structure whose first failing rule is `step`. `example` is one of them."""

    step: Demand
    count: int | None  # None: infinitely many, or not counted
    example: Mapping[str, Any]

    @property
    def sentence(self) -> str:
        return self.step.sentence({k: v for k, v in self.example.items() if isinstance(v, int)})


@dataclass(frozen=True, eq=False)
class Part:
    """One component of one structure: the hyperparameters `names` that its conditions link, and what they decide."""

    names: tuple[str, ...]
    verdict: str
    first: npt.NDArray[np.int32] | None  # over the grid of `names`, when it was evaluated
    inside: int | None  # vectors of the component that the space admits
    valid: int | None
    good: Mapping[str, int] | None = None
    bad: Mapping[str, int] | None = None
    reason: str = ""


@dataclass(frozen=True)
class Structure:
    """A model for one choice of the hyperparameters that change its structure."""

    fixed: Mapping[str, Any]
    program: Requirements
    parts: tuple[Part, ...]
    verdict: str
    total: int | None
    valid: int | None


@dataclass(frozen=True)
class SpaceDecision:
    """The answer for a space. Counts are exact, or None when a domain is infinite or Z3 decided."""

    space: Space
    verdict: str
    total: int | None
    valid: int | None
    failures: tuple[FailingVectors, ...]
    boxes: tuple[Box, ...]  # the invalid region; empty when it was not enumerated
    structures: tuple[Structure, ...]
    example: Mapping[str, Any] | None  # a valid vector
    unknown: Mapping[str, int]
    advisories: tuple[Demand, ...]
    reasons: tuple[str, ...] = ()


def structures_of(space: Space) -> Iterator[tuple[Mapping[str, Any], Requirements, tuple[Any, ...]]]:
    """The programs of a space, one for each combination of values that change the structure.

    Raises UsageProblem when such a hyperparameter is unbounded or there are too many combinations.
    """
    structural = set(space.categorical())
    known = space.by_name
    while True:
        names = sorted(structural, key=lambda n: list(known).index(n))
        count = math.prod(known[n].size for n in names)
        endless = [n for n in names if known[n].values is None]
        if endless:
            raise UsageProblem(
                f"{space.name}: the model's structure depends on `{endless[0]}`, which is unbounded; give it a `max`"
            )
        if count > STRUCTURE_LIMIT:
            raise UsageProblem(
                f"{space.name}: {', '.join(names)} change the structure of the model in {count:,} ways, more than the"
                f" {STRUCTURE_LIMIT:,} that are tried one by one; give them fewer values"
            )
        found = []
        try:
            for values in itertools.product(*(known[n].values or () for n in names)):
                fixed = dict(zip(names, values, strict=True))
                architecture, filters = space.instantiate(fixed)
                if any(f is False for f in filters):
                    found.append((fixed, Requirements(()), filters))
                    continue
                found.append((fixed, elaborate(architecture), filters))
        except Structural as more:
            added = {n for n in more.symbols if n in known} - structural
            if not added:
                raise UsageProblem(
                    f"{space.name}: the structure of the model depends on {more}, which is not a hyperparameter"
                ) from None
            structural |= added
            continue
        yield from found
        return


def decide(space: Space, *, solver: Z3Process | None = None, boxes: bool = True) -> SpaceDecision:
    """Decide validity for every vector of `space`.

    Raises UsageProblem when the space is contradictory or too large for every method, saying why.
    """
    structures: list[Structure] = []
    failures: list[FailingVectors] = []
    regions: list[Box] = []
    with nullcontext(solver) if solver else Z3Process() as running:
        for fixed, program, filters in structures_of(space):
            structure = _decide_structure(space, fixed, program, filters, running)
            structures.append(structure)
            failures.extend(_failures(space, structure))
            if boxes:
                regions.extend(_regions(space, structure))
    return _combined(space, structures, failures, merge(regions, _orders(space)))


def _orders(space: Space) -> Mapping[str, Sequence[Any]]:
    return {n: h.values for n, h in space.by_name.items() if h.values is not None}


def _combined(
    space: Space, structures: Sequence[Structure], failures: Sequence[FailingVectors], regions: tuple[Box, ...]
) -> SpaceDecision:
    live = [s for s in structures if s.verdict != "empty"]
    if not live:
        raise UsageProblem(f"{space.name}: the conditions exclude every vector; no hyperparameters satisfy all of them")
    verdicts = {s.verdict for s in live}
    undecided = UNDECIDED in verdicts
    if undecided and not verdicts & {DEPENDS} and len(verdicts) == 1:
        verdict = UNDECIDED
    elif verdicts == {VALID_FOR_ALL}:
        verdict = VALID_FOR_ALL
    elif verdicts == {VALID_FOR_NONE}:
        verdict = VALID_FOR_NONE
    elif undecided and not ({VALID_FOR_ALL, DEPENDS} & verdicts and {VALID_FOR_NONE, DEPENDS} & verdicts):
        verdict = UNDECIDED
    else:
        verdict = DEPENDS
    total = None if any(s.total is None for s in live) else sum(s.total or 0 for s in live)
    valid = None if any(s.valid is None for s in live) else sum(s.valid or 0 for s in live)
    unknown: dict[str, int] = {}
    for s in live:
        for operator, count in s.program.unknown.items():
            unknown[operator] = max(unknown.get(operator, 0), count)
    example = next((e for s in live if (e := _example(space, s)) is not None), None)
    reasons = tuple(dict.fromkeys(p.reason for s in live for p in s.parts if p.reason))
    advisories = tuple({(a.layer.name, a.requirement.rule.id): a for s in live for a in s.program.advisories}.values())
    return SpaceDecision(
        space, verdict, total, valid, _grouped(failures), regions, tuple(live), example, unknown, advisories, reasons
    )


def _grouped(failures: Sequence[FailingVectors]) -> tuple[FailingVectors, ...]:
    """One failure for each layer and rule, with the counts of all structures."""
    groups: dict[tuple[str, str], FailingVectors] = {}
    for failure in failures:
        key = (failure.step.layer.name, failure.step.requirement.rule.id)
        old = groups.get(key)
        if old is None:
            groups[key] = failure
        else:
            count = None if old.count is None or failure.count is None else old.count + failure.count
            groups[key] = FailingVectors(old.step, count, old.example)
    return tuple(sorted(groups.values(), key=lambda f: -(f.count if f.count is not None else 0)))


def _decide_structure(
    space: Space, fixed: Mapping[str, Any], program: Requirements, filters: tuple[Any, ...], solver: Z3Process
) -> Structure:
    if any(f is False for f in filters):
        return Structure(fixed, program, (), "empty", 0, 0)
    steps = program.steps
    open_filters = [f for f in filters if f is not True]
    by_name = {n: h for n, h in space.by_name.items() if n not in fixed}
    groups = [names_of(s.condition) for s in steps] + [names_of(f) for f in open_filters]
    hopeless = any(s.condition is False for s in steps)
    parts = []
    for names in components([g for g in groups if g], list(by_name)):
        parts.append(_decide_part(names, steps, open_filters, by_name, solver))
    if any(p.verdict == "empty" for p in parts):
        return Structure(fixed, program, tuple(parts), "empty", 0, 0)
    total = _product([p.inside for p in parts])
    valid = 0 if hopeless else _product([p.valid for p in parts])
    if hopeless or any(p.verdict == VALID_FOR_NONE for p in parts):
        verdict = VALID_FOR_NONE
    elif any(p.verdict == UNDECIDED for p in parts) or program.undecided or program.unknown:
        verdict = UNDECIDED if not any(p.verdict == DEPENDS for p in parts) else DEPENDS
        if not any(p.verdict in (UNDECIDED, DEPENDS) for p in parts):
            verdict = VALID_FOR_ALL if not program.undecided else UNDECIDED
    elif all(p.verdict == VALID_FOR_ALL for p in parts):
        verdict = VALID_FOR_ALL
    else:
        verdict = DEPENDS
    return Structure(fixed, program, tuple(parts), verdict, total, valid)


def _product(counts: Sequence[int | None]) -> int | None:
    if any(c == 0 for c in counts):
        return 0
    return None if any(c is None for c in counts) else math.prod(c for c in counts if c is not None)


def _decide_part(
    names: tuple[str, ...],
    steps: Sequence[Demand],
    filters: Sequence[Any],
    by_name: Mapping[str, Hyperparameter],
    solver: Z3Process,
) -> Part:
    mine = frozenset(names)
    conditions = [s.condition if names_of(s.condition) and names_of(s.condition) <= mine else True for s in steps]
    limits = [f for f in filters if names_of(f) <= mine]
    domains = {n: by_name[n].values for n in names}
    if all(c is True for c in conditions) and not limits:
        count = math.prod(1 if d is None else len(d) for d in domains.values())  # a size nothing limits counts once
        return Part(names, VALID_FOR_ALL, None, count, count)
    finite = {n: d for n, d in domains.items() if d is not None}
    size = math.prod(len(d) for d in finite.values())
    if len(finite) == len(domains) and size <= GRID_LIMIT:
        first = first_failures(conditions, limits, finite)
        outside = int(np.count_nonzero(first == OUTSIDE))
        valid = int(np.count_nonzero(first == VALID))
        inside = size - outside
        verdict = "empty" if not inside else VALID_FOR_ALL if valid == inside else DEPENDS if valid else VALID_FOR_NONE
        return Part(names, verdict, first, inside, valid)
    return _solve_part(names, conditions, limits, by_name, solver, size)


def _solve_part(
    names: tuple[str, ...],
    conditions: Sequence[Any],
    limits: Sequence[Any],
    by_name: Mapping[str, Hyperparameter],
    solver: Z3Process,
    size: int,
) -> Part:
    """Two queries: is there a bad vector, is there a good one?"""
    domains = {n: by_name[n].values for n in names}
    bad = solver.satisfy([any_of(*(negate(c) for c in conditions)), *limits], domains)
    if bad.status == "unsat":
        some = solver.satisfy([*limits], domains) if limits else None
        if some is not None and some.status == "unsat":
            return Part(names, "empty", None, 0, 0)
        return Part(names, VALID_FOR_ALL, None, None, None)
    good = solver.satisfy([all_of(*conditions), *limits], domains)
    bad_vector = _replayed(bad.model, names, by_name) if bad.status == "sat" else None
    good_vector = _replayed(good.model, names, by_name) if good.status == "sat" else None
    if bad_vector is not None and not _fails(conditions, bad_vector):
        raise AssertionError("the solver's counterexample does not fail when it is evaluated")
    if good_vector is not None and _fails(conditions, good_vector):
        raise AssertionError("the solver's example fails when it is evaluated")
    if bad_vector is not None and good_vector is not None:
        return Part(names, DEPENDS, None, None, None, good_vector, bad_vector)
    if good.status == "unsat" and bad.status == "sat":
        return Part(names, VALID_FOR_NONE, None, None, 0, None, bad_vector)
    count = f"{size:,} vectors" if all(d is not None for d in domains.values()) else "unboundedly many vectors"
    which = ", ".join(names)
    reason = f"the solver could not decide {which} ({count}) in time; narrow their domains or split the space"
    return Part(names, UNDECIDED, None, None, None, good_vector, bad_vector, reason)


def _replayed(
    model: Mapping[str, int], names: Sequence[str], by_name: Mapping[str, Hyperparameter]
) -> Mapping[str, int]:
    """The model's values, with any value of the domain for names that it leaves out."""
    return {name: model[name] if name in model else by_name[name].first for name in names}


def _fails(conditions: Sequence[Any], vector: Mapping[str, int]) -> bool:
    return any(substitute(c, vector) is False for c in conditions)


def _failures(space: Space, structure: Structure) -> Iterator[FailingVectors]:
    """Count, for each step, the vectors for which it is the first to fail; components multiply."""
    steps = structure.program.steps
    if structure.verdict in ("empty", VALID_FOR_ALL):
        return
    exact = structure.total is not None and all(
        p.first is not None or p.verdict == VALID_FOR_ALL for p in structure.parts
    )
    plain = next((i for i, s in enumerate(steps) if s.condition is False), None)
    if not exact:
        yield from _symbolic_failures(space, structure, plain)
        return
    tables = {p: _histogram(p, len(steps)) for p in structure.parts}
    for index, step in enumerate(steps):
        if plain is not None and index > plain:
            break
        owner = next((p for p in structure.parts if p.first is not None and tables[p][index]), None)
        if index != plain and owner is None:
            continue
        count = 1
        example: dict[str, Any] = dict(structure.fixed)
        for part in structure.parts:
            table = tables[part]
            if part is owner:
                count *= int(table[index])
                example.update(_cell(space, part, index, exactly=True))
            else:
                later = int(table[index:].sum()) if part.first is not None else (part.inside or 0)
                count *= later
                if later:
                    example.update(_cell(space, part, index, exactly=False))
        if count:
            yield FailingVectors(step, count, example)


def _histogram(part: Part, steps: int) -> npt.NDArray[np.int64]:
    """How many cells fail first at each step; the last entry counts the valid ones."""
    if part.first is None:
        return np.zeros(steps + 1, dtype=np.int64)
    flat = part.first[part.first != OUTSIDE].ravel()
    return np.bincount(np.where(flat == VALID, steps, flat), minlength=steps + 1)


def _cell(space: Space, part: Part, index: int, *, exactly: bool) -> Mapping[str, Any]:
    """A cell that fails first at `index`, or (not `exactly`) at `index` or later or never."""
    known = space.by_name
    if part.first is None:
        return {n: known[n].first for n in part.names}
    fits = (part.first == index) if exactly else (part.first == VALID) | (part.first >= index)
    if not exactly and (part.first == VALID).any():
        fits = part.first == VALID
    position = np.unravel_index(int(np.argmax(fits)), part.first.shape)
    return {n: (known[n].values or ())[int(i)] for n, i in zip(part.names, position, strict=True)}


def _symbolic_failures(space: Space, structure: Structure, plain: int | None) -> Iterator[FailingVectors]:
    """One failure for each vector that evaluation or the solver found; counts are not known."""
    steps = structure.program.steps
    base = dict(structure.fixed)
    for part in structure.parts:
        base.update(part.good or _cell(space, part, 0, exactly=False))
    seen: set[int] = set()
    for part in structure.parts:
        vectors: list[Mapping[str, Any]] = []
        if part.first is not None:
            for index in np.unique(part.first[part.first >= 0]):
                vectors.append(_cell(space, part, int(index), exactly=True))
        elif part.bad is not None:
            vectors.append(part.bad)
        for vector in vectors:
            whole = {**base, **vector}
            index = first_failing(steps, whole)
            if index is not None and index not in seen:
                seen.add(index)
                yield FailingVectors(steps[index], None, whole)
    if plain is not None and plain not in seen:
        yield FailingVectors(steps[plain], None, base)


def first_failing(steps: Sequence[Demand], vector: Mapping[str, Any]) -> int | None:
    """The index of the first step that fails for a full vector."""
    numbers = {k: v for k, v in vector.items() if isinstance(v, int)}
    for index, step in enumerate(steps):
        if substitute(step.condition, numbers) is False:
            return index
    return None


def _example(space: Space, structure: Structure) -> Mapping[str, Any] | None:
    """A valid vector of a structure, if one is known."""
    if structure.verdict not in (VALID_FOR_ALL, DEPENDS):
        return None
    vector: dict[str, Any] = dict(structure.fixed)
    for part in structure.parts:
        if part.first is not None:
            if not (part.first == VALID).any():
                return None
            vector.update(_cell(space, part, 0, exactly=False))
        elif part.good is not None:
            vector.update(part.good)
        elif part.verdict == VALID_FOR_ALL:
            vector.update(_cell(space, part, 0, exactly=False))
        else:
            return None
    index = first_failing(structure.program.steps, vector)
    return vector if index is None else None


def _regions(space: Space, structure: Structure) -> Iterator[Box]:
    """Boxes of the invalid region of one structure."""
    if structure.verdict in ("empty", VALID_FOR_ALL):
        return
    known = space.by_name
    fixed = {n: (v,) for n, v in structure.fixed.items() if len(known[n].values or ()) > 1}
    if any(s.condition is False for s in structure.program.steps):
        yield Box(fixed)
        return
    for part in structure.parts:
        if part.first is None:
            continue
        values = [known[n].values or () for n in part.names]
        for box in cover(part.first >= 0, part.first == OUTSIDE, part.names, values):
            yield Box({**fixed, **box.sides})
