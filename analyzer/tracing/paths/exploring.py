"""Follow the paths of one piece of a program within its budgets, and decide each at its end."""

from __future__ import annotations

import ast
import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from analyzer.tracing.imports.kept_modules import undone
from analyzer.tracing.imports.modules import run_module
from analyzer.tracing.language import expressions, statements  # noqa: F401 (they fill the tables of `evaluation`)
from analyzer.tracing.language.signatures import ArgumentMismatch
from analyzer.tracing.language.values import Scope
from analyzer.tracing.paths.frames import Shared
from analyzer.tracing.paths.paths import Decision, Explorer, OutOfBudget, PathEnd
from analyzer.tracing.paths.problems import PyRaise, ShapeFailure
from analyzer.tracing.paths.remembered import remembered
from analyzer.tracing.paths.tracer import Tracer
from analyzer.tracing.paths.verdicts import close_path
from analyzer.tracing.programs.uncaught import tell_exception
from analyzer.tracing.samples.sampler import Sampler

DEFINITION_EFFORT = 30_000  # of the solver that each definition has at least, whatever those before it took
ENTRY_STEPS = 40_000  # of one of them
LEAST_STEPS = 3_000  # that a first path leaves for each piece that waits, of what there is for at least so many
MOST_ENTRY_PATHS = 6  # combinations of branches in one function or class, of which a file may have hundreds
MOST_SAMPLES = 6  # paths of a run on made-up numbers
SAMPLE_SECONDS = 2.0  # of processor time that they may take together
_GAPS = (
    TypeError,
    ValueError,
    AttributeError,
    LookupError,
    ArithmeticError,
    StopIteration,
    AssertionError,
    RuntimeError,
)


def tells_of_a_budget(note: str) -> bool:
    """Whether a note says that something was left out because a budget is spent."""
    return "budget" in note or "More than" in note or "more than" in note


def scale_of(tree: ast.Module) -> float:
    """Budgets grow with the length of a file."""
    last = tree.body[-1].end_lineno if tree.body else 1
    return max(1.0, math.ceil((last or 1) / 100) / 10)


def explore_paths(shared: Shared, body: Callable[[Tracer], object], most: int, defaults: bool = False) -> bool:
    """Follow the paths; whether a flag was read at its default."""
    explorer = Explorer(most)
    met = False
    for prefix in explorer.prefixes():
        tr = Tracer(shared, prefix, defaults)
        try:
            shared.be_in_time()
            with undone(tr):
                follow(tr, lambda tr=tr: body(tr))  # type: ignore[misc]
                decisions = list(tr.path.decisions)
        except OutOfBudget:
            shared.cut = True
            if not explorer.covered:
                shared.notes["The budget of this analysis is spent; what lies behind is not analysed."] = None
            return met or tr.met_default
        met = met or tr.met_default
        explorer.finished(prefix, decisions)
    if explorer.spent:
        shared.notes[f"More than {explorer.explored} paths; the first {explorer.explored} are analysed."] = None
    return met


def explore_sample(shared: Shared, body: Callable[[Tracer], object]) -> None:
    """Follow the path that made-up numbers take; and others, where what is no number has to be guessed."""
    explorer = Explorer(MOST_SAMPLES)
    ends, ran_out = shared.ends, shared.ran_out
    shared.ends = min(ends, time.process_time() + SAMPLE_SECONDS)
    kept, symbols, notes = shared.kept, dict(shared.kept_symbols), dict(shared.notes)
    shared.kept = dict(kept)  # a module that is met here first was followed with made-up numbers
    try:
        for prefix in explorer.prefixes():
            if explorer.explored > MOST_SAMPLES:
                break
            tr = Tracer(shared, prefix, defaults=True, sampler=Sampler())
            with undone(tr):
                follow(tr, lambda tr=tr: body(tr))  # type: ignore[misc]
                decisions = list(tr.path.decisions)
            explorer.finished(prefix, decisions)
    except OutOfBudget:
        pass
    finally:
        shared.kept, shared.notes, shared.ends, shared.ran_out = kept, notes, ends, ran_out
        shared.kept_symbols.clear()
        shared.kept_symbols.update(symbols)


def follow(tr: Tracer, body: Callable[[], object]) -> None:
    """Run one path to its end and decide its requirements."""
    tr.passed, tr.seen, tr.seen_nth, tr.reported, tr.failed_nth = Counter(), set(), set(), set(), {}
    try:
        _follow(tr, body)
    except OutOfBudget:
        if tr.sampler is None:
            tr.shared.seen |= tr.seen
            tr.shared.passed_cut |= tr.passed  # of two counts of one place the larger
        raise
    if tr.sampler is not None:  # what goes well with some numbers says nothing of others
        tr.shared.passed_samples |= tr.passed.keys() - tr.reported
        return
    tr.shared.seen |= tr.seen
    failed = tr.failed_nth
    tr.shared.seen_nth |= {p for p in tr.seen_nth if p[:3] not in failed or p[3] < failed[p[:3]]}
    tr.shared.passed_times |= Counter({p: min(n, failed.get(p, n)) for p, n in tr.passed.items()})
    tr.shared.passed |= tr.passed.keys() - tr.reported


