"""Head against base: which known deviation got worse and therefore counts as new."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from analyzer.findings import Finding

WORSE = 4.0  # times base's error; below that it is the same deviation on other weights or inputs


def mark_worse(head: Sequence[Finding], base: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings of `head`, those that base already has marked as known unless their error grew by more than `WORSE`.

    Findings of other families are left as they are.
    """
    known: dict[str, list[Finding]] = {}
    for finding in base:
        known.setdefault(finding.fingerprint, []).append(finding)
    return tuple(_marked(f, known.get(f.fingerprint, [])) if f.rule.startswith("differential/") else f for f in head)


def _marked(finding: Finding, twins: Sequence[Finding]) -> Finding:
    if not twins:
        return replace(finding, new=True)
    before = max(_error(t) for t in twins)
    return replace(finding, new=_error(finding) > WORSE * before)


def _error(finding: Finding) -> float:
    """Relative error of the layer alone; what has no error (a crash) is as bad as it was."""
    value = finding.evidence.data.get("error", 0.0)
    try:
        number = float(value)
    except (TypeError, ValueError):
        return 0.0
    return 0.0 if math.isnan(number) else number
