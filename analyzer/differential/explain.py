"""From blamed layers to distinct problems: reduced, traced to a setting or a version, held against what is known."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from analyzer.differential import noise
from analyzer.differential.backend import Backend
from analyzer.differential.bisect import Culprit, responsible_pass, version_range
from analyzer.differential.known import Benign, KnownIssue, benign, duplicate_key, known_issue
from analyzer.differential.localize import Blame
from analyzer.differential.plan import kind_for
from analyzer.differential.pool import Pool
from analyzer.differential.processor import saturation
from analyzer.differential.reduce import Reduced, reduce
from analyzer.differential.rounding import error_of, small_scale
from analyzer.differential.runner import Artefact, Runner
from analyzer.differential.verdict import Failure, Kind

if TYPE_CHECKING:
    from analyzer.differential.study import Study

MAX_BLAMES = 8  # distinct problems that are reduced and written out; the rest are counted
MAX_ALIKE = 4  # problems of one engine in alike layers that have findings of their own; the rest are named in the first
VALUES = (Kind.VALUE, Kind.NAN, Kind.SHAPE, Kind.DTYPE, Kind.COMMON)


@dataclass(frozen=True)
class StudyBudget:
    """Seconds of `clock` after which a study leaves out what only makes a finding shorter or better explained.

    Comparing and blaming always end; simpler inputs, reduction and the search for a responsible setting are left out.
    """

    seconds: float = 60.0
    clock: Callable[[], float] = time.monotonic
    began: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "began", self.clock())

    @property
    def spent(self) -> float:
        return self.clock() - self.began

    @property
    def over(self) -> bool:
        return self.spent >= self.seconds


@dataclass(frozen=True)
class Diagnosis:
    """One blamed unit with everything found out about it. `alike` names further layers that share its key."""

    blame: Blame
    backend: Backend
    reduced: Reduced
    key: str
    culprit: Culprit | None = None
    versions: Culprit | None = None
    known: KnownIssue | None = None
    alike: tuple[str, ...] = ()
    hidden: str = ""  # what keeps the error from the model's outputs
    outputs_affected: float = 0.0  # relative error at the model's outputs
    script: str = ""  # the name of the script that showed it in a fresh process
    unshown: str = ""  # why there is none


def artefact_kind(backend: Backend, kinds: Mapping[str, Artefact]) -> str:
    kind = kind_for(backend, kinds)
    assert kind is not None, "families hold only backends that take one of the artefacts"
    return kind


def explain(
    blames: Sequence[Blame],
    done: Study,
    pool: Pool,
    kinds: Mapping[str, Artefact],
    affected: Mapping[str, float],
    budget: StudyBudget | None,
) -> tuple[list[Diagnosis], list[tuple[Blame, Benign]]]:
    """Reduce, bisect and name each distinct problem once."""
    runners = {r.name: r for r in (*done.runners, *([done.oracle] if done.oracle else []))}
    problems: dict[
        tuple[str, str], Diagnosis
    ] = {}  # by backend and unit: one layer may be blamed on several input sets
    firsts: dict[tuple[str, str], list[tuple[str, str]]] = {}  # by backend and rough key: problems that may be one bug
    suspected: set[str] = set()  # units where the oracle stands alone: told once, not for each engine
    harmless: list[tuple[Blame, Benign]] = []
    for blame in sorted(blames, key=lambda b: -b.error):
        runner = runners[blame.backend]
        excuse = benign(blame, runner.backend)
        if excuse is not None:
            harmless.append((blame, excuse))
            continue
        place = (blame.backend, blame.unit.id)
        if place in problems or (blame.agreeing and blame.unit.id in suspected):
            continue
        if blame.agreeing:
            suspected.add(blame.unit.id)
        saturates = blame.kind in (Kind.VALUE, Kind.COMMON) and saturation(blame.unit, runner)
        # The processor's own limit is one problem, in however many layers.
        cause = "processor" if saturates else duplicate_key(blame, runner.backend, None)
        alike = firsts.setdefault((blame.backend, cause), [])
        if alike and (saturates or len(alike) >= MAX_ALIKE or len(problems) >= MAX_BLAMES):
            first = problems[alike[0]]
            problems[alike[0]] = replace(first, alike=tuple(dict.fromkeys((*first.alike, _name(blame)))))
            continue
        if len(problems) >= MAX_BLAMES:
            continue
        problem = _problem(blame, runner, done, pool, kinds, runners, budget, problems[alike[0]] if alike else None)
        problems[place] = replace(problem, outputs_affected=affected.get(blame.backend, 0.0))
        alike.append(place)
    return list(problems.values()), harmless


def _name(blame: Blame) -> str:
    return blame.unit.main.layer or blame.unit.main.name


def _problem(
    blame: Blame,
    runner: Runner,
    done: Study,
    pool: Pool,
    kinds: Mapping[str, Artefact],
    runners: Mapping[str, Runner],
    budget: StudyBudget | None,
    like: Diagnosis | None = None,
) -> Diagnosis:
    """`like`: a problem of the same key, whose pass and versions hold for this one too."""
    backend = runner.backend
    artefact = kinds[artefact_kind(backend, kinds)]
    oracle = runners.get(blame.oracle)
    limit = max(noise.MARGIN * blame.floor, 1e-12)
    reduced = Reduced(blame.unit, blame.inputs, blame.expected, blame.error)

    def late() -> bool:
        return budget is not None and budget.over

    if oracle is not None and blame.kind in VALUES and not late():
        reduced = reduce(blame, runner, oracle, limit, late)

    if like is not None:
        known = known_issue(blame, backend, runner.versions, like.culprit)
        return Diagnosis(blame, backend, reduced, like.key, like.culprit, like.versions, known)

    def deviates(variant: Backend) -> bool | None:
        other = pool.get(variant, artefact)
        if isinstance(other, Failure):
            return None
        outcome = other.run(reduced.inputs, reduced.unit.outputs, state=False)
        if blame.kind in (Kind.CRASH, Kind.UNSUPPORTED):
            return not outcome.ok
        if not outcome.ok:
            return None
        return error_of(outcome.arrays, reduced.expected, small_scale(reduced.inputs)) > limit

    culprit = _export_at_fault(blame, backend, pool, artefact, limit)
    if culprit is None and blame.kind is not Kind.COMMON and not late():
        culprit = responsible_pass(backend, deviates)
    pinned = [b.version for b in done.family.backends if b.engine is backend.engine and b.version]
    span = None
    if pinned and not late():
        installed = runner.versions.get(backend.engine.packages[0])
        every = sorted({*pinned, *([installed] if installed else [])}, key=_order)
        span = version_range(
            every, lambda v: deviates(replace(backend, version=v if v != installed or v in pinned else None))
        )
    known = known_issue(blame, backend, runner.versions, culprit)
    key = duplicate_key(blame, backend, culprit.name if culprit else None)
    return Diagnosis(blame, backend, reduced, key, culprit, span, known)


def _export_at_fault(blame: Blame, backend: Backend, pool: Pool, artefact: Artefact, limit: float) -> Culprit | None:
    """PyTorch against an oracle that runs its ONNX export: where PyTorch agrees with its own float64 run, the export is
    another function than the module; unless the module without a device or another setting, as it was exported, is not.
    """
    if backend.engine.name != "torch" or not blame.oracle.startswith("reference") or blame.kind not in VALUES:
        return None
    plain = replace(backend, settings=())
    for variant in (backend, plain) if backend != plain else (backend,):
        twin = pool.get(variant.having(mode="eager", precision="float64"), artefact)
        if isinstance(twin, Failure):
            return None
        mine = twin.run(blame.inputs, blame.unit.outputs, state=False)
        if not mine.ok or error_of(mine.arrays, blame.expected, small_scale(blame.inputs)) <= limit:
            return None
    return Culprit(
        "export", "export", "the export to ONNX: PyTorch in float64 agrees with PyTorch, not with its export"
    )


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", version)[:4])
