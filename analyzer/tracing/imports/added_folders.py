"""Folders where a file that changes `sys.path` may have its modules looked for."""

from __future__ import annotations

import ast
import functools
from pathlib import Path, PurePosixPath

from analyzer.tracing.language.all_parts import all_parts

_ADDING = frozenset(("append", "insert", "extend"))


@functools.lru_cache(maxsize=512)
def named_folders(tree: ast.Module | None) -> tuple[str, ...] | None:
    """The relative folders that a file's changes of `sys.path` name in their text; None where it makes none."""
    changes = [node for node in all_parts(tree) if _changes(node)] if tree is not None else []
    texts = (n.value for c in changes for n in ast.walk(c) if isinstance(n, ast.Constant) and isinstance(n.value, str))
    relative = (text for text in texts if text and text.isprintable() and not text.startswith(("/", "~", "\\")))
    return tuple(dict.fromkeys(relative)) if changes else None


def _changes(node: ast.AST) -> bool:
    """`sys.path.append(…)`, `sys.path.insert(…)`, `sys.path += […]` or `sys.path = […]`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in _ADDING and _is_search_path(node.func.value)
    if isinstance(node, ast.AugAssign):
        return _is_search_path(node.target)
    return isinstance(node, ast.Assign) and any(map(_is_search_path, node.targets))


def _is_search_path(node: ast.AST) -> bool:
    node = node.value if isinstance(node, ast.Subscript) else node
    return isinstance(node, ast.Attribute) and node.attr == "path" and ast.unparse(node.value) == "sys"


def added_folders(root: Path, path: str, tree: ast.Module | None) -> list[Path]:
    """What a file at this path of the repository adds: mostly folders above its own, by where it lies itself, or what
    its text names below one of these."""
    named = named_folders(tree)
    if named is None or path.startswith("/"):
        return []
    above = [root / folder for folder in PurePosixPath(path).parents]
    return [*(f for f in (base / name for name in named for base in above) if f.is_dir()), *above]
