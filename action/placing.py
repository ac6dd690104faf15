"""Where a comment may stand: at the finding's line, one that caused it, the lines of its suggestion. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from action.diff import Changes
from analyzer.findings import Finding, Level, Location, Report
from analyzer.rendering.markdown_text import is_plain_source


def commented(finding: Finding) -> bool:
    """Whether a finding is worth a comment of its own."""
    return finding.new and finding.suppressed is None and finding.level is not Level.NOTE


def can_be_applied(finding: Finding) -> bool:
    """Whether the suggestion may be offered as a change: proved, in the finding's file, nothing in it invisible."""
    fix, location = finding.suggestion, finding.location
    return bool(
        fix
        and location
        and fix.proved
        and fix.path == location.path
        and fix.line is not None
        and fix.replacement is not None
        and is_plain_source(fix.replacement)
    )


def causes(finding: Finding) -> Iterator[Location]:
    """Other lines that had a part in the problem, the nearest first. A relayed report may hold anything."""
    given = finding.evidence.data.get("causes")
    for pair in given[:100] if isinstance(given, list | tuple) else ():
        if isinstance(pair, list | tuple) and len(pair) == 2 and isinstance(pair[0], str) and type(pair[1]) is int:
            yield Location(pair[0], pair[1])


def caused_by(finding: Finding, changes: Changes) -> Location | None:
    """The nearest line with a part in the problem that this change has written; None where none is known."""
    return next((c for c in causes(finding) if c.line in changes.added.get(c.path, ())), None)


def commented_paths(report: Report) -> frozenset[str]:
    """The files whose hunks matter."""
    found = {f.location.path for f in report.findings if f.location and commented(f)}
    found |= {cause.path for f in report.findings if commented(f) for cause in causes(f)}
    return frozenset(found | {t.file for t in report.targets})
