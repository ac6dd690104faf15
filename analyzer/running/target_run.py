"""One target, one revision: load or export its graph, then run the analyses. Runs in a child process.

The answer is plain data (`TargetOutcome`), so that it can cross a pipe and live in a cache.
"""

from __future__ import annotations

import filecmp
import re
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analyzer.configuration.config import TargetConfig
from analyzer.differential import analyse as differential
from analyzer.differential.analysis import begin as begin_engines
from analyzer.differential.analysis import inputs_of
from analyzer.differential.backend import parse
from analyzer.differential.drift_review import review_drift
from analyzer.differential.plan import DEFAULTS, foreign_operators
from analyzer.differential.pool import Pool
from analyzer.exporting.defect import defect_of
from analyzer.exporting.export import export
from analyzer.exporting.manifest import ExportProblem
from analyzer.findings import (
    AnalysisResult,
    Cause,
    Confidence,
    Finding,
    Level,
    Status,
    TargetReport,
    UnsafeOperators,
    slug,
)
from analyzer.graph.layers import layer_graph
from analyzer.loading.files import NotFetchedProblem
from analyzer.loading.formats import detect
from analyzer.loading.reading import load
from analyzer.loading.scan import custom_operators, of_other_libraries, refusal, scan
from analyzer.numerical.analysis import analyse as numerical
from analyzer.numerical.confirm.engines import NO_TORCH
from analyzer.problem import Problem, TargetProblem
from analyzer.running.ahead import Ahead, begin
from analyzer.running.opened import recorded
from analyzer.running.outcome import HEAD_ALONE, Surroundings, TargetOutcome, cause_of, kind_of
from analyzer.running.processes import memory_growth
from analyzer.tracing import trace
from analyzer.tracing.dry_run import dry_run, is_script, with_dry_run
from analyzer.validity import analyse as validity
from analyzer.validity.checkpoint import against, inspect
from analyzer.walls.launch import standing
from analyzer.walls.process import ProcessSandbox

if TYPE_CHECKING:
    from analyzer.graph import Graph

Progress = Callable[[str], None]
SLIM_ENGINES = frozenset({"onnxruntime", "reference"})  # what an image without frameworks compares


class EnginesNeeded(Exception):
    """What is left to do takes engines that this image does not have: the target is run again where they are."""


@dataclass
class _Tally:
    """Collects results while stages run; private to `run_target`."""

    report: TargetReport
    progress: Progress
    findings: list[Finding] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    unknown: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, Cause]] = field(default_factory=list)
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)
    shapes: dict[str, tuple[int | str | None, ...]] = field(default_factory=dict)
    opened: set[str] = field(default_factory=set)

    @contextmanager
    def stage(self, name: str, vital: bool = True) -> Iterator[None]:
        """What goes wrong in a stage that is not `vital` is a note: nothing is known less for it."""
        self.progress(name)
        started = time.perf_counter()
        try:
            yield
        except EnginesNeeded:
            raise
        except Problem as problem:
            # The base's run has no such stage: what goes wrong there is no regression.
            self.failures.append((str(problem), Cause.ASSAY if name == HEAD_ALONE else cause_of(problem)))
        except MemoryError:
            told = f"{self.report.id}: the {name} stage ran out of memory; a larger machine may do."
            self.failures.append((told, Cause.ASSAY if name == HEAD_ALONE else Cause.MODEL))
        except Exception as error:  # a mistake of ours must not cost the other analyses
            traceback.print_exc()
            lines = str(error).strip().splitlines() or ["no message"]
            told = f"the {name} stage broke off with an internal error ({type(error).__name__}: {lines[0][:200]})"
            if vital:
                self.failures.append((f"{self.report.id}: {told}; please report it.", Cause.ASSAY))
            else:
                self.note(f"{told[0].upper()}{told[1:]}; please report it.")
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + round(time.perf_counter() - started, 4)

    def add(self, result: AnalysisResult) -> None:
        self.findings.extend(result.findings)
        for operator, count in result.unknown_operators.items():
            self.unknown[operator] = max(self.unknown[operator], count)
        self.intervals.update(result.intervals)
        self.shapes.update(result.shapes)
        if result.failure is not None:
            self.failures.append(result.failure)
        have, more = self.report.unsafe_operators, result.unsafe_operators
        self.report = replace(
            self.report,
            unsafe_operators=UnsafeOperators(have.checked + more.checked, have.safe + more.safe),
            assumptions=self.report.assumptions + result.assumptions,
            notes=self.report.notes + result.notes,
            versions={**self.report.versions, **result.versions},
            backends=self.report.backends + result.backends,
            maps=self.report.maps + result.maps,
            distances=self.report.distances + result.distances,
        )

    def note(self, text: str) -> None:
        self.report = replace(self.report, notes=(*self.report.notes, text))

    def outcome(self) -> TargetOutcome:
        status = Status.FAILED if self.failures else self.report.status
        causes = {cause for _, cause in self.failures}
        report = replace(
            self.report,
            status=status,
            error=" ".join(text for text, _ in self.failures) or self.report.error,
            cause=next((cause for cause in Cause if cause in causes), self.report.cause),  # the model's own first
            seconds=self.seconds,
            unknown_operators=dict(sorted(self.unknown.items())),
        )
        return TargetOutcome(report, tuple(self.findings), recorded(self.opened))


