"""Which comments on lines stay, move, close and come, from what stands on GitHub and what a review wants. Pure.

A thread is kept where its lines survive. Where they do not, GitHub folds it as outdated; a new comment then stands at
the finding's line, links the old one, and the old one is resolved with a link to the new.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from action.github import Posted
from action.markers import Marker
from action.review import InlineComment, continued

OPEN, FIXED, MOVED, DOUBLE = "open", "fixed", "moved", "double"


@dataclass(frozen=True, slots=True)
class Present:
    """A comment of ours that is there, with the findings that it tells of and their targets' keys."""

    posted: Posted
    marker: Marker

    @property
    def fingerprints(self) -> frozenset[str]:
        return frozenset(self.marker.get("fp").split("."))

    @property
    def targets(self) -> dict[str, str]:
        """The key of the target of each fingerprint."""
        return dict(zip(self.marker.get("fp").split("."), self.marker.get("target").split("."), strict=False))

    @property
    def state(self) -> str:
        return self.marker.get("state")

    def stands_at(self, comment: InlineComment) -> bool:
        """Whether it stands where `comment` would; a change on offer belongs to exactly its lines."""
        here = self.posted
        if comment.line is None:
            return here.on_file and here.path == comment.path
        return (here.path, here.line, here.start_line) == (comment.path, comment.line, comment.start_line)


@dataclass
class Moves:
    """What has to happen, in the order of the fields."""

    edit: list[tuple[Present, InlineComment]] = field(default_factory=list)
    reopen: list[tuple[Present, InlineComment | None]] = field(default_factory=list)
    close: list[Present] = field(default_factory=list)
    post: list[tuple[InlineComment, tuple[Present, ...]]] = field(default_factory=list)  # with those that it replaces
    retire: list[tuple[Present, Present]] = field(default_factory=list)  # the other one has taken its place


def moves(
    present: Sequence[Present],
    wanted: Sequence[InlineComment],
    current: Collection[str],
    silent: Collection[str],
    closed_by_hand: Collection[int],
    limit: int,
) -> Moves:
    """`current`: findings that are there. `silent`: keys of targets of which nothing is known this time.

    `closed_by_hand`: ids of open comments whose thread somebody resolved: they are not brought up at another line.
    At most `limit` comments are open at once, the worst first.
    """
    found = Moves()
    used: set[int] = set()
    for comment in wanted:
        mine = frozenset(comment.fingerprints)
        shared = [p for p in present if p.fingerprints & mine and p.posted.id not in used and p.state in (OPEN, FIXED)]
        there = [p for p in shared if p.stands_at(comment)]
        best = max(there, key=lambda p: (len(p.fingerprints & mine), -p.posted.id), default=None)
        # What tells of nothing else that is still there gives way.
        old = tuple(
            p for p in shared if p is not best and p.state == OPEN and (p.fingerprints & frozenset(current)) <= mine
        )
        if best is not None:
            used.add(best.posted.id)
            if best.state == FIXED:
                found.reopen.append((best, comment))
            elif best.posted.text != continued(comment.body, best.posted.body).strip():
                found.edit.append((best, comment))
            found.retire += [(p, best) for p in old]
            used |= {p.posted.id for p in old}
        elif not old or any(p.posted.id not in closed_by_hand for p in old):
            found.post.append((comment, old or tuple(shared[-1:])))
            used |= {p.posted.id for p in old}
        else:
            used |= {p.posted.id for p in old}
    for p in present:
        if p.posted.id in used:
            continue
        alive = [fp for fp in p.fingerprints if fp in current or p.targets.get(fp) in silent]
        if p.state == OPEN and not alive:
            found.close.append(p)
        elif p.state == FIXED and any(fp in current for fp in p.fingerprints) and not _told(p, wanted, current):
            found.reopen.append((p, None))
    room = limit - sum(p.state == OPEN for p in present) + len(found.close)
    kept = []
    for comment, old in found.post:
        gives_way = sum(p.state == OPEN for p in old)
        if room + gives_way > 0:
            room += gives_way - 1
            kept.append((comment, old))
    found.post = kept
    return found


def _told(p: Present, wanted: Sequence[InlineComment], current: Collection[str]) -> bool:
    """Whether what came back of a closed comment is told at another place."""
    elsewhere = {fp for comment in wanted for fp in comment.fingerprints}
    return (p.fingerprints & frozenset(current)) <= elsewhere
