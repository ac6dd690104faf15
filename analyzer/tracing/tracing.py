"""Trace one Python file: its program paths, and every model class and function that nothing in it calls."""

from __future__ import annotations

import ast
import io
import sys
import time
import tokenize
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from analyzer.findings import AnalysisResult
from analyzer.problem import TargetProblem, UsageProblem
from analyzer.tracing.calls import call, call_instance
from analyzer.tracing.drivers import Driver, drivers_of
from analyzer.tracing.hints import Hint, hints
from analyzer.tracing.modules import run_module
from analyzer.tracing.paths import Decision, Explorer, OutOfBudget, PathEnd
from analyzer.tracing.problems import DEFAULT_RUN, EVERY_RUN, Problem, PyRaise, ShapeFailure
from analyzer.tracing.python_bugs import check_python
from analyzer.tracing.signatures import ArgumentMismatch
from analyzer.tracing.solver import Effort
from analyzer.tracing.tracer import MOST_STEPS, Frame, Shared, Tracer
from analyzer.tracing.values import Bound, Class, DictV, Function, Instance, Layer, ListV, Scope, Unknown, Value
from analyzer.tracing.verdicts import close_path, to_findings
from analyzer.tracing.versions import Versions, read_versions

MOST_BYTES = 4_000_000
MOST_PATHS = 24
MOST_ENTRY_PATHS = 6
DEFINITION_STEPS = 45_000  # of all classes and functions that nothing calls, for each thousand lines
DEFAULT_SHARE = 0.6  # of a script's steps that its default run may take before flags become symbols
DRIVER_STEPS = 30_000  # of one example or test that uses a library file
DEFINITION_EFFORT = 30_000  # of the solver that each definition has at least, whatever those before it took
DRIVER_EFFORT = 100_000  # of the solver, for the same
MOST_DRIVER_PATHS = 6
ENTRY_STEPS = 25_000  # of one of them
_GAPS = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, StopIteration, AssertionError)
DEPTH = 12_000  # Python frames: a traced call takes about fifteen


def trace(path: Path, root: Path, *, target: str, entry: str | None = None, text: str | None = None) -> AnalysisResult:
    """Findings of the shape tracer and of the Python checks on one file of the repository at `root`.

    `entry` names a function or class of the file to start from; without it the file runs as a script, and what it
    defines but does not use is traced with unknown arguments. Nothing of the file is imported or executed.
    `text` stands for what the file holds (an editor's buffer).
    Raises TargetProblem if the file cannot be read or parsed, UsageProblem if `entry` does not exist.
    """
    return trace_with_hints(path, root, target=target, entry=entry, text=text)[0]


def trace_with_hints(
    path: Path, root: Path, *, target: str, entry: str | None = None, text: str | None = None
) -> tuple[AnalysisResult, tuple[Hint, ...]]:
    """Like `trace`, with the shapes of the tensors that the file's names stand for."""
    text, tree = read_source(path, root, text)
    versions = read_versions(root)
    relative = _relative(path, root)
    shared = explore(root, relative, tree, versions, entry)
    for problem in check_python(path, root, text, tree, versions, shared.problems.values(), shared.notes.setdefault):
        shared.problems[problem.rule, problem.site.path, problem.site.line, problem.operand] = problem
    sources = _sources(shared, root, relative, text)

    def retrace(changed_path: str, changed: str) -> Iterable[Problem]:
        if time.process_time() > shared.ends:
            return list(shared.problems.values())  # no time is left to prove a suggestion
        try:
            changed_tree = ast.parse(changed)
        except (SyntaxError, ValueError):
            return list(shared.problems.values())
        replaced = {changed_path: changed_tree} if changed_path != relative else {}
        main = changed_tree if changed_path == relative else tree
        return explore(root, relative, main, versions, entry, replaced).problems.values()

    findings = to_findings(shared, target, sources, retrace)
    result = AnalysisResult(
        findings=tuple(findings),
        unknown_operators=dict(shared.unknown_calls.most_common(40)),
        notes=tuple(shared.notes),
        versions=versions.described(),
    )
    return result, hints(shared, relative, text)


