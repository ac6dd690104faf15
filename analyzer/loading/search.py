"""Which files and folders of a repository are models."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from analyzer.loading.formats import detect

SKIPPED = frozenset(
    {
        ".git", ".hg", ".svn", ".assay", ".venv", "venv", "node_modules", "__pycache__", ".mypy_cache", ".ruff_cache",
        ".pytest_cache", ".hypothesis", ".tox", ".nox", "site-packages", "assay-report",
    }
)  # fmt: skip


def find_models(folder: Path, exclude: Iterable[str] = (), *, root: Path | None = None) -> list[Path]:
    """Models, weights files and unfetched LFS pointers below `folder`, by content, in the order of their names.

    A SavedModel is one entry, its folder. Links are not followed. `exclude` are globs of paths relative to `root`, by
    default the folder; ``**`` and ``*`` match across folders. One that matches the whole folder counts for nothing:
    it was asked for by name.
    """
    root = root if root is not None and folder.is_relative_to(root) else folder
    anything = (folder.relative_to(root) / "\0").as_posix()
    patterns = tuple(p for p in exclude if folder == root or not is_excluded(anything, [p]))
    return sorted(_walk(root, folder, patterns))


def is_excluded(path: str, patterns: Iterable[str]) -> bool:
    """Whether the path (relative, forward slashes) or a folder it lies in matches a glob."""
    parts = path.split("/")
    candidates = ["/".join(parts[: i + 1]) for i in range(len(parts))]
    return any(fnmatch.fnmatchcase(c, p.rstrip("/").replace("**/", "*")) for p in patterns for c in candidates)


def is_built_copy(path: Path) -> bool:
    """Whether `path`, relative to a repository, lies where `pip install .` leaves its copy of the package."""
    return path.parts[:1] == ("build",) and path.parts[1:2] != () and path.parts[1].startswith("lib")


def _walk(root: Path, folder: Path, patterns: tuple[str, ...]) -> Iterator[Path]:
    for current, folders, files in os.walk(folder, followlinks=False):
        here = Path(current)
        kept = []
        for name in sorted(folders):
            path = here / name
            inside = path.relative_to(root)
            if name in SKIPPED or is_built_copy(inside) or path.is_symlink():
                continue
            if is_excluded(inside.as_posix(), patterns):
                continue
            if detect(path) is not None:
                yield path
            else:
                kept.append(name)
        folders[:] = kept
        for name in sorted(files):
            path = here / name
            if not is_excluded(path.relative_to(root).as_posix(), patterns) and detect(path) is not None:
                yield path
