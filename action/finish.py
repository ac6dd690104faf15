"""The end of a run, which needs no permission: the step's summary and outputs hold whatever could not be posted."""

from __future__ import annotations

from pathlib import Path

from action import folders, relay
from action.commands import write_outputs, write_summary
from action.publication import Publication
from action.review import Review
from action.settings import Settings
from analyzer.findings import Report


def finish(settings: Settings, made: Review | None, output: Path | None, outcome: Publication) -> None:
    """Write both. Without a review there was nothing to report on, and the summary is left alone."""
    relayed = folders.relative(settings, output / relay.FILE) if output else ""
    if settings.step_summary and made is not None:
        notices = [*outcome.missing, *(_second_workflow(relayed) if outcome.denied and output else ())]
        write_summary(settings.summary_path, made.step_summary(notices))
    report = made.report if made else Report((), ())
    write_outputs(
        settings.output_path,
        {
            "verdict": _verdict(made, outcome),
            "blocking": str(len(report.blocking)),
            "new": str(sum(f.new and f.suppressed is None for f in report.findings)),
            "fixed": str(len(report.fixed)),
            "known": str(sum(not f.new for f in report.findings)),
            "report": folders.relative(settings, output / "report.json") if output else "",
            "sarif": folders.relative(settings, output / "report.sarif") if output and settings.sarif else "",
            "relay": relayed,
            "comment-url": outcome.comment_url,
            "posted": str(not outcome.missing and not outcome.denied and not outcome.superseded).lower(),
        },
    )


def _verdict(made: Review | None, outcome: Publication) -> str:
    if made is not None:
        return str(made.report.verdict)
    return "incomplete" if outcome.ended else "pass"


def _second_workflow(relayed: str) -> tuple[str, ...]:
    if relayed:
        return (
            "This run's token may not write; what it could not post is posted by the second workflow "
            "(`forks-post.yml`), if the repository has it.",
        )
    return (
        "This run's token may not write. Name a folder with `output:` and add the second workflow "
        "(`forks-post.yml`), and the review is posted by that.",
    )
