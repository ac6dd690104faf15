"""The whole answer for a space as data: schema `assay-space/1`, see `configuration/schemas/space.schema.json`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from analyzer.validity.contracts import contract_of
from analyzer.validity.decide import UNDECIDED, VALID_FOR_ALL, SpaceDecision, Structure, first_failing
from analyzer.validity.evaluator import OUTSIDE
from analyzer.validity.explain import core, repairs
from analyzer.validity.solver import Z3Process
from analyzer.validity.space import Space

SCHEMA = "assay-space/1"
MAX_VECTORS = 10_000  # verdicts that are listed one by one; beyond, the grids say the same exactly
MAX_RUNS = 1_000_000  # of valid and invalid vectors in a row; a grid more ragged than that is not written as runs


def answer(decision: SpaceDecision, solver: Z3Process | None = None) -> Mapping[str, Any]:
    """Verdict, counts, the verdict of every vector, contracts, a core, repairs, and what was left out."""
    space = decision.space
    orders = {n: h.values for n, h in space.by_name.items() if h.values is not None}
    failure = decision.failures[0] if decision.failures else None
    structure = None if failure is None else structure_of(decision, failure.example)
    why = None if failure is None or structure is None else core(space, structure, failure.example, solver)
    changes = () if failure is None or structure is None else repairs(space, structure, failure.example, solver)
    return {
        "schema": SCHEMA,
        "space": space.name,
        "verdict": decision.verdict,
        "total": decision.total,
        "valid": decision.valid,
        "hyperparameters": {n: _domain(space, n) for n in space.by_name},
        "failures": [
            {
                "layer": f.step.layer.name,
                "rule": f.step.requirement.rule.id,
                "category": str(f.step.requirement.rule.category),
                "vectors": f.count,
                "example": dict(f.example),
                "message": f.sentence,
                "location": None
                if f.step.layer.location is None
                else {"path": f.step.layer.location.path, "line": f.step.layer.location.line},
            }
            for f in decision.failures
        ],
        "invalid": [
            {"text": b.sentence(orders), "sides": {n: list(v) for n, v in b.sides.items()}, "complete": b.complete}
            for b in decision.boxes
        ],
        "vectors": vectors(decision),
        "structures": [_structure(s) for s in decision.structures],
        "contract": list(contract_of(decision, solver)),
        "core": None if why is None else {"values": dict(why.values), "sentences": list(why.sentences)},
        "repairs": [
            {"text": r.sentence, "changes": {n: {"from": a, "to": b} for n, (a, b) in r.changes.items()}}
            for r in changes
        ],
        "example": dict(decision.example) if decision.example else None,
        "advisories": [{"layer": s.layer.name, "message": s.sentence()} for s in decision.advisories],
        "completeness": {
            "decided": decision.verdict != UNDECIDED and not decision.reasons,
            "not_checked": dict(decision.unknown),
            "undecided": list(decision.reasons),
        },
    }


def structure_of(decision: SpaceDecision, vector: Mapping[str, Any]) -> Structure:
    """The structure that a vector belongs to."""
    return next(s for s in decision.structures if all(vector.get(k) == v for k, v in s.fixed.items()))


def _domain(space: Space, name: str) -> Mapping[str, Any]:
    one = space.by_name[name]
    if one.values is None:
        return {"min": one.lo, "max": one.hi}
    if isinstance(one.values, range):
        return {"min": one.values[0], "max": one.values[-1], "step": one.values.step}
    return {"values": list(one.values)}


def vectors(decision: SpaceDecision) -> list[Mapping[str, Any]] | None:
    """Every vector of a small space with its verdict and, where it is invalid, the layer and rule that fail first."""
    if decision.total is None or decision.total > MAX_VECTORS:
        return None
    return list(_vectors(decision))


def _vectors(decision: SpaceDecision) -> Iterator[Mapping[str, Any]]:
    known = decision.space.by_name
    for structure in decision.structures:
        free = [n for n in known if n not in structure.fixed]
        places = [(p, [free.index(n) for n in p.names]) for p in structure.parts if p.first is not None]
        for cell in itertools.product(*(range(len(known[n].values or ())) for n in free)):
            codes = [int(p.first[tuple(cell[i] for i in at)]) for p, at in places if p.first is not None]
            if OUTSIDE in codes:
                continue
            vector = dict(structure.fixed)
            vector.update({n: (known[n].values or ())[i] for n, i in zip(free, cell, strict=True)})
            ordered = {n: vector[n] for n in known}
            index = first_failing(structure.program.steps, ordered)
            if index is None:
                yield {"vector": ordered, "valid": True}
            else:
                step = structure.program.steps[index]
                yield {
                    "vector": ordered,
                    "valid": False,
                    "layer": step.layer.name,
                    "rule": step.requirement.rule.id,
                }


def _structure(structure: Structure) -> Mapping[str, Any]:
    """One structure: its rules, and for each group of linked hyperparameters the verdict of every cell of its grid."""
    steps = structure.program.steps
    always = next((i for i, s in enumerate(steps) if s.condition is False), None)
    return {
        "fixed": dict(structure.fixed),
        "verdict": structure.verdict,
        "total": structure.total,
        "valid": structure.valid,
        "rules": [{"layer": s.layer.name, "rule": s.requirement.rule.id} for s in steps],
        "always_fails": always,
        "parts": [
            {
                "names": list(p.names),
                "verdict": p.verdict,
                "first_failing": None if p.first is None else _runs(p.first),
                "always_valid": p.verdict == VALID_FOR_ALL,
            }
            for p in structure.parts
        ],
    }


def _runs(first: Any) -> list[Sequence[int]] | None:
    """The grid in C order as runs of [rule, length]: −1 valid, −2 outside the space; None where it is too ragged."""
    flat = first.reshape(-1)
    cuts = np.flatnonzero(np.diff(flat)) + 1
    if len(cuts) >= MAX_RUNS:
        return None
    starts = np.concatenate([[0], cuts, [len(flat)]])
    return [[int(flat[a]), int(b - a)] for a, b in itertools.pairwise(starts)] if len(flat) else []
