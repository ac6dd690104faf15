"""Trace one Python file: its program paths, and every model class and function that nothing in it calls."""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from analyzer.findings import AnalysisResult
from analyzer.frameworks.requested_versions import Versions, read_versions
from analyzer.problem import TargetProblem
from analyzer.tracing.checkers.python_bugs import check_python
from analyzer.tracing.checkers.type_checkers import NOTHING, Known
from analyzer.tracing.contracts.annotations import Annotation, ObservedCall, annotated, propose
from analyzer.tracing.contracts.hints import Hint, hints
from analyzer.tracing.imports.modules import run_module
from analyzer.tracing.imports.summaries import Summaries
from analyzer.tracing.language.own_paths import own_path
from analyzer.tracing.language.private_names import with_private_names, writes_out_private_names
from analyzer.tracing.language.values import Scope
from analyzer.tracing.paths.exploring import explore_paths, explore_sample, scale_of
from analyzer.tracing.paths.frames import MOST_STEPS, Shared, comments_in
from analyzer.tracing.paths.garbage import seldom_collected
from analyzer.tracing.paths.problems import (
    DEFAULT_RUN,
    DOCUMENTED_CALL,
    DOCUMENTED_PROGRAM,
    EVERY_RUN,
    GUESSED_RUN,
    MADE_UP_RUNS,
    NO_RANK,
    SAMPLED_RUN,
    Diagnostic,
    told_before,
)
from analyzer.tracing.paths.remembered import Memory, remembered
from analyzer.tracing.paths.tracer import Tracer
from analyzer.tracing.paths.verdicts import to_findings
from analyzer.tracing.programs.driver_runs import explore_drivers
from analyzer.tracing.programs.entries import all_called, explore_definitions
from analyzer.tracing.programs.literal_shapes import NOTHING_LEFT, literal_problems
from analyzer.tracing.programs.package_callers import explore_callers

MOST_BYTES = 4_000_000  # a longer source is generated, and its tree takes a gigabyte
MOST_PATHS = 24  # of a script; what lies beyond is said
NAMED = 5  # of what a budget has cut short
UNPROVED = "The budget of time is spent; changes are not proved and not suggested."
DEPTH = 12_000  # Python frames: a traced call takes about fifteen


def trace(
    path: Path,
    root: Path,
    *,
    target: str,
    entry: str | None = None,
    text: str | None = None,
    types: Known = NOTHING,
    summaries: Path | None = None,
) -> AnalysisResult:
    """Findings of the shape tracer and of the Python checks on one file of the repository at `root`.

    `entry` names a function or class of the file to start from; without it the file runs as a script, and what it
    defines but does not use is traced with unknown arguments. Nothing of the file is imported or executed.
    `text` stands for what the file holds (an editor's buffer); `types` holds what the type checkers said of texts;
    `summaries` is the folder in which those of libraries are kept.
    Raises TargetProblem if the file cannot be read or parsed, UsageProblem if `entry` does not exist.
    """
    return trace_with_hints(path, root, target=target, entry=entry, text=text, types=types, summaries=summaries)[0]


def trace_with_hints(
    path: Path,
    root: Path,
    *,
    target: str,
    entry: str | None = None,
    text: str | None = None,
    types: Known = NOTHING,
    summaries: Path | None = None,
    memory: Memory | None = None,
) -> tuple[AnalysisResult, tuple[Hint, ...]]:
    """Like `trace`, with the shapes of the tensors that the file's names stand for.

    `memory` is of the same file's text before, so that only what depends on the change is traced.
    """
    text, tree = read_source(path, root, text)
    versions = read_versions(root)
    relative = _relative(path, root)
    if memory is None:
        comments = comments_in(text.encode())
        shared = explore(root, relative, tree, versions, entry, summaries=Summaries(summaries), comments=comments)
    else:
        memory.summaries = memory.summaries or Summaries(summaries)
        with deep_recursion():
            memory.begin(text, tree, root, path)
        shared = _explore_edition(root, relative, versions, memory)
    known, note = shared.problems.values(), shared.notes.setdefault
    for problem in check_python(path, root, text, tree, versions, known, note, types):
        shared.problems[problem.rule, problem.site.path, problem.site.line, problem.operand] = problem
    sources = _sources(shared, root, relative, text)

    def retrace(changed_path: str, changed: str) -> Iterable[Diagnostic]:
        unproved = list(shared.problems.values())
        if shared.late():
            shared.notes[UNPROVED] = None
            return unproved
        try:
            changed_tree = ast.parse(changed)
        except (SyntaxError, ValueError):
            return unproved
        aside = memory.aside(changed, changed_tree) if memory is not None and changed_path == relative else None
        if aside is not None:
            return _explore_edition(root, relative, versions, aside).problems.values()
        replaced = {changed_path: changed_tree} if changed_path != relative else {}
        main = changed_tree if changed_path == relative else tree
        again = explore(root, relative, main, versions, entry, replaced, ends=shared.ends)
        if again.late():  # what a path did not come to is no proof
            shared.notes[UNPROVED] = None
            return unproved
        return again.problems.values()

    findings = to_findings(shared, target, sources, retrace)
    result = AnalysisResult(
        findings=tuple(findings),
        unknown_operators=dict(shared.unknown_calls.most_common(40)),
        notes=tuple(shared.notes),
        versions=versions.described(),
    )
    return result, hints(shared, relative, text)