def read_source(path: Path, root: Path, text: str | None = None) -> tuple[str, ast.Module]:
    """The text and syntax tree of a file, or of `text` in its place.

    Raises TargetProblem with one sentence for anything that is wrong with it.
    """
    name = _relative(path, root)
    if text is not None:
        return text, _parsed(text, name)
    try:
        if path.stat().st_size > MOST_BYTES:
            raise TargetProblem(
                f"{name} is larger than {MOST_BYTES:,} bytes, so it is not traced; split it or exclude it."
            )
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
            return ast.parse(text, filename=name)
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
) -> Shared:
    """Follow every path within the budgets; the result holds the problems found."""
    shared = Shared(root, versions)
    shared.sources.update(replaced or {})
    shared.most_steps = int(MOST_STEPS * _scale(tree))
    with deep_recursion():
        if entry is None:
            _explore_script(shared, tree, relative)
        _explore_definitions(shared, tree, relative, entry)
        if entry is None:
            _explore_drivers(shared, tree, relative)
    if shared.effort.left <= 0 or shared.contracts.left <= 0:
        shared.notes["The solver's budget of this file is spent; some conditions are not decided."] = None
    _drop_doubtful(shared)
    return shared


def _scale(tree: ast.Module) -> float:
    """Budgets grow with the length of a file."""
    last = tree.body[-1].end_lineno if tree.body else 1
    return max(1.0, (last or 1) / 1000)


def _drop_doubtful(shared: Shared) -> None:
    """An error behind a branch that this analysis cannot judge is kept only if the operator fails on every path."""
    for key, problem in list(shared.problems.items()):
        place = (problem.site.path, problem.site.line, problem.operator)
        if problem.level == "error" and not problem.certain and place in shared.passed:
            del shared.problems[key]
        elif problem.level == "error" and problem.assumed and not problem.from_core and place in shared.passed:
            only = "The input of the first layer is a batch; with one example alone this works."
            shared.problems[key] = replace(problem, certain=False, sentences=(*problem.sentences, only))


def _explore_script(shared: Shared, tree: ast.Module, relative: str) -> None:
    """First with every flag at its default, then, where one was read, with flags as symbols."""
    limit = shared.most_steps
    shared.most_steps = int(limit * DEFAULT_SHARE)
    met = _explore(shared, lambda tr: _run_script(tr, tree, relative), MOST_PATHS, defaults=True)
    shared.most_steps = limit + shared.steps
    if met:
        certain = {k: p for k, p in shared.problems.items() if p.level == "error" and p.certain}
        for key in [k for k in shared.problems if k not in certain]:
            del shared.problems[key]
        _explore(shared, lambda tr: _run_script(tr, tree, relative), MOST_PATHS)
        _fold_hints(shared)
    else:
        for key, problem in list(shared.problems.items()):
            if problem.tier == DEFAULT_RUN:
                shared.problems[key] = replace(problem, tier=EVERY_RUN)


def _explore_drivers(shared: Shared, tree: ast.Module, relative: str) -> None:
    """What the examples and tests of the repository make of a library file, whose own run calls nothing."""
    if any(_is_guard(node) for node in tree.body):
        return  # a script has its own arguments
    limit, effort = shared.most_steps, shared.effort
    for driver in drivers_of(shared.root, relative, tree):
        before = dict(shared.problems)
        reached, shared.reached = shared.reached, set()
        shared.sources.setdefault(driver.path, driver.tree)
        shared.most_steps = shared.steps + DRIVER_STEPS
        shared.effort = Effort(DRIVER_EFFORT)
        _explore(shared, lambda tr, driver=driver: _run_driver(tr, driver), MOST_DRIVER_PATHS, defaults=True)  # type: ignore[misc]
        used = any(key.startswith(f"{relative}:") for key in shared.reached)
        shared.reached |= reached
        for key in [k for k, p in shared.problems.items() if p is not before.get(k)]:
            problem = shared.problems.pop(key)
            if not used or problem.site.path == driver.path or problem.level not in ("error", "warning"):
                shared.problems.update({key: before[key]} if key in before else {})
            else:
                shared.problems[key] = replace(problem, tier=f"The program at {driver} fails, which uses this file.")
    shared.most_steps, shared.effort = limit, effort


