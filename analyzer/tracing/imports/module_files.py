"""Where the file of a module lies, in the order in which Python looks for it, and its syntax tree."""

from __future__ import annotations

import ast
import functools
import os
import sys
from pathlib import Path

from analyzer.tracing.imports.added_folders import added_folders, named_folders
from analyzer.tracing.imports.libraries import MARK, RULED, is_installed, library_file
from analyzer.tracing.imports.repository_files import place_in
from analyzer.tracing.language.private_names import PRIVATE, with_private_names, writes_out_private_names
from analyzer.tracing.paths.tracer import Tracer

MOST_BYTES = 2_000_000  # of all of them together
MOST_KEPT = 192  # syntax trees, for the files that are traced next: a source of 10 kB takes about 1 MB


def find_file(tr: Tracer, name: str) -> Path | None:
    """The file of a repository module, looked for beside the importing file, at the root and below `src`."""
    if not name or name.split(".")[0] in ("torch", "tensorflow", "numpy"):
        return None
    first = name.partition(".")[0]
    own = bool(tr.frames) and tr.frame.path.partition("/")[0] == first  # what lies in the same package is no library
    key = (name, own, *_looked_from(tr))
    if key not in tr.shared.files:
        tr.shared.files[key] = _search(tr, name) or (None if own else library_file(name))
    return tr.shared.files[key]


def _looked_from(tr: Tracer) -> tuple[str | bool | tuple[str, ...] | None, ...]:
    """What of the script and of the importing file decides where a module is looked for: files of a folder share it."""
    frames = (*tr.frames[:1], *tr.frames[-1:])
    trees = [tr.shared.sources.get(f.path) for f in frames]
    return (
        *(f.path.rpartition("/")[0] for f in frames),
        *map(_imports_relatively, trees),
        *map(named_folders, trees),
    )


def _search(tr: Tracer, name: str) -> Path | None:
    """In the interpreter's order: a folder without `__init__.py` counts only where no file of the name is found."""
    relative, first = Path(*name.split(".")), name.partition(".")[0]
    bases = [base for base in _search_path(tr, first) if first in _modules_in(tr, base)]
    for base in bases:
        for candidate in (base / relative / "__init__.py", base / relative.with_suffix(".py")):
            if candidate.is_file() and place_in(tr.shared.root, candidate) is not None:
                return candidate
    for base in bases:
        folder = base / relative
        if folder.is_dir() and _is_namespace(folder, name) and place_in(tr.shared.root, folder) is not None:
            return folder
    return None


def _modules_in(tr: Tracer, folder: Path) -> frozenset[str]:
    """The names of what may be a module in a folder, read once while a file is traced."""
    listed = tr.shared.listed
    if folder not in listed:
        try:
            listed[folder] = frozenset(name.removesuffix(".py") for name in os.listdir(folder))
        except OSError:
            listed[folder] = frozenset()
    return listed[folder]


def _is_namespace(folder: Path, name: str) -> bool:
    """Whether a folder without `__init__.py` is a package: it holds modules, or packages where no library is meant."""
    if any(folder.glob("*.py")):
        return True
    return any(folder.glob("*/__init__.py")) and name not in RULED and library_file(name) is None


def _search_path(tr: Tracer, first: str) -> list[Path]:
    """Where Python looks for a top-level module: the script's folder, the root, `src`, the folder that holds the
    importing package. A file inside a package is imported, so its own folder comes last; neither it nor the folders
    above hide the standard library or one that has rules (`net/keras/` without `net/__init__.py` is `net.keras`), nor
    does the folder above a package hide what is installed (it may lie in a package without `__init__.py` itself).
    What a file adds to `sys.path` comes last, where nothing else has the module. A file with relative imports cannot be
    a script, so its folder does not count. Nothing hides a module that is compiled into the interpreter."""
    root = tr.shared.root
    frames = (*tr.frames[:1], *tr.frames[-1:])
    folders = [root / Path(f.path).parent for f in frames]
    scripts = [f for f in folders[:1] if not (f / "__init__.py").is_file()]
    if first in sys.builtin_module_names:
        return []
    if first in sys.stdlib_module_names:
        return scripts
    if first in RULED:
        return list(dict.fromkeys((*scripts, root, root / "src")))
    inside = any(_imports_relatively(tr.shared.sources.get(f.path)) for f in frames)
    beside = [f for f in folders if f in scripts or not inside]
    if is_installed(first):
        return list(dict.fromkeys((*scripts, root, root / "src", *beside)))
    above = map(_above_package, folders)
    added = (folder for f in reversed(frames) for folder in added_folders(root, f.path, tr.shared.sources.get(f.path)))
    return list(dict.fromkeys((*scripts, root, root / "src", *above, *beside, *added)))


@functools.lru_cache(maxsize=512)
def _imports_relatively(tree: ast.Module | None) -> bool:
    """Whether a file says at its top level that it is part of a package."""
    return tree is not None and any(isinstance(n, ast.ImportFrom) and n.level for n in tree.body)


def _above_package(folder: Path) -> Path:
    """The nearest folder above that is no package."""
    while (folder / "__init__.py").is_file() and folder.parent != folder:
        folder = folder.parent
    return folder


@functools.lru_cache(maxsize=MOST_KEPT)
def parsed(source: bytes | str) -> ast.Module:
    """The syntax tree of a source; trees are not changed, so files that import the same modules share them."""
    return ast.parse(source)


@functools.lru_cache(maxsize=MOST_KEPT)
def mangled(source: bytes) -> ast.Module:
    """The syntax tree with the names that Python gives to what is private in a class."""
    return with_private_names(ast.parse(source))


def parse(tr: Tracer, file: Path, relative: str) -> ast.Module | None:
    known = tr.shared.sources.get(relative)
    if known is not None:
        return known
    tr.shared.be_in_time()
    try:
        if file.stat().st_size > MOST_BYTES:
            tr.note(f"{relative} is larger than {MOST_BYTES} bytes and is not followed")
            return None
        source = file.read_bytes()
        named = PRIVATE.search(source) if relative.startswith(MARK) else writes_out_private_names(source)
        tree = mangled(source) if named else parsed(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OSError):
        tr.note(f"{relative} cannot be parsed and is not followed")
        return None
    tr.shared.sources[relative] = tree
    return tree
