"""Findings about an engine as a whole: failures that no layer explains, drift between two runs, mutated weights."""

from __future__ import annotations

from dataclasses import replace

from analyzer.configuration.config import TargetConfig
from analyzer.differential.compare import EngineResult
from analyzer.differential.compiled import accepted
from analyzer.differential.known import known_of_whole
from analyzer.differential.study import Study
from analyzer.differential.verdict import Failure, Kind
from analyzer.differential.wording import number, plain, shortened
from analyzer.findings import Confidence, Evidence, Finding, Level

STATEFUL = "The model's own code changes its weights or buffers during inference: its outputs hang on the calls before."


def engine_findings(done: Study, target: TargetConfig) -> list[Finding]:
    """Findings about engines as a whole: failures that no layer explains, drift between two runs, mutated weights."""
    comparison = done.comparison
    assert comparison is not None
    found = []
    ran = [r for r in comparison.results if r.failure is None] or (
        [comparison.oracle] if comparison.oracle and comparison.oracle.failure is None else []
    )
    found += _accepting(done, target)
    for result in comparison.results:
        title, name = result.runner.backend.title, result.runner.name
        failure = result.failure
        told = any(p.blame.backend == name for p in done.problems)
        if failure is not None and failure.kind is not Kind.UNREPLAYED and ran and not told:
            level = {Kind.CRASH: Level.ERROR, Kind.TIMEOUT: Level.WARNING}.get(failure.kind, Level.WARNING)
            words = {
                Kind.CRASH: "crashes on this model",
                Kind.TIMEOUT: "gave no answer in time",
                Kind.MEMORY: "runs out of memory on this model",
                Kind.UNSUPPORTED: "does not support this model",
            }.get(failure.kind, "failed")
            level = Level.WARNING if name in done.family.further else level
            message = f"{title} {words}: {plain(failure.message)}"
            script = done.scripts.get((name, failure.kind), "")
            found.append(_whole(failure.kind, level, target, name, message, failure, script))
        if result.mutated:
            message = f"{title} changes the model's weights or statistics during inference."
            level = Level.WARNING if name in done.family.further else Level.ERROR
            if result.runner.backend.engine.name == "torch":  # which assigns what the model's own code assigns
                message, level = STATEFUL, Level.WARNING
            script = done.scripts.get((name, Kind.MUTATED), "")
            whole = _whole(Kind.MUTATED, level, target, name, message, script=script)
            found.append(_with_known(whole, done, result, Kind.MUTATED))
        if result.nondeterministic and not done.random_of(result.runner):
            apart = number(result.nondeterministic)
            message = f"{title} gives other outputs when run twice on the same inputs: {apart} apart."
            found.append(_whole(Kind.NONDETERMINISTIC, Level.WARNING, target, name, message))
    return found


def _accepting(done: Study, target: TargetConfig) -> list[Finding]:
    """Compiled modes that give numbers for what the same engine refuses when it runs operation by operation."""
    assert done.comparison is not None
    found = []
    for strict, loose in accepted(done.comparison):
        assert strict.failure is not None
        backend, engine = loose.runner.backend, strict.runner.backend.engine
        refused = next((p.blame.unit.main for p in done.problems if p.blame.backend == strict.runner.name), None)
        layer = (refused.layer or refused.name) if refused is not None else ""
        mode = strict.runner.backend.knobs.get("mode")
        message = f"{backend.title} accepts {f'in `{layer}` ' if layer else ''}what {engine.title} in {mode} mode "
        message += f"refuses: {plain(strict.failure.message)}"
        script = done.scripts.get((loose.runner.name, Kind.CRASH), "")
        whole = _whole(Kind.CRASH, Level.WARNING, target, loose.runner.name, message, strict.failure, script)
        found.append(_with_known(replace(whole, layer=layer), done, loose, Kind.CRASH))
    return found


def _with_known(finding: Finding, done: Study, result: EngineResult, kind: Kind) -> Finding:
    """`finding` with the known issue that fits the engine and one of the model's operators."""
    assert done.structure is not None
    known = known_of_whole(result.runner.backend, kind, done.structure, result.runner.versions)
    if known is None or finding.evidence is None:
        return finding
    evidence = finding.evidence
    more = replace(evidence, sentences=(*evidence.sentences, known.sentence), data={**evidence.data, "known": known.id})
    return replace(finding, evidence=more)


def _whole(
    kind: Kind,
    level: Level,
    target: TargetConfig,
    backend: str,
    message: str,
    failure: Failure | None = None,
    script: str = "",
) -> Finding:
    """`script` showed it in a fresh process; without one it does not block."""
    sentences = [failure.message] if failure else []
    if level is Level.ERROR and not script:
        level = Level.WARNING
        sentences.append("No script shows it in a fresh process, so it does not block.")
    return Finding(
        kind.rule, level, Confidence.CONFIRMED, shortened(message, 200), target.id, operand=backend,
        evidence=Evidence("deviation", tuple(sentences), data={"backend": backend}),
        reproducer=f"differential/{script}" if script else None,
    )  # fmt: skip
