"""What a trace keeps for the next text of its file: what each piece of the analysis gave, and the modules imported.

A piece is the run of the script, one definition with made-up arguments, one unit test or one program that uses the
file. It is taken as it was where nothing that it has read has changed: the bodies of the functions that it called, what
pieces before it had found out of branches and libraries, and, if a budget ended it, what was left of that budget.
"""

from __future__ import annotations

import ast
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Module
from analyzer.tracing.paths.editions import Edition, first_edition, next_edition

if TYPE_CHECKING:
    from analyzer.tracing.paths.frames import Shared

MOST_FILES = 6000  # of a repository, whose times are looked at
_HIDDEN = frozenset(("node_modules", "__pycache__", "site-packages", "venv"))
_GATHERED: dict[str, Callable[[], Any]] = {
    "problems": dict, "notes": dict, "cut_short": Counter, "unknown_calls": Counter, "known_calls": Counter,
    "passed": set, "seen": set, "seen_nth": set, "passed_times": Counter,
    "passed_cut": Counter, "reached": set, "read": set, "assigned": dict, "fed_ranks": dict,
}  # fmt: skip


class Learned:
    """What pieces find out that later ones use; what a piece asks of the time before it is written down."""

    def __init__(self) -> None:
        self.facts: set[Any] = set()
        self.asked: dict[Any, bool] = {}
        self.found: set[Any] = set()  # by the piece that runs

    def __contains__(self, fact: object) -> bool:
        known = fact in self.facts
        if fact not in self.found:
            self.asked[fact] = known
        return known

    def add(self, fact: Any) -> None:
        if fact not in self.facts:
            self.facts.add(fact)
            self.found.add(fact)


Room = tuple[int, int, int, int]  # steps, effort of both kinds, and the steps of its share, that a piece may spend


@dataclass(frozen=True)
class Piece:
    """What one piece has given, and what that rests on."""

    gave: dict[str, Any]
    asked: tuple[dict[Any, bool], ...]
    found: tuple[frozenset[Any], ...]
    room: Room
    spent: Room
    tight: bool  # a budget ended something of it


@dataclass
class Imports:
    """What was followed of other files, for all editions of one."""

    kept: dict[Any, Any] = field(default_factory=dict)
    lazy: dict[str, Any] = field(default_factory=dict)
    files: dict[Any, Any] = field(default_factory=dict)
    sources: dict[str, ast.Module] = field(default_factory=dict)
    symbols: dict[str, Any] = field(default_factory=dict)
    packages: dict[str, Any] = field(default_factory=dict)
    steps: int = 0  # that they took
    drivers: dict[Any, Any] = field(default_factory=dict)


@dataclass
class Memory:
    """Of one file while it is edited. An empty one traces as if there were none."""

    edition: Edition | None = None
    around: Any = None  # the other files of the repository, as they were
    imports: Imports = field(default_factory=Imports)
    pieces: dict[str, Piece] = field(default_factory=dict)  # of the edition before
    kept: dict[str, Piece] = field(default_factory=dict)  # of this one
    summaries: Any = None

    def begin(self, text: str, written: ast.Module, root: Path, path: Path) -> Edition:
        """The edition of a text of the file `path`; what rests on other files that have changed is forgotten."""
        around = tuple(_times(root, path))
        if around != self.around:
            self.edition, self.around, self.imports = None, around, Imports()
        follows = next_edition(self.edition, text, written) if self.edition is not None else None
        self.pieces = self.kept if follows is not None else {}
        self.kept = {}
        self.edition = follows or first_edition(text, written)
        return self.edition

    def aside(self, text: str, written: ast.Module) -> Memory | None:
        """For a text that is only tried out; None where it is too far from this edition."""
        follows = next_edition(self.edition, text, written) if self.edition is not None else None
        if follows is None:
            return None
        return replace(self, edition=follows, pieces=self.kept, kept={}, imports=_copied(self.imports))

    def lend(self, shared: Shared) -> None:
        """Give a trace what was followed of other files."""
        imports = self.imports
        shared.kept, shared.lazy, shared.files = imports.kept, imports.lazy, imports.files
        shared.kept_symbols, shared.packages = imports.symbols, imports.packages
        shared.sources.update(imports.sources)
        shared.import_steps -= imports.steps

    def take_back(self, shared: Shared, given: int) -> None:
        """Keep what this trace has followed of other files, but for those that import this one.

        `given`: the steps that it had for all imports.
        """
        imports = self.imports
        libraries = given - shared.import_steps - sum(kept.steps for kept in shared.kept.values())
        without(shared.kept, shared.path)
        imports.steps = libraries + sum(kept.steps for kept in shared.kept.values())
        imports.sources = {p: t for p, t in shared.sources.items() if p != shared.path}


def without(kept: dict[Any, Any], path: str) -> None:
    """Drop the module of a file and all that have imported it, of those that are kept."""
    gone = {key for key, one in kept.items() if one.module.path == path}
    while more := {key for key, one in kept.items() if key not in gone and gone & {*one.needs, *one.begun}}:
        gone |= more
    paths = {kept[key].module.path for key in gone}
    for key in gone:
        del kept[key]
    for one in kept.values():
        names = one.module.scope.names
        for name in [n for n, v in names.items() if isinstance(v, Module) and v.path in paths]:
            del names[name]  # a package has its modules as attributes, whoever imports them


