"""Packages that a program tries to import and can do without: whether one is there is the machine's matter."""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping
from dataclasses import dataclass

from analyzer.tracing.imports.libraries import MARK, is_installed
from analyzer.tracing.language.values import Api, Unknown, Value
from analyzer.tracing.paths.tracer import Tracer

SHORT_NAME = "tf"  # under which tables know TensorFlow


@dataclass(frozen=True)
class Tried:
    """What a `try` statement imports, and which truths it notes of that."""

    packages: tuple[str, ...]
    there: Mapping[str, bool]  # where the import went well
    absent: Mapping[str, bool]  # as a handler notes


@functools.lru_cache(maxsize=4096)
def tried(node: ast.Try) -> Tried | None:
    """None where no package is imported, or where nothing is noted of it."""
    packages: list[str] = []
    for part in node.body:
        if isinstance(part, ast.Import):
            packages += (alias.name.partition(".")[0] for alias in part.names)
        elif isinstance(part, ast.ImportFrom) and part.module and not part.level:
            packages.append(part.module.partition(".")[0])
    there = _truths([*node.body, *node.orelse])
    return Tried(tuple(packages), there, _truths([s for h in node.handlers for s in h.body])) if packages else None


def _truths(body: list[ast.stmt]) -> dict[str, bool]:
    found: dict[str, bool] = {}
    for part in body:
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.Constant) and type(part.value.value) is bool:
            found.update((t.id, part.value.value) for t in part.targets if isinstance(t, ast.Name))
    return found


def absent_package(value: Value) -> str:
    """The package of a library's name, where it is not installed beside this analysis."""
    first = value.name.partition(".")[0] if isinstance(value, Api) else ""
    return first if first and first != SHORT_NAME and not is_installed(first) else ""


def whether_there(tr: Tracer, package: str) -> Value:
    """The same for all questions of one run, which meets either machine; made-up numbers are run on one without it."""
    if tr.sampler is not None:
        return False
    if package not in tr.shared.packages:
        found = Unknown(f"whether there is a package {package}", "data", package, "bool")
        found.default = False
        tr.shared.packages[package] = found
    return tr.shared.packages[package]


def noted(tr: Tracer, told: Tried, before: Mapping[str, Value]) -> dict[str, Value]:
    """The names that tell afterwards whether the packages are there; `before` the statement they had these values."""
    if tr.frame.path.startswith(MARK):
        return {}
    package = next((name for name in told.packages if not is_installed(name)), None)
    names = {n: told.absent.get(n, before.get(n)) for n, there in told.there.items() if there}
    found = [name for name, otherwise in names.items() if otherwise is False]
    return dict.fromkeys(found, whether_there(tr, package)) if package is not None and found else {}