def _follow(tr: Tracer, body: Callable[[], object]) -> None:
    try:
        body()
    except PyRaise as error:
        refusal = error if tr.in_definition else _first_refusal(error)
        if isinstance(refusal, ShapeFailure):
            certain = refusal.problem.certain and (refusal is error or tr.certain)
            tr.report(replace(refusal.problem, certain=certain))
            return
        if isinstance(refusal, ArgumentMismatch):
            if tr.certain or refusal.operands:
                tr.report(refusal.problem)
            return
        tr.shared.asks_values = tr.shared.asks_values or tr.defaults
        if tr.sampler is not None:
            tell_exception(tr, error)
    except PathEnd:
        pass
    except RecursionError:
        tr.note("A recursion is too deep to be followed.")
        return
    except _GAPS as error:
        tr.note(f"{tr.place()} could not be followed further ({type(error).__name__}).")
        return
    close_path(tr)


def _first_refusal(error: PyRaise) -> PyRaise:
    """What a program ends by: the refusal whose handler raises another exception instead, where one is."""
    cause: PyRaise | None = error
    while cause is not None and not isinstance(cause, (ShapeFailure, ArgumentMismatch)):
        cause = cause.context
    return error if cause is None else cause


@dataclass
class Cut:
    """A piece whose further paths were left for other pieces."""

    name: str
    body: Callable[[], object]
    key: str
    explorer: Explorer


def explore_beside(
    tr: Tracer, name: str, scale: float, body: Callable[[], object], key: str = "", waiting: int = 0,
    cut: Cut | None = None,
) -> Cut | None:  # fmt: skip
    """Follow the paths of one piece; each is undone before the next, so that the module is defined only once.

    `key` tells the piece from all others of the file, where it may be remembered. So many others are `waiting` for
    the same budget: the first path of each comes before the further paths of one, which the result stands for, and
    leaves something for those. With `cut` those are followed.
    """
    shared = tr.shared
    limit, before = shared.most_steps, shared.cut_short[name]
    explorer = cut.explorer if cut is not None else Explorer(MOST_ENTRY_PATHS)
    share = max(0, limit - shared.steps) // (waiting + 1)
    shared.share = shared.steps + share
    own = shared.steps + max(int(ENTRY_STEPS * scale), share // 2)
    shared.most_steps = min(limit - waiting * min(LEAST_STEPS, share // 2), own)
    shared.effort.left = max(shared.effort.left, DEFINITION_EFFORT)
    if key:
        remembered(shared, key, lambda: _explore_beside(tr, name, body, explorer))
    else:
        _explore_beside(tr, name, body, explorer)
    shared.most_steps, shared.share = limit, None
    more = shared.cut_short[name] > before and shared.steps < min(own, limit) and not explorer.spent
    return Cut(name, body, key, explorer) if more else None


def explore_cut(tr: Tracer, scale: float, cuts: Sequence[Cut]) -> None:
    """The further paths of pieces that have left them for others, with what those have left of the budget."""
    for place, cut in enumerate(cuts, start=1):
        if tr.shared.late() or tr.shared.steps >= tr.shared.most_steps:
            return
        tr.shared.cut_short[cut.name] -= 1
        key = f"{cut.key} further" if cut.key else ""
        explore_beside(tr, cut.name, scale, cut.body, key, len(cuts) - place, cut)


def _explore_beside(tr: Tracer, name: str, body: Callable[[], object], explorer: Explorer) -> None:
    shared, left_out = tr.shared, False
    symbols, ranks, suspended = tr.symbols.state(), dict(tr.ranks), tr.suspended
    shared.read |= tr.rests_on
    for prefix in explorer.prefixes():
        tr.path.decisions.clear()
        tr.path.conditions.clear()
        tr.path.truths.clear()
        tr.path.answered.clear()
        tr.path.guessed = False
        tr.path.prefix = prefix
        tr.frames.clear()
        tr.occurrences.clear()
        tr.unsettled.clear()
        tr.suspended = suspended
        decisions: list[Decision] = []
        with tr.undoable() as journal:
            try:
                shared.be_in_time()
                follow(tr, body)
            except OutOfBudget:
                left_out = not explorer.covered
                explorer.put_back()
                break
            finally:
                decisions = list(tr.path.decisions)
                tr.speculating, tr.trial = 0, None
                journal.undo()
                tr.symbols.restore(symbols)
                tr.ranks = dict(ranks)
        explorer.finished(prefix, decisions)
        if shared.share is not None:
            shared.most_steps = min(shared.most_steps, max(shared.share, shared.steps))
    if left_out or explorer.spent:
        shared.cut_short[name] += 1


def define(tr: Tracer, tree: ast.Module, relative: str) -> Scope:
    """The names of the module as an importer sees them."""
    scope = Scope()
    scope.names["__name__"] = Path(relative).stem
    tr.shared.sources.setdefault(relative, tree)
    with suppress(PyRaise, PathEnd, RecursionError):
        run_module(tr, tree, scope, relative)
    return scope
