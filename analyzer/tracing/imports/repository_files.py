"""The Python files of a repository: their names, their texts, and which attributes they set."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

MOST_SEARCHED = 400  # files
MOST_BYTES = 60_000  # of a file that is read: longer ones are left
MOST_BYTES_OF_NAMES = 400_000  # where only names are looked for
_HIDDEN = frozenset(("node_modules", "__pycache__", "site-packages", "venv", "build", "dist"))


def python_files(folder: Path, depth: int = 6) -> Iterator[Path]:
    try:
        with os.scandir(folder) as found:  # tells folders from files without asking for each, which may be refused
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.name in _HIDDEN or entry.is_symlink():
            continue
        if entry.name.endswith(".py"):
            yield Path(entry.path)
        elif depth and entry.is_dir(follow_symlinks=False):
            yield from python_files(Path(entry.path), depth - 1)


def place_in(root: Path, file: Path) -> Path | None:
    """A file's path below the repository's root, wherever links lead; None where it lies outside."""
    try:
        place, resolved = file.resolve(), _resolved(root)
    except OSError:
        return None
    return place.relative_to(resolved) if place.is_relative_to(resolved) else None


@functools.lru_cache(maxsize=16)
def _resolved(root: Path) -> Path:
    return root.resolve()


def text_of(root: Path, file: Path, most: int = MOST_BYTES) -> str:
    """Empty for a file that lies outside, cannot be read or is long."""
    try:
        fits = file.stat().st_size <= most and place_in(root, file) is not None
        return file.read_text(encoding="utf-8") if fits else ""
    except (OSError, ValueError):
        return ""


@dataclass(frozen=True)
class Written:
    """What the files of a repository write of attributes and classes, by names."""

    attributes: frozenset[str] = frozenset()  # set on what is not `self`, as ``part.name = …``
    own: frozenset[str] = frozenset()  # set on `self`
    bases: frozenset[str] = frozenset()  # of classes from which others inherit
    called: frozenset[str] = frozenset()


_SETS = re.compile(r"(\bself)?\.(\w+)\s*(?::[^=\n]+)?=(?!=)")
_INHERITS = re.compile(r"^[ \t]*class\s+\w+\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)", re.MULTILINE)
_CALLS = re.compile(r"\b([A-Z]\w*)\s*\(")
_CLASS = re.compile(r"^[ \t]*class\s+\w+", re.MULTILINE)


def written_in(root: Path) -> Written:
    """Each file is read once, so ask once for a repository."""
    attributes, own, bases, called = set[str](), set[str](), set[str](), set[str]()
    for file in islice(python_files(root), MOST_SEARCHED):
        text = text_of(root, file, MOST_BYTES_OF_NAMES)
        for of_self, name in _SETS.findall(text):
            (own if of_self else attributes).add(name)
        bases.update(name for written in _INHERITS.findall(text) for name in re.findall(r"\w+", written))
        called.update(_CALLS.findall(_CLASS.sub("", text)))
    return Written(frozenset(attributes), frozenset(own), frozenset(bases), frozenset(called))