def _is_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "__main__" in ast.unparse(node.test)


def _run_driver(tr: Tracer, driver: Driver) -> None:
    scope = Scope()
    scope.names["__name__"] = "__main__"
    scope.names["__file__"] = tr.unknown("a path", "data", pytype="str")
    run_module(tr, driver.tree, scope, driver.path)
    tr.frames.append(Frame(scope, driver.path))
    for name in driver.tests:
        function = scope.names.get(name)
        if isinstance(function, Function):
            call(tr, function, *_unknown_arguments(function, skip=0), None, True)


def _fold_hints(shared: Shared) -> None:
    """What a flag would have to be is said with the error of the default run on that line, not beside it."""
    places = {(p.site.path, p.site.line): k for k, p in shared.problems.items() if p.tier == DEFAULT_RUN}
    for key, problem in list(shared.problems.items()):
        error = places.get((problem.site.path, problem.site.line))
        if problem.level == "warning" and error is not None and problem.rule == "tracing/forced-dimension":
            found = shared.problems[error]
            shared.problems[error] = replace(found, sentences=(*found.sentences, problem.message))
            del shared.problems[key]


def _explore(shared: Shared, body: Callable[[Tracer], object], most: int, defaults: bool = False) -> bool:
    """Follow the paths; whether a flag was read at its default."""
    explorer = Explorer(most)
    met = False
    for prefix in explorer.prefixes():
        tr = Tracer(shared, prefix, defaults)
        try:
            follow(tr, lambda tr=tr: body(tr))  # type: ignore[misc]
        except OutOfBudget:
            shared.notes["The budget of this analysis is spent; what lies behind is not analysed."] = None
            return met or tr.met_default
        met = met or tr.met_default
        explorer.finished(prefix, tr.path.decisions)
    if explorer.spent:
        shared.notes[f"More than {most} paths; the first {most} are analysed."] = None
    return met


def follow(tr: Tracer, body: Callable[[], object]) -> None:
    """Run one path to its end and judge it."""
    tr.passed, tr.reported = set(), set()
    try:
        _follow(tr, body)
    finally:
        tr.shared.passed |= tr.passed - tr.reported


def _follow(tr: Tracer, body: Callable[[], object]) -> None:
    try:
        body()
    except ShapeFailure as failure:
        tr.report(failure.problem)
        return
    except ArgumentMismatch as failure:
        if tr.certain:
            tr.report(failure.problem)
        return
    except PyRaise:
        pass
    except PathEnd:
        pass
    except RecursionError:
        tr.note("A recursion is too deep to be followed.")
        return
    except _GAPS as error:
        tr.note(f"{tr.place()} could not be followed further ({type(error).__name__}).")
        return
    close_path(tr)


def _run_script(tr: Tracer, tree: ast.Module, relative: str, name: str = "__main__") -> Scope:
    scope = Scope()
    scope.names["__name__"] = name
    scope.names["__file__"] = tr.unknown("a path", "data", pytype="str")
    scope.names["__doc__"] = None
    tr.shared.sources.setdefault(relative, tree)
    run_module(tr, tree, scope, relative)
    return scope


# ------------------------------------------------------------------------------- what nothing in the file calls

_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_MODEL_BASES = ("torch.nn.", "keras.Model", "keras.layers.", "keras.models.Model", "pytorch_lightning.", "lightning.")


