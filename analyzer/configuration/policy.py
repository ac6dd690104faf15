"""What the team decided about findings: levels, rules that are off, suppressions. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from fnmatch import fnmatchcase

from analyzer.configuration.config import Config, Suppression
from analyzer.findings import Finding, Level


def apply_policy(findings: Iterable[Finding], config: Config, today: date) -> tuple[Finding, ...]:
    """Findings with their configured levels; those of rules that are off are dropped, suppressed ones are marked."""
    return tuple(
        _suppress(finding, config.suppressions, today)
        for finding in (_with_level(finding, config.rules) for finding in findings)
        if finding is not None
    )


def expired(config: Config, today: date) -> tuple[str, ...]:
    """A sentence for each suppression whose last day has passed."""
    return tuple(
        f"The suppression of `{s.rule}` ({s.reason}) ended on {s.until}; mend the finding or move the date."
        for s in config.suppressions
        if s.until is not None and s.until < today
    )


def _with_level(finding: Finding, rules: Mapping[str, Level | None]) -> Finding | None:
    """The most specific pattern wins: a full rule id before a glob, a longer glob before a shorter one."""
    matching = [pattern for pattern in rules if fnmatchcase(finding.rule, pattern)]
    if not matching:
        return finding
    best = max(matching, key=lambda pattern: (pattern == finding.rule, len(pattern)))
    level = rules[best]
    return None if level is None else replace(finding, level=level)


def suppresses(suppression: Suppression, finding: Finding) -> bool:
    """Whether every glob of the suppression matches, whatever its last day."""
    return (
        fnmatchcase(finding.rule, suppression.rule)
        and fnmatchcase(finding.target, suppression.target)
        and fnmatchcase(finding.layer, suppression.layer)
        and fnmatchcase(finding.fingerprint, suppression.fingerprint)
    )


def _suppress(finding: Finding, suppressions: Iterable[Suppression], today: date) -> Finding:
    for s in suppressions:
        if (s.until is None or today <= s.until) and suppresses(s, finding):
            return replace(finding, suppressed=s.reason)
    return finding
