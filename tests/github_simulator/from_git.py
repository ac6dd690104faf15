"""The changed files of a pull request as GitHub's API shows them, made from a git repository."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.github_simulator.state import ChangedFile

STATUS = {"A": "added", "M": "modified", "D": "removed", "R": "renamed", "T": "changed"}


def changed_files(repository: Path, base: str, head: str) -> list[ChangedFile]:
    """Three-dot comparison with three lines of context; binary files have no patch."""
    names = _git(repository, "diff", "--name-status", "--find-renames", "-z", f"{base}...{head}").split("\0")
    found, fields = [], iter(names)
    for status in fields:
        if not status:
            break
        old = next(fields)
        path = next(fields) if status[0] in "RC" else old
        patch = _git(repository, "diff", "--find-renames", f"{base}...{head}", "--", *{old, path})
        body = patch[patch.index("\n@@") + 1 :] if "\n@@" in patch else None
        plain = body is not None and status[0] != "D" and "+Subproject commit" not in body
        content = _git(repository, "show", f"{head}:{path}") if plain else None
        found.append(ChangedFile(path, body, STATUS[status[0]], old if path != old else None, content))
    return found


def _git(repository: Path, *arguments: str) -> str:
    command = ["git", "-c", "core.quotePath=false", "-C", str(repository), *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "replace")