def _explore_definitions(shared: Shared, tree: ast.Module, relative: str, entry: str | None) -> None:
    """Trace model classes and functions that the script does not reach, each with unknown arguments."""
    if entry is None and all(
        f"{relative}:{n.lineno}" in shared.reached for n in tree.body if isinstance(n, _DEFINITIONS)
    ):
        return
    before = shared.steps
    scale = _scale(tree)
    shared.most_steps = before + int(DEFINITION_STEPS * scale)
    base = Tracer(shared)
    base.in_definition = entry is None
    base.types_open = True  # who uses these definitions may convert them
    counts = shared.unknown_calls.copy(), shared.known_calls.copy()
    try:
        scope = _define(base, tree, relative)
    except OutOfBudget:
        return
    shared.unknown_calls, shared.known_calls = counts  # the script's run has counted them already
    found = [
        (name, value)
        for name, value in scope.names.items()
        if isinstance(value, (Class, Function)) and value.path == relative
    ]
    if entry is not None:
        if entry.partition(".")[0] not in scope.names:
            raise UsageProblem(f"{relative} defines no function or class named {entry}.")
        named = scope.names.get(entry)
        found = [(entry, named)] if isinstance(named, (Class, Function)) else []
        if isinstance(named, tuple):
            _explore(shared, lambda tr: _call_model(tr, _define(tr, tree, relative).names.get(entry)), MOST_ENTRY_PATHS)
    for name, value in found:
        key = f"{value.path}:{value.node.lineno}"
        if key in shared.reached and entry is None:
            continue
        if isinstance(value, Function) and (
            entry is None
            and (name.startswith("_") or getattr(value.node, "name", "") != name or _expected_to_fail(value))
        ):
            continue
        if isinstance(value, Class) and entry is None and (not _is_model(value) or _used_as_base(value, shared)):
            continue
        _explore_one(base, value, scope, relative, entry is not None, scale)


def _define(tr: Tracer, tree: ast.Module, relative: str) -> Scope:
    """The names of the module as an importer sees them."""
    scope = Scope()
    scope.names["__name__"] = Path(relative).stem
    tr.shared.sources.setdefault(relative, tree)
    with suppress(PyRaise, PathEnd, RecursionError):
        run_module(tr, tree, scope, relative)
    return scope


def _used_as_base(cls: Class, shared: Shared) -> bool:
    """Whether the script has run a method of it, through a class that inherits from it."""
    members = [m for m in cls.scope.names.values() if isinstance(m, Function)]
    return any(f"{m.path}:{m.node.lineno}" in shared.reached for m in members)


def _expected_to_fail(function: Function) -> bool:
    """Whether a test is marked as one that fails or does not run."""
    marks = [ast.unparse(decorator).lower() for decorator in getattr(function.node, "decorator_list", [])]
    return any("xfail" in mark or "skip" in mark or "expectedfailure" in mark for mark in marks)


def _is_model(cls: Class) -> bool:
    return any(base.startswith(_MODEL_BASES) for base in cls.library_bases)


def _explore_one(
    tr: Tracer, value: Class | Function, scope: Scope, relative: str, as_entry: bool, scale: float
) -> None:
    """Follow the paths of one definition; each is undone before the next, so that the module is defined only once."""
    shared = tr.shared
    limit = shared.most_steps
    shared.most_steps = min(limit, shared.steps + int(ENTRY_STEPS * scale))
    shared.effort.left = max(shared.effort.left, DEFINITION_EFFORT)
    explorer = Explorer(MOST_ENTRY_PATHS)
    for prefix in explorer.prefixes():
        tr.path.decisions.clear()
        tr.path.conditions.clear()
        tr.path.prefix = prefix
        tr.frames.clear()
        tr.occurrences.clear()
        decisions: list[Decision] = []
        with tr.undoable() as journal:
            try:
                follow(tr, lambda: _call_with_unknowns(tr, value, scope, relative, as_entry))
            except OutOfBudget:
                shared.notes[
                    (
                        f"The budget of steps for {getattr(value.node, 'name', 'a lambda')} is spent; the rest "
                        "is not analysed."
                    )
                ] = None
                break
            finally:
                decisions = list(tr.path.decisions)
                tr.speculating = 0
                journal.undo()
        explorer.finished(prefix, decisions)
    shared.most_steps = limit


