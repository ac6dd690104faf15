"""The first line of a review: the verdict, what is new and where, what was not analysed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from analyzer.findings import Finding, Report, Status, TargetReport, Verdict
from analyzer.rendering.rules import LOOSENED


@dataclass(frozen=True, slots=True)
class Headline:
    symbol: str
    text: str
    extras: tuple[str, ...]
    loud: tuple[str, ...] = ()  # of the extras, what no other line of a text that is not green says


def headline(report: Report, name: str = "Assay") -> Headline:
    """The first line: verdict, what is new, and where."""
    blocking, looks = report.blocking, informing(report)
    missing = [t for t in report.targets if t.status is not Status.ANALYSED]
    changed = "changed " if report.base else ""
    models = counted(report.targets, changed)
    bad = wrong(report)
    if report.verdict is Verdict.FAIL:
        where = f" in {counted(report.targets, changed, bad)}" if report.targets else ""
        text = f"{name}: {len(blocking)} new {plural(len(blocking), 'problem')}{where}"
        symbol = "❌"
    elif report.verdict is Verdict.INCOMPLETE:
        which = counted(report.targets, changed, {t.id for t in missing})
        text = f"{name}: {which} could not be analysed; nothing blocks"
        symbol = "⚠️"
    elif not report.targets:
        text, symbol = f"{name}: no model changed" if report.base else f"{name}: no model to check", "✅"
    elif looks:
        text, symbol = f"{name}: nothing blocks in {models}, {len(looks)} to look at", "✅"
    else:
        text, symbol = f"{name}: no new problem in {models}", "✅"
    known = sum(1 for f in report.findings if not f.new and f.suppressed is None)
    loosened = any(f.rule == LOOSENED for f in report.findings)
    less = ("asks less than the base",) if loosened else ()
    unknown = tuple(
        f"{count} {word}"
        for status, word in ((Status.TRACED, "traced only"), (Status.SKIPPED, "skipped"), (Status.FAILED, "failed"))
        if (count := sum(t.status is status and t.id not in bad for t in missing))
    )
    extras = (
        *less,
        *((f"{len(looks)} to look at",) if report.verdict is Verdict.FAIL and looks else ()),
        *((f"{len(report.fixed)} fixed",) if report.fixed else ()),
        *((f"{known} known",) if known else ()),
        *unknown,
        duration(report.seconds),
    )
    return Headline(symbol, text, extras, (*less, *unknown))


def informing(report: Report) -> tuple[Finding, ...]:
    blocking = set(map(id, report.blocking))
    return tuple(
        f for f in report.findings if f.new and f.suppressed is None and id(f) not in blocking and f.rule != LOOSENED
    )


def wrong(report: Report) -> frozenset[str]:
    """The targets with a blocking finding; one that several targets reach counts for the file that it stands in."""
    targets = {f.target for f in report.blocking}
    files = {f.location.path for f in report.blocking if f.location}
    return frozenset(t.id for t in report.targets if t.id in targets or (t.kind == "python" and t.file in files))


def counted(targets: Sequence[TargetReport], changed: str, some: Collection[str] | None = None) -> str:
    """How many models, and how many Python files besides theirs; with `some`, how many of them these ids are.

    A file whose entry point is a model is counted as that: a problem in it is one of the model. Python files are not
    said to be changed, for those that import what changed are traced too.
    """
    parts = []
    models = {t.file for t in targets if t.kind != "python"}
    for traced, word in ((False, "model"), (True, "Python file")):
        ids = [t.id for t in targets if (t.kind == "python") is traced and not (traced and t.file in models)]
        chosen = "" if some is None else f"{sum(i in some for i in ids)} of "
        if ids:
            parts.append(f"{chosen}{len(ids)} {'' if traced else changed}{plural(len(ids), word)}")
    return " and ".join(parts) or f"0 {changed}models"


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def plural(count: int, word: str) -> str:
    return word if count == 1 else f"{word}s"
