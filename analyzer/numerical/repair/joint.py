"""Repairs that meet in the source become one change, proved again with all of them in the graph at once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from analyzer.findings import Suggestion
from analyzer.graph import Graph, ValueRange
from analyzer.numerical.repair.candidates import candidates
from analyzer.numerical.repair.repair import Repair, place_of, proved_change
from analyzer.numerical.repair.source import Edit, edits_at
from analyzer.numerical.repair.source.edits import suggestion, without_unread
from analyzer.numerical.repair.source.file import SourceFile
from analyzer.numerical.repair.together import Mended, together
from analyzer.numerical.result import Alarm, Options


def joined(
    graph: Graph,
    repairs: Sequence[Mended],
    ranges: Mapping[str, ValueRange],
    options: Options,
    root: Path,
) -> dict[int, Suggestion]:
    """The suggestion for each warning, by its id: no two of one file that differ have a line in common.

    Those whose lines meet are one change of all their lines. Where it cannot be written, or the analysis of the graph
    with all changes warns of one of their operators, the first warning keeps its own and the others are put in words.
    """
    found = {id(warning): repair.suggestion for warning, repair in repairs}
    written = [(w, r) for w, r in repairs if r.edits]
    for group in _meeting(written):
        if len({r.edits for _, r in group}) > 1:
            mine = {id(warning) for warning, _ in group}
            rest = [(w, r) for w, r in written if id(w) not in mine]
            last = max(r.round for _, r in group)
            before = [(w, r) for w, r in rest if r.round < last]  # what must be mended for the group to show
            found |= _one(graph, group, before, [found[id(w)] for w, _ in rest], ranges, options, root)
    return found


def _meeting(repairs: Sequence[Mended]) -> list[list[Mended]]:
    """Groups of repairs of one file whose lines meet, directly or through others; in the order of their first."""
    groups: list[list[Mended]] = []
    for mended in repairs:
        meeting = [group for group in groups if any(_meet(mended[1].suggestion, r.suggestion) for _, r in group)]
        merged = [*(each for group in meeting for each in group), mended]
        groups = [group for group in groups if group not in meeting] + [merged]
    return groups


def _meet(a: Suggestion, b: Suggestion) -> bool:
    return a.path == b.path and (a.line or 0) <= (b.end_line or 0) and (b.line or 0) <= (a.end_line or 0)


def _one(
    graph: Graph,
    group: Sequence[Mended],
    before: Sequence[Mended],
    others: Sequence[Suggestion],
    ranges: Mapping[str, ValueRange],
    options: Options,
    root: Path,
) -> dict[int, Suggestion]:
    path = group[0][1].suggestion.path or ""
    file = SourceFile.read(root, path)
    kept: list[Mended] = []
    edits: list[Edit] = []
    for warning, own in group if file is not None else ():
        for repair in (own, *_others(graph, warning, own, edits, ranges, options, root)):
            if file is not None and composed(file.text, [*edits, *repair.edits]) is not None:
                edits += repair.edits
                kept.append((warning, repair))
                break
    text = None
    merged = composed(file.text, edits) if file is not None and len(kept) == len(group) else None
    if file is not None and merged is not None:
        needed = [(w, r) for w, r in kept if not merged.needless & set(r.edits)]
        if _proved(graph, kept, [*before, *needed], ranges, options):
            text = suggestion(file, path, without_unread(file, merged.edits))
            if text is None or any(_meet(text, other) for other in others):
                text = suggestion(file, path, merged.edits)
    if text is None:
        for leader in sorted(
            group, key=lambda each: "/gradient-" in each[0].rule
        ):  # failures of the forward pass first
            if _proved(graph, group, [*before, leader], ranges, options):  # one change is enough for all
                return {id(w): leader[1].suggestion for w, _ in group}
        first = group[0][1].suggestion
        return {
            id(w): r.suggestion if (r.suggestion.replacement, r.suggestion.line) == (first.replacement, first.line)
            else in_words(r.suggestion)
            for w, r in group
        }  # fmt: skip
    return {id(w): replace(text, description=r.suggestion.description, proved=True) for w, r in kept}


def in_words(suggestion: Suggestion) -> Suggestion:
    """The same without its text."""
    return Suggestion(f"{suggestion.description[:1].upper()}{suggestion.description[1:]}.", proved=suggestion.proved)


def _others(
    graph: Graph,
    warning: Alarm,
    own: Repair,
    edits: Sequence[Edit],
    ranges: Mapping[str, ValueRange],
    options: Options,
    root: Path,
) -> Sequence[Repair]:
    """Other proved changes for a warning, where its own does not go with `edits`: those that edit exactly alike."""
    for candidate in candidates(warning):
        place = place_of(graph, candidate.anchor)
        same = tuple(edits_at(root, place, candidate.kind, candidate.number)) if place else ()
        if same and set(same) <= set(edits) and proved_change(graph, warning, candidate, ranges, options) is not None:
            text = replace(own.suggestion, description=f"{candidate.description}; {candidate.effect}")
            return (Repair(text, candidate, same),)
    return ()


@dataclass(frozen=True)
class Composed:
    """Edits of one text that do not meet; `needless` are those that they do without."""

    edits: tuple[Edit, ...]
    needless: frozenset[Edit]


def composed(text: str, edits: Sequence[Edit]) -> Composed | None:
    """Edits of one text as edits that do not meet; None where they contradict each other.

    One inside another happens in the text that the outer one puts there. Where that text has no such part any more, the
    outer one has replaced the whole formula, and the inner one is not needed.
    """
    done: dict[Edit, str] = {}  # what stands for an edit once those inside it have happened
    needless: set[Edit] = set()
    for edit in sorted(set(edits), key=lambda e: (e.end - e.start, e.start, e.text)):
        if any(e.start < edit.end and edit.start < e.end and not _inside(e, edit) for e in done):
            return None
        inner = [e for e in done if _inside(e, edit)]
        if inner and edit.end - edit.start == max(e.end - e.start for e in inner):  # two texts for one place
            return None
        after = edit.text
        for e in inner:
            part = re.compile(rf"(?<![\w.]){re.escape(text[e.start : e.end])}(?!\w)") if e.end > e.start else None
            times = len(part.findall(after)) if part is not None else 0
            if part is None or times > 1:
                return None
            if times:
                after = done[e].join(part.split(after))
            else:
                needless.add(e)
            del done[e]
        done[edit] = after
    return Composed(tuple(Edit(e.start, e.end, after) for e, after in done.items()), frozenset(needless))


def _inside(inner: Edit, outer: Edit) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _proved(
    graph: Graph,
    group: Sequence[Mended],
    needed: Sequence[Mended],
    ranges: Mapping[str, ValueRange],
    options: Options,
) -> bool:
    """Whether the analysis of the graph with the changes of `needed` warns of no operator of the group."""
    now = together(graph, needed, ranges, options)
    if now is None:
        return False
    names = {w.node.name for w, _ in group} | {r.candidate.anchor.name for _, r in needed if r.candidate} | now.made
    return not any(w.node.name in names for w in now.interpretation.warnings)
