"""Changed Python files that build models and are no target of their own: they are traced too, nothing of them runs."""

from __future__ import annotations

import ast
import os
from collections.abc import Collection, Iterator
from pathlib import Path

from analyzer.config import Config, TargetConfig
from analyzer.loading.search import SKIPPED, is_excluded
from analyzer.targets import Selection

MOST_FILES = 40
MOST_BYTES = 1_000_000
FRAMEWORKS = frozenset(
    {"torch", "torchvision", "pytorch_lightning", "lightning", "tensorflow", "keras", "tf_keras", "flax", "jax"}
)


def changed_sources(head: Path, base: Path, config: Config, others: Collection[TargetConfig]) -> Selection:
    """Targets for the files that differ between the trees in more than comments, and a note where some are left out.

    What one of the `others` traces already is left out. What the base does not have counts as changed.
    """
    if "tracing" not in config.only:
        return Selection(())
    taken = {target.file for target in others}
    found: list[str] = []
    for path in _python_files(head, config.exclude):
        if path in taken or _same_bytes(head / path, base / path):
            continue
        tree = _parsed(head / path)
        before = _parsed(base / path)
        if tree is None:
            chosen = before is not None and builds_models(before)  # its target says what is wrong with it
        else:
            chosen = builds_models(tree) and (before is None or ast.dump(tree) != ast.dump(before))
        if chosen:
            found.append(path)
    notes = (f"{len(found)} changed Python files build models; the first {MOST_FILES} were traced.",)
    targets = tuple(TargetConfig(id=path, path=path) for path in found[:MOST_FILES])
    return Selection(targets, notes if len(found) > MOST_FILES else ())


def builds_models(tree: ast.Module) -> bool:
    """Whether a framework is imported and something of it called or inherited from."""
    names = set(_framework_names(tree))
    if not names:
        return False
    for node in ast.walk(tree):
        used = [node.func] if isinstance(node, ast.Call) else node.bases if isinstance(node, ast.ClassDef) else []
        if any(_root(expression) in names for expression in used):
            return True
    return False


def _framework_names(tree: ast.Module) -> Iterator[str]:
    """The local names under which a framework, or a part of it, is known."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] in FRAMEWORKS:
                    yield alias.asname or alias.name.partition(".")[0]
        elif (
            isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").partition(".")[0] in FRAMEWORKS
        ):
            yield from (alias.asname or alias.name for alias in node.names)


def _root(expression: ast.expr) -> str:
    while isinstance(expression, (ast.Attribute, ast.Subscript, ast.Call)):
        expression = expression.func if isinstance(expression, ast.Call) else expression.value
    return expression.id if isinstance(expression, ast.Name) else ""


def _python_files(root: Path, exclude: Collection[str]) -> Iterator[str]:
    """Relative paths in the order of their names; links, installed packages and excluded files are left out."""
    for current, folders, files in os.walk(root, followlinks=False):
        here = Path(current).relative_to(root)
        folders[:] = sorted(f for f in folders if f not in SKIPPED and not is_excluded((here / f).as_posix(), exclude))
        for name in sorted(files):
            path = here / name
            if name.endswith(".py") and not (root / path).is_symlink() and not is_excluded(path.as_posix(), exclude):
                yield path.as_posix()


def _same_bytes(one: Path, other: Path) -> bool:
    try:
        return one.stat().st_size == other.stat().st_size and one.read_bytes() == other.read_bytes()
    except OSError:
        return False


def _parsed(path: Path) -> ast.Module | None:
    try:
        return ast.parse(path.read_bytes()) if path.stat().st_size <= MOST_BYTES else None
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
