"""A module that is imported is followed once for a file, on whichever path meets it first; later paths take its names.

What its top level has decided and assumed comes to each path that takes it, so that nothing is proved which hangs on
a branch of an import. What a path changes in its objects is undone when the path ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from analyzer.tracing.imports.libraries import MARK
from analyzer.tracing.language.tensors import Shape, Tensor
from analyzer.tracing.language.values import Module
from analyzer.tracing.paths.frames import Shared
from analyzer.tracing.paths.paths import Condition, Decision, OutOfBudget, PathEnd
from analyzer.tracing.paths.symbols import SymbolFacts
from analyzer.tracing.paths.tracer import Tracer

Key = tuple[str, str, bool]  # the file, the folder from which modules are looked for, whether flags have their defaults

LEAST_GRANTED = 1_000  # steps, with which a module gets anywhere


@dataclass
class Kept:
    """A module whose top level was followed, and what a path has to know that takes it."""

    module: Module
    decisions: list[Decision] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    symbols: dict[str, SymbolFacts] = field(default_factory=dict)
    ranks: dict[str, Shape] = field(default_factory=dict)
    needs: list[Key] = field(default_factory=list)  # modules that it imports itself
    met_default: bool = False  # it, or a module that it imports, read a flag at its default
    ends: bool = False  # importing it ends the program
    begun: list[Key] = field(default_factory=list)  # modules that it met while they were being imported
    steps: int = 0  # that its own top level took
    inner: int = 0  # and those of modules that it was the first to import
    read: set[str] = field(default_factory=set)  # bodies that its top level called
    notes: dict[str, None] = field(default_factory=dict)


def taken(tr: Tracer, key: Key) -> Module | None:
    """The module if an earlier path has followed it; the path knows then what its import has decided."""
    key, kept = _usable(tr, key)
    if kept is None:
        return None
    _remember(tr, key)
    tr.met_default = tr.met_default or kept.met_default
    tr.shared.read |= kept.read
    tr.shared.notes.update(kept.notes)
    if key not in tr.path.imported:
        _replay(tr, key, kept)
    if kept.ends:
        raise PathEnd
    return kept.module


def _usable(tr: Tracer, key: Key) -> tuple[Key, Kept | None]:
    """What an import with flags at their defaults has given holds for every flag where it read none."""
    with_defaults = (*key[:2], True)
    kept: Kept | None = tr.shared.kept.get(with_defaults)
    if kept is not None and (tr.defaults or not kept.met_default):
        return with_defaults, kept
    return key, tr.shared.kept.get(key)


def _replay(tr: Tracer, key: Key, kept: Kept) -> None:
    tr.path.imported.add(key)
    tr.path.decisions.extend(kept.decisions)
    tr.path.conditions.extend(kept.conditions)
    tr.symbols.known.update(kept.symbols)
    tr.ranks.update(kept.ranks)
    for needed in kept.needs:
        other = tr.shared.kept.get(needed)
        if other is not None and needed not in tr.path.imported:
            _replay(tr, needed, other)


def met_half_done(tr: Tracer, key: Key) -> None:
    """A module that is being imported is imported again below itself."""
    if tr.importing:
        tr.importing[-1].begun.append(key)


def _remember(tr: Tracer, key: Key) -> None:
    if tr.importing and key not in tr.importing[-1].needs:
        tr.importing[-1].needs.append(key)


def follow_once(tr: Tracer, key: Key, module: Module, run: Callable[[], None]) -> None:
    """Follow a module's top level, with the steps that all imports have together, and keep it for later paths.

    It is not kept where a branch was only tried out, nor where it fills the FLAGS that belong to one path.
    """
    _remember(tr, key)
    kept, flags, shared = Kept(module), tr.flags, tr.shared
    outer, shared.reached, shared.read, shared.notes = (shared.reached, shared.read, shared.notes), set(), set(), {}
    started = shared.steps - shared.import_steps
    decided, assumed = len(tr.path.decisions), len(tr.path.conditions)
    met, tr.met_default = tr.met_default, False
    symbols, ranks = set(tr.symbols.known), set(tr.ranks)
    tr.importing.append(kept)
    tr.path.imported.add(key)
    tr.path.importing += 1
    try:
        with import_budget(tr), kept_for_good(tr):
            run()
    except OutOfBudget:
        module.complete = False
        tr.note("The budget of steps for imported modules is spent; they are not followed to their ends.")
        if shared.late() or (len(tr.importing) > 1 and not _goes_on(shared)):
            raise
        tr.path.choose(tr.site(), "imprecise", f"the rest of {module.path}", True)
    except PathEnd:
        kept.ends = True
        raise
    except BaseException:
        del tr.modules[key[0]]
        raise
    finally:
        tr.importing.pop()
        tr.path.importing -= 1
        kept.read, kept.notes = shared.reached | shared.read, shared.notes
        shared.reached, shared.read = outer[0] | shared.reached, outer[1] | shared.read
        shared.notes = {**outer[2], **kept.notes}
        taken_steps = shared.steps - shared.import_steps - started
        kept.steps = taken_steps - kept.inner
        if tr.importing:
            tr.importing[-1].inner += taken_steps
        kept.met_default, tr.met_default = tr.met_default, tr.met_default or met
        if key[0] in tr.modules and tr.flags is flags:
            inner = _inner(tr, kept)
            kept.decisions = [d for d in tr.path.decisions[decided:] if id(d) not in inner]
            kept.conditions = [c for c in tr.path.conditions[assumed:] if id(c) not in inner]
            kept.symbols = {name: known for name, known in tr.symbols.known.items() if name not in symbols}
            kept.ranks = {name: shape for name, shape in tr.ranks.items() if name not in ranks}
            tr.shared.kept[key] = kept
            tr.shared.kept_symbols.update(kept.symbols)


def _goes_on(shared: Shared) -> bool:
    """Whether there are steps for the module that imports one whose steps are spent."""
    if shared.steps >= shared.most_steps:
        shared.most_steps = shared.steps + _granted(shared)
    return shared.steps < shared.most_steps


def _granted(shared: Shared) -> int:
    """Half of the reserve: what imports it next may be as long."""
    steps = shared.import_reserve // 2
    shared.import_reserve -= steps
    return steps if steps >= LEAST_GRANTED else 0


@contextmanager
def import_budget(tr: Tracer) -> Iterator[None]:
    """Inside the outermost import, steps are taken from the budget of imports and count for no other.

    A library that a module of the repository imports has half of what is left.
    """
    shared = tr.shared
    started, limit = shared.steps, shared.most_steps
    if len(tr.importing) > 1:
        if _is_library(tr.importing[-1]) and not _is_library(tr.importing[-2]):
            shared.most_steps = started + max(limit - started, 0) // 2
        try:
            yield
        finally:
            shared.most_steps = max(limit, shared.most_steps)
        return
    shared.most_steps = started + (shared.import_steps if shared.import_steps > 0 else _granted(shared))
    try:
        yield
    finally:
        shared.import_steps -= shared.steps - started
        shared.most_steps, shared.steps = limit, started


def _is_library(kept: Kept) -> bool:
    return kept.module.path.startswith(MARK)


def _inner(tr: Tracer, kept: Kept) -> set[int]:
    """What belongs to the modules that this one imports."""
    found: set[int] = set()
    seen: set[Key] = set()
    pending = list(kept.needs)
    while pending:
        key = pending.pop()
        other = tr.shared.kept.get(key)
        if other is not None and key not in seen:
            seen.add(key)
            found.update(map(id, (*other.decisions, *other.conditions)))
            pending.extend(other.needs)
    return found


@contextmanager
def kept_for_good(tr: Tracer) -> Iterator[None]:
    """Inside, changes outlive the path, as what an import does outlives the branch that it stands in."""
    journals, tr.journals = tr.journals, []
    try:
        yield
    finally:
        tr.journals = journals


@contextmanager
def undone(tr: Tracer) -> Iterator[None]:
    """What a path inside changes is undone at its end, but for what its own tensors have been found to be."""
    with tr.undoable() as journal:
        try:
            yield
        finally:
            if tr.shared.kept or tr.shared.lazy or tr.shared.packages or tr.shared.set_on_libraries.items:
                _settle_hints(tr)
                journal.undo()


def _settle_hints(tr: Tracer) -> None:
    """The tensors shown beside names keep the shapes that they have now."""
    for tensors in tr.shared.assigned.values():
        for index, tensor in enumerate(tensors):
            if tensor.shape.dims is not None:
                tensors[index] = Tensor(tensor.dims, tensor.dtype, tensor.framework, name=tensor.name)


def start_folder(tr: Tracer) -> str:
    return tr.frames[0].path.rpartition("/")[0] if tr.frames else ""
