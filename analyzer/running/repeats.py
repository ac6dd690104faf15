"""One problem of a source file that several targets reach is one finding."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from analyzer.findings import Confidence, Finding, Level

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


def one_of_each_line(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings with those joined that one line has in one model: of a helper that is called twice, or said alike twice.

    Kept is the surest, which names the other operators and the lines of the calls. So is the surest of one expression,
    which runs in each step of a loop or in each layer of a class.
    To be asked after head and base are compared: the others' fingerprints go.
    """
    return _once_on_each_line(_alike_on_each_line(findings))


def _alike_on_each_line(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    everything = list(findings)
    groups: dict[tuple[Any, ...], list[Finding]] = {}
    for finding in everything:
        if finding.location is not None and finding.rule.startswith("numerical/"):
            said = (finding.evidence.data.get("called_at") and finding.op) or finding.message
            key = (finding.rule, finding.target, finding.location, finding.new, finding.suppressed, finding.level, said)
            groups.setdefault(key, []).append(finding)
    joined: dict[int, Finding | None] = {}
    for group in groups.values():
        if len(group) > 1 and _one_line(group):
            best = min(group, key=lambda f: _STRENGTH[f.confidence])
            joined |= {id(f): None for f in group} | {id(best): _of_all(best, group)}
    return tuple(f for each in everything if (f := joined.get(id(each), each)) is not None)


def _once_on_each_line(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Those of one expression of a line as one; what is possible only where no expression is known as well.

    Where runs show that it fails if several numbers meet one exact relation, so it is where none shows it.
    """
    groups: dict[tuple[Any, ...], list[Finding]] = {}
    for f in findings:
        if f.location is not None and f.rule.startswith("numerical/"):
            groups.setdefault((*_of_one_expression(f), f.level), []).append(f)
    for key, group in list(groups.items()):
        milder = groups.get((*key[:-1], Level.WARNING), [])
        if key[-1] is Level.ERROR and any(f.evidence.data.get("related") for f in milder):
            milder += [f for f in group if f.confidence is Confidence.POSSIBLE]
            groups[key] = [f for f in group if f.confidence is not Confidence.POSSIBLE]
    joined: dict[int, Finding | None] = {}
    for group in filter(None, groups.values()):
        best = min(group, key=lambda f: (_STRENGTH[f.confidence], f.suggestion is None or not f.suggestion.proved))
        possible = [f for f in group if f is not best and f.confidence is Confidence.POSSIBLE]
        sure = [f for f in group if f is not best and f not in possible and f.evidence.data.get("expression")]
        if possible or sure:
            joined |= {id(f): None for f in (*sure, *possible)} | {id(best): _with_steps(best, sure, possible)}
    return tuple(kept for each in findings if (kept := joined.get(id(each), each)) is not None)


def _of_one_expression(f: Finding) -> tuple[Any, ...]:
    said = (_named(f.message), f.evidence.data.get("expression"))
    return f.rule, f.target, f.location, f.op, f.operand, f.new, f.suppressed, said


def _with_steps(best: Finding, sure: Sequence[Finding], possible: Sequence[Finding]) -> Finding:
    """The finding `best`, which names the other steps of a loop or layers of a class at which its line fails alike."""
    said = [f"The same line fails alike at {_listed([f.node for f in sure])}."] if sure else []
    if possible:
        said.append(f"The same line may fail alike at {_listed([f.node for f in possible])}, which no run has shown.")
    data = {**best.evidence.data, "also_at": [f.node for f in sure], "possible_at": [f.node for f in possible]}
    return replace(best, evidence=replace(best.evidence, sentences=(*best.evidence.sentences, *said), data=data))


def _named(message: str) -> tuple[str, ...]:
    """What a message names, without the numbers that tell one step or layer from another."""
    return tuple(re.sub(r"\d+|_(?=\d)", "", name) for name in re.findall(r"`([^`]*)`", message))


def _one_line(group: Sequence[Finding]) -> bool:
    """Whether they say one thing: the very same, or each of another call of the line."""
    calls = [f.evidence.data.get("called_at") for f in group]
    return len({f.message for f in group}) == 1 or (all(calls) and len(set(calls)) == len(calls))


def _of_all(best: Finding, group: Sequence[Finding]) -> Finding:
    """The finding `best`, which tells of the others too."""
    calls = list(dict.fromkeys(str(call) for f in group if (call := f.evidence.data.get("called_at"))))
    others = [f for f in group if f is not best]
    said = [f"This line is called at {_listed(calls)}."] if len(calls) > 1 else []
    same = [f.node for f in others if f.message == best.message]
    said += [f"So it is at {_listed(same)}."] if same and len(calls) < 2 else []
    said += [f"At `{f.node}`: {f.message.rstrip('.')}." for f in others if f.message != best.message]
    evidence = replace(best.evidence, sentences=(*said, *best.evidence.sentences))
    return replace(best, evidence=evidence)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:8])
    return f"{shown} and {len(names) - 8} more" if len(names) > 8 else shown


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
