"""`analyse`: the differential test of one target, from a `Graph` to findings, maps and files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.configuration.config import TargetConfig, Thresholds
from analyzer.differential import inputs as validation
from analyzer.differential import validation_files
from analyzer.differential.backend import parse
from analyzer.differential.callable_inputs import from_callable
from analyzer.differential.compare import Comparison
from analyzer.differential.deviation_map import deviation_map
from analyzer.differential.distances import bin_edges
from analyzer.differential.engine_findings import engine_findings
from analyzer.differential.explain import StudyBudget
from analyzer.differential.files import write_problems
from analyzer.differential.fresh import Fresh, FreshProcess
from analyzer.differential.known_ranges import known_ranges
from analyzer.differential.layer_findings import layer_finding
from analyzer.differential.plan import (
    DEFAULTS,
    ORACLES,
    UNEXPORTED,
    Family,
    artefacts,
    awaited,
    families,
    foreign_operators,
    weights_of,
)
from analyzer.differential.pool import LARGE, Overlay, Pool
from analyzer.differential.runner import CARRIED, Artefact
from analyzer.differential.sentences import sentences
from analyzer.differential.source_lines import with_lines
from analyzer.differential.structure import Description
from analyzer.differential.study import Study, study, wanted
from analyzer.differential.uncompared import alike, uncompared
from analyzer.differential.whole_scripts import write_whole
from analyzer.differential.wording import plain
from analyzer.findings import (
    AnalysisResult,
    DeviationMap,
    DistanceHistogram,
    Finding,
)
from analyzer.problem import Problem, TargetProblem
from analyzer.walls import Sandbox, launch

if TYPE_CHECKING:
    from analyzer.graph import Graph

# Seconds of processor time of an entry point after which nothing is searched further: a minute on two cores.
BUDGET = 90.0
MAX_MAPS = 4  # graphs of one target, each of another pair of engines


def prepare(target: TargetConfig, root: Path, sandbox: Sandbox, frameworks: frozenset[str]) -> Pool:
    """Workers that begin to build the entry point of `target` while it is exported; `analyse` takes them as its pool.

    PyTorch builds it itself and needs the export for the weights at most; the others are started, so that they wait for
    the file and not the file for them. On one core there is no time to be had.
    """
    pool = Pool(sandbox=sandbox.within(target.environment, root))
    chosen = [parse(name) for name in (DEFAULTS["torch"] if target.backends is None else target.backends)]
    eager = next((b for b in chosen if b.engine.name == "torch" and not b.settings and b.version is None), None)
    if target.entry and eager is not None and frameworks == {"torch"} and (os.cpu_count() or 1) > 1:
        request = {"entry": target.entry, "root": "project"}
        pool.prepare(eager, Artefact("torch-entry", {"project": root}, request))
        pool.wake([*awaited(target.backends, "torch", "onnx"), parse(ORACLES["onnx"])])
    return pool


@dataclass(frozen=True)
class Begun:
    """A model in the forms that engines load, and who loads them already."""

    kinds: Mapping[str, Artefact]
    grouped: tuple[Family, ...]


@contextmanager
def begin(graph: Graph, target: TargetConfig, root: Path, pool: Pool) -> Iterator[Begun | None]:
    """Let the engines load the model while other analyses look at it; at the end `pool` is closed.

    None where there is no time to be had (one core, models too large for all engines at once, engines that take their
    weights from each other) or where something is wrong, which `analyse` then says.
    """
    with closing(pool), tempfile.TemporaryDirectory(prefix="assay-diff-", dir=storage(graph)) as temporary:
        begun = None
        if (os.cpu_count() or 1) > 1 and weights_of(graph) <= LARGE:
            with suppress(Problem, OSError):
                kinds = artefacts(graph, target, root, Path(temporary))
                begun = Begun(kinds, families(target.backends, kinds, nodes=len(graph.graph)))
        if begun is not None and len(begun.grouped) == 1 and not set(CARRIED).intersection(begun.kinds):
            pool.begin(wanted(begun.grouped[0], begun.kinds, pool))
        yield begun
        pool.close()  # before the files go


def analyse(
    graph: Graph,
    target: TargetConfig,
    *,
    root: Path,
    output: Path,
    thresholds: Thresholds,
    sandbox: Sandbox | None = None,
    versions: Sequence[str] = (),
    overlay: Overlay | None = None,
    pool: Pool | None = None,
    thorough: bool = False,
    budget: float = BUDGET,
    fresh: Fresh | None = None,
    begun: Begun | None = None,
) -> AnalysisResult:
    """Run the target's model on several engines and say which one is wrong, and in which layer.

    `output` takes reproducers. `budget` (seconds of processor time) bounds the search for explanations in the study of
    an entry point. `begun`: what `begin` has done for this with the same pool. Missing engines are notes. Raises
    `TargetProblem` when no inputs can be made.
    """
    studies = run_studies(
        graph, target, root=root, output=output, thresholds=thresholds, sandbox=sandbox, versions=versions,
        overlay=overlay, pool=pool, thorough=thorough, budget=budget, fresh=fresh, begun=begun,
    )  # fmt: skip
    result = with_lines(result_of(studies, target, thresholds, graph), graph)
    told = uncompared(studies, target, allowed=sandbox is not None)
    if told is None or result.findings:
        return result
    sentence, cause = told
    if cause is None:
        return replace(result, notes=(*result.notes, sentence))
    return replace(result, failure=(sentence, cause))


def run_studies(
    graph: Graph,
    target: TargetConfig,
    *,
    root: Path,
    output: Path,
    thresholds: Thresholds,
    sandbox: Sandbox | None = None,
    versions: Sequence[str] = (),
    overlay: Overlay | None = None,
    pool: Pool | None = None,
    thorough: bool = False,
    budget: float = BUDGET,
    search: int = 0,
    fresh: Fresh | None = None,
    begun: Begun | None = None,
) -> list[Study]:
    """The measurements behind `analyse`; workers are ended unless the caller brings its own `pool`.

    `fresh` runs the scripts that are written; by default in a process of this machine, or in the sandbox.
    """
    if target.backends == ():
        return []
    if sandbox is not None and (target.entry or ".py:" in (target.validation or "")):
        sandbox = sandbox.within(target.environment, root)
    with tempfile.TemporaryDirectory(prefix="assay-diff-", dir=storage(graph)) as temporary:
        kinds = begun.kinds if begun is not None else artefacts(graph, target, root, Path(temporary))
        known = begun.grouped if begun is not None else None
        grouped = known or families(target.backends, kinds, versions, nodes=len(graph.graph))
        given = inputs_of(target, root, sandbox)
        ranges = known_ranges(graph, target)
        own = pool or Pool(sandbox=sandbox, overlay=overlay)
        try:
            done = []
            for family in grouped:
                limit = StudyBudget(budget, own.clock) if target.entry else None
                done.append(
                    study(
                        family,
                        kinds,
                        target,
                        own,
                        thresholds,
                        given,
                        thorough=thorough,
                        budget=limit,
                        search=search,
                        ranges=ranges,
                    )
                )
            local = fresh or FreshProcess(own.overlay, sandbox if target.entry else None)
            return [write_whole(write_problems(each, kinds, output, local), kinds, output, local) for each in done]
        finally:
            if pool is None:
                own.close()


def storage(graph: Graph) -> str | None:
    """Where the model is written for the engines: in the memory that their workers live in, if it is not too large."""
    return launch.memory_backed() if weights_of(graph) <= LARGE else None


def inputs_of(
    target: TargetConfig, root: Path, sandbox: Sandbox | None
) -> Callable[[Description], validation.Inputs] | None:
    """What makes the target's validation data from a model's description; None where it has none."""
    if target.validation is None:
        return None
    if ".py:" in target.validation:
        entry = target.validation
        return lambda description: from_callable(entry, root, sandbox, description.inputs)
    path = root / target.validation
    if not path.resolve().is_relative_to(root.resolve()):
        raise TargetProblem(f"validation data {target.validation!r} lies outside the repository; put it inside.")
    ranges = {n: (s.range.lo, s.range.hi) for n, s in target.inputs.items() if s.range is not None}
    return lambda description: validation_files.read(path, description.inputs, ranges)


def result_of(
    studies: Sequence[Study], target: TargetConfig, thresholds: Thresholds, graph: Graph | None = None
) -> AnalysisResult:
    """Findings, notes, maps and one sentence per comparison."""
    findings: list[Finding] = []
    notes: list[str] = []
    lines: list[str] = []
    versions: dict[str, str] = {}
    assumptions: list[str] = []
    maps: list[DeviationMap] = []
    distances: list[DistanceHistogram] = []
    notes += left_out(studies, target, graph)
    for each in studies:
        versions |= each.versions
        notes += [f"{names} did not run: {why}" for names, why in alike(each.missing)]
        notes += list(each.notes)
        notes += [
            f"{blame.backend} deviates by {blame.error:.2g} in {blame.unit.main.layer or blame.unit.main.name}, "
            f"which is benign: {why.why}."
            for blame, why in each.benign
        ]
        if each.comparison is None:
            continue
        if each.inputs is not None:
            assumptions += each.inputs.assumptions
        findings += [layer_finding(problem, each, target) for problem in each.problems]
        findings += engine_findings(each, target)
        lines += sentences(each)
        distances += histograms(each.comparison)
        for name, localization in each.localizations.items():
            if any(p.blame.backend == name for p in each.problems) and len(maps) < MAX_MAPS:
                maps.append(deviation_map(each, name, localization))
    return AnalysisResult(
        findings=tuple(findings),
        assumptions=tuple(dict.fromkeys(assumptions)),
        notes=tuple(dict.fromkeys(notes)),
        versions=versions,
        backends=tuple(lines),
        maps=tuple(maps),
        distances=tuple(distances),
    )


def left_out(studies: Sequence[Study], target: TargetConfig, graph: Graph | None) -> list[str]:
    """The configured engines that take no form in which the model is at hand, with the reason where it is known."""
    taken = {b.engine.name for each in studies for b in each.family.backends}
    missing = [b for b in target.backends or () if parse(b).engine.name not in taken]
    if not missing:
        return []
    foreign = foreign_operators(graph) if graph is not None and graph.framework in ("onnx", "torch", "keras") else []
    why = graph.model.metadata_props.get(UNEXPORTED, "") if graph is not None else ""
    if why:
        return [f"{', '.join(missing)} did not run, for the model could not be written as ONNX: {plain(why, 300)}"]
    reason = f" (no engine here knows {', '.join(foreign[:3])})" if foreign else ""
    if not studies:
        return [f"None of the backends {', '.join(missing)} takes this model{reason}."]
    return [f"{', '.join(missing)} did not run: not for this kind of model{reason}."]


def histograms(comparison: Comparison) -> list[DistanceHistogram]:
    """One histogram for each pair of engines and metric, the inconsistent ones first."""
    found = [
        DistanceHistogram(
            m.metric, first, second, bin_edges(m.metric), m.pattern, m.threshold, len(m.triggering), m.inconsistent
        )
        for (first, second), metrics in comparison.pairs.items()
        for m in metrics
    ]
    return sorted(found, key=lambda h: not h.inconsistent)
