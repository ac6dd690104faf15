"""Files that a source file names in its text: what an entry point reads besides what it imports. Runs no code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

MOST_NAMES = 2_000  # string constants of one file that are looked up
LONGEST = 200  # characters of a path


def named_files(source: Path, root: Path) -> tuple[Path, ...]:
    """Files below `root` that string constants of `source` name, relative to the root, to the file, or to a folder.

    A folder that a constant names counts too: `Path("configs") / "model.yaml"`.
    """
    try:
        tree = ast.parse(source.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    names = list(dict.fromkeys(_names(tree)))[:MOST_NAMES]
    top = root.resolve()
    starts = [root, source.parent]
    folders = [start / name for start in starts for name in names if _is(start / name, top, folder=True)]
    found = {start / name for start in (*starts, *folders) for name in names if _is(start / name, top, folder=False)}
    return tuple(sorted(found))


def _names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
            if 0 < len(text) <= LONGEST and text.isprintable() and not text.isspace():
                yield text


def _is(path: Path, top: Path, *, folder: bool) -> bool:
    try:
        there = path.is_dir() if folder else path.is_file()
        return there and path.resolve().is_relative_to(top)
    except (OSError, ValueError):
        return False
