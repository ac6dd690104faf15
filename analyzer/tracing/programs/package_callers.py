"""Other modules of a package whose classes and functions use a file: they give its parts arguments that mean something.

A block is seldom wrong by itself: the model that stacks it says what goes in and what has to come out. What fails in
such a model, with a part of the file in it, is told as possible; what concerns the model's own file alone is not told.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from analyzer.tracing.imports.kept_modules import undone
from analyzer.tracing.imports.module_files import parsed
from analyzer.tracing.imports.repository_files import python_files, text_of
from analyzer.tracing.language.all_parts import all_parts
from analyzer.tracing.language.values import Class, Function
from analyzer.tracing.paths.exploring import define
from analyzer.tracing.paths.frames import Shared
from analyzer.tracing.paths.paths import OutOfBudget
from analyzer.tracing.paths.problems import MADE_UP_RUNS, Diagnostic
from analyzer.tracing.paths.remembered import remembered
from analyzer.tracing.paths.solver import Effort
from analyzer.tracing.paths.tracer import Tracer
from analyzer.tracing.programs.drivers import USERS, package_of
from analyzer.tracing.programs.entries import DEFINITIONS, explore_part

MOST_CALLERS = 3  # files: the nearest say what the file is for
MOST_READ = 150  # files that are searched for them
MOST_LISTED = 4000
MOST_USERS = 4  # definitions of one of them
CALLER_STEPS = 40_000  # of one file
CALLER_EFFORT = 40_000  # of the solver, for the same
TOLD = "`{}` in {} fails, which uses this file."


@dataclass(frozen=True)
class Caller:
    """A module that imports what the file defines, and its definitions that use it, in their order."""

    path: str
    tree: ast.Module
    users: tuple[str, ...]


def explore_callers(shared: Shared, tree: ast.Module, relative: str) -> None:
    """What other modules of the package make of a library file, each of their definitions with unknown arguments."""
    for caller in _callers(shared, tree, relative):
        if shared.late():
            return
        remembered(shared, f"caller {caller.path}", lambda caller=caller: _explore_caller(shared, caller, relative))  # type: ignore[misc]


def _callers(shared: Shared, tree: ast.Module, relative: str) -> list[Caller]:
    if shared.memory is None:
        return list(islice(callers_of(shared.root, relative, tree), MOST_CALLERS))
    names = ("callers", *_names(tree))
    known = shared.memory.imports.drivers
    if names not in known:
        known[names] = list(islice(callers_of(shared.root, relative, tree), MOST_CALLERS))
    found: list[Caller] = known[names]
    return found


def _names(tree: ast.Module) -> list[str]:
    return [n.name for n in tree.body if isinstance(n, DEFINITIONS)]


def callers_of(root: Path, relative: str, tree: ast.Module) -> Iterator[Caller]:
    """The modules of the file's package that use what it defines; nearest first."""
    names = _names(tree)
    if not names:
        return
    package, own = package_of(root, relative), Path(relative).parts
    start = own.index(package) if package in own[:-1] else 0
    word = re.compile(rf"\b({'|'.join(map(re.escape, sorted(names)))})\b")
    folder = root.joinpath(*own[: start + 1]) if len(own) > start + 1 else root
    paths = [f.relative_to(root).as_posix() for f in islice(python_files(folder), MOST_LISTED)]
    paths = [p for p in paths if p != relative and not USERS.search(Path(p).name)]
    for path in sorted(paths, key=lambda p: (-_shared(own, Path(p).parts), len(Path(p).parts), p))[:MOST_READ]:
        text = text_of(root, root / path)
        if not word.search(text):
            continue
        try:
            module = parsed(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        known = _imported_from(module, Path(relative), frozenset(names))
        users = [n.name for n in module.body if isinstance(n, DEFINITIONS) and _uses(n, known)]
        if users:
            yield Caller(path, module, tuple(users))


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """How many folders two paths have in common."""
    return next((i for i, (a, b) in enumerate(zip(one[:-1], other[:-1], strict=False)) if a != b),
                min(len(one), len(other)) - 1)  # fmt: skip


def _imported_from(tree: ast.Module, file: Path, names: frozenset[str]) -> frozenset[str]:
    """What the module calls the file's definitions, or the file where it takes them from that."""
    homes = {file.stem, *(p for p in file.parts[:-1]), ""}
    found: set[str] = set()
    for node in all_parts(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").rpartition(".")[2] in homes:
            found |= {a.asname or a.name for a in node.names if a.name in names or a.name == file.stem}
            found |= names if any(a.name == "*" for a in node.names) else set()
        elif isinstance(node, ast.Import):
            found |= {a.asname or a.name.partition(".")[0] for a in node.names if a.name.endswith(f".{file.stem}")}
    return frozenset(found)


def _uses(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, names: frozenset[str]) -> bool:
    return any(isinstance(n, ast.Name) and n.id in names for n in all_parts(node))


def _explore_caller(shared: Shared, caller: Caller, relative: str) -> None:
    limit, effort, share = shared.most_steps, shared.effort, shared.share
    reached, notes, cut_short = shared.reached, dict(shared.notes), shared.cut_short.copy()
    counts = shared.unknown_calls.copy(), shared.known_calls.copy()
    before, ran_out = dict(shared.problems), shared.ran_out
    shared.reached, shared.effort = set(), Effort(CALLER_EFFORT)
    shared.most_steps = shared.steps + CALLER_STEPS
    shared.sources.setdefault(caller.path, caller.tree)
    kept: dict[tuple[object, ...], Diagnostic] = {}
    try:
        base = Tracer(shared)
        base.in_definition = True
        base.types_open, base.modes_origin = True, "flag"
        with undone(base):
            scope = define(base, caller.tree, caller.path)
            for place, name in enumerate(caller.users[:MOST_USERS], start=1):
                value = scope.names.get(name)
                if isinstance(value, (Class, Function)) and value.path == caller.path:
                    explore_part(base, value, scope, caller.path, 1.0, len(caller.users[:MOST_USERS]) - place)
                    told = TOLD.format(name, caller.path)
                    kept = {**_own(shared.problems, before, relative, told), **kept}
    except OutOfBudget:
        pass
    finally:
        shared.problems.clear()
        shared.problems.update({**kept, **before})
        shared.most_steps, shared.effort, shared.share = limit, effort, share
        shared.reached |= reached
        shared.notes, shared.cut_short, shared.ran_out = notes, cut_short, ran_out
        shared.unknown_calls, shared.known_calls = counts


def _own(
    problems: Mapping[tuple[object, ...], Diagnostic],
    before: Mapping[tuple[object, ...], Diagnostic],
    relative: str,
    told: str,
) -> dict[tuple[object, ...], Diagnostic]:
    """Of what is new that in which a line of the file has a part, as possible."""
    new = {key: problem for key, problem in problems.items() if key not in before and _concerns_sizes(problem)}
    return {key: replace(p, tier=told, unreached=True) for key, p in new.items() if _has_part(p, relative)}


def _has_part(problem: Diagnostic, relative: str) -> bool:
    return problem.site.path == relative or any(site.path == relative for site in problem.places)


def _concerns_sizes(problem: Diagnostic) -> bool:
    told = problem.level in ("error", "warning") and problem.tier not in MADE_UP_RUNS
    return told and problem.rule in _OF_SIZES


_OF_SIZES = frozenset(("tracing/incompatible-shape", "tracing/forced-dimension"))
