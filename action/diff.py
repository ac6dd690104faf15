"""Unified diffs: which lines of a file a review comment can stand on. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(?P<start>\d+)(?:,(?P<count>\d+))? @@")


@dataclass(frozen=True, slots=True)
class Changes:
    """What GitHub shows of a pull request: changed files, and per file the runs of new-side lines in one hunk.

    A multi-line comment must lie in one hunk, so hunks stay apart.
    """

    files: frozenset[str] = frozenset()
    hunks: Mapping[str, tuple[range, ...]] = field(default_factory=dict)
    added: Mapping[str, frozenset[int]] = field(default_factory=dict)  # the lines of the head that are new or changed

    def holds(self, path: str, first: int, last: int | None = None) -> bool:
        """Whether lines `first`..`last` of the head's `path` are inside one hunk of the diff."""
        return any(first in hunk and (last or first) in hunk for hunk in self.hunks.get(path, ()))


def hunks_of(patch: str) -> tuple[range, ...]:
    """New-side line ranges of the hunks of one file's patch."""
    found = []
    for line in patch.split("\n"):
        match = HUNK.match(line)
        if match:
            start, count = int(match["start"]), int(match["count"] or 1)
            if count:
                found.append(range(start, start + count))
    return tuple(found)


def added_in(patch: str) -> frozenset[int]:
    """The new-side lines that a file's patch adds."""
    found: set[int] = set()
    number = 0
    for line in patch.split("\n"):
        match = HUNK.match(line)
        if match:
            number = int(match["start"])
        elif number and line[:1] in ("+", " "):
            if line[0] == "+":
                found.add(number)
            number += 1
    return frozenset(found)


def from_patches(patches: Iterable[tuple[str, str | None]]) -> Changes:
    """From pairs of path and patch, as `GET pulls/N/files` gives them; a patch may be missing (binary, too large)."""
    pairs = list(patches)
    shown = {path: patch for path, patch in pairs if patch}
    return Changes(
        frozenset(path for path, _ in pairs),
        {path: hunks_of(patch) for path, patch in shown.items()},
        {path: added_in(patch) for path, patch in shown.items()},
    )
