"""A finding in one clause: what is wrong, the mend, the rows of its evidence; and which findings are told as one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from analyzer.findings import Finding, Table

_REMARK = re.compile(r" \([^()]*\)\Z")  # at the end of a sentence
CHAIN = 8  # rows of a table of evidence; the page has all


def group_keys(finding: Finding) -> tuple[tuple[object, ...], ...]:
    """What findings of one group have in common."""
    fix, place = finding.suggestion, finding.location
    spot = (finding.target, finding.rule) if place is None else (finding.target, place.path, place.line)
    if fix is None or fix.replacement is None or fix.path is None:
        return (spot,)
    return spot, (fix.path, fix.line, fix.end_line, fix.replacement)


def mends(group: Sequence[Finding]) -> tuple[Finding, ...]:
    """Of a group, one finding for each different change."""
    found: dict[str, Finding] = {}
    for finding in group:
        if finding.suggestion is not None:
            found.setdefault(mend(finding), finding)
    return tuple(found.values())


def mend(finding: Finding) -> str:
    """The suggestion in one clause; what it rests on stands with the finding's evidence."""
    text = finding.suggestion.description if finding.suggestion else ""
    for end in (";", " (the ", ": ", ", which ", " instead of "):
        text = text.partition(end)[0]
    text = text.rstrip(".")
    return f"{text[:1].lower()}{text[1:]}" if text[1:2].islower() else text


def stated(finding: Finding) -> str:
    """The message as the beginning of a sentence that goes on."""
    text = finding.message.rstrip(".")
    return f"T{text[1:]}" if text.startswith("the ") else text


def brief(finding: Finding, inside: bool = False) -> str:
    """What is wrong in one clause; how it comes about stands with the evidence. `inside`: of a sentence."""
    text = finding.message if inside else stated(finding)
    if finding.rule.startswith("numerical/"):
        text = text.partition(": ")[0]
    text = text.partition("; ")[0].partition(", and ")[0].rstrip(".")
    cut = _REMARK.sub("", text)
    return cut if len(cut) > len(text) // 3 else text


def chain(table: Table) -> tuple[tuple[Any, ...], ...]:
    """The rows to show: of a chain of values its beginning and those nearest to the operator that fails, the last."""
    if table.columns[:1] != ("value",) or len(table.rows) <= CHAIN:
        return table.rows[:CHAIN]
    return (table.rows[0], *table.rows[1 - CHAIN :])
