"""Calls of libraries whose source is installed: within a budget of their own, from summaries where there are some."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from analyzer.tracing.imports.lazy_modules import LazyScope, provide
from analyzer.tracing.imports.libraries import MARK, folder_of
from analyzer.tracing.imports.modules import import_module, module_of
from analyzer.tracing.imports.summarised_calls import as_data, key_of
from analyzer.tracing.imports.summarised_calls import as_value as summarised_value
from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.plain_data import NotPlain
from analyzer.tracing.language.signatures import ArgumentMismatch
from analyzer.tracing.language.values import (
    Function,
    Module,
    Value,
)
from analyzer.tracing.paths.paths import OutOfBudget, SeenThrough
from analyzer.tracing.paths.problems import PyRaise, ShapeFailure
from analyzer.tracing.paths.symbols import Site
from analyzer.tracing.paths.tracer import Tracer

SHARE_OF_IMPORTS = 4  # one call of a library takes a fourth of what imports have left, at the most
LIBRARY_STEPS = 100_000  # of one call of a library: a network of a hundred blocks takes about 60,000


def run_library(
    tr: Tracer, function: Function, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None,
    open_args: bool, run: Callable[[], Value],
) -> Value:  # fmt: skip
    """A call of a library: what it requires and refuses is a matter of the line of the repository that calls it.

    What its own code raises, but for a shape, may come from a value that was not understood: then its decorators are
    seen through, its functions give an unknown, and nothing behind is proved.
    """
    here, before = tr.site(), len(tr.path.conditions)
    if f"{function.path}:{function.node.lineno}" in tr.shared.too_long:
        return _not_followed(tr, function, args, here, "takes too long to be followed")
    conditions, in_wrapper = tr.path.conditions, tr.in_wrapper
    tr.in_wrapper = function.wrapped is not None
    found = _summary(tr, function, args, kwargs, here) if not open_args else None
    if found is not None and found.known:
        return found.value
    try:
        with _library_budget(tr):
            value = run()
            if found is not None and found.key is not None:
                _summarise(tr, function, found.key, args, kwargs, value, (before, found.decided))
            return value
    except OutOfBudget:
        if tr.shared.late() or tr.shared.steps > tr.shared.most_steps:
            raise
        tr.shared.too_long.add(f"{function.path}:{function.node.lineno}")
        return _not_followed(tr, function, args, here, "takes too long to be followed")
    except SeenThrough:
        if function.wrapped is None:
            raise
        tr.in_wrapper = in_wrapper
        return _seen_through(tr, function, args, kwargs, node, open_args)
    except ShapeFailure as failure:
        if failure.problem.site.path.startswith(MARK):
            inside = f"Inside the library: {failure.problem.site.path.lstrip(MARK)}:{failure.problem.site.line}."
            sentences = (*failure.problem.sentences, inside)
            failure.problem = replace(failure.problem, site=here, sentences=sentences, fix=None)
        raise
    except PyRaise as error:
        if tr.guards or isinstance(error, ArgumentMismatch) or not error.path.startswith(MARK):
            raise
        if function.wrapped is not None:
            tr.in_wrapper = in_wrapper
            return _seen_through(tr, function, args, kwargs, node, open_args)
        return _not_followed(tr, function, args, here, f"raises {error.name}")
    finally:
        tr.in_wrapper = in_wrapper
        for index in range(before, len(conditions)):
            if conditions[index].site.path.startswith(MARK):
                conditions[index] = replace(conditions[index], site=here)


def _seen_through(
    tr: Tracer, function: Function, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None,
    open_args: bool,
) -> Value:  # fmt: skip
    """A call of the function that a library's decorator wraps, which may be what turns the arguments into its own."""
    here = tr.site()
    try:
        return call(tr, function.wrapped, args, kwargs, node, open_args)
    except ArgumentMismatch as error:
        if error.function is not function.wrapped:
            raise
        return _not_followed(tr, function, args, here, "may change its arguments")


def _not_followed(tr: Tracer, function: Function, args: tuple[Value, ...], here: Site, why: str) -> Value:
    """What a library's function gives that was not followed to its end: an unknown, behind which nothing is proved."""
    tr.path.choose(here, "imprecise", f"{function.name} {why}", False, imported=True)
    tr.forget(args)
    return tr.unknown_call(function.name)


@dataclass(frozen=True, slots=True)
class _Summary:
    """The key of a call, and what is remembered of it; `decided` branches were behind the path before it."""

    key: str | None
    known: bool = False
    value: Value = None
    decided: int = 0


def _summary(
    tr: Tracer, function: Function, args: tuple[Value, ...], kwargs: dict[str, Value], here: Site
) -> _Summary | None:
    if not isinstance(function.scope.globals, LazyScope) or tr.shared.summaries is None or tr.importing:
        return None
    key = key_of(tr, function, args, kwargs)
    told = tr.shared.summaries.known(module_of(function.path), key) if key is not None else None
    if isinstance(told, dict) and {"result", "doubtful"} <= set(told):
        with suppress(ValueError, TypeError, LookupError, RecursionError):
            value = summarised_value(told["result"], here, function.name, lambda path, name: _code(tr, path, name))
            if told["doubtful"] is not False:
                tr.path.choose(here, "imprecise", f"a branch inside {function.name}", True, imported=True)
            tr.shared.known_calls[function.name] += 1
            return _Summary(key, True, value)
    return _Summary(key, decided=len(tr.path.decisions))


def _code(tr: Tracer, path: str, name: str) -> Value:
    """A class or function of a library. Raises ValueError where there is none."""
    module = import_module(tr, module_of(path), whole=True) if path.startswith(MARK) else None
    if not isinstance(module, Module) or module.path != path or not provide(tr, module.scope, name):
        raise ValueError(name)
    return module.scope.names[name]


def _summarise(
    tr: Tracer, function: Function, key: str, args: tuple[Value, ...], kwargs: dict[str, Value], value: Value,
    before: tuple[int, int],
) -> None:  # fmt: skip
    """Remember a call that chose nothing that a caller chooses and changed none of its arguments.

    Neither they nor the result hold symbols, so what was demanded of others inside is no one else's matter.
    """
    conditions, decisions = tr.path.conditions[before[0] :], tr.path.decisions[before[1] :]
    shared = tr.shared
    if any(not d.imported or d.origin == "guess" for d in decisions) or shared.summaries is None:
        return
    if tr.sampler is not None:
        return  # other numbers may have led elsewhere
    with suppress(NotPlain, RecursionError):
        doubtful = bool(conditions) or any(d.origin == "imprecise" for d in decisions)
        summary = {"result": as_data(value), "doubtful": doubtful}
        if key_of(tr, function, args, kwargs) == key:
            library = folder_of(module_of(function.path))
            paths = [library.parent / p.lstrip(MARK) for p in shared.sources if p.startswith(MARK)] if library else []
            shared.summaries.keep(module_of(function.path), key, summary, paths)


@contextmanager
def _library_budget(tr: Tracer) -> Iterator[None]:
    """Inside, one call of a library has steps of its own, so that it does not take those of the file or its imports."""
    shared = tr.shared
    limit = shared.most_steps
    left = (limit - shared.steps) // SHARE_OF_IMPORTS if tr.importing else LIBRARY_STEPS
    shared.most_steps = min(limit, shared.steps + min(left, LIBRARY_STEPS))
    try:
        yield
    finally:
        shared.most_steps = limit
