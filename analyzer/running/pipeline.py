"""From targets to a `Report`: both revisions of each target are analysed; what is new is told from what was known."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import analyzer
from analyzer.configuration.config import Config, TargetConfig
from analyzer.configuration.policy import apply_policy, expired
from analyzer.findings import Cause, Finding, Level, Report, Status, TargetReport, mark_new, ordered, slug
from analyzer.problem import TargetProblem
from analyzer.running.answers import checked
from analyzer.running.cache import Cache, engine_versions
from analyzer.running.opened import differs
from analyzer.running.outcome import Keys, Surroundings, TargetOutcome, kind_of, with_environment
from analyzer.running.processes import JobResult
from analyzer.running.regressions import no_longer_analysed, not_compared
from analyzer.running.repeats import one_of_each_line, unless_repeated, without_repeats
from analyzer.running.request import Request
from analyzer.running.worsening import mark_worse

if TYPE_CHECKING:
    from analyzer.running.containers import Containers
    from analyzer.walls import Sandbox


class Progress(Protocol):
    """Told what is happening; the terminal and the action's log each have their own."""

    def started(self, target: str, stages: Sequence[str]) -> None: ...
    def stage(self, target: str, stage: str) -> None: ...
    def finished(self, target: str, report: TargetReport) -> None: ...