def run_target(target: TargetConfig, where: Surroundings, progress: Progress = lambda _stage: None) -> TargetOutcome:
    """Analyse `target` in the tree `where.root`. Problems become the target's status, never an exception."""
    tally = _Tally(TargetReport(target.id, kind_of(target), target.path or target.entry or ""), progress)
    source = where.root / target.file
    refused: str | None = None
    custom: list[str] = []
    if target.path and not target.path.endswith(".py"):
        with tally.stage("security"):
            found = scan(source, where.root)
            tally.findings.extend(replace(finding, target=target.id) for finding in found)
            custom = custom_operators(source)
            refused = refusal(source, found, custom) or without_wall(where)
    with ExitStack() as stack:
        _stages(target, where, tally, refused, custom, begin(target, where, stack), stack)
    return without_local_paths(tally.outcome(), where)


def _stages(
    target: TargetConfig,
    where: Surroundings,
    tally: _Tally,
    refused: str | None,
    custom: list[str],
    ahead: Ahead,
    stack: ExitStack,
) -> None:
    """From the source or the file to what the analyses find. `refused`: why no engine may run the file; `stack`: what
    ends with the target."""
    only, source = where.config.only, where.root / target.file
    if source.suffix == ".py" and "tracing" in only:
        with tally.stage("tracing"):
            entry = (target.entry or "").partition(":")[2] or None
            traced = trace(source, where.root, target=target.id, entry=entry, types=where.types)
            tally.add(_run_dry(traced, target, where, source) if entry is None else traced)
    graph = None
    if target.entry or not target.path or not target.path.endswith(".py"):
        graph = _graph(target, where, where.root, source, tally, ahead)
    if graph is not None:
        tally.opened.update(graph.opened)
        for line in graph.model.metadata_props.get("assay.notes", "").splitlines():
            tally.note(line)
        tally.report = replace(tally.report, nodes=len(graph), versions={**tally.report.versions, **graph.versions})
        if graph.framework == "onnx" and target.path:
            custom = foreign_operators(graph)
            refused = refused or of_other_libraries(custom)
        if custom and "differential" in where.config.only and target.backends != ():
            # What they do is not known, so this is no pass; `backends: []` says that no comparison is expected.
            tally.failures.append((f"{target.id}: not compared, because {of_other_libraries(custom)}.", Cause.MODEL))
        _analyse(graph, target, where, tally, stack, refused, ahead.pool)


def without_local_paths(outcome: TargetOutcome, where: Surroundings) -> TargetOutcome:
    """The outcome with files named from the tree's root: where a run keeps its files is nobody's business.

    Engines and parsers quote the paths that they were given in their errors.
    """
    roots = {str(p) for root in (where.root, where.base_root, where.output) if root for p in (root, root.resolve())}
    starts = "|".join([_BOX, *(f"{re.escape(r)}/" for r in sorted(roots, key=len, reverse=True)), _TEMPORARY])
    local = re.compile(rf"(?<![\w./-])(?:{starts})")  # whole paths: another path may hold one of these within

    def plain(value: Any, said: bool = False) -> Any:
        if isinstance(value, str):
            return local.sub("", value) if said else value
        if isinstance(value, list):
            return [plain(v, said) for v in value]
        return {k: plain(v, k in _SENTENCES) for k, v in value.items()} if isinstance(value, dict) else value

    return TargetOutcome.from_json(plain(outcome.to_json()))


