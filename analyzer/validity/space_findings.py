"""A decided space as findings, for the formats that hold findings (SARIF, GitHub's annotations, Markdown)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analyzer.findings import AnalysisResult, Confidence, Evidence, Finding, Level
from analyzer.validity.decide import VALID_FOR_NONE, FailingVectors, SpaceDecision
from analyzer.validity.recording.answer import CodeAnswer


def of_decision(decision: SpaceDecision, name: str) -> AnalysisResult:
    """One finding a failing rule: an error where no vector is valid, else a warning; what is undecided is a note."""
    level = Level.ERROR if decision.verdict == VALID_FOR_NONE else Level.WARNING
    found = tuple(_finding(group, name, level, decision.total) for group in _by_rule(decision.failures))
    notes = [f"Undecided: {reason}" for reason in decision.reasons]
    if decision.unknown:
        notes.append("Not checked: " + ", ".join(f"{k} ({v})" for k, v in decision.unknown.items()))
    return AnalysisResult(found, notes=tuple(notes))


def of_code(answer: CodeAnswer, name: str) -> AnalysisResult:
    """The same over the forks that were decided; `caveats` are notes."""
    failures = [f for fork in answer.forks if fork.sound and fork.decision for f in fork.decision.failures]
    level = Level.ERROR if answer.total and not answer.valid else Level.WARNING
    found = tuple(_finding(group, name, level, answer.total) for group in _by_rule(failures))
    return AnalysisResult(found, notes=tuple(f"Undecided: {caveat}" for caveat in answer.caveats))


def _by_rule(failures: Iterable[FailingVectors]) -> Iterator[list[FailingVectors]]:
    groups: dict[tuple[str, str], list[FailingVectors]] = {}
    for failure in failures:
        groups.setdefault((failure.step.layer.name, failure.step.requirement.rule.id), []).append(failure)
    yield from sorted(groups.values(), key=lambda group: -sum(f.count or 0 for f in group))


def _finding(group: list[FailingVectors], name: str, level: Level, total: int | None) -> Finding:
    first, step = group[0], group[0].step
    rule = step.requirement.rule
    counts = [f.count for f in group if f.count is not None]
    many = f"{sum(counts):,} of {total:,} vectors" if len(counts) == len(group) and total else "Some vectors"
    shown = ", ".join(f"{k} = {v}" for k, v in first.example.items())
    return Finding(
        rule=f"validity/{rule.category}",
        level=level,
        confidence=Confidence.PROVED,
        message=f"{many} fail at `{step.layer.name}`: {first.sentence} ({shown}).",
        target=name,
        **step.layer.place,
        operand=rule.id,
        evidence=Evidence("core", (first.sentence,), data={"rule": rule.id, "example": dict(first.example)}),
    )