class Silent:
    """Progress that nobody watches."""

    def started(self, target: str, stages: Sequence[str]) -> None:
        pass

    def stage(self, target: str, stage: str) -> None:
        pass

    def finished(self, target: str, report: TargetReport) -> None:
        pass


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How to run, as opposed to what: none of this changes a finding."""

    parallel: int = 0  # 0: one process a core
    cache: Path | None = None
    cache_also: tuple[Path, ...] = ()  # read, never written: what runs that are trusted more have kept
    exports: Path | None = None
    contained: bool = False  # this process runs in a container that is a wall already
    today: Callable[[], date] = lambda: datetime.now(UTC).date()
    clock: Callable[[], float] = time.monotonic


Place = tuple[str, str]  # side (head or base) and id of a target
Job = tuple[Place, TargetConfig, Surroundings]
Jobs = Mapping[str, Job]
Outcomes = Iterable[tuple[Place, TargetOutcome]]
LocalRun = Callable[[Jobs, Config, RunOptions, Path, Progress, Callable[[str, Any], None]], Outcomes]


def review(
    head: Path,
    base: Path | None,
    config: Config,
    targets: Sequence[TargetConfig],
    *,
    output: Path,
    base_name: str | None = None,
    head_name: str | None = None,
    sandbox: Sandbox | None = None,
    progress: Progress | None = None,
    changed: frozenset[str] | None = None,
    notes: Sequence[str] = (),
    options: RunOptions | None = None,
    contained: Containers | None = None,
    keys: Keys,
    local: LocalRun | None = None,
) -> Report:
    """Analyse `targets` in the tree `head` and, where they exist, in the tree `base`.

    `changed` holds the ids of the targets that differ between the trees; None means all. Files that findings point to
    are written below `output`. `sandbox` None means that no code of the project runs: entry points are only traced.
    `contained` has each target analysed in a container of its own; then no file of the trees is parsed here, and `keys`
    come from elsewhere too. Otherwise `local` runs them; `analyzer.running.local` has both.
    """
    options = options or RunOptions()
    progress = progress or Silent()
    began = options.clock()
    output.mkdir(parents=True, exist_ok=True)
    cache = Cache(options.cache, options.cache_also) if options.cache else None

    sides = {"head": head} | ({"base": base} if base is not None else {})
    outcomes: dict[Place, TargetOutcome] = {}
    jobs: dict[str, Job] = {}
    served: dict[str, Job] = {}  # of the base, by the head's outcome
    for side, tree in sides.items():
        for target in targets:
            place = (side, target.id)
            target = with_environment(target, config)
            if side == "base" and not (tree / target.file).exists():
                continue
            below = output if side == "head" else output / ".base"
            key, entry = keys.get(place, (None, None))
            hit = cache.get(entry or "", below, *_beside(side, sides)) if cache and entry else None
            if hit is not None:
                outcomes[place] = hit
                continue
            where = Surroundings(
                tree,
                below,
                config,
                sandbox,
                base_root=base if side == "head" else None,
                contained=options.contained,
            )
            same = side == "base" and key is not None and key == keys.get(("head", target.id), (None, None))[0]
            (served if same else jobs)[f"{side} {target.id}"] = (place, target, where)

    for (side, identity), _, _ in jobs.values():
        if side == "head":
            progress.started(identity, ())

    def analyse(jobs: Jobs) -> None:
        for place, outcome in _twice(jobs, config, options, output, progress, contained, local):
            outcomes[place] = outcome
            key = keys.get(place, (None, None))[1]
            if cache and key and outcome.target.status is Status.ANALYSED:
                below = output if place[0] == "head" else output / ".base"
                cache.put(key, outcome, below, *_beside(place[0], sides))

    analyse(jobs)
    apart = {}
    for name, (place, target, where) in served.items():  # by the same bytes, but for what only the export can tell
        after = outcomes["head", target.id]
        untold = target.entry and where.sandbox is not None and after.target.status is Status.FAILED
        if untold or (base is not None and differs(after.opened, head, base)):
            apart[name] = place, target, where
        else:
            outcomes[place] = after
    analyse(apart)
    if cache:
        for target in targets:
            cache.keep_opened(target.id, (outcomes[side, target.id] for side in sides if (side, target.id) in outcomes))

    return _report(
        targets, outcomes, config, options, began,
        compared=base is not None, base_name=base_name, head_name=head_name, changed=changed, notes=notes,
    )  # fmt: skip


def _beside(side: str, sides: Mapping[str, Path]) -> tuple[Path, ...]:
    """The trees that an outcome of `side` depends on, its own first: the head is held against the base."""
    return tuple(tree for name, tree in sides.items() if name == side or side == "head")


def _twice(
    jobs: Jobs,
    config: Config,
    options: RunOptions,
    output: Path,
    progress: Progress,
    contained: Containers | None,
    local: LocalRun | None,
) -> Outcomes:
    """The outcomes of `jobs`; what an engine of containers failed to keep is tried once more at the end, alone.

    One that fails again ends that: the engine is gone, and the others would wait for it in vain.
    """
    lost: list[tuple[Place, TargetOutcome]] = []
    for place, outcome in _run(jobs, config, options, output, progress, contained, local):
        engine = contained is not None or jobs[f"{place[0]} {place[1]}"][2].sandbox is not None
        if engine and outcome.target.status is Status.FAILED and outcome.target.cause is Cause.SURROUNDINGS:
            lost.append((place, outcome))
        else:
            yield place, outcome
    gone = False
    for place, outcome in lost:
        if not gone:
            name = f"{place[0]} {place[1]}"
            alone = replace(options, parallel=1)
            ((_, outcome),) = _run({name: jobs[name]}, config, alone, output, progress, contained, local)
            gone = outcome.target.cause is Cause.SURROUNDINGS
        yield place, outcome


def _run(
    jobs: Jobs,
    config: Config,
    options: RunOptions,
    output: Path,
    progress: Progress,
    contained: Containers | None,
    local: LocalRun | None,
) -> Outcomes:
    def message(name: str, stage: Any) -> None:
        (side, identity), _, _ = jobs[name]
        progress.stage(identity, str(stage) if side == "head" else f"{stage} (base)")

    if contained is not None:
        requests = {}
        for name, (place, target, where) in jobs.items():
            before = "base" if where.base_root is not None else None
            code = where.sandbox is not None and ".py" in f"{target.file} {target.validation}"  # a model file has none
            requests[name] = Request(target, config, place[0], before, code), where.output
        parallel = options.parallel or os.cpu_count() or 1
        yield from outcomes_of(contained.run(requests, parallel, config.timeout, message), jobs, progress)
        return
    assert local is not None, "the front has the pipeline without the analyses"
    yield from local(jobs, config, options, output, progress, message)


def outcomes_of(
    answers: Iterable[tuple[str, JobResult]],
    jobs: Jobs,
    progress: Progress,
) -> Outcomes:
    for name, answer in answers:
        place, target, where = jobs[name]
        outcome = _outcome(target, answer, where.output)
        if place[0] == "head":
            progress.finished(target.id, outcome.target)
        yield place, outcome


def _outcome(target: TargetConfig, answer: JobResult, output: Path) -> TargetOutcome:
    """What the job answered, as far as it is a proper answer for its own target."""
    if answer.error is None:
        produced = output / "targets" / slug(target.id)
        files = frozenset(path.relative_to(output).as_posix() for path in produced.rglob("*") if path.is_file())
        try:
            return checked(answer.value, target, files)
        except TargetProblem as problem:
            answer = replace(answer, error=str(problem))
    return TargetOutcome(
        TargetReport(
            target.id,
            kind_of(target),
            target.path or target.entry or "",
            status=Status.FAILED,
            error=f"{target.id}: {answer.error}",
            cause=answer.cause,
            seconds={"total": round(answer.seconds, 3)},
        )
    )


def _report(
    targets: Sequence[TargetConfig],
    outcomes: Mapping[tuple[str, str], TargetOutcome],
    config: Config,
    options: RunOptions,
    began: float,
    *,
    compared: bool,
    base_name: str | None,
    head_name: str | None,
    changed: frozenset[str] | None,
    notes: Sequence[str],
) -> Report:
    today = options.today()
    reports: list[TargetReport] = []
    findings: list[Finding] = []
    fixed: list[Finding] = []
    for target in targets:
        outcome = outcomes["head", target.id]
        before = outcomes.get(("base", target.id))
        outcome = not_compared(outcome, before)
        lost = no_longer_analysed(outcome, before) if compared else ()
        mine = apply_policy((*outcome.findings, *lost), config, today)
        if compared:
            known = apply_policy(before.findings, config, today) if before else ()
            mine, gone = mark_new(mine, known)
            mine = mark_worse(mine, known)
            if outcome.target.status is Status.ANALYSED:
                fixed.extend(gone)
        findings.extend(one_of_each_line(mine))
        reports.append(replace(_unless_it_acts(outcome.target, mine), changed=changed is None or target.id in changed))
    findings = list(without_repeats(findings, {target.id: target.file for target in targets}))
    return Report(
        targets=tuple(reports),
        findings=ordered(findings),
        fixed=ordered(unless_repeated(without_repeats(fixed, {}), findings)),
        base=base_name,
        head=head_name,
        fail_on=config.fail_on,
        seconds=round(options.clock() - began, 2),
        tool={"name": "assay", "version": analyzer.__version__, "engines": engine_versions()},
        notes=(*notes, *expired(config, today)),
    )


def _unless_it_acts(report: TargetReport, findings: Sequence[Finding]) -> TargetReport:
    """A file that acts is never a pass, known on the base or not; a person may silence the finding."""
    acting = [f for f in findings if f.rule.startswith("security/") and f.level is Level.ERROR and f.suppressed is None]
    if not acting or report.status is not Status.ANALYSED:
        return report
    first = acting[0].message.rstrip(".")
    return replace(report, status=Status.FAILED, error=f"{report.id}: not compared, because of what it does: {first}.")