def without_wall(where: Surroundings) -> str | None:
    """Why no engine may run a file that came from elsewhere, as the end of a sentence; None where a wall stands.

    `--sandbox process` is a person's own choice: engines then run in limited processes on every system.
    """
    if where.contained or isinstance(where.sandbox, ProcessSandbox):
        return None
    missing = standing()
    return None if missing is None else f"no wall can be closed around engines here: {missing}"


def _run_dry(traced: AnalysisResult, target: TargetConfig, where: Surroundings, source: Path) -> AnalysisResult:
    """Where the repository's code may run, a script's first training step is executed in the sandbox too."""
    if where.sandbox is None or not is_script(source.read_text(encoding="utf-8", errors="replace")):
        return traced
    sandbox = where.sandbox.within(target.environment, where.root)
    return with_dry_run(traced, dry_run(source, where.root, sandbox), target.id, target.file)


_PARSING = 8 << 30  # bytes a parser may take besides four times the file; real models need about its size
_SENTENCES = frozenset({"error", "notes", "message", "sentences", "assumptions", "backends", "description"})
_TEMPORARY = rf"{re.escape(tempfile.gettempdir())}/[\w.-]+/"  # a folder that a run made for itself
_BOX = r"/(?:[^\s'\"<>|:]*/)?box/project/"  # the project's place in a sandbox, whatever folder that one has
_UNREADABLE = frozenset({"git lfs pointer", "torchscript", "pickle"})  # formats that hold code or nothing


def _graph(
    target: TargetConfig, where: Surroundings, root: Path, source: Path, tally: _Tally, ahead: Ahead
) -> Graph | None:
    if ahead.export is not None:
        if where.sandbox is None and where.exports is None:
            why = "running this repository's code is not allowed here"
            tally.report = replace(
                tally.report,
                status=Status.TRACED,
                error=f"{target.id} was not exported, only traced: {why}.",
                cause=Cause.POLICY,
            )
            return None
        with tally.stage("exporting"):  # what of it is left after tracing
            try:
                return ahead.export.graph()
            except ExportProblem as problem:
                traced = any(f.confidence is Confidence.PROVED and f.level is Level.ERROR for f in tally.findings)
                if problem.defect and not traced:  # where tracing says why, saying that it fails is noise
                    folder = where.output / "targets" / slug(target.id)
                    tally.add(_relocated(defect_of(problem, target, folder, root), folder, where.output))
                raise
        return None
    with tally.stage("loading"):
        if not source.exists():
            raise TargetProblem(f"{target.path} is no file of its own: links, pipes and devices are not followed.")
        found = detect(source)
        tally.report = replace(tally.report, kind=str(found or "model"))
        if found is not None and not found.has_graph and found not in _UNREADABLE:
            tally.add(inspect(source, target.id, root=root))
            return None
        try:
            with memory_growth(_PARSING + 4 * source.stat().st_size):
                return load(source)
        except NotFetchedProblem as problem:
            tally.report = replace(tally.report, status=Status.SKIPPED, error=str(problem), cause=Cause.MODEL)
    return None


