"""Programs of a repository that use a library file: examples of READMEs, tests, example scripts and other callers.

They call the file's classes and functions with arguments that mean something, where tracing alone has only symbols.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from analyzer.tracing.imports.module_files import parsed
from analyzer.tracing.imports.repository_files import python_files, text_of
from analyzer.tracing.language.all_parts import all_parts
from analyzer.tracing.programs.readme_examples import examples_in
from analyzer.tracing.programs.unit_tests import UnitTest, cases_of

MOST_DRIVERS = 4  # of one file: the nearest to it decide
MOST_FILES = 400  # that are looked at
MOST_PARSED = 80  # of these: those that name a class or function of the file come first
MOST_LISTED = 4000  # files of a repository by their names
USERS = re.compile(r"(^|[/_])(tests?|examples?|demos?|scripts?|train|main|tutorials?|benchmarks?)([/_.]|$)", re.I)
_GUARD = re.compile(r"^if\b.*\b__main__\b", re.M)  # what makes a file of any name a program


@dataclass(frozen=True)
class Driver:
    """One program. Its syntax tree has the line numbers of the file that holds it."""

    path: str
    line: int
    tree: ast.Module
    tests: tuple[UnitTest, ...] = ()  # that a test runner would call
    documented: bool = False  # an example of a docstring, which may be old
    names_it: bool = True  # it names a class or function of the file; others may never come to it

    def __str__(self) -> str:
        return self.path if self.path.endswith(".py") else f"{self.path}:{self.line}"


def drivers_of(root: Path, relative: str, tree: ast.Module) -> list[Driver]:
    """The programs of the repository at `root` that import the file `relative`, or its package; nearest first."""
    names = {n.name for n in tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef)) and n.name[0] != "_"}
    if not names:
        return []
    package, stem = package_of(root, relative), Path(relative).stem
    word = re.compile(rf"\b({'|'.join(map(re.escape, sorted(names)))})\b")
    found: list[tuple[int, Driver]] = []
    names_package = re.compile(rf"\b{re.escape(package)}\b")
    texts = [(path, text, bool(word.search(text))) for path, text in _texts(root, relative)]
    imports = re.compile(rf"^[ \t>.]*(?:from|import)\b.*\b(?:{re.escape(package)}|{re.escape(stem)})\b", re.M)
    texts = [t for t in texts if imports.search(t[1])]
    told = [t for t in texts if t[2]] + [t for t in texts if not t[2] and names_package.search(t[1])]
    for path, text, _ in told[:MOST_PARSED]:
        for line, program in examples_in(text) if path.endswith((".md", ".rst")) else _program(text):
            imported = _imported(program)
            if not ({package, stem} & set(imported)):
                continue
            used = set().union(*imported.values())
            distance = 0 if used & names else 1 if _named(program) & names else 2
            tests = cases_of(program)
            if tests or any(not isinstance(n, _DEFINITIONS) for n in program.body):
                found.append((distance, Driver(path, line, program, tests, names_it=distance < 2)))
    found.sort(key=lambda f: f[0])
    return [driver for _, driver in found[:MOST_DRIVERS]]


_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Import, ast.ImportFrom)


def package_of(root: Path, relative: str) -> str:
    """The name under which the file is imported: that of its outermost package."""
    parts = Path(relative).parts
    if parts[0] in ("src", "lib") and len(parts) > 1 and not (root / parts[0] / "__init__.py").is_file():
        parts = parts[1:]
    return parts[0].removesuffix(".py")


def _texts(root: Path, relative: str) -> Iterator[tuple[str, str]]:
    """READMEs beside the file and above it first, then tests and examples by their names, then other programs."""
    folder = root
    readmes = [root]
    for part in Path(relative).parts[:-1]:
        folder = folder / part
        readmes.insert(0, folder)
    for folder in readmes:
        for name in ("README.md", "readme.md", "README.rst"):
            text = text_of(root, folder / name)
            if text:
                yield (folder / name).relative_to(root).as_posix(), text
                break
    files = [(f.relative_to(root).as_posix(), f) for f in islice(python_files(root), MOST_LISTED)]
    named = [(path, f) for path, f in files if path != relative and USERS.search(path)]
    for path, file in named[:MOST_FILES]:
        yield path, text_of(root, file)
    others = [(path, f) for path, f in files if path != relative and not USERS.search(path)]
    for path, file in others[: max(0, MOST_FILES - len(named))]:
        text = text_of(root, file)
        if _GUARD.search(text):
            yield path, text


def _program(text: str) -> list[tuple[int, ast.Module]]:
    try:
        return [(1, parsed(text))]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _named(tree: ast.Module) -> set[str]:
    """The names that a program uses, and does not define as a class or function itself."""
    own = {n.name for n in all_parts(tree) if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
    nodes = all_parts(tree)
    used = {n.id for n in nodes if isinstance(n, ast.Name)} | {n.attr for n in nodes if isinstance(n, ast.Attribute)}
    written = [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return (used | {word for text in written for word in re.findall(r"\w+", text)}) - own


def _imported(tree: ast.Module) -> dict[str, set[str]]:
    """Each part of a module's name that is imported, with the names taken from it."""
    found: dict[str, set[str]] = {}
    for node in all_parts(tree):
        if isinstance(node, ast.ImportFrom):
            for part in (node.module or "").split("."):
                found.setdefault(part, set()).update(a.name for a in node.names)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                for part in alias.name.split("."):
                    found.setdefault(part, set())
    return found
