"""Python's own bugs in a file: undefined names, missing attributes, wrong arguments, removed names of frameworks.

`ruff`, `mypy` and `pyright` find what they find (`python_tools`, `type_checkers`). What they miss on framework names is
checked against the names and signatures in `analyzer.frameworks`, by the framework version that the repository asks
for.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.checkers.framework_api import check_framework_names
from analyzer.tracing.checkers.python_tools import merged, with_mypy, with_pyright, with_ruff
from analyzer.tracing.checkers.tool_runs import ToolFailed
from analyzer.tracing.checkers.type_checkers import NOTHING, Known, said_of
from analyzer.tracing.paths.problems import Diagnostic

MOST_CHARACTERS = 400_000  # beyond, the type checkers take too long


def check_python(
    path: Path,
    root: Path,
    text: str,
    tree: ast.Module,
    versions: Versions,
    known: Collection[Diagnostic],
    note: Callable[[str], None],
    types: Known = NOTHING,
) -> list[Diagnostic]:
    """Problems of one file that `text` and `tree` are the content of, besides those `known` from tracing it.

    `note` hears which tool could not say anything; `types` are answers of the type checkers that are there already.
    """

    def heard(found: Iterator[Diagnostic]) -> list[Diagnostic]:
        try:
            return list(found)
        except ToolFailed as failed:
            note(f"{failed}.")
            return []

    try:
        relative = path.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        relative = path.name
    traced = [p for p in known if p.rule.startswith("python/")]
    undefined = heard(with_ruff(text, tree, relative))
    found = merged([*traced, *undefined], list(check_framework_names(tree, relative, versions)))
    if checked_by_types(text, tree):
        said = said_of(text, types)
        found = merged(found, heard(with_mypy(said, tree, relative)))
        found = merged(found, heard(with_pyright(said, tree, relative)))
    return found


def checked_by_types(text: str, tree: ast.Module) -> bool:
    """Whether the type checkers are asked of a file."""
    return any(isinstance(n, (ast.ClassDef, ast.FunctionDef)) for n in tree.body) and len(text) < MOST_CHARACTERS