def _call_with_unknowns(tr: Tracer, value: Class | Function, scope: Scope, relative: str, as_entry: bool) -> None:
    """Call a definition with its defaults where it has them, and unknown arguments where not.

    `as_entry`: the function gives a model to analyse, which is called in its turn.
    """
    tr.frames.append(Frame(scope, relative, line=value.node.lineno))
    if isinstance(value, Function):
        result = call(tr, value, *_unknown_arguments(value, skip=0), None, _is_open(value))
        if as_entry:
            _call_model(tr, result)
        return
    initializer = value.find("__init__")
    args, kwargs = (
        _unknown_arguments(initializer[0], skip=1) if initializer and isinstance(initializer[0], Function) else ((), {})
    )
    made_openly = bool(initializer and isinstance(initializer[0], Function) and _is_open(initializer[0]))
    instance = call(tr, value, args, kwargs, None, made_openly)
    if not isinstance(instance, Instance):
        return
    for name in ("forward", "call"):
        found = value.find(name)
        if found is not None and isinstance(found[0], Function):
            args, kwargs = _unknown_arguments(found[0], skip=1, keep_defaults=True)
            call_instance(tr, instance, args, kwargs, None, _is_open(found[0]))
            return


def _call_model(tr: Tracer, result: Value) -> None:
    """What an entry point gives, ``(model, example inputs)``, is called as the export will call it."""
    if not isinstance(result, (tuple, ListV)):
        return
    items = list(result.items if isinstance(result, ListV) else result)
    if len(items) != 2 or not isinstance(items[0], (Instance, Layer, Function, Bound)):
        return
    model, examples = items
    if isinstance(examples, (tuple, ListV)) and not getattr(examples, "open", False):
        call(tr, model, tuple(examples.items if isinstance(examples, ListV) else examples), {})
    elif isinstance(examples, DictV) and not examples.open and all(isinstance(k, str) for k in examples.items):
        call(tr, model, (), dict(examples.items))


def _is_open(function: Function) -> bool:
    """Whether callers may give more than the named arguments."""
    return function.node.args.vararg is not None or function.node.args.kwarg is not None


def _unknown_arguments(
    function: Function, skip: int, keep_defaults: bool = True
) -> tuple[tuple[Value, ...], dict[str, Value]]:
    spec = function.node.args
    positional = [*spec.posonlyargs, *spec.args][skip:]
    required = positional[: len(positional) - len(function.defaults)] if function.defaults else positional
    args = tuple(_argument(p) for p in required)
    kwargs = {p.arg: _argument(p) for p in spec.kwonlyargs if p.arg not in function.kw_defaults}
    if function.name == "__init__":
        with_default = zip(positional[len(required) :], function.defaults[-len(positional) :], strict=False)
        for parameter, default in (*with_default, *((p, function.kw_defaults.get(p.arg)) for p in spec.kwonlyargs)):
            if _stands_for_nothing(parameter.arg, default):
                kwargs[parameter.arg] = _argument(parameter)
    return args, kwargs


def _stands_for_nothing(name: str, default: Value) -> bool:
    """Whether a default says that callers have to give a size: -1, but for what may be an axis."""
    negative = isinstance(default, int) and not isinstance(default, bool) and default < 0
    return negative and not (name in ("dim", "dims", "axes") or name.endswith("axis"))


_PYTYPES = {"int": "int", "float": "float", "str": "str", "bool": "bool"}


def _argument(parameter: ast.arg) -> Unknown:
    annotation = parameter.annotation
    pytype = _PYTYPES.get(annotation.id, "") if isinstance(annotation, ast.Name) else ""
    return Unknown("an argument", "param", parameter.arg, pytype)