def _copied(imports: Imports) -> Imports:
    return replace(
        imports, kept=dict(imports.kept), lazy=dict(imports.lazy), files=dict(imports.files),
        sources=dict(imports.sources), symbols=dict(imports.symbols), packages=dict(imports.packages),
    )  # fmt: skip


def _times(root: Path, but: Path) -> Iterator[tuple[str, int, int]]:
    """The files of a repository with their times and sizes, but for one."""
    pending, count = [str(root)], 0
    while pending:
        try:
            with os.scandir(pending.pop()) as found:
                entries = list(found)
        except OSError:
            continue
        for entry in entries:
            if entry.name.startswith(".") or entry.name in _HIDDEN or entry.is_symlink():
                continue
            if entry.is_dir(follow_symlinks=False):
                pending.append(entry.path)
            elif entry.path != str(but):
                count += 1
                if count > MOST_FILES:
                    return
                told = entry.stat(follow_symlinks=False)
                yield entry.path, told.st_mtime_ns, told.st_size


# ------------------------------------------------------------------------------------------------ pieces


def remembered(shared: Shared, key: str, run: Callable[[], None]) -> None:
    """Run a piece of the analysis, or take what it gave for the edition before."""
    memory = shared.memory
    if memory is None or memory.edition is None:
        run()
        return
    piece = memory.pieces.get(key)
    if piece is None or not _holds(piece, shared, memory.edition):
        piece = _run(shared, run)
    else:
        shared.steps += piece.spent[0]
        shared.effort.left -= piece.spent[1]
        shared.contracts.left -= piece.spent[2]
        for learned, found in zip(_learned(shared), piece.found, strict=True):
            learned.facts |= found
    if piece is not None:
        memory.kept[key] = piece
        _merge(shared, piece.gave)


def _learned(shared: Shared) -> tuple[Learned, Learned]:
    return shared.unmergeable, shared.too_long


def _room(shared: Shared) -> Room:
    share = sys.maxsize if shared.share is None else max(shared.share - shared.steps, 0)
    return max(shared.most_steps - shared.steps, 0), shared.effort.left, shared.contracts.left, share


def _holds(piece: Piece, shared: Shared, edition: Edition) -> bool:
    room = _room(shared)
    enough = room == piece.room if piece.tight else all(a > b for a, b in zip(room, piece.spent, strict=True))
    own = f"{shared.path}:"
    read = (token[len(own) :] for token in (*piece.gave["reached"], *piece.gave["read"]) if token.startswith(own))
    same = all(line.isdigit() and int(line) in edition.lines for line in read)
    known = zip(_learned(shared), piece.asked, strict=True)
    return (
        enough and same and all((f in learned.facts) == told for learned, asked in known for f, told in asked.items())
    )


def _run(shared: Shared, run: Callable[[], None]) -> Piece | None:
    """Run a piece with tables of its own, which are merged by the caller; where it cannot be kept, at once."""
    outer = {name: getattr(shared, name) for name in _GATHERED}
    state = shared.ran_out, shared.effort.spent, shared.contracts.spent
    for name, make in _GATHERED.items():
        setattr(shared, name, make())
    shared.ran_out = shared.effort.spent = shared.contracts.spent = False
    for learned in _learned(shared):
        learned.asked, learned.found = {}, set()
    room, steps, effort, contracts = _room(shared), shared.steps, shared.effort, shared.contracts.left
    left = effort.left
    try:
        run()
    finally:
        gave = {name: getattr(shared, name) for name in _GATHERED}
        for name, table in outer.items():
            setattr(shared, name, table)
        tight = shared.ran_out or shared.effort.spent or shared.contracts.spent
        shared.ran_out = shared.ran_out or state[0]
        shared.effort.spent = shared.effort.spent or state[1]
        shared.contracts.spent = shared.contracts.spent or state[2]
    gave["assigned"] = {place: [_alone(t) for t in tensors] for place, tensors in gave["assigned"].items()}
    spent = shared.steps - steps, left - effort.left, contracts - shared.contracts.left, shared.steps - steps
    asked = tuple(learned.asked for learned in _learned(shared))
    found = tuple(frozenset(learned.found) for learned in _learned(shared))
    if shared.late():
        _merge(shared, gave)
        return None
    return Piece(gave, asked, found, room, spent, tight)


def _alone(tensor: Tensor) -> Tensor:
    """A tensor without what it was made of."""
    return Tensor(tensor.dims, tensor.dtype, tensor.framework, name=tensor.name)


def _merge(shared: Shared, gave: dict[str, Any]) -> None:
    for problem in gave["problems"].values():
        shared.keep(problem)
    for name in (
        "notes",
        "cut_short",
        "unknown_calls",
        "known_calls",
        "passed",
        "seen",
        "seen_nth",
        "reached",
        "read",
        "fed_ranks",
    ):
        getattr(shared, name).update(gave[name])
    shared.passed_cut |= gave["passed_cut"]
    shared.passed_times |= gave["passed_times"]
    for place, tensors in gave["assigned"].items():
        known = shared.assigned.setdefault(place, [])
        known += tensors[: max(0, 8 - len(known))]
