"""A report for machines on standard output: JSON, SARIF, GitHub's annotations, Markdown."""

from __future__ import annotations

from analyzer.findings import Finding, Level, Report, ordered
from analyzer.rendering import report_json, sarif
from analyzer.rendering.markdown import summary
from analyzer.rendering.markdown_text import clean
from analyzer.rendering.workflow_commands import annotation

FORMATS = ("text", "json", "sarif", "github", "markdown")
_LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}


def rendered(report: Report, form: str) -> str:
    """`report` in one of `FORMATS` but ``text``, which a console shows (`analyzer.rendering.terminal`)."""
    if form == "json":
        return report_json.dumps(report)
    if form == "sarif":
        return sarif.dumps(report)
    if form == "github":
        return "".join(f"{_annotation(f)}\n" for f in ordered(report.findings) if f.suppressed is None)
    return summary(report)


def _annotation(finding: Finding) -> str:
    where = finding.location
    return annotation(
        _LEVELS[finding.level],
        clean(finding.message, 4_000),
        title=f"{finding.rule} ({finding.confidence})",
        path=where.path if where else "",
        line=where.line if where else 0,
        column=(where.column or 0) if where else 0,
    )