def _explore_edition(root: Path, relative: str, versions: Versions, memory: Memory) -> Shared:
    """Explore the memory's text; problems and notes have its lines."""
    edition = memory.edition
    assert edition is not None
    written = comments_in(edition.text.encode())
    comments = {own: written[line] for own, line in edition.lines.items() if line in written}
    shared = explore(
        root, relative, edition.tree, versions, summaries=memory.summaries, comments=comments, memory=memory
    )
    problems, shared.problems = shared.problems, {}
    for problem in problems.values():
        shared.keep(edition.placed(problem, relative))
    shared.notes = {edition.told(note): None for note in shared.notes}
    shared.assigned = {
        (path, edition.lines.get(line, line) if path == relative else line, end): tensors
        for (path, line, end), tensors in shared.assigned.items()
    }
    return shared


def propose_annotations(
    path: Path, root: Path, text: str | None = None, recorded: Mapping[int, Sequence[ObservedCall]] | None = None
) -> list[Annotation]:
    """Annotations of the file's functions with the shapes that tracing has seen, proved by tracing it with them.

    Those that a dry run has `recorded`, by the lines of functions, count beside them, and alone where it does not know
    them.
    Raises TargetProblem if the file cannot be read or parsed.
    """
    text, tree = read_source(path, root, text)
    versions, relative = read_versions(root), _relative(path, root)
    shared = explore(root, relative, tree, versions, observe=True)
    functions = [n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    starts = {min((d.lineno for d in n.decorator_list), default=n.lineno): n.lineno for n in functions}
    seen = {starts.get(line, line): list(calls) for line, calls in (recorded or {}).items()}
    traced = (shared.observed or {}).get(relative, {})
    known = {
        n: [*calls, *_alike(seen.get(n, []), calls)] for n, calls in traced.items() if n not in seen or _known(calls)
    }
    proposals = propose(tree, seen | known)
    before = {(p.rule, p.message) for p in shared.problems.values()}
    while proposals:
        changed = ast.parse(annotated(text, tree, proposals))
        problems = explore(root, relative, changed, versions).problems.values()
        wrong = {p.site.line for p in problems if (p.rule, p.message) not in before}
        if not wrong:
            break
        defined = [n for n in ast.walk(changed) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
        blamed = {n.name for n in defined if any(n.lineno <= line <= (n.end_lineno or 0) for line in wrong)}
        kept = [a for a in proposals if a.function not in blamed]
        proposals = kept if len(kept) < len(proposals) else []
    return proposals


def _known(calls: Sequence[ObservedCall]) -> bool:
    """Whether the rank and the type of each tensor in the calls is known."""
    tensors = [tensor for call in calls for tensor in call.tensors.values()]
    return bool(tensors) and all(dtype and (not sizes or sizes[0] is not None) for dtype, sizes in tensors)


def _alike(recorded: Sequence[ObservedCall], traced: Sequence[ObservedCall]) -> list[ObservedCall]:
    """The recorded calls that tell of every tensor of which the traced ones tell."""
    told = {name for call in traced for name in call.tensors}
    return [call for call in recorded if told <= call.tensors.keys()]


def read_source(path: Path, root: Path, text: str | None = None) -> tuple[str, ast.Module]:
    """The text and syntax tree of a file, or of `text` in its place.

    Raises TargetProblem with one sentence for anything that is wrong with it.
    """
    name = _relative(path, root)
    too_long = f"{name} is larger than {MOST_BYTES:,} bytes, so it is not traced; split it or exclude it."
    if text is not None:
        if len(text) > MOST_BYTES:
            raise TargetProblem(too_long)
        return text, _parsed(text, name)
    try:
        if path.stat().st_size > MOST_BYTES:
            raise TargetProblem(too_long)
        data = path.read_bytes()
    except OSError as error:
        raise TargetProblem(f"{name} cannot be read: {error.strerror}.") from error
    try:
        encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
        text = data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise TargetProblem(
            f"{name} is not text in UTF-8 nor in the encoding that it declares; save it as UTF-8."
        ) from error
    return text, _parsed(text, name)


def _parsed(text: str, name: str) -> ast.Module:
    try:
        with deep_recursion():
            tree = ast.parse(text, filename=name)
            return with_private_names(tree) if writes_out_private_names(text.encode()) else tree
    except SyntaxError as error:
        sentence = f"{name}:{error.lineno or 1}: syntax error: {error.msg}"
        raise TargetProblem(sentence if sentence.endswith("?") else f"{sentence}.") from error
    except (RecursionError, MemoryError) as error:
        raise TargetProblem(
            f"{name} is nested too deeply to be parsed; break its longest expression into parts."
        ) from error
    except ValueError as error:
        raise TargetProblem(f"{name} contains null bytes, so it is no Python source.") from error


def _relative(path: Path, root: Path) -> str:
    try:
        return path.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        return path.name


def _sources(shared: Shared, root: Path, relative: str, text: str) -> dict[str, str]:
    sources = {relative: text}
    for problem in shared.problems.values():
        if problem.site.path not in sources:
            try:
                sources[problem.site.path] = (root / problem.site.path).read_text(encoding="utf-8", errors="replace")
            except OSError:
                sources[problem.site.path] = ""
    return sources


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Traced calls nest Python frames deeply; the limit is put back afterwards."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEPTH))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def explore(
    root: Path,
    relative: str,
    tree: ast.Module,
    versions: Versions,
    entry: str | None = None,
    replaced: dict[str, ast.Module] | None = None,
    observe: bool = False,
    summaries: Summaries | None = None,
    comments: dict[int, str] | None = None,
    memory: Memory | None = None,
    ends: float | None = None,
) -> Shared:
    """Follow every path within the budgets; the result holds the problems found, and with `observe` what calls saw.

    `summaries`: of calls of libraries, from earlier runs; what is new is written to them. `comments`: of the file, by
    line, where it does not hold what `tree` is of. `memory`: of an earlier text of it. `ends`: when its time is
    over, on the processor's clock.
    """
    shared = Shared(root, versions, observed={} if observe else None, summaries=summaries or Summaries())
    shared.ends = ends if ends is not None else shared.ends
    shared.sources.update(replaced or {})
    shared.path, shared.memory, imports = relative, memory, shared.import_steps
    shared.scale = scale_of(memory.edition.written if memory is not None and memory.edition is not None else tree)
    shared.most_steps = int(MOST_STEPS * shared.scale)
    if comments is not None:
        shared.comments[relative] = comments
    if memory is not None:
        memory.lend(shared)
    with deep_recursion(), seldom_collected():
        if entry is None:
            remembered(shared, "script", lambda: _explore_script(shared, tree, relative))
        called = all_called(shared, tree, relative)
        explore_definitions(shared, tree, relative, entry)
        if entry is None:
            explore_drivers(shared, tree, relative, called)
            explore_callers(shared, tree, relative)
    if cut_short := [name for name, pieces in shared.cut_short.items() if pieces > 0]:
        first, others = cut_short[:NAMED], len(cut_short) - NAMED
        names = ", ".join(f"`{name}`" for name in first) + (f" and {others} others" if others > 0 else "")
        shared.notes[f"The budget of steps or paths is spent for {names}; the rest of them is not analysed."] = None
    if shared.effort.spent or shared.contracts.spent:
        shared.notes["The solver's budget of this file is spent; some conditions are not decided."] = None
    _drop_doubtful(shared)
    if entry is None:
        _tell_literals(shared, tree, relative)
    if shared.summaries is not None:
        shared.summaries.write()
    if memory is not None:
        memory.take_back(shared, imports)
    return shared


def _tell_literals(shared: Shared, tree: ast.Module, relative: str) -> None:
    """What the text alone tells, of lines of which nothing else is told."""
    told = {(p.site.path, p.site.line) for p in shared.problems.values() if p.level != "note"}
    held = {(place[0], place[1], str(place[2]).rpartition(".")[2]) for place in shared.seen}
    for problem in literal_problems(tree, relative):
        line = problem.site.line
        empty = problem.message.endswith(NOTHING_LEFT) and problem.operator in _KEEPING
        if (relative, line) in told or (empty and (relative, line, problem.operator) in held):
            continue  # what is reshaped there has no element itself
        shared.keep(problem)


_KEEPING = ("reshape", "view")  # of as many elements as there were


def _drop_doubtful(shared: Shared) -> None:
    """An error behind a branch that this analysis cannot decide is kept only if the operator fails on every path.

    The same holds behind several answers of data: which of them come together is as little known.
    """
    for key, problem in list(shared.problems.items()):
        place = problem.place
        works = place in shared.passed or shared.passed_cut[place] > problem.before
        if problem.tier == GUESSED_RUN:
            works = place in shared.passed_samples
        if problem.tier in (DOCUMENTED_CALL, SAMPLED_RUN) or problem.tier.startswith(DOCUMENTED_PROGRAM):
            continue  # the operator works for other arguments than those that the docstring names
        if problem.tier == NO_RANK:
            if (*place[:3], problem.nth) in shared.seen_nth:
                del shared.problems[key]
            continue
        doubtful = not problem.certain or problem.joint_in_data
        told = place in shared.seen or problem.tier == GUESSED_RUN or problem.sized
        if problem.level == "error" and doubtful and works and told:
            del shared.problems[key]
        elif problem.level == "error" and problem.joint and works:
            only = "Several choices of data or of callers lead here together; with others this works."
            shared.problems[key] = replace(problem, certain=False, sentences=(*problem.sentences, only))
        elif problem.level == "error" and problem.assumed and not problem.from_core and works:
            only = "The input of the first layer is a batch; with one example alone this works."
            shared.problems[key] = replace(problem, certain=False, sentences=(*problem.sentences, only))
    for key, problem in list(shared.problems.items()):
        if problem.tier in MADE_UP_RUNS and any(k in shared.problems for k in told_before(key)):
            del shared.problems[key]


def _explore_script(shared: Shared, tree: ast.Module, relative: str) -> None:
    """First with every flag at its default, then, where one was read, with flags as symbols."""
    limit = shared.most_steps
    met = explore_paths(shared, lambda tr: _run_script(tr, tree, relative), MOST_PATHS, defaults=True)
    if any(rank is not None for rank in shared.fed_ranks.values()):
        shared.kept.clear()
        shared.problems.clear()  # what is fed to placeholders without a shape is known now
        shared.most_steps = shared.steps + limit
        met = explore_paths(shared, lambda tr: _run_script(tr, tree, relative), MOST_PATHS, defaults=True)
    if shared.asks_values and not any(p.level == "error" and p.certain for p in shared.problems.values()):
        shared.most_steps = shared.steps + limit
        explore_sample(shared, lambda tr: _run_script(tr, tree, relative))
    shared.most_steps = limit + shared.steps
    if met:
        guesses = {
            k: p
            for k, p in shared.problems.items()
            if p.tier not in MADE_UP_RUNS and (p.level != "error" or not p.certain)
        }
        for key in guesses:
            del shared.problems[key]
        shared.cut = False
        explore_paths(shared, lambda tr: _run_script(tr, tree, relative), MOST_PATHS)
        if shared.cut:  # with flags as symbols the paths are longer, and may not have come so far
            shared.problems |= {k: p for k, p in guesses.items() if p.level == "error" and k not in shared.problems}
        _fold_hints(shared)
    else:
        for key, problem in list(shared.problems.items()):
            if problem.tier == DEFAULT_RUN:
                shared.problems[key] = replace(problem, tier=EVERY_RUN)


def _fold_hints(shared: Shared) -> None:
    """What a flag would have to be is said with the error of the default run on that line, not beside it."""
    places = {(p.site.path, p.site.line): k for k, p in shared.problems.items() if p.tier == DEFAULT_RUN}
    for key, problem in list(shared.problems.items()):
        error = places.get((problem.site.path, problem.site.line))
        if problem.level == "warning" and error is not None and problem.rule == "tracing/forced-dimension":
            found = shared.problems[error]
            shared.problems[error] = replace(found, sentences=(*found.sentences, problem.message))
            del shared.problems[key]


def _run_script(tr: Tracer, tree: ast.Module, relative: str) -> Scope:
    scope = Scope()
    scope.names["__name__"] = "__main__"
    scope.names["__file__"] = own_path(relative)
    scope.names["__doc__"] = None
    tr.shared.sources.setdefault(relative, tree)
    run_module(tr, tree, scope, relative)
    return scope
