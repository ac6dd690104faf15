"""A large finite space in chunks, on local workers or on a Spark cluster: same numbers either way.

Each chunk is a sub-grid named by its index; a chunk that a lost worker takes with it is run again by the backend, and
the results are joined by index, so that nothing is lost or counted twice.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from analyzer.problem import UsageProblem
from analyzer.validity.decide import structures_of
from analyzer.validity.elaboration import elaborate
from analyzer.validity.evaluator import OUTSIDE, VALID, first_failures
from analyzer.validity.space import Space
from analyzer.validity.workers import spread

CELLS = 250_000  # vectors at a time, some megabytes an array
MAX_VECTORS = 20_000_000_000  # hours of work; a larger space is decided without enumerating


@dataclass(frozen=True)
class Chunk:
    """A sub-grid: for each numeric hyperparameter the positions [start, stop) of its domain, under `fixed` others."""

    index: int
    fixed: Mapping[str, Any]
    slices: Mapping[str, tuple[int, int]]


@dataclass(frozen=True)
class ChunkResult:
    """How many vectors of a chunk fail first at each (layer, rule), and a digest of the answer for every vector."""

    index: int
    total: int
    valid: int
    failures: Mapping[tuple[str, str, str], int]
    digest: str


@dataclass(frozen=True)
class Counts:
    """The whole space."""

    total: int
    valid: int
    failures: Mapping[tuple[str, str, str], int] = field(default_factory=dict)
    digest: str = ""
    chunks: int = 0

    @property
    def sentence(self) -> str:
        verdict = "valid for all" if self.valid == self.total else "depends" if self.valid else "valid for none"
        return f"{verdict}: {self.valid:,} of {self.total:,} vectors are valid ({self.chunks} chunks)"

    def as_json(self) -> Mapping[str, Any]:
        failures = [
            {"layer": layer, "rule": rule, "category": category, "vectors": count}
            for (layer, rule, category), count in sorted(self.failures.items())
        ]
        return {"total": self.total, "valid": self.valid, "failures": failures, "digest": self.digest}


def chunks_of(space: Space, cells: int = CELLS) -> Iterator[Chunk]:
    """Sub-grids of at most about `cells` vectors, in a fixed order.

    Raises UsageProblem for an unbounded space and for one of more than `MAX_VECTORS` vectors.
    """
    if space.unbounded:
        raise UsageProblem(f"{space.name}: `{space.unbounded[0]}` is unbounded; chunks need finite domains")
    total = space.exact_total
    if total > MAX_VECTORS:
        raise UsageProblem(
            f"{space.name}: {total:.3g} vectors are more than the {MAX_VECTORS:,} that can be enumerated; run"
            " it without --jobs and --backend, which decides without enumerating"
        )
    index = itertools.count()
    for fixed, _program, _filters in structures_of(space):
        names = [n for n in space.by_name if n not in fixed]
        lengths = [len(space.by_name[n].values or ()) for n in names]
        pieces: list[list[tuple[int, int]]] = []
        room = cells
        for length in reversed(lengths):  # whole axes at the end, one axis cut, single values in front
            span = max(1, min(length, room))
            pieces.append([(a, min(a + span, length)) for a in range(0, length, span)])
            room //= span
        for combination in itertools.product(*reversed(pieces)):
            yield Chunk(next(index), dict(fixed), dict(zip(names, combination, strict=True)))


def run_chunk(space: Space, chunk: Chunk) -> ChunkResult:
    """Evaluate one chunk."""
    architecture, filters = space.instantiate(chunk.fixed)
    domains = {n: (space.by_name[n].values or ())[a:b] for n, (a, b) in chunk.slices.items()}
    numeric = {n: d if space.by_name[n].numeric else range(len(d)) for n, d in domains.items()}
    shape = tuple(len(d) for d in domains.values())
    if any(f is False for f in filters):
        return ChunkResult(chunk.index, 0, 0, {}, "")
    program = elaborate(architecture)
    first = first_failures([s.condition for s in program.steps], [f for f in filters if f is not True], numeric)
    inside = first[first != OUTSIDE]
    numbers, counts = np.unique(inside, return_counts=True)
    failures: Counter[tuple[str, str, str]] = Counter()
    for number, count in zip(numbers, counts, strict=True):
        if number != VALID:
            step = program.steps[int(number)]
            rule = step.requirement.rule
            failures[(step.layer.name, rule.id, str(rule.category))] += int(count)
    digest = hashlib.sha256(repr((chunk.index, shape)).encode() + first.tobytes()).hexdigest()
    valid = int(np.count_nonzero(inside == VALID))
    return ChunkResult(chunk.index, inside.size, valid, dict(failures), digest)


def joined(results: Sequence[ChunkResult], expected: int) -> Counts:
    """The whole from its chunks. Raises RuntimeError if one is missing or stands twice with different answers."""
    by_index: dict[int, ChunkResult] = {}
    for result in results:
        old = by_index.setdefault(result.index, result)
        if old != result:
            raise RuntimeError(f"chunk {result.index} came back with two different answers")
    if sorted(by_index) != list(range(expected)):
        raise RuntimeError(f"{expected - len(by_index)} of {expected} chunks did not come back")
    failures: Counter[tuple[str, str, str]] = Counter()
    for result in by_index.values():
        failures.update(result.failures)
    ordered = [by_index[i] for i in range(expected)]
    digest = hashlib.sha256("".join(r.digest for r in ordered).encode()).hexdigest()[:16]
    total, valid = sum(r.total for r in ordered), sum(r.valid for r in ordered)
    return Counts(total, valid, dict(failures), digest, expected)


def decide_chunked(space: Space, *, jobs: int = -1, backend: str = "local", cells: int = CELLS) -> Counts:
    """Evaluate every vector, in chunks, in processes of this machine (``local``) or on a ``spark`` cluster."""
    chunks = list(chunks_of(space, cells))
    if backend == "local":
        return joined(spread(lambda chunk: run_chunk(space, chunk), chunks, jobs), len(chunks))
    try:
        from joblib import Parallel, delayed, parallel_config
        from joblibspark import register_spark
    except ImportError:
        raise UsageProblem("the Spark backend is not installed; run `pip install assay-action[spark]`") from None
    register_spark()
    with parallel_config(backend=backend, n_jobs=jobs):  # one chunk at a time: a lost worker costs only its own
        results = Parallel(batch_size=1)(delayed(run_chunk)(space, chunk) for chunk in chunks)
    return joined(results, len(chunks))
