"""The programs that use a file, followed to see what they make of it: examples, tests, main parts of other files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from analyzer.tracing.imports.kept_modules import undone
from analyzer.tracing.imports.modules import run_module
from analyzer.tracing.language.own_paths import own_path
from analyzer.tracing.language.values import Scope
from analyzer.tracing.paths.exploring import define, explore_beside, explore_cut, explore_paths, explore_sample
from analyzer.tracing.paths.frames import Shared
from analyzer.tracing.paths.paths import OutOfBudget
from analyzer.tracing.paths.problems import DOCUMENTED_PROGRAM, GUESSED_RUN, SAMPLED_RUN, Diagnostic
from analyzer.tracing.paths.remembered import remembered
from analyzer.tracing.paths.solver import Effort
from analyzer.tracing.paths.tracer import Tracer
from analyzer.tracing.programs.docstring_examples import examples_of
from analyzer.tracing.programs.drivers import Driver, drivers_of
from analyzer.tracing.programs.entries import DEFINITIONS, has_main_part
from analyzer.tracing.programs.unit_tests import run_case

DRIVER_STEPS = 120_000  # of one example or test that uses a library file
TEST_STEPS = 4_000  # more for each test of it
SEARCH_STEPS = 30_000  # within which one that does not name what the file defines has to come to it
DRIVER_EFFORT = 100_000  # of the solver, for the same
MOST_DRIVER_PATHS = 6  # of one inferred call, of which a file may have dozens
MOST_TESTS = 40  # of one file: those that use what was changed are seldom more


def explore_drivers(shared: Shared, tree: ast.Module, relative: str, called: bool) -> None:
    """What the examples and tests of the repository make of a library file, whose own run has not `called` it all."""
    if called and has_main_part(tree):
        return  # a script has its own arguments
    if shared.late():
        return
    for driver in _drivers(shared, tree, relative):
        if shared.late():
            shared.notes["The budget of time is spent before all programs that use this file are analysed."] = None
            return
        text = ast.unparse(driver.tree) if driver.documented else ""  # which is edited with the file
        key = f"driver {driver.path if text else driver} {text}"
        remembered(shared, key, lambda driver=driver: _explore_driver(shared, driver, relative))  # type: ignore[misc]


def _drivers(shared: Shared, tree: ast.Module, relative: str) -> list[Driver]:
    """Those of the file: the names that it defines and the other files tell which."""
    if shared.memory is None:
        return [*drivers_of(shared.root, relative, tree), *examples_of(relative, tree)]
    names = tuple(n.name for n in tree.body if isinstance(n, DEFINITIONS))
    known = shared.memory.imports.drivers
    if names not in known:
        known[names] = drivers_of(shared.root, relative, tree)
    found: list[Driver] = known[names]
    return [*found, *examples_of(relative, tree)]


def _explore_driver(shared: Shared, driver: Driver, relative: str) -> None:
    limit, effort = shared.most_steps, shared.effort
    try:
        before = dict(shared.problems)
        reached, shared.reached = shared.reached, set()
        shared.sources.setdefault(driver.path, driver.tree)
        shared.effort = Effort(DRIVER_EFFORT)
        notes, cut_short = dict(shared.notes), shared.cut_short.copy()
        if driver.names_it or _found_in_time(shared, driver, relative):
            shared.notes, shared.cut_short = dict(notes), cut_short.copy()
            _run(shared, driver, DRIVER_STEPS + TEST_STEPS * min(len(driver.tests), MOST_TESTS))
        used = _comes_to(shared, relative)
        if not used:
            shared.notes, shared.cut_short = notes, cut_short  # they are of other files
        elif shared.asks_values and not driver.tests and not any(_proved_since(shared, before)):
            shared.most_steps = shared.steps + DRIVER_STEPS
            explore_sample(shared, lambda tr: _run_driver(tr, driver))
        shared.reached |= reached
        for key in [k for k, p in shared.problems.items() if p is not before.get(k)]:
            problem = shared.problems.pop(key)
            sampled = problem.tier in (GUESSED_RUN, SAMPLED_RUN)
            doubtful = driver.documented and not problem.certain and not sampled
            if not used or doubtful or problem.site.path == driver.path or problem.level not in ("error", "warning"):
                shared.problems.update({key: before[key]} if key in before else {})
            else:
                told = DOCUMENTED_PROGRAM if driver.documented else "The program"
                told = f"{told} at {driver} fails, which uses this file."
                certain = problem.certain and not driver.documented
                words = {"sentences": (*problem.sentences, told)} if sampled else {"tier": told, "certain": certain}
                shared.problems[key] = replace(problem, **words)
        effort.spent = effort.spent or shared.effort.spent
    finally:
        shared.most_steps, shared.effort = limit, effort


def _run(shared: Shared, driver: Driver, steps: int) -> None:
    shared.most_steps = shared.steps + steps
    if driver.tests:
        _run_tests(shared, driver)
    else:
        explore_paths(shared, lambda tr: _run_driver(tr, driver), MOST_DRIVER_PATHS, defaults=True)


def _found_in_time(shared: Shared, driver: Driver, relative: str) -> bool:
    """Whether a program that does not name what the file defines comes to it, and has more to show."""
    ran_out, shared.ran_out = shared.ran_out, False
    _run(shared, driver, SEARCH_STEPS)
    more, shared.ran_out = shared.ran_out, shared.ran_out or ran_out
    return more and _comes_to(shared, relative)


def _comes_to(shared: Shared, relative: str) -> bool:
    return any(key.startswith(f"{relative}:") for key in shared.reached)


def _proved_since(shared: Shared, before: dict[tuple[Any, ...], Diagnostic]) -> Iterator[bool]:
    return (p.level == "error" and p.certain for k, p in shared.problems.items() if p is not before.get(k))


def _run_driver(tr: Tracer, driver: Driver) -> Scope:
    scope = Scope()
    scope.names["__name__"] = "__main__"
    scope.names["__file__"] = own_path(driver.path)
    run_module(tr, driver.tree, scope, driver.path)
    return scope


def _run_tests(shared: Shared, driver: Driver) -> None:
    """Each test for itself: one that fails hides none of the others."""
    tr = Tracer(shared, defaults=True)
    try:
        with undone(tr):
            scope = define(tr, driver.tree, driver.path)
            if len(driver.tests) > MOST_TESTS:
                shared.notes[f"The budget is {MOST_TESTS} tests of {driver.path}; the others are not analysed."] = None
            tests = driver.tests[:MOST_TESTS]
            cuts = [
                explore_beside(
                    tr, str(case), 1.0, partial(run_case, tr, scope, case, driver.path), waiting=len(tests) - place
                )
                for place, case in enumerate(tests, start=1)
            ]
            explore_cut(tr, 1.0, [cut for cut in cuts if cut is not None])
    except OutOfBudget:
        shared.notes[f"The budget of steps for {driver.path} is spent; the rest is not analysed."] = None
