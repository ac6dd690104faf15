"""Under whose configuration a pull request is judged, and what its own asks less of. Pure.

A fork is judged under the base's configuration, and so is everybody where the base says `policy: locked`. Otherwise the
head's holds, and whatever it loosens is the first thing in the review, with the findings that it hides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from analyzer.configuration.config import Config, TargetConfig
from analyzer.configuration.loosening import Loosening, at_least, loosenings
from analyzer.configuration.policy import apply_policy
from analyzer.findings import Confidence, Evidence, Finding, Level, Location, Report, ordered
from analyzer.rendering.rules import LOOSENED, NO_LONGER_ANALYSED
from analyzer.running.outcome import TargetOutcome
from analyzer.running.regressions import no_longer_analysed

HIDDEN = 20  # findings named for one loosening


@dataclass(frozen=True, slots=True)
class Judged:
    """`config` decides. `reference` is the base's, where it would decide otherwise; its findings are counted then."""

    config: Config
    loosened: tuple[Loosening, ...] = ()
    blocks: bool = False
    reference: Config | None = None


def judged(before: Config, after: Config, *, fork: bool, head: Path) -> Judged:
    """Which configuration decides on a pull request whose base has `before` and whose head has `after`."""
    gone = {t.id for t in before.targets if not (head / t.file).exists()}
    before = replace(before, targets=tuple(t for t in before.targets if t.id not in gone))
    found = loosenings(before, after)
    if fork or before.locked:
        return Judged(at_least(before, after), found, before.locked)
    return Judged(after, found, False, at_least(before, after) if found else None)


def with_loosenings(
    report: Report, chosen: Judged, name: str, under_base: Report | None, base: str, today: date
) -> Report:
    """The report with one finding for each loosening; `under_base` is what the base's configuration gives."""
    blocking = {f.fingerprint for f in report.blocking}
    hidden = [f for f in under_base.blocking if f.fingerprint not in blocking] if under_base else []
    added = [
        _finding(loosening, chosen, name, [f for f in hidden if loosening.hides(f)], base)
        for loosening in chosen.loosened
    ]
    lost = apply_policy(_lost(report, under_base), chosen.config, today) if under_base else ()
    return replace(report, findings=ordered((*report.findings, *added, *lost))) if added or lost else report


def _lost(report: Report, under_base: Report) -> list[Finding]:
    """One finding for each model that is analysed under the base's configuration alone: its time-out is longer."""
    before = {t.id: TargetOutcome(t) for t in under_base.targets}
    found = [f for f in report.findings if f.suppressed is None]
    told = {f.target for f in found if f.rule == NO_LONGER_ANALYSED}
    return [
        finding
        for t in report.targets
        if t.id not in told
        for finding in no_longer_analysed(
            TargetOutcome(t, tuple(f for f in found if f.target == t.id)), before.get(t.id)
        )
    ]


def _finding(loosening: Loosening, chosen: Judged, name: str, hidden: Sequence[Finding], base: str) -> Finding:
    sentence = loosening.sentence.rstrip(".")
    if chosen.reference is None:
        sentence += "; it does not count here: the base's configuration decides"
    elif hidden:
        plural = "s" if len(hidden) > 1 else ""
        sentence += f": {len(hidden)} finding{plural} would block under the configuration of {base}"
    return Finding(
        rule=LOOSENED,
        level=Level.ERROR if chosen.blocks else Level.WARNING,
        confidence=Confidence.PROVED,
        message=f"{sentence}.",
        target=name,
        node=loosening.sentence,
        location=Location(name, loosening.line),
        evidence=Evidence("static", tuple(f"Hidden: {f.message}" for f in hidden[:HIDDEN])),
    )


def affected(targets: Sequence[TargetConfig], reference: Config) -> tuple[TargetConfig, ...]:
    """The targets of a run as the base's configuration describes them."""
    described = {t.id: t for t in reference.targets}
    return tuple(described.get(t.id, t) for t in targets)
