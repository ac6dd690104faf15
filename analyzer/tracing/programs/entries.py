"""What nothing in a file calls: its model classes, functions and unit tests."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from analyzer.problem import UsageProblem
from analyzer.tracing.contracts.declared_shapes import MANY
from analyzer.tracing.contracts.docstrings import RESULT, documented
from analyzer.tracing.contracts.rows_of_sizes import returns_a_row
from analyzer.tracing.imports.kept_modules import undone
from analyzer.tracing.language.calls import call_instance
from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.values import Bound, Class, DictV, Function, Instance, Layer, ListV, Scope, Value
from analyzer.tracing.paths.exploring import (
    MOST_ENTRY_PATHS,
    Cut,
    define,
    explore_beside,
    explore_cut,
    explore_paths,
)
from analyzer.tracing.paths.frames import Frame, Shared
from analyzer.tracing.paths.paths import OutOfBudget
from analyzer.tracing.paths.problems import (
    DEFAULT_CONFIGURATION,
    DOCUMENTED_CALL,
    Diagnostic,
    Place,
)
from analyzer.tracing.paths.tracer import Tracer
from analyzer.tracing.programs.assumed_ranks import assumed, explore_ranks, takes_tensor
from analyzer.tracing.programs.filled_later import open_what_others_fill
from analyzer.tracing.programs.inferred_arguments import (
    configurations_of,
    is_open,
    unknown_arguments,
    with_configurations,
)
from analyzer.tracing.programs.unit_tests import cases_of, run_case
from analyzer.tracing.programs.unused_methods import explore_methods

DEFINITION_STEPS = 150_000  # of all classes and functions that nothing calls, for each thousand lines
MOST_AXES = 3  # that a `...` of a docstring is tried with
DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_COMPUTING = ("forward", "call")  # methods that a framework calls
_MODEL_BASES = ("torch.nn.", "keras.Model", "keras.layers.", "keras.models.Model", "pytorch_lightning.", "lightning.")


def explore_definitions(shared: Shared, tree: ast.Module, relative: str, entry: str | None) -> None:
    """Trace model classes and functions that the script does not reach, each with unknown arguments."""
    if entry is None and all_called(shared, tree, relative):
        return
    shared.most_steps = shared.steps + int(DEFINITION_STEPS * shared.scale)
    base = Tracer(shared)
    base.in_definition = entry is None
    base.types_open, base.modes_origin = True, "flag"  # who uses these definitions may convert or evaluate them
    with undone(base):
        _explore_definitions(base, tree, relative, entry)


def _explore_definitions(base: Tracer, tree: ast.Module, relative: str, entry: str | None) -> None:
    shared, scale = base.shared, base.shared.scale
    counts = shared.unknown_calls.copy(), shared.known_calls.copy()
    outer, shared.reached, shared.read = (shared.reached, shared.read), set(), set()
    try:
        scope = define(base, tree, relative)
    except OutOfBudget:
        shared.notes["The budget of steps is spent before the definitions of this file are analysed."] = None
        return
    finally:
        base.rests_on = frozenset(shared.reached | shared.read)
        shared.reached, shared.read = outer[0] | shared.reached, outer[1] | shared.read
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
            explore_paths(
                shared, lambda tr: _call_model(tr, define(tr, tree, relative).names.get(entry)), MOST_ENTRY_PATHS
            )
    cases = cases_of(tree) if entry is None else ()
    pieces = [sum(name == (c.owner or c.name) for c in cases) or 1 for name, _ in found]
    cuts: list[Cut | None] = []
    run, later = frozenset(shared.reached), []
    for place, (name, value) in enumerate(found, start=1):
        waiting = sum(pieces[place:])
        key = f"{value.path}:{value.node.lineno}"
        made = key in shared.reached
        if (
            isinstance(value, Function)
            and entry is None
            and (getattr(value.node, "name", "") != name or _expected_to_fail(value))
        ):
            continue
        if entry is None and made and not _only_made(value, shared):
            if key not in run and not any(name == (c.owner or c.name) for c in cases):
                later.append((name, value))
            continue
        if isinstance(value, Function) and entry is None and name.startswith("_"):
            later.append((name, value))
            continue
        own = [c for c in cases if name == (c.owner or c.name)]
        if own:
            for number, case in enumerate(own, start=1):
                cuts.append(explore_beside(
                    base, str(case), scale, partial(run_case, base, scope, case, relative),
                    f"{key} {case} {case.number}", waiting + len(own) - number,
                ))  # fmt: skip
            continue
        if (
            isinstance(value, Class)
            and entry is None
            and (not _is_model(value) or (not made and _used_as_base(value, shared)))
        ):
            continue
        told, seen = _told(shared), frozenset(shared.seen_nth)
        cuts.append(explore_beside(
            base, getattr(value.node, "name", "a lambda"), scale,
            lambda value=value: _call_with_unknowns(base, value, scope, relative, entry is not None),  # type: ignore[misc]
            key, waiting,
        ))  # fmt: skip
        if entry is None:
            _explore_further(base, value, scope, relative, scale)
            if _told(shared) == told:
                _explore_ranks(base, value, scope, relative, scale, seen)
    explore_cut(base, scale, [cut for cut in cuts if cut is not None])
    for place, (_, value) in enumerate(later, start=1):
        explore_part(base, value, scope, relative, scale, len(later) - place)
    if entry is None:
        owners = {case.owner for case in cases}
        explore_methods(base, [v for n, v in found if isinstance(v, Class) and n not in owners], scope, relative, scale)


def explore_part(
    base: Tracer, value: Class | Function, scope: Scope, relative: str, scale: float, waiting: int
) -> None:  # fmt: skip
    """What other definitions use, with whatever they have made of their unknown arguments, or nothing in the file."""
    shared = base.shared
    if isinstance(value, Class) and not _is_model(value):
        return
    told, key, seen = _told(shared), f"{value.path}:{value.node.lineno}", frozenset(shared.seen_nth)
    if key not in shared.reached:
        explore_beside(
            base, getattr(value.node, "name", "a lambda"), scale,
            lambda: _call_with_unknowns(base, value, scope, relative, False), key, waiting,
        )  # fmt: skip
    _explore_further(base, value, scope, relative, scale)
    if _told(shared) == told:
        _explore_ranks(base, value, scope, relative, scale, seen)


def all_called(shared: Shared, tree: ast.Module, relative: str) -> bool:
    """Whether a script has called every definition of the file, and what the models among them compute.

    A main part may make a model and do nothing with it; what one computes may stand in a base elsewhere.
    """
    own: list[ast.stmt] = [n for n in tree.body if isinstance(n, DEFINITIONS)]
    for cls in [n for n in own if isinstance(n, ast.ClassDef)]:
        computing = [n for n in cls.body if isinstance(n, DEFINITIONS) and n.name in _COMPUTING]
        if cls.bases and not computing and has_main_part(tree):
            return False
        own += computing
    return all(f"{relative}:{n.lineno}" in shared.reached for n in own)


def has_main_part(tree: ast.Module) -> bool:
    return any(isinstance(node, ast.If) and "__main__" in ast.unparse(node.test) for node in tree.body)


def _only_made(value: Class | Function, shared: Shared) -> bool:
    """Whether it is a model of which objects were made that nothing has called."""
    computing = _computes(value) if isinstance(value, Class) and _is_model(value) else None
    return computing is not None and f"{computing.path}:{computing.node.lineno}" not in shared.reached


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


def _explore_further(base: Tracer, value: Class | Function, scope: Scope, relative: str, scale: float) -> None:
    """The same definition with the defaults of its configuration, and with the shapes that its docstring names."""
    name = getattr(value.node, "name", "a lambda")
    shared = base.shared
    initializer = value.find("__init__") if isinstance(value, Class) else None
    if initializer is not None and isinstance(initializer[0], Function):
        classes = configurations_of(initializer[0], scope)
        if classes:
            before = dict(shared.problems)
            explore_beside(
                base, name, scale, lambda: _call_with_unknowns(base, value, scope, relative, False, classes),
                f"{value.path}:{value.node.lineno} configured",
            )  # fmt: skip
            told = DEFAULT_CONFIGURATION.format(", ".join(f"`{c.name}()`" for c in classes.values()))
            for key in _new(shared, before):
                shared.problems[key] = replace(shared.problems[key], tier=told)
    called = value if isinstance(value, Function) else _computes(value)
    if called is not None and returns_a_row(called):
        before, base.spreading = dict(shared.problems), True
        try:
            explore_beside(
                base, name, scale, lambda: _call_with_unknowns(base, value, scope, relative, False),
                f"{value.path}:{value.node.lineno} spread",
            )  # fmt: skip
        finally:
            base.spreading = False
        told_here = {k: p for k, p in shared.problems.items() if p.rule == "tracing/annotation-mismatch"}
        shared.problems.clear()
        shared.problems.update({**told_here, **before})
    if called is not None and any(n != RESULT for n in documented(called)):
        _explore_documented(base, called, name, scale, lambda: _call_with_unknowns(base, value, scope, relative, False))


def _explore_documented(base: Tracer, called: Function, name: str, scale: float, body: Callable[[], object]) -> None:
    """The same definition with the shapes that its docstring names: what fails for each number of axes of a `...`."""
    shared, before, key = base.shared, dict(base.shared.problems), f"{called.path}:{called.node.lineno} documented"
    base.trusting = 1
    try:
        explore_beside(base, name, scale, body, key)
        new = _new(shared, before, advice=True)
        found, kept = [k for k in new if shared.problems[k].level == "error"], dict(shared.problems)
        while found and base.trusting < MOST_AXES and _names_many(called):
            base.trusting += 1
            shared.problems.clear()
            shared.problems.update(before)
            explore_beside(base, name, scale, body, f"{key} {base.trusting}")
            found = [k for k in found if k in shared.problems]
    finally:
        base.trusting = 0
    shared.problems.clear()
    shared.problems.update({k: p for k, p in kept.items() if k not in new or p.level != "error" or k in found})
    for k in new:
        if k in shared.problems:
            shared.problems[k] = replace(shared.problems[k], tier=DOCUMENTED_CALL, certain=False)


def _names_many(function: Function) -> bool:
    """Whether its docstring has a `...` among the axes of an argument."""
    return any(axis.text == MANY for d in documented(function).values() for axis in d.contract)


def _told(shared: Shared) -> int:
    """How many errors and warnings there are."""
    return sum(p.level != "note" for p in shared.problems.values())


def _explore_ranks(
    base: Tracer, value: Class | Function, scope: Scope, relative: str, scale: float, seen: frozenset[Place]
) -> None:  # fmt: skip
    """The same definition with each rank that its input may have."""
    called = value if isinstance(value, Function) else _computes(value)
    if called is None or not takes_tensor(called, 0 if isinstance(value, Function) else 1):
        return
    name, key = getattr(value.node, "name", "a lambda"), f"{value.path}:{value.node.lineno}"
    explore_ranks(base, value, lambda rank: explore_beside(
        base, name, scale, lambda: _call_with_unknowns(base, value, scope, relative, False), f"{key} rank {rank}",
    ), seen)  # fmt: skip


def _new(
    shared: Shared, before: dict[tuple[Any, ...], Diagnostic], advice: bool = False
) -> list[tuple[Any, ...]]:  # fmt: skip
    """The errors that were not there before, with `advice` possible ones too; of what else is new notes are left."""

    def told(problem: Diagnostic) -> bool:
        return problem.level == "error" or (advice and problem.level == "warning" and not problem.certain)

    for key, problem in list(shared.problems.items()):
        if problem is not before.get(key) and (key in before or (problem.level == "warning" and not told(problem))):
            shared.problems.pop(key)
            shared.problems.update({key: before[key]} if key in before else {})
    return [k for k, p in shared.problems.items() if k not in before and told(p)]


def _computes(cls: Class) -> Function | None:
    """The method that the framework calls."""
    found = next((f for name in cls.computing if (f := cls.find(name)) is not None), None)
    return found[0] if found is not None and isinstance(found[0], Function) else None


def _call_with_unknowns(
    tr: Tracer, value: Class | Function, scope: Scope, relative: str, as_entry: bool,
    configured: dict[str, Class] | None = None,
) -> None:  # fmt: skip
    """Call a definition with its defaults where it has them, and unknown arguments where not.

    `as_entry`: the function gives a model to analyse, which is called in its turn. `configured`: the parameters of the
    constructor that take a configuration, which is made with its own defaults.
    """
    tr.in_batches = tr.nothing_given = False
    tr.documented = []
    tr.frames.append(Frame(scope, relative, line=value.node.lineno))
    if isinstance(value, Function):
        args, kwargs = unknown_arguments(value, skip=0)
        args = assumed(tr, value, args)
        tr.made_up = bool(args or kwargs) or not (as_entry or _takes_nothing(value))
        tr.nothing_given = _takes_nothing(value) or not (args or kwargs)
        result = call(tr, value, args, kwargs, None, is_open(value))
        if as_entry:
            _call_model(tr, result)
        elif isinstance(result, Instance) and _is_model(result.cls):
            tr.made_up = True
            _call_instance(tr, result)
        return
    found = value.find("__init__")
    initializer = found[0] if found is not None and isinstance(found[0], Function) else None
    args, kwargs = unknown_arguments(initializer, skip=1) if initializer is not None else ((), {})
    if configured and initializer is not None:
        args, kwargs = with_configurations(tr, initializer, args, kwargs, configured)
    tr.made_up = True  # whoever makes it chooses what it is called with
    instance = call(tr, value, args, kwargs, None, initializer is not None and is_open(initializer))
    if isinstance(instance, Instance):
        _call_instance(tr, instance)


def _call_instance(tr: Tracer, instance: Instance) -> None:
    """What the framework calls of a model, with unknown inputs."""
    computing = _computes(instance.cls)
    if computing is None:
        return
    open_what_others_fill(tr, instance, computing)
    args, kwargs = unknown_arguments(computing, skip=1)
    args = assumed(tr, computing, args)
    tr.in_batches = tr.in_definition
    call_instance(tr, instance, args, kwargs, None, is_open(computing))


def _takes_nothing(function: Function) -> bool:
    """Whether there is one way to call it."""
    spec = function.node.args
    return not (spec.posonlyargs or spec.args or spec.kwonlyargs or spec.vararg or spec.kwarg)


def _call_model(tr: Tracer, result: Value) -> None:
    """What an entry point gives, ``(model, example inputs)``, is called as the export will call it."""
    if not isinstance(result, (tuple, ListV)):
        return
    items = list(result.items if isinstance(result, ListV) else result)
    if len(items) != 2 or not isinstance(items[0], (Instance, Layer, Function, Bound)):
        return
    model, examples = items
    if isinstance(examples, (tuple, ListV)) and not getattr(examples, "open", False):
        given = tuple(examples.items if isinstance(examples, ListV) else examples)
        tr.shared.results.append(call(tr, model, given, {}))
    elif isinstance(examples, DictV) and not examples.open and all(isinstance(k, str) for k in examples.items):
        tr.shared.results.append(call(tr, model, (), dict(examples.items)))
