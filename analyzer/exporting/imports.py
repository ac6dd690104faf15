"""Which files of a repository a Python file imports, read from its text: nothing runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

MAX_FILES = 5000  # of one repository whose imports are followed
MAX_SIZE = 4 << 20  # bytes of a source that is parsed


def imported_files(path: Path, root: Path) -> frozenset[Path]:
    """The Python files below `root` that importing `path` may execute, `path` and package ``__init__`` files included.

    Absolute imports are looked up below `root`, ``root/src`` and the file's own folder (as when it is run as a script);
    imports inside functions and ``if`` branches count. A file that does not parse imports nothing.
    """
    root = root.resolve()
    found: set[Path] = set()
    queue = [path.resolve()]
    while queue and len(found) < MAX_FILES:
        file = queue.pop()
        if file in found or not file.is_file() or not file.is_relative_to(root):
            continue
        found.add(file)
        queue += _packages_above(file, root)
        for name, level in _imports(file):
            queue += _locate(name, level, file, root, [path.resolve().parent])
    return frozenset(found)


def files_named_by(statement: ast.AST, file: Path, root: Path, folders: Iterable[Path] = ()) -> frozenset[Path]:
    """The files below `root` that an import of `file` names, packages on the way included.

    Absolute imports are looked up below `folders` too, those of scripts that may import the file.
    """
    scripts = list(folders)
    found = {path for name, level in _named(statement) for path in _locate(name, level, file, root, scripts)}
    return frozenset(path for path in found if path.is_relative_to(root))


def _imports(file: Path) -> Iterator[tuple[str, int]]:
    """(dotted name, level) of each import."""
    if file.stat().st_size > MAX_SIZE:
        return
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        yield from _named(node)


def _named(node: ast.AST) -> Iterator[tuple[str, int]]:
    """(dotted name, level) of what one node imports; for ``from a import b`` both ``a`` and ``a.b``."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.name, 0
    elif isinstance(node, ast.ImportFrom):
        module = node.module or ""
        yield module, node.level
        for alias in node.names:
            yield f"{module}.{alias.name}".lstrip("."), node.level
    elif isinstance(node, ast.Call) and _is_import_module(node.func) and node.args:
        first = node.args[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str) and not first.value.startswith("."):
            yield first.value, 0


def _is_import_module(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in ("import_module", "__import__")


def _locate(name: str, level: int, file: Path, root: Path, scripts: Iterable[Path]) -> list[Path]:
    parts = [part for part in name.split(".") if part]
    if level:
        base = file.parent
        for _ in range(level - 1):
            base = base.parent
        bases = [base]
    else:
        bases = [root, root / "src", *scripts, file.parent]
    for base in bases:
        found = _module(base, parts)
        if found:
            return found
    return []


def _module(base: Path, parts: list[str]) -> list[Path]:
    """The file of a module and the ``__init__`` of the packages on the way; empty if it is not there."""
    files: list[Path] = []
    folder = base
    for position, part in enumerate(parts):
        if not part.isidentifier():
            return []
        module, package = folder / f"{part}.py", folder / part
        last = position == len(parts) - 1
        if (package / "__init__.py").is_file():
            files.append(package / "__init__.py")
            folder = package
        elif last and module.is_file():  # before a folder without __init__, which is a package only for want of better
            return [*files, module]
        elif package.is_dir():
            folder = package
        else:
            return []
    if not parts and (base / "__init__.py").is_file():
        return [base / "__init__.py"]
    return files


def _packages_above(file: Path, root: Path) -> list[Path]:
    found = []
    for folder in file.parents:
        if folder == root or not folder.is_relative_to(root) or not (folder / "__init__.py").is_file():
            break
        found.append(folder / "__init__.py")
    return found


def mentioned_files(sources: frozenset[Path], root: Path) -> frozenset[Path]:
    """Files below `root` whose name stands as a string in `sources`: weights and vocabularies that building reads."""
    root = root.resolve()
    found: set[Path] = set()
    for file in sources:
        for text in _strings(file):
            for base in (root, file.parent):
                path = base / text
                try:
                    if path.is_file() and path.resolve().is_relative_to(root):
                        found.add(path.resolve())
                except (OSError, ValueError):
                    continue
    return frozenset(found)


def _strings(file: Path) -> Iterator[str]:
    if file.stat().st_size > MAX_SIZE:
        return
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
            if (
                0 < len(text) < 256
                and "." in text
                and "\n" not in text
                and "\0" not in text
                and not text.startswith("/")
            ):
                yield text
