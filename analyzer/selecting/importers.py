"""Which files of a tree import given files, directly or through others, read from their text: nothing runs."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from analyzer.exporting.imports import files_named_by

MOST_READ = 2_000  # files parsed because they mention the name of a module that is looked for


@dataclass(frozen=True, slots=True)
class Importers:
    """Paths from the nearest to the farthest; `complete` is False where the bound on parsed files was spent."""

    paths: tuple[str, ...]
    complete: bool = True


def importers(changed: Collection[str], files: Sequence[str], root: Path) -> Importers:
    """Those of `files` that import one of `changed`, step by step outwards, without `changed` themselves.

    Only files that mention the name of a module are parsed, so that a large tree costs little more than reading it.
    """
    found: list[str] = []
    left = [path for path in files if path not in changed]
    frontier, read = set(changed), 0
    while frontier and left:
        mentioned = _mention(frontier)
        reached: list[str] = []
        for path in left:
            if mentioned.search(_bytes(root / path)) is None:
                continue
            read += 1
            if read > MOST_READ:
                return Importers((*found, *reached), complete=False)
            if any(name in frontier for name in _imported(path, root)):
                reached.append(path)
        found += reached
        left = [path for path in left if path not in reached]
        frontier = set(reached)
    return Importers(tuple(found))


def _mention(paths: Iterable[str]) -> re.Pattern[bytes]:
    """What a file contains that imports one of these modules."""
    names = set()
    packages = False
    for path in map(PurePosixPath, paths):
        packages = packages or path.name == "__init__.py"
        names.add(path.parent.name if path.name == "__init__.py" else path.stem)
    words = "|".join(re.escape(name) for name in sorted(names) if name)
    relative = r"|\bfrom\s+\.+\s+import\b" if packages else ""
    return re.compile(rf"\b(?:{words or '(?!)'})\b{relative}".encode())


def _imported(path: str, root: Path) -> set[str]:
    root = root.resolve()
    file = root / path
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    folders = [folder for folder in file.parents if folder.is_relative_to(root)]
    named = (files_named_by(node, file, root, folders) for node in ast.walk(tree))
    return {found.relative_to(root).as_posix() for files in named for found in files}


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