def _analyse(
    graph: Graph,
    target: TargetConfig,
    where: Surroundings,
    tally: _Tally,
    stack: ExitStack,
    refused: str | None = None,
    pool: Pool | None = None,
) -> None:
    """`refused`: why no engine may run the file; `stack`: what ends with the target."""
    acts = any(f.rule.startswith("security/") and f.level is Level.ERROR for f in tally.findings)
    run = not acts and (refused is None or without_wall(where) is None)  # parts of it, cut out anew
    only = where.config.only
    if graph.framework == "jax":  # it has nodes only in the engine
        only = tuple(analysis for analysis in only if analysis == "differential")
        tally.note("A JAX function has no exported graph: its engines are compared, and nothing else is analysed.")
    folder = where.output / "targets" / slug(target.id)
    compares = "differential" in only and target.backends != () and refused is None
    if compares and not where.engines and not engines_of(graph, target) <= SLIM_ENGINES:
        raise EnginesNeeded
    begun = None
    if compares:
        pool = pool or Pool(sandbox=where.sandbox)
        with tally.stage("differential"):  # whatever goes wrong here is told below
            begun = stack.enter_context(begin_engines(graph, target, where.root, pool))
    if "numerical" in only:
        with tally.stage("numerical"):
            result = numerical(graph, target, output=folder, root=where.root, confirm=run, explain=run)
            if not where.engines and any(NO_TORCH in note for note in result.notes):
                raise EnginesNeeded
            tally.add(_relocated(result, folder, where.output))
    if "validity" in only:
        with tally.stage("validity"):
            tally.add(
                validity(
                    graph, target, base=_base_graph(target, where, tally), root=where.root, base_root=where.base_root
                )
            )
    if target.checkpoint:
        with tally.stage("checkpoint"):
            tally.add(against(where.root / target.checkpoint, graph, target.id, root=where.root))
    impossible = any(
        f.rule.startswith("validity/") and f.confidence is Confidence.PROVED and f.level is Level.ERROR
        for f in tally.findings
    )
    if refused is not None:
        tally.note(f"Not compared, because {refused}.")
    elif impossible:
        tally.note("Engines were not compared: the model is proved not to run as it stands.")
    elif "differential" in only and target.backends != ():
        with tally.stage("differential"):
            result = differential(
                graph,
                target,
                root=where.root,
                output=folder,
                thresholds=where.config.thresholds,
                sandbox=where.sandbox,
                pool=pool,
                begun=begun,
            )
            tally.add(_relocated(result, folder, where.output))
        if where.base_root is not None:
            with tally.stage(HEAD_ALONE):
                base = _base_graph(target, where, tally)
                if base is not None and not _unchanged(graph, base, target, where):
                    given = inputs_of(target, where.root, where.sandbox)
                    _, result = review_drift(graph, base, target, where.config.drift, folder, given)
                    tally.add(_relocated(result, folder, where.output))
    with tally.stage("drawing", vital=False):
        tally.report = replace(tally.report, layers=layer_graph(graph, tally.intervals, tally.shapes))
    if folder.is_dir() and not any(folder.iterdir()):
        with suppress(OSError):  # behind a wall the folder itself stays; whoever made it removes it
            folder.rmdir()


def engines_of(graph: Graph, target: TargetConfig) -> frozenset[str]:
    """The engines that a comparison of `graph` starts where nothing else is configured, or those that are."""
    as_onnx = graph.framework == "onnx" or (graph.framework == "torch" and target.path and target.path[-4:] != ".pt2")
    names = DEFAULTS["onnx" if as_onnx else graph.framework] if target.backends is None else target.backends
    return frozenset(parse(name).engine.name for name in names)


def _unchanged(graph: Graph, base: Graph, target: TargetConfig, where: Surroundings) -> bool:
    """The same bytes of a file; of an entry point, the same operators and shapes: weights are drawn anew each time."""
    if target.path:
        assert where.base_root is not None
        mine, theirs = where.root / target.path, where.base_root / target.path
        return mine.is_file() and theirs.is_file() and filecmp.cmp(mine, theirs, shallow=False)
    return _outline(graph) == _outline(base)


def _outline(graph: Graph) -> list[object]:
    nodes = [(n.domain, n.op_type, [i and i.name for i in n.inputs], str(n.attributes)) for n in graph.graph]
    return [*nodes, *((name, str(v.shape)) for name, v in graph.graph.initializers.items())]


def _base_graph(target: TargetConfig, where: Surroundings, tally: _Tally) -> Graph | None:
    """The base revision's graph where it can be had without running code: a model file, or an export made before."""
    if where.base_root is None:
        return None
    try:
        if target.entry and where.exports is not None:
            graph = export(target.entry, where.base_root, target=target, sandbox=None, cache_dir=where.exports)
            tally.opened.update(graph.opened)
            return graph
        if target.path and (where.base_root / target.path).exists():
            return load(where.base_root / target.path)
    except Problem:
        pass  # the base's own run says what is wrong with it
    return None


def _relocated(result: AnalysisResult, folder: Path, output: Path) -> AnalysisResult:
    """Reproducer paths, given relative to the target's folder or absolute, made relative to the output folder."""

    def moved(finding: Finding) -> Finding:
        if finding.reproducer is None:
            return finding
        path = Path(finding.reproducer)
        full = path if path.is_absolute() else folder / path
        return replace(finding, reproducer=full.relative_to(output).as_posix())

    return replace(result, findings=tuple(moved(finding) for finding in result.findings))
