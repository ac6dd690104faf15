"""One problem of a source file that several targets reach is one finding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from analyzer.findings import Confidence, Finding

_FAMILIES = ("tracing/", "python/")
_STRENGTH = {Confidence.CONFIRMED: 0, Confidence.PROVED: 1, Confidence.POSSIBLE: 2}


def without_repeats(findings: Iterable[Finding], files: Mapping[str, str]) -> tuple[Finding, ...]:
    """The findings with those left out that another target has at the same place; `files` tells the targets' files.

    A script and the module it imports are traced each for itself, and so are an entry point and its whole file. Kept is
    the surest; of several that is a new one, unless the file itself had it before or another target the very same.
    """
    everything = list(findings)
    groups: dict[tuple[Any, ...], list[Finding]] = {}
    for finding in everything:
        place = _place(finding)
        if place is not None:
            groups.setdefault(place, []).append(finding)
    kept = {id(_chosen(group, files)) for group in groups.values()}
    return tuple(f for f in everything if id(f) in kept or _place(f) is None)


def _chosen(group: Sequence[Finding], files: Mapping[str, str]) -> Finding:
    def own(finding: Finding) -> bool:
        return finding.location is not None and files.get(finding.target) == finding.location.path

    hidden = [f for f in group if f.suppressed is not None]
    if hidden:
        return hidden[0]
    surest = min(_STRENGTH[f.confidence] for f in group)
    ranked = sorted((f for f in group if _STRENGTH[f.confidence] == surest), key=lambda f: not own(f))
    known = [f for f in ranked if not f.new]
    if any(own(f) for f in known):
        return known[0]
    said = {f.message for f in known}
    return next((f for f in ranked if f.new and f.message not in said), ranked[0] if not known else known[0])


def unless_repeated(fixed: Iterable[Finding], findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Of what is gone from a target, what no other target still has."""
    left = {(f.rule, f.location.path, f.node, f.operand) for f in findings if f.location is not None}
    return tuple(
        f
        for f in fixed
        if f.location is None
        or not f.rule.startswith(_FAMILIES)
        or (f.rule, f.location.path, f.node, f.operand) not in left
    )


def _place(finding: Finding) -> tuple[Any, ...] | None:
    if finding.location is None or not finding.rule.startswith(_FAMILIES):
        return None
    return finding.rule, finding.location.path, finding.location.line, finding.operand
