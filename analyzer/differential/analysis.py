"""`analyse`: the differential test of one target, from a `Graph` to findings, maps and files."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.config import TargetConfig, Thresholds
from analyzer.differential import inputs as validation
from analyzer.differential import noise
from analyzer.differential.compare import Comparison
from analyzer.differential.deviation_map import deviation_map
from analyzer.differential.files import write_problem
from analyzer.differential.localize import Blame
from analyzer.differential.plan import artefacts, families
from analyzer.differential.pool import Overlay, Pool
from analyzer.differential.source_lines import with_lines
from analyzer.differential.structure import Description
from analyzer.differential.study import Budget, Problem, Study, study
from analyzer.differential.verdict import Failure, Kind
from analyzer.findings import AnalysisResult, Confidence, DeviationMap, Evidence, Finding, Level, Location, Table
from analyzer.problem import TargetProblem
from analyzer.sandbox import Sandbox

if TYPE_CHECKING:
    from analyzer.graph import Graph

BUDGET = 60.0  # seconds of an entry point's study from which nothing is searched further
MATERIAL = 1e-3  # relative error of a layer from which a confirmed deviation is an error even if the outputs hide it
MAX_MAPS = 4


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
) -> AnalysisResult:
    """Run the target's model on several engines and say which one is wrong, and in which layer.

    `output` takes reproducers. `budget` (seconds) bounds the search for explanations in the study of
    an entry point. Missing engines are notes. Raises `TargetProblem` when no inputs can be made.
    """
    studies = run_studies(
        graph, target, root=root, output=output, thresholds=thresholds, sandbox=sandbox, versions=versions,
        overlay=overlay, pool=pool, thorough=thorough, budget=budget,
    )  # fmt: skip
    return with_lines(result_of(studies, target, output, thresholds), graph)


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
) -> list[Study]:
    """The measurements behind `analyse`; workers are ended unless the caller brings its own `pool`."""
    if target.backends == ():
        return []
    with tempfile.TemporaryDirectory(prefix="assay-diff-") as temporary:
        kinds = artefacts(graph, target, root, Path(temporary))
        grouped = families(target.backends, kinds, versions)
        given = _given(target, root, sandbox)
        own = pool or Pool(sandbox=sandbox, overlay=overlay)
        try:
            done = []
            for family in grouped:
                limit = Budget(budget) if target.entry else None
                done.append(
                    study(family, kinds, target, own, thresholds, given, thorough=thorough, budget=limit, search=search)
                )
            for each in done:
                for problem in each.problems:
                    write_problem(problem, each, kinds, output)
            return done
        finally:
            if pool is None:
                own.close()


def _given(
    target: TargetConfig, root: Path, sandbox: Sandbox | None
) -> Callable[[Description], validation.Inputs] | None:
    if target.validation is None:
        return None
    if ".py:" in target.validation:
        from analyzer.differential.callable_inputs import from_callable

        entry = target.validation
        return lambda description: from_callable(entry, root, sandbox, description.inputs)
    path = root / target.validation
    if not path.resolve().is_relative_to(root.resolve()):
        raise TargetProblem(f"validation data {target.validation!r} lies outside the repository; put it inside.")
    return lambda description: validation.from_file(path, description.inputs)


def result_of(studies: Sequence[Study], target: TargetConfig, output: Path, thresholds: Thresholds) -> AnalysisResult:
    """Findings, notes, maps and one sentence per comparison."""
    findings: list[Finding] = []
    notes: list[str] = []
    sentences: list[str] = []
    versions: dict[str, str] = {}
    assumptions: list[str] = []
    maps: list[DeviationMap] = []
    if not studies and target.backends:
        notes.append(f"None of the backends {', '.join(target.backends)} takes this kind of model.")
    for each in studies:
        versions |= each.versions
        notes += [f"{name} did not run: {_plain(failure.message)}" for name, failure in each.missing]
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
        findings += [_finding(problem, each, target, output) for problem in each.problems]
        findings += _verdicts(each, target)
        sentences += _sentences(each)
        for name, localization in each.localizations.items():
            if any(p.blame.backend == name for p in each.problems) and len(maps) < MAX_MAPS:
                maps.append(deviation_map(each, name, localization))
    return AnalysisResult(
        findings=tuple(findings),
        assumptions=tuple(dict.fromkeys(assumptions)),
        notes=tuple(dict.fromkeys(notes)),
        versions=versions,
        backends=tuple(sentences),
        maps=tuple(maps),
    )


def _finding(problem: Problem, done: Study, target: TargetConfig, output: Path) -> Finding:
    blame, operation = problem.blame, problem.blame.unit.main
    layer = operation.layer or operation.name
    where = Location(operation.path, operation.line) if operation.path and operation.line else None
    level = _level(problem, target)
    script = output / "differential" / f"{problem.key}.py"
    return Finding(
        rule=blame.kind.rule,
        level=level,
        confidence=Confidence.CONFIRMED,
        message=_message(problem, layer)[:200],
        target=target.id,
        layer=operation.layer,
        node=operation.name,
        op=blame.unit.op,
        operand=problem.backend.engine.name + (f" {problem.culprit.name}" if problem.culprit else ""),
        location=where,
        evidence=_evidence(problem, done),
        reproducer=f"differential/{problem.key}.py" if script.is_file() else None,
    )


def _level(problem: Problem, target: TargetConfig) -> Level:
    """An error needs a blamed layer, more than noise, and an engine that the model is meant for: a module in PyTorch
    blocks on its ONNX form only where the configuration names the engines."""
    kind = problem.blame.kind
    if target.entry and target.backends is None and problem.backend.engine.artefacts[0] == "onnx":
        return Level.WARNING
    if target.backends is None and problem.culprit is not None and problem.culprit.kind == "export":
        return Level.WARNING
    if kind in (Kind.UNSUPPORTED, Kind.COMMON):
        return Level.WARNING
    if kind is Kind.VALUE and problem.blame.error < MATERIAL and problem.outputs_affected < MATERIAL:
        return Level.WARNING
    if kind is Kind.VALUE and problem.blame.judge.startswith("none"):
        return Level.WARNING  # two engines disagree and nobody says who is right
    return Level.ERROR


def _message(problem: Problem, layer: str) -> str:
    blame, title = problem.blame, problem.backend.title
    more = f" ({problem.count} layers alike)" if problem.count > 1 else ""
    through = f", through {problem.culprit.name}" if problem.culprit else ""
    judge = _judge_title(blame.judge)
    if problem.culprit is not None and problem.culprit.kind == "export":
        by = _number(blame.error)
        return f"The ONNX export of `{layer}` ({blame.unit.op}){more} deviates from PyTorch by {by} (relative)."
    if blame.kind is Kind.CRASH:
        return f"{title} crashes in `{layer}` ({blame.unit.op}){more}{through}: {_plain(blame.message)}"
    if blame.kind is Kind.UNSUPPORTED:
        return f"{title} does not support `{layer}` ({blame.unit.op}){more}: {_plain(blame.message)}"
    if blame.kind is Kind.NAN:
        return (
            f"{title} gives NaN or infinity in `{layer}` ({blame.unit.op}){more}{through} where {judge} gives numbers."
        )
    if blame.kind is Kind.SHAPE:
        return f"{title} gives another shape than {judge} in `{layer}` ({blame.unit.op}){more}{through}."
    if blame.kind is Kind.DTYPE:
        return f"{title} gives another element type than {judge} in `{layer}` ({blame.unit.op}){more}{through}."
    if blame.kind is Kind.COMMON:
        return (
            f"Every engine that ran deviates from {judge} in `{layer}` ({blame.unit.op}){more}: relative error "
            f"{_number(blame.error)} for the same inputs."
        )
    return (
        f"{title} deviates from {judge} by {_number(blame.error)} (relative) in `{layer}` ({blame.unit.op})"
        f"{more}{through}; rounding explains {blame.floor:.0e}."
    )


def _judge_title(name: str) -> str:
    if name.startswith("reference"):
        return "the float64 ONNX reference"
    if name == "majority":
        return "the other engines"
    if name.startswith("none"):
        return name.removeprefix("none (").removesuffix(" disagrees)")
    if "float64" in name:
        return "the float64 run"
    return name


def _evidence(problem: Problem, done: Study) -> Evidence:
    blame = problem.blame
    sentences = []
    if blame.kind in (Kind.VALUE, Kind.NAN, Kind.COMMON):
        sentences.append(
            f"Fed the same inputs, {problem.backend.title} and {_judge_title(blame.judge)} differ by "
            f"{_number(blame.error)} of the largest value; changing the inputs by one unit in the last place moves the "
            f"right result by {blame.floor:.1e}, and only more than {noise.MARGIN:.0f} times that counts."
        )
    if blame.how == "splice":
        sentences.append(
            "No layer deviates alone: the judge's prefix spliced with this engine's suffix shows the error from here."
        )
    for name, error in sorted(blame.peers.items()):
        sentences.append(f"{name} deviates here by {_number(error)}.")
    if problem.outputs_affected:
        sentences.append(f"At the model's outputs the relative error is {_number(problem.outputs_affected)}.")
    if problem.culprit is not None:
        sentences.append(f"Introduced by {problem.culprit.sentence}.")
    if problem.versions is not None:
        sentences.append(f"Versions: {problem.versions.sentence}.")
    if problem.known is not None:
        sentences.append(problem.known.sentence)
    if blame.judge == "majority":
        sentences.append("No float64 run was possible here: a majority of engines speaks, and a majority can be wrong.")
    if blame.judge.startswith("none"):
        sentences.append("No judge could run this layer, so which of the two engines is wrong is open.")
    localization = done.localizations.get(blame.backend)
    tables = (_table(localization.errors, blame),) if localization is not None else ()
    data = {
        "backend": problem.backend.name,
        "judge": blame.judge,
        "error": _json(blame.error),
        "floor": _json(blame.floor),
        "output_error": _json(problem.outputs_affected),
        "key": problem.key,
        "pass": problem.culprit.name if problem.culprit else None,
        "known": problem.known.id if problem.known else None,
        "nodes": len(problem.reduced.unit.operations),
        "units": problem.count,
    }
    return Evidence("deviation", tuple(sentences), tables, done.inputs.assumptions if done.inputs else (), data)


def _table(errors: Mapping[str, Mapping[str, float]], blame: Blame) -> Table:
    worst = sorted(errors.get(blame.backend, {}).items(), key=lambda item: -item[1])[:8]
    names = [n for n in errors if any(u in errors[n] for u, _ in worst)]
    rows = tuple((unit, *(_number(errors[n].get(unit, math.nan)) for n in names)) for unit, _ in worst)
    return Table(("layer, replayed alone", *names), rows)


def _verdicts(done: Study, target: TargetConfig) -> list[Finding]:
    """Findings about engines as a whole: failures that no layer explains, drift between two runs, mutated weights."""
    comparison = done.comparison
    assert comparison is not None
    found = []
    ran = [r for r in comparison.results if r.failure is None] or (
        [comparison.judge] if comparison.judge and comparison.judge.failure is None else []
    )
    found += _accepting(done, target)
    for result in comparison.results:
        title, name = result.runner.backend.title, result.runner.name
        failure = result.failure
        if failure is not None and ran and not any(p.blame.backend == name for p in done.problems):
            level = {Kind.CRASH: Level.ERROR, Kind.TIMEOUT: Level.WARNING}.get(failure.kind, Level.WARNING)
            words = {
                Kind.CRASH: "crashes on this model",
                Kind.TIMEOUT: "gave no answer in time",
                Kind.UNSUPPORTED: "does not support this model",
            }.get(failure.kind, "failed")
            found.append(
                _whole(failure.kind, level, target, name, f"{title} {words}: {_plain(failure.message)}", failure)
            )
        if result.mutated:
            message = f"{title} changes the model's weights or statistics during inference."
            found.append(_whole(Kind.MUTATED, Level.ERROR, target, name, message))
        if result.nondeterministic:
            apart = _number(result.nondeterministic)
            message = f"{title} gives other outputs when run twice on the same inputs: {apart} apart."
            found.append(_whole(Kind.NONDETERMINISTIC, Level.WARNING, target, name, message))
    return found


EAGER = {"torch": "eager", "tensorflow": "eager", "jax": "eager"}  # engine -> the mode that defines what is right


def _accepting(done: Study, target: TargetConfig) -> list[Finding]:
    """Compiled modes that give numbers for what the same engine refuses when it runs operation by operation."""
    assert done.comparison is not None
    found = []
    results = done.comparison.results
    for strict in results:
        engine, version = strict.runner.backend.engine, strict.runner.backend.version
        mode = strict.runner.backend.knobs.get("mode")
        if strict.failure is None or strict.failure.kind is not Kind.CRASH or mode != EAGER.get(engine.name, ""):
            continue
        for loose in results:
            backend = loose.runner.backend
            if loose.failure is None and backend.engine is engine and backend.version == version:
                refused = next(
                    (p.blame.unit.main for p in done.problems if p.blame.backend == strict.runner.name), None
                )
                layer = (refused.layer or refused.name) if refused is not None else ""
                message = (
                    f"{backend.title} accepts {f'in `{layer}` ' if layer else ''}what {engine.title} in {mode} mode "
                )
                message += f"refuses: {_plain(strict.failure.message)}"
                whole = _whole(Kind.CRASH, Level.WARNING, target, loose.runner.name, message, strict.failure)
                found.append(replace(whole, layer=layer))
    return found


def _whole(
    kind: Kind, level: Level, target: TargetConfig, backend: str, message: str, failure: Failure | None = None
) -> Finding:
    sentences = (failure.message,) if failure else ()
    return Finding(
        kind.rule, level, Confidence.CONFIRMED, message[:200], target.id, operand=backend,
        evidence=Evidence("deviation", sentences, data={"backend": backend}),
    )  # fmt: skip


def _sentences(done: Study) -> list[str]:
    """One plain sentence a backend, then one a pair that CRADLE's metrics call inconsistent."""
    comparison: Comparison | None = done.comparison
    assert comparison is not None
    lines = []
    against = _judge_title(comparison.reference)
    for result in comparison.results:
        name = result.runner.backend.title
        mine = [p for p in done.problems if p.blame.backend == result.runner.name]
        if result.failure is not None:
            lines.append(f"{name}: {result.failure.kind.value}: {_plain(result.failure.message)}")
        elif result.runner.name == comparison.reference:
            lines.append(f"{name} is the reference of this comparison.")
        elif mine:
            layers = ", ".join(f"`{p.blame.unit.main.layer or p.blame.unit.main.name}`" for p in mine[:3])
            lines.append(f"{name} deviates from {against} by {_number(max(result.errors))}, brought in by {layers}.")
        elif result.suspicious and max(result.errors, default=0.0) >= MATERIAL:
            lines.append(
                f"{name} deviates from {against} by {_number(max(result.errors))}; no layer was found to bring it in."
            )
        else:
            lines.append(f"{name} agrees with {against} (relative error {_number(max(result.errors, default=0.0))}).")
    for (a, b), metrics in comparison.pairs.items():
        for m in metrics:
            if m.inconsistent:
                lines.append(
                    f"{a} and {b} are inconsistent under D_{m.metric.upper()} >= {m.threshold:g}: "
                    f"{len(m.triggering)} of {len(m.distances)} instances, largest distance {max(m.distances):.3g}."
                )
    return lines


def _plain(message: str) -> str:
    return " ".join(message.split())[:120]


def _number(value: float) -> str:
    if math.isnan(value):
        return "–"
    return "infinity (NaN, Inf or shape)" if math.isinf(value) else f"{value:.3g}"


def _json(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
