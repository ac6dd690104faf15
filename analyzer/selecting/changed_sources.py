"""Python files whose models a change touches and that are no targets: they are traced, nothing of them runs.

They are the changed files, and the unchanged ones that import a changed file: a script breaks by its model's change.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from analyzer.configuration.config import Config, TargetConfig
from analyzer.exporting.imports import files_named_by, imported_files
from analyzer.loading.search import SKIPPED, is_excluded
from analyzer.selecting.importers import Importers, importers
from analyzer.selecting.targets import Selection

MOST_FILES = 40  # changed files that are traced; a larger change says how many were left
MOST_IMPORTERS = 20  # unchanged scripts that are traced for what they import
MOST_BYTES = 1_000_000  # a longer source is generated
FRAMEWORKS = frozenset(
    {"torch", "torchvision", "pytorch_lightning", "lightning", "tensorflow", "keras", "tf_keras", "flax", "jax"}
)


def changed_sources(head: Path, base: Path, config: Config, others: Collection[TargetConfig]) -> Selection:
    """Targets for the files that differ between the trees in more than comments, and for those that import one of them.

    What one of the `others` traces whole already is left out; an entry point traces only what it reaches. What the base
    does not have counts as changed. Notes say what was left out and why an unchanged file was traced.
    """
    if "tracing" not in config.only:
        return Selection(())
    taken = {target.path for target in others}
    files = list(_python_files(head))
    modules: list[str] = []  # what differs in more than comments
    found: list[str] = []
    for path in files:
        if _same_bytes(head / path, base / path):
            continue
        tree, before = _parsed(head / path), _parsed(base / path)
        if tree is None:
            chosen = before is not None and builds_models(before)  # its target says what is wrong with it
        elif before is None or ast.dump(tree) != ast.dump(before):
            modules.append(path)
            chosen = concerns_models(path, head)
        else:
            chosen = False
        if chosen and path not in taken and not is_excluded(path, config.exclude):
            found.append(path)
    affected = importers(modules, files, head) if modules else Importers(())
    touched = [
        path
        for path in affected.paths
        if path not in taken and not is_excluded(path, config.exclude) and concerns_models(path, head)
    ]
    identities = {target.id for target in others}
    targets = tuple(
        TargetConfig(id=f"{path} as a script" if path in identities else path, path=path)
        for path in (*found[:MOST_FILES], *touched[:MOST_IMPORTERS])
    )
    return Selection(targets, _notes(len(found), touched, affected.complete))


def _notes(changed: int, touched: Sequence[str], complete: bool) -> tuple[str, ...]:
    notes = []
    if changed > MOST_FILES:
        notes.append(f"{changed} changed Python files build models; the first {MOST_FILES} were traced.")
    if touched:
        names = ", ".join(touched[:5]) + (f" and {len(touched) - 5} more" if len(touched) > 5 else "")
        rest = "" if len(touched) <= MOST_IMPORTERS else f"; the nearest {MOST_IMPORTERS} were traced"
        notes.append(f"Unchanged files that import what changed are traced too: {names}{rest}.")
    if not complete:
        notes.append("Too many files may import what changed to look through them all; some may not be traced.")
    return tuple(notes)


def concerns_models(path: str, root: Path) -> bool:
    """Whether the file builds models, or calls or inherits what it imports from files of the repository that do."""
    tree = _parsed(root / path)
    if tree is None:
        return False
    if builds_models(tree):
        return True
    return _uses(tree, set(_names_of_models(tree, root / path, root)))


def _names_of_models(tree: ast.Module, file: Path, root: Path) -> Iterator[str]:
    """The local names that imports bind to modules of the repository that lead to models, or to what is in them."""
    leads: dict[Path, bool] = {}
    file, root = file.resolve(), root.resolve()
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        for path in files_named_by(node, file, root):
            if path not in leads:
                trees = map(_parsed, imported_files(path, root))
                leads[path] = any(tree is not None and builds_models(tree) for tree in trees)
            if leads[path]:
                yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)


def builds_models(tree: ast.Module) -> bool:
    """Whether a framework is imported and something of it called or inherited from."""
    return _uses(tree, set(_framework_names(tree)))


def _uses(tree: ast.Module, names: Collection[str]) -> bool:
    """Whether something that one of the names leads to is called or inherited from."""
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


def _python_files(root: Path) -> Iterator[str]:
    """Relative paths in the order of their names; links and installed packages are left out."""
    for current, folders, files in os.walk(root, followlinks=False):
        here = Path(current).relative_to(root)
        folders[:] = sorted(folder for folder in folders if folder not in SKIPPED)
        for name in sorted(files):
            path = here / name
            if name.endswith(".py") and not (root / path).is_symlink():
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
